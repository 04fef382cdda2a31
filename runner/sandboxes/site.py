"""The sandbox kinds of one site: which there are, which is the default, which are allowed."""

from __future__ import annotations

from collections.abc import Mapping

from runner.domain.errors import Invalid
from runner.ports import Sandbox


class Site:
    """Chooses a sandbox by the site's settings SANDBOX and ALLOW_LOCAL_SANDBOX. Nothing falls back to another kind."""

    def __init__(self, sandboxes: Mapping[str, Sandbox], default_kind: str, allow_local: bool) -> None:
        self._sandboxes = sandboxes
        self._default_kind = default_kind
        self._allow_local = allow_local

    def choose(self, kind: str | None) -> Sandbox:
        asked = kind or self._default_kind
        if asked == "slurm":
            raise Invalid("This version does not submit to Slurm yet: use bubblewrap, or auto.", "slurm_unavailable")
        if asked == "local" and not self._allow_local:
            raise Invalid(
                "The sandbox local gives no isolation and is not allowed here: set REPRISE_ALLOW_LOCAL_SANDBOX=1, "
                "or use an isolating kind.",
                "sandbox_not_allowed",
            )
        return self._first_isolating() if asked == "auto" else self._named(asked)

    def _named(self, kind: str) -> Sandbox:
        sandbox = self._sandboxes.get(kind)
        if sandbox is None:
            raise Invalid(f"This version has no {kind} sandbox yet: use bubblewrap, or auto.", "sandbox_unavailable")
        probe = sandbox.probe()
        if not probe.ok:
            raise Invalid(
                f"The sandbox {kind} is not available here: {probe.reason} {probe.way_out}".strip(),
                "sandbox_unavailable",
            )
        return sandbox

    def _first_isolating(self) -> Sandbox:
        reasons = []
        for kind, sandbox in self._sandboxes.items():
            if not sandbox.isolating:
                continue
            probe = sandbox.probe()
            if probe.ok:
                return sandbox
            reasons.append(f"{kind}: {probe.reason} {probe.way_out}".strip())
        raise Invalid(f"No isolating sandbox is available here. {' '.join(reasons)}".strip(), "sandbox_unavailable")
