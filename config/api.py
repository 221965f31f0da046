"""The read API as a whole: its parts, its limits, how long answers keep, and what faults look like.

Everything is public and alike for every reader, so answers may be kept by anybody on the way.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.utils import translation
from django.utils.cache import get_conditional_response, patch_cache_control, set_response_etag
from ninja import NinjaAPI, Swagger
from ninja.errors import HttpError, ValidationError

from accounts import limits
from games.histories import api as games_api
from games.histories.api_forms import BadCursor
from ladder.boards import api as ladder_api

PREFIX = "/api/"
#: Seconds for which an answer may be kept without asking again.
FRESH_S = 15

Answers = Callable[..., HttpResponse]

_DESCRIPTION = """
Everything that the site shows to everybody, to be read by programs: ladders and their boards, players, finished games.
No key is needed. Of a running game, and of games of private parties, nothing is told.

* Lists come in pages: pass `next` as `cursor` to go on; it is null on the last page.
* Ratings are texts with two decimals, times are ISO 8601 in UTC, ids never change.
* Answers keep for some seconds and carry an `ETag`: send it back as `If-None-Match`, and what has not changed is 304.
* Too many requests from one address in a minute are answered with 429 and `Retry-After`.
* A fault is an object with a `code`, whatever the status.
"""


class Described(NinjaAPI):
    """The API with the form of a record, which is a JSON Schema of its own, in its description."""

    def get_openapi_schema(self, **more: Any) -> Any:
        schema = super().get_openapi_schema(**more)
        schema["components"]["schemas"]["Record"] = games_api.RECORD_SCHEMA
        return schema


api = Described(
    title="Moonshot",
    version=settings.VERSION,
    description=_DESCRIPTION,
    docs=Swagger(settings={"validatorUrl": None, "defaultModelsExpandDepth": 0}),
    docs_url="/",
    openapi_url="/openapi.json",
    urls_namespace="api",
)


def fault(status: int, code: str, message: str, faults: list[str] | None = None) -> HttpResponse:
    """An answer that says why there is none."""
    answer = JsonResponse({"code": code, "message": message, "faults": faults or []}, status=status)
    answer["Access-Control-Allow-Origin"] = "*"
    patch_cache_control(answer, no_store=True)
    return answer


def _served(answer: Answers) -> Answers:
    """Counts a request, and lets whoever has the answer already keep it."""

    @functools.wraps(answer)
    def served(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        try:
            limits.count("api", limits.address_of(request), settings.API_A_MINUTE)
        except limits.TooMany as too_many:
            refusal = fault(429, "too_many", "Too many requests from this address. Come back later.")
            refusal["Retry-After"] = str(too_many.seconds)
            return refusal
        with translation.override("en"):
            response = answer(request, *args, **kwargs)
        response["Access-Control-Allow-Origin"] = "*"
        if response.status_code != 200:
            return response
        patch_cache_control(response, public=True, max_age=FRESH_S)
        set_response_etag(response)
        return get_conditional_response(request, etag=response["ETag"], response=response) or response

    return served


api.add_decorator(_served, mode="view")
api.add_router("", games_api.router)
api.add_router("", ladder_api.router)


@api.exception_handler(Http404)
def _not_found(request: HttpRequest, error: Http404) -> HttpResponse:
    return fault(404, "not_found", "There is nothing at this address.")


@api.exception_handler(BadCursor)
def _bad_cursor(request: HttpRequest, error: BadCursor) -> HttpResponse:
    return fault(422, "bad_cursor", "Not a cursor: use `next` of the page before.")


@api.exception_handler(ValidationError)
def _invalid(request: HttpRequest, error: ValidationError) -> HttpResponse:
    faults = [f"{each['loc'][-1]}: {each['msg']}" for each in error.errors]
    return fault(422, "invalid", "A parameter is not as it should be.", faults)


@api.exception_handler(HttpError)
def _http_error(request: HttpRequest, error: HttpError) -> HttpResponse:
    return fault(error.status_code, _CODES.get(error.status_code, "refused"), str(error))


_CODES = {400: "bad_request", 404: "not_found", 405: "not_allowed", 500: "server_error"}
_MESSAGES = {
    400: "The request cannot be understood.",
    404: "There is nothing at this address.",
    405: "This address can only be read.",
    500: "Something went wrong here. It has been noted.",
}


class FaultsAsJson:
    """Whatever goes wrong below the API's address is told as JSON, also where no part of the API was reached."""

    def __init__(self, answer: Callable[[HttpRequest], HttpResponse]) -> None:
        self.answer = answer

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.answer(request)
        if not request.path.startswith(PREFIX) or response.status_code not in _CODES:
            return response
        if response.headers.get("Content-Type", "").startswith("application/json"):
            return response
        told = fault(response.status_code, _CODES[response.status_code], _MESSAGES[response.status_code])
        if "Allow" in response:
            told["Allow"] = response["Allow"]
        return told
