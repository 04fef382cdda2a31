"""POST /run: launch runs, or say what a launch would do (`dry_run`)."""

from __future__ import annotations

from typing import Annotated

from flask import Response
from pydantic import Field

from functions import _http
from runner.domain.configs import Configs
from runner.usecases import launch as use
from runner.usecases.launch_checks import LaunchRequest

bp = _http.blueprint(__name__, scope="run")


class Launch(Configs):
    paper_ids: list[Annotated[str, Field(min_length=1, max_length=200)]] = Field(min_length=1, max_length=100)
    dry_run: bool = False
    budget_usd: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = None


@bp.post("/run")
def launch() -> Response:
    asked = _http.body(Launch)
    wanted = LaunchRequest(
        paper_ids=tuple(asked.paper_ids),
        configs=Configs(**{name: getattr(asked, name) for name in Configs.model_fields}),
        submission_field_set="submission_id" in asked.reproduce_config.model_fields_set,
        idempotency_key=_http.idempotency_key(),
        body_sha256=_http.body_sha256(),
    )
    ports, with_private = _http.ports(), _http.may_see_private()
    if asked.dry_run:
        return _http.reply(use.dry_run(ports, request=wanted, with_private=with_private))
    return _http.reply(use.launch(ports, request=wanted, actor=_http.actor(), with_private=with_private), 202)
