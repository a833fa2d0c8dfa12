from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from cli import up
from worker.child import tied

PROGRAM = """
import gc, sys

print(__name__, sys.argv[1:], gc.isenabled(), gc.get_freeze_count() > 0)
from worker import start

start.ready()
print(gc.isenabled(), gc.get_freeze_count() > 0, gc.get_threshold() == start.THRESHOLDS)
"""


def test_a_program_is_loaded_without_the_garbage_collector_until_it_is_ready(
    tmp_path: Path,
) -> None:
    (tmp_path / "program.py").write_text(PROGRAM)
    command = [sys.executable, "-m", "worker.start", "program", "-n", "one"]
    environment = {"PYTHONPATH": f"{tmp_path}:{Path(up.__file__).parent.parent}"}
    told = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert told.stdout.splitlines() == [
        "__main__ ['-n', 'one'] False False",
        "True True True",
    ]


def test_no_program_imports_an_authors_file_of_the_current_folder(tmp_path: Path) -> None:
    (tmp_path / "graphlib.py").write_text("raise SystemExit('the author has a graphlib.py')")
    asked = "from celery.utils.imports import import_from_cwd"
    asked += "; graphlib = import_from_cwd('graphlib'); print(graphlib.TopologicalSorter.__name__)"
    folder = tmp_path / "path"
    folder.mkdir()
    (folder / "program.py").write_text(asked)
    command = tied([sys.executable, "-P", "-m", "worker.start", "program"])
    environment = {"PYTHONPATH": f"{folder}:{Path(up.__file__).parent.parent}"}
    told = subprocess.run(command, env=environment, cwd=tmp_path, capture_output=True, text=True)
    assert (told.stdout, told.stderr) == ("TopologicalSorter\n", "")


def test_one_that_fails_says_so_with_its_own_code(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text("import sys\nsys.exit(3)\n")
    command = [sys.executable, "-m", "worker.start", "program"]
    environment = {"PYTHONPATH": f"{tmp_path}:{Path(up.__file__).parent.parent}"}
    assert subprocess.run(command, env=environment).returncode == 3
