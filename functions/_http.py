"""The only HTTP kit an endpoint needs; every endpoint module does `from functions import _http` and defines `bp`.

    bp = _http.blueprint(__name__, scope="run")

    class Retry(BaseModel):                      # plain pydantic; strict types and unknown_field come from body()
        from_stage: StageName | None = None

    @bp.post("/run/<job_id>/retry")
    def retry(job_id: str) -> Response:
        asked = _http.body(Retry, optional=True)
        ...
        return _http.reply({"job_id": job_id}, 202)

- `blueprint(__name__, prefix=API, scope="run", guarded=True)`: `scope` is what a *changing* request needs when AUTH is
  key (`"run"`, `"admin"`, or None for none at all, as cost-estimate). Checked before the endpoint runs: forgetting it
  is safe.
- `body(Model, optional=False)`, `json_object(optional=False)`, `json_bytes()`, `body_sha256()`: the JSON body,
  strict, all faults at once. Use `list[...]`, not `tuple[...]`, in models. A `ValueError` in a validator becomes a
  detail `invalid_value`; a `PydanticCustomError("code", "Sentence.")` chooses its code. Validators get
  `{"now": datetime}` as context.
- `query(Model)`: the query string; unknown parameters are ignored. Types: `Integer`, `Flag`, `comma(Literal[...])`.
  Lists derive from `Paging` and use `after(asked)` and `page_reply(asked, "runs", page, show)`.
- `reply(payload, status=200, etag=None, headers=None)`, `sse(generator)`, `when(datetime)`; datetimes inside payloads
  are rendered by themselves. A generator for `sse` must not use `ports()`, `request`, `g` inside: pass what it needs.
- `actor()`: name of the key or None; `may_see_private()`; `require_scope("admin")` where a blueprint's scope is not
  enough.
- `idempotency_key()`: the header of that name, checked.
- `multipart(limit)`: the one part `file`, streamed; see `_multipart.py`.

Refusals are raised as `runner.domain.errors`; `_errors.py` maps them to statuses, once.
"""

from __future__ import annotations

from functions._access import actor, client_address, may_see_private, require_scope
from functions._bodies import body, body_sha256, is_multipart, json_bytes, json_object
from functions._idempotency import idempotency_key
from functions._kit import API, blueprint, kit, ports, settings
from functions._multipart import multipart
from functions._pages import Paging, after, page_reply
from functions._parameters import Flag, Integer, comma, query
from functions._replies import reply, sse
from runner.domain.times import utc_text as when

__all__ = [
    "API",
    "Flag",
    "Integer",
    "Paging",
    "actor",
    "after",
    "blueprint",
    "body",
    "body_sha256",
    "client_address",
    "comma",
    "idempotency_key",
    "is_multipart",
    "json_bytes",
    "json_object",
    "kit",
    "may_see_private",
    "multipart",
    "page_reply",
    "ports",
    "query",
    "reply",
    "require_scope",
    "settings",
    "sse",
    "when",
]
