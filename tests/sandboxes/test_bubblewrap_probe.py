"""Whether bubblewrap keeps its promises is tried; what is wrong is said with a way out."""

from __future__ import annotations

import socket

import pytest

from runner.ports import Probe, ScriptOutcome
from runner.sandboxes import bubblewrap_probe
from runner.sandboxes.bubblewrap import Bubblewrap
from runner.sandboxes.bubblewrap_program import Program

PROGRAM = Program("/usr/bin/bwrap", "bubblewrap 0.8.0", True, True)


class Scripted:
    """A sandbox that answers as told."""

    kind, network, isolating = "scripted", "off", True

    def __init__(self, output: bytes = b"", failure_text: str | None = None, exit_code: int = 0) -> None:
        failure = None if failure_text is None else "sandbox_start_failed"
        self._output = output
        self._outcome = ScriptOutcome(exit_code, None, False, False, 0.0, failure, failure_text or "")

    def probe(self):
        return Probe(True)

    def environment(self, *args):
        return {}

    def run(self, spec, on_output, should_stop):
        on_output(self._output)
        return self._outcome


def test_it_passes_here_and_tells_its_version(bubblewrap):
    with socket.create_server(("127.0.0.1", 0)) as server:
        probe = Bubblewrap(own_port=server.getsockname()[1]).probe()
    assert (probe.ok, probe.reason, probe.way_out) == (True, "", "")
    assert probe.version.startswith("bubblewrap ")


def test_the_answer_is_kept(bubblewrap):
    assert bubblewrap.probe() is bubblewrap.probe()


def test_without_bwrap_it_says_what_to_install():
    probe = Bubblewrap(program="no-such-bwrap").probe()
    assert probe == Probe(False, "bwrap is not installed.", "Install the package bubblewrap.")


@pytest.mark.parametrize(
    ("words", "reason", "way_out"),
    [
        ("bwrap: setting up uid map: Permission denied", "AppArmor", "bwrap-userns-restrict"),
        ("bwrap: loopback: Failed RTM_NEWADDR: Operation not permitted", "AppArmor", "bwrap-userns-restrict"),
        ("bwrap: No permissions to create a new namespace, likely because ...", "user namespaces", "--security-opt"),
        ("bwrap: Creating new namespace failed: Operation not permitted", "user namespaces", "--security-opt"),
        ("bwrap: Creating new namespace failed: No space left on device", "no more", "user.max_user_namespaces"),
        ("bwrap: Can't mount proc on /newroot/proc: Operation not permitted", "/proc", "systempaths=unconfined"),
        ("bwrap: something else at /srv/secret/place", "does not start", "by hand"),
    ],
)
def test_a_refusal_is_explained(words, reason, way_out):
    probe = bubblewrap_probe.probe(Scripted(failure_text=words), PROGRAM, None)
    assert not probe.ok
    assert reason in probe.reason
    assert way_out in probe.way_out
    assert "/srv" not in probe.reason + probe.way_out


@pytest.mark.parametrize(
    "fault", ["user", "capabilities", "privileges", "outside", "kernel", "memory", "inside", "network"]
)
def test_a_broken_promise_fails_it(fault):
    probe = bubblewrap_probe.probe(Scripted(f"fault {fault}\n".encode()), PROGRAM, 8321)
    assert not probe.ok
    assert probe.reason


def test_a_script_that_does_not_run_fails_it():
    assert not bubblewrap_probe.probe(Scripted(exit_code=127), PROGRAM, None).ok


def test_what_it_tries_is_noticed_where_nothing_is_isolated(bench):
    """The same script without a sandbox: it must find the faults it looks for."""
    from runner.sandboxes.local import Local

    with socket.create_server(("127.0.0.1", 0)) as server:
        probe = bubblewrap_probe.probe(Local(), PROGRAM, server.getsockname()[1])
    assert "reaches this service's own port" in probe.reason
    assert "is not the user" in probe.reason
