"""Whether bubblewrap keeps its promises on this host: tried, not assumed."""

from __future__ import annotations

import pathlib
import tempfile

from runner.ports import Probe, Sandbox, ScriptOutcome, ScriptSpec
from runner.sandboxes.bubblewrap_program import Program
from runner.sandboxes.environment import PATH

TIME_LIMIT_S = 20.0

_SCRIPT = """\
[[ $(id -u) == 1000 ]] || echo fault user
grep -q '^CapEff:[[:space:]]*0*$' /proc/self/status || echo fault capabilities
grep -q '^NoNewPrivs:[[:space:]]*1$' /proc/self/status || echo fault privileges
(echo x > /usr/reprise-probe) 2>/dev/null && echo fault outside
[[ -w /proc/sys/kernel/core_pattern ]] && echo fault kernel
[[ -w / || -w /dev ]] && echo fault memory
(echo x > inside && echo x > /tmp/x && echo x > /dev/shm/x && echo x > /dev/null) 2>/dev/null || echo fault inside
(exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null && echo fault network
true
"""
_FAULTS = {
    "user": "a script inside is not the user it should be",
    "capabilities": "a script inside keeps capabilities",
    "privileges": "a script inside may gain privileges",
    "outside": "a script inside can write to the system",
    "kernel": "a script inside can change kernel settings",
    "memory": "a script inside can fill this host's memory with files",
    "inside": "a script inside cannot write to its own folders",
    "network": "a script inside reaches this service's own port",
}

_IN_A_CONTAINER = (
    "Inside a container, start that with --security-opt seccomp=unconfined --security-opt apparmor=unconfined "
    "--security-opt systempaths=unconfined, or use another sandbox."
)
_APPARMOR = (
    "Ubuntu 23.10 and later: install the AppArmor profile bwrap-userns-restrict of the package apparmor-profiles, "
    "or set kernel.apparmor_restrict_unprivileged_userns=0."
)
_REFUSALS = (
    ("setting up uid map", "this host refuses user namespaces (AppArmor).", f"{_APPARMOR} {_IN_A_CONTAINER}"),
    ("RTM_NEWADDR", "this host refuses capabilities inside user namespaces (AppArmor).", _APPARMOR),
    ("RTM_NEWLINK", "this host refuses capabilities inside user namespaces (AppArmor).", _APPARMOR),
    ("mount proc", "this host refuses a new /proc, as containers do.", _IN_A_CONTAINER),
    ("No space left on device", "this host allows no more user namespaces.", "Raise user.max_user_namespaces."),
    ("namespace", "this host refuses user namespaces.", f"Set kernel.unprivileged_userns_clone=1. {_IN_A_CONTAINER}"),
)
"""What bwrap says, what it means, and the way out. The first that fits."""


def probe(sandbox: Sandbox, program: Program | None, own_port: int | None) -> Probe:
    """Runs a script in the sandbox that tries what must fail and what must work. `own_port`: one of this service."""
    if program is None:
        return Probe(False, "bwrap is not installed.", "Install the package bubblewrap.")
    lines: list[bytes] = []
    with tempfile.TemporaryDirectory(prefix="reprise-probe-") as name:
        tree, scratch = pathlib.Path(name, "tree"), pathlib.Path(name, "scratch")
        tree.mkdir()
        scratch.mkdir()
        argv = ("bash", "-c", _SCRIPT, "probe", str(own_port or 0))
        spec = ScriptSpec(tree, scratch, argv, {"PATH": PATH, "LANG": "C.UTF-8"}, TIME_LIMIT_S)
        ended = sandbox.run(spec, lines.append, lambda: False)
    reason, way_out = _judge(ended, b"".join(lines).decode("utf-8", "replace"))
    return Probe(not reason, reason, way_out, program.version)


def _judge(ended: ScriptOutcome, output: str) -> tuple[str, str]:
    """Reason and way out; both empty when all is well."""
    if ended.failure is not None:
        for words, reason, way_out in _REFUSALS:
            if words in ended.failure_text:
                return reason, way_out
        return "bwrap does not start.", "Run bwrap by hand on this host to see why."
    faults = [text for name, text in _FAULTS.items() if f"fault {name}\n" in output]
    if faults:
        return f"{'; '.join(faults)}.", "Use another sandbox on this host, and report this."
    if ended.exit_code != 0:
        return "a script inside does not run.", "See that bash and coreutils are installed below /usr."
    return "", ""
