"""Reads an upload from a request: a part of a form, or text in JSON.

Knows the content types and the models; never looks at the bytes of the file.
"""

from __future__ import annotations

from typing import Any, Final, TypeVar

from apiflask import HTTPError
from flask import request
from pydantic import BaseModel, ValidationError
from werkzeug.exceptions import UnsupportedMediaType

Form = TypeVar("Form", bound=BaseModel)

UPLOADS: Final = ("bots.upload", "bots.upload_version", "drafts.try_draft")
"""The endpoints that take a form as well as JSON."""
UPLOAD_TYPES: Final = "send the bot as multipart/form-data, or as application/json"
_FILE: Final = {
    "multipart/form-data": {"type": "string", "format": "binary"},
    "application/json": {"type": "string", "description": "the text of one Python file"},
}


def read_upload(kind: type[Form]) -> tuple[Form, bytes]:
    """Returns the fields and the file's bytes.

    Raises HTTPError 422, which names the fields that are wrong.
    """
    if request.mimetype == "multipart/form-data":
        return _from_form(kind)
    if request.is_json:
        form = _check(kind, request.get_json())
        text: str = form.file  # type: ignore[attr-defined]
        return form, text.encode("utf-8", "surrogatepass")
    raise UnsupportedMediaType(UPLOAD_TYPES)


def request_body(kind: type[BaseModel]) -> dict[str, Any]:
    """Returns the OpenAPI description of an upload's body."""
    content = {}
    for mimetype, file in _FILE.items():
        schema = kind.model_json_schema(by_alias=True)
        schema["properties"]["file"] = file
        content[mimetype] = {"schema": schema}
    return {"required": True, "content": content}


def _from_form(kind: type[Form]) -> tuple[Form, bytes]:
    fields: dict[str, Any] = {}
    parts: list[tuple[str, list[Any]]] = [*request.form.lists(), *request.files.lists()]
    for name, values in parts:
        if len(values) > 1 or name in fields:
            raise HTTPError(422, detail={"form": {name: ["is there more than once"]}})
        fields[name] = values[0]
    upload, data = fields.get("file"), b""
    if isinstance(upload, str):
        data = upload.encode()
    elif upload is not None:
        data = upload.read()
        fields["file"] = ""
    if fields.get("class") == "":
        del fields["class"]
    return _check(kind, fields), data


def _check(kind: type[Form], fields: Any) -> Form:
    try:
        return kind.model_validate(fields)
    except ValidationError as error:
        wrong: dict[str, list[str]] = {}
        for one in error.errors():
            wrong.setdefault(".".join(map(str, one["loc"])) or "body", []).append(one["msg"])
        raise HTTPError(422, detail={"form": wrong}) from error
