"""A client of the read API that trusts nothing: every answer is held against the API's own description."""

from __future__ import annotations

import json
from typing import Any

from django.test import Client
from jsonschema import Draft202012Validator

_known: dict[str, Any] = {}


def description() -> dict[str, Any]:
    """The OpenAPI document, as it is served."""
    if not _known:
        answer = Client().get("/api/openapi.json")
        assert answer.status_code == 200
        _known.update(answer.json())
    return _known


def operation_of(path: str) -> tuple[str, dict[str, Any]]:
    """The described path that a path is an instance of, and what may be asked of it."""
    parts = path.strip("/").split("/")
    for known, methods in description()["paths"].items():
        names = known.strip("/").split("/")
        if len(names) == len(parts) and all(
            name == part or name.startswith("{") for name, part in zip(names, parts, strict=True)
        ):
            return known, methods["get"]
    raise AssertionError(f"{path} is not described")


def check(path: str, status: int, body: Any) -> None:
    """Holds an answer against the description."""
    _, operation = operation_of(path)
    assert str(status) in operation["responses"], f"{status} of {path} is not described"
    schema = operation["responses"][str(status)]["content"]["application/json"]["schema"]
    Draft202012Validator({**schema, "components": description()["components"]}).validate(body)


def get(path: str, status: int = 200, **query: Any) -> Any:
    """What the API says; it has to be what its description promises."""
    answer = Client(raise_request_exception=False).get(path, query)
    assert answer.status_code == status, answer.content
    assert answer["Content-Type"].startswith("application/json")
    body = json.loads(answer.content)
    check(path, status, body)
    return body


def walk(path: str, name: str, **query: Any) -> list[Any]:
    """Everything of a list, page by page."""
    found: list[Any] = []
    cursor = ""
    for _ in range(200):
        page = get(path, **{**query, **({"cursor": cursor} if cursor else {})})
        assert len(page[name]) <= query.get("limit", 50)
        found += page[name]
        if page["next"] is None:
            return found
        assert page["next"] != cursor
        cursor = page["next"]
    raise AssertionError("the list does not end")
