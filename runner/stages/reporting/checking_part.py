"""Section 10: what a reader needs to check the report without us."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import rfc8785

from runner.stages.reporting import plain_text, stored
from runner.stages.reporting.stored import JsonObject


@dataclass(frozen=True, slots=True)
class Config:
    """One configuration as asked, with its SHA-256 over the RFC 8785 form. `text` leaves out what was not set."""

    name: str
    sha256: str | None
    text: str


@dataclass(frozen=True, slots=True)
class Checking:
    """`digests` = (name, sha256 or None); `commands` are shell lines, `$REPRISE` being the address of the server."""

    digests: tuple[tuple[str, str | None], ...]
    commands: tuple[str, ...]
    configs: tuple[Config, ...]

    def script(self) -> str:
        return "\n".join(self.commands)


def read(run: JsonObject, results: JsonObject | None, rubric_sha256: str | None, paper_sha256: str | None) -> Checking:
    run_id = stored.text(run, "job_id") or ""
    configs = tuple(_config(name, value) for name, value in stored.child(run, "configs").items())
    judge = next((each.sha256 for each in configs if each.name == "judge_config"), None)
    base = f'"$REPRISE/api/paperbench/run/{run_id}'
    commands = [f'curl -s {base}"'] + ([f'curl -s {base}/results"'] if results is not None else [])
    return Checking(
        digests=(
            ("paper", paper_sha256),
            ("submission", stored.text(stored.child(results, "submission"), "sha256")),
            ("rubric", rubric_sha256),
            ("judge_config", judge),
            ("results", None),
            ("attestation", None),
        ),
        commands=(*commands, f'curl -s {base}/logs.txt"', f'curl -s {base}/artifacts"'),
        configs=configs,
    )


def _config(name: str, value: Any) -> Config:
    text = json.dumps(_set_fields(value), ensure_ascii=False, indent=2, sort_keys=True)
    try:
        digest: str | None = hashlib.sha256(rfc8785.dumps(value)).hexdigest()
    except rfc8785.CanonicalizationError:
        digest = None
    return Config(name=name, sha256=digest, text=plain_text.clean(text))


def _set_fields(value: Any) -> Any:
    """`value` without the fields that are null, at any depth."""
    if isinstance(value, Mapping):
        return {name: _set_fields(each) for name, each in value.items() if each is not None}
    return [_set_fields(each) for each in value] if isinstance(value, list) else value
