"""The platform's answers: a frozen class for each.

A query makes an answer. The pages, the API with its OpenAPI document, the CSV files and the
commands use it without change. Times are ISO 8601 texts in UTC. Knows shapes; computes nothing.
"""

from __future__ import annotations

from typing import Any, TypeAlias

from pydantic import BaseModel, ConfigDict

Interval: TypeAlias = tuple[float, float]
"""The lower and the upper end of a 95% interval."""


class Answer(BaseModel):
    """A JSON object. A later version of the platform may add fields to it."""

    model_config = ConfigDict(frozen=True)

    def plain(self) -> dict[str, Any]:
        """The answer as JSON-ready data. A field that was not given is left out."""
        plain: dict[str, Any] = self.model_dump(mode="json", exclude_unset=True)
        return plain

    def json_text(self) -> str:
        """The answer as JSON text. Much faster than `plain` for a long answer."""
        return self.model_dump_json(exclude_unset=True)
