# Two commands are enough: `make up` and `make test`. Both make `.venv` first, if need be.

PORT ?= 8000
DATA ?= $(or $(MATCHBOX_DATA),data)
WORKERS ?= 4
ARGS ?=
UV ?= uv

# The first Python of the machine that is new enough. Asked only while there is no .venv.
PYTHON ?= $(shell for python in python3 python3.14 python3.13 python3.12 python3.11; do \
	$$python -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null \
	&& { echo $$python; break; }; done)

# What a C compiler can make faster. Changed, it is compiled anew; without a compiler, nothing is.
TYPES := $(wildcard matchbox/*.pxd matchbox/*/*.pxd matchbox/*/*/*.pxd)
SOURCES := setup.py matchbox/build.py $(TYPES) $(TYPES:.pxd=.py)

# What boxes load. A box cannot write bytecode, so it is compiled here.
BOXED := $(wildcard $(patsubst %,%/*.py,sandbox matchbox matchbox/* matchbox/*/*))

# What has to be installed, in this order: what compiles is one of the libraries.
UP := .venv/.libraries.stamp .venv/.matchbox.stamp .venv/.boxes.stamp
DEV := .venv/.dev-libraries.stamp .venv/.matchbox.stamp .venv/.boxes.stamp
.NOTPARALLEL:

BIN := .venv/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet install
export PIP_ROOT_USER_ACTION := ignore

# Where the kernel offers it, the platform ends with `make`, also when make is killed.
TIED = $(shell setpriv --pdeathsig TERM true 2>/dev/null && echo setpriv --pdeathsig TERM)

# Tests start hundreds of processes, beside each other: none compiles all of the source again, and
# none takes more than one processor for its linear algebra.
LEAN := PYTHONDONTWRITEBYTECODE= OPENBLAS_NUM_THREADS=1

.DEFAULT_GOAL := help
.PHONY: help setup install up test check format bench figures bots league-bench bench-site growth learn shell hostile-load fifty-bots chaos load screenshots playthroughs audit lock env compose-test

help: ## what can be made
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-13s %s\n", $$1, $$2 }' Makefile

setup: $(DEV) ## make .venv with everything that the tests need

install: $(UP) ## make .venv with what the platform and its commands need

up: $(UP) ## start the platform: PORT=8000 DATA=data
	@exec $(TIED) $(BIN)/matchbox up --port $(PORT) --data "$(patsubst ~/%,$(HOME)/%,$(DATA))"

test: $(DEV) ## run the tests: WORKERS=4 ARGS="-k bomb"
	@$(LEAN) $(BIN)/python -m pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder $(ARGS)

check: $(DEV) ## form, types, doors and spelling
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports --no-logo
	@$(BIN)/codespell

format: $(DEV) ## put the source into form
	@$(BIN)/ruff format .
	@$(BIN)/ruff check --fix .

bench: $(UP) ## measure isolated matches, and booking them, against the plain loop, write docs/performance.md (with ARGS: print it)
	@$(BIN)/python -m bench $(if $(ARGS),,--page docs/performance.md) $(ARGS)

figures: $(UP) ## play the published figures anew, write docs/figures.md, fail where one disagrees
	@$(BIN)/python -m bench.figures $(ARGS)

bots: $(UP) ## play every shipped bot against every other, and write docs/bots.md (of some games, or with --scale or --seed: print it)
	@$(BIN)/python -m bench.bots $(ARGS)

league-bench: $(UP) ## try the league's promises on bots of known strength, write docs/league.md
	@OPENBLAS_NUM_THREADS=1 $(BIN)/python -m bench.league $(ARGS)

bench-site: $(DEV) ## ask for every page of a platform with 1,000 bots and 100,000 matches, beside an empty one
	@$(BIN)/python -m tests.postgres $(BIN)/python -m bench.site $(ARGS)

growth: $(DEV) ## what pages and the ledger cost from a thousand matches to a million, on both databases: ARGS="--most 100000"
	@$(BIN)/python -m tests.postgres $(BIN)/python -m bench.site.growth $(ARGS)

learn: $(UP) ## learn the table of bots/skull/regret anew (some minutes), and plot how
	@$(BIN)/python -m learning $(ARGS)

shell: $(UP) ## a shell with `matchbox` on its path
	@PATH="$(CURDIR)/$(BIN):$$PATH" exec "$${SHELL:-/bin/sh}"

env: ## draw the secrets of docker-compose.yml into .env, or as files into a folder: SECRETS=secrets
	@$(or $(wildcard $(BIN)/python),$(PYTHON)) -m cli.deployment "$(patsubst ~/%,$(HOME)/%,$(SECRETS))"

compose-test: $(DEV) ## build the deployment, bring it up, play a season in it, take it down
	@$(BIN)/python -m pytest tests/deployment $(ARGS)

hostile-load: $(DEV) ## ten thousand mixed matches, one entrant in ten an attack, on four times the load; then 4,000 bouts of a bot with notes and without, in every box
	@$(BIN)/python -m tests.hostile.load $(ARGS)
	@$(BIN)/python -m tests.hostile.notes $(NOTES)

fifty-bots: $(DEV) ## a season of fifty bots of every game, or ARGS="bomb", while everything is killed
	@$(BIN)/python -m tests.integration.fifty_bots $(ARGS)

chaos: $(DEV) ## a season of 2,000 matches, and uploads, while a seeded script kills, freezes, cuts, flushes, doubles and fills: ARGS="--on postgres"
	@if [ "$$(id -u)" = 0 ]; \
	then unshare --mount --propagation private $(BIN)/python -m tests.integration.chaos --disk $(ARGS); \
	else $(BIN)/python -m tests.integration.chaos $(ARGS); fi

load: $(DEV) ## a hundred readers, submitters and a season side by side, compared with a single reader
	@$(BIN)/python -m tests.integration.load $(ARGS)

screenshots: $(DEV) ## photograph every page of a platform with demonstration data, into docs/screenshots
	@$(BIN)/python -m tests.screenshots $(ARGS)

playthroughs: $(DEV) ## write every game's playthrough.txt anew; the diff is the review
	@$(BIN)/python -m tests.contract.playthroughs

audit: ## compare the lock files with the known vulnerabilities (needs uv and the network)
	@for file in requirements.lock requirements-openid.lock requirements-dev.lock; do \
		$(UV) tool run --from 'pip-audit==2.10.1' pip-audit --strict --disable-pip --require-hashes -r $$file || exit 1; done

lock: ## work out the lock files anew (needs uv)
	@$(UV) pip compile $(LOCKING) pyproject.toml -o requirements.lock
	@$(UV) pip compile $(LOCKING) --extra openid -c requirements.lock pyproject.toml -o requirements-openid.lock
	@$(UV) pip compile $(LOCKING) --extra dev pyproject.toml -o requirements-dev.lock
	@for name in greenlet numpy; do echo $$name | $(UV) pip compile $(LOCKING) --no-annotate -c requirements.lock - -o sandbox/image/$$name.lock; done

LOCKING := --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header

.venv/.libraries.stamp: requirements.lock pyproject.toml | $(BIN)/pip
	@echo "Installing what the platform needs into .venv (the first time takes a minute or two)"
	@$(PIP) --no-deps --require-hashes -r requirements.lock
	@touch $@

.venv/.dev-libraries.stamp: requirements-dev.lock pyproject.toml | $(BIN)/pip
	@echo "Installing what the tests need into .venv (the first time takes a minute or two)"
	@$(PIP) --no-deps --require-hashes -r requirements-dev.lock
	@touch .venv/.libraries.stamp $@

.venv/.matchbox.stamp: pyproject.toml $(SOURCES) | $(BIN)/pip
	@echo "Installing Matchbox (compiling its hot path takes a minute, where there is a C compiler)"
	@$(PIP) --no-deps --no-build-isolation -e .
	@touch $@

.venv/.boxes.stamp: $(BOXED)
	@$(BIN)/python -m compileall -q sandbox matchbox
	@touch $@

$(BIN)/pip:
	@$(if $(PYTHON),,echo "Matchbox needs Python 3.11 or newer: install it, or name one with 'make PYTHON=/path/to/python3'." >&2; exit 1)
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	|| { echo "Matchbox needs Python 3.11 or newer, and $(PYTHON) is not: name one with 'make PYTHON=/path/to/python3'." >&2; exit 1; }
	@$(PYTHON) -m venv .venv \
	|| { rm -rf .venv; echo "This Python cannot make an environment: on Debian and Ubuntu, 'apt install python3-venv' fixes it." >&2; exit 1; }
