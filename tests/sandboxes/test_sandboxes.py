"""What every sandbox kind does: real scripts, real processes."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import textwrap
import threading

import pytest

from runner.ports import Limits

# ---- how a script ends


@pytest.mark.parametrize(
    ("script", "exit_code", "signal"),
    [
        ("exit 0", 0, None),
        ("exit 3", 3, None),
        ("exit 137", 137, None),
        ("exit 255", 255, None),
        ("kill -9 $$", None, "SIGKILL"),
        ("kill -TERM $$", None, "SIGTERM"),
        ("kill -INT $$", None, "SIGINT"),
        ("kill -SEGV $$", None, "SIGSEGV"),
        ("sleep 60 & kill -9 $!; wait $!", 137, None),
        ("bash -c 'kill -9 $$'", 137, None),
        ("kill -9 0", None, "SIGKILL"),
        ("exec no-such-program", 127, None),
    ],
)
def test_the_end_of_the_script_s_own_process_counts(sandbox, bench, script, exit_code, signal):
    outcome = bench.run(sandbox, script).outcome
    assert (outcome.exit_code, outcome.signal) == (exit_code, signal)
    assert (outcome.timed_out, outcome.stopped, outcome.failure) == (False, False, None)


def test_a_script_that_kills_all_it_can_reach_does_not_reach_its_parent(bubblewrap, bench):
    """(Not for `local`: that would reach us.)"""
    outcome = bench.run(bubblewrap, "kill -9 -1; kill -9 $PPID; kill -STOP $PPID; exit 4").outcome
    assert (outcome.exit_code, outcome.failure) == (4, None)


REPORTS = "/proc/$PPID/fd/2"


@pytest.mark.parametrize(
    "forgery",
    [
        f"head -c 70000 /dev/zero > {REPORTS}",
        f"head -c 2000000 /dev/urandom > {REPORTS}",
        f"printf '[1] Exit 0\\nended %s\\n' $(head -c 5000 /dev/zero | tr '\\0' 9) > {REPORTS}; sleep 0.3",
        f"printf '[1] Exit 0\\nended 99999\\n' > {REPORTS}; sleep 0.3",
        f"printf '[1] Exit 0\\nended 256\\nended -1\\nended \\331\\241\\n' > {REPORTS}",
        f"printf '[1] Exit 0\\nended 0\\n' > {REPORTS}; sleep 0.3",
        f"printf '[1] Exit 0\\nended 0\\n' > {REPORTS}",
        f"printf 'ended 0' > {REPORTS}",
        f"printf '\\nstarted 1\\nstarted 99999999999999999999\\nstarted 2\\n' > {REPORTS}",
        f"yes started > {REPORTS} & sleep 0.3",
        "head -c 9000 /dev/zero > /proc/$PPID/fd/0",
    ],
)
def test_whatever_a_script_reports_of_itself_its_end_is_seen(sandbox, bench, forgery):
    ran = bench.run(sandbox, f"{forgery}\nexit 5")
    assert (ran.outcome.exit_code, ran.outcome.signal, ran.outcome.timed_out) == (5, None, False)
    assert ran.outcome.failure is None
    assert ran.took_s < 9


def test_a_script_cannot_end_before_its_end(sandbox, bench):
    ran = bench.run(sandbox, f"printf '\\nended 0\\n' > {REPORTS}; sleep 1; echo late; kill -9 $$")
    assert (ran.text, ran.outcome.exit_code, ran.outcome.signal) == ("late\n", None, "SIGKILL")


def test_a_stopped_parent_tells_the_end(sandbox, bench):
    ran = bench.run(sandbox, "kill -STOP $PPID; exit 5")
    assert ran.outcome.exit_code == 5
    assert ran.took_s < 9


def test_a_parent_that_is_stopped_for_ever_delays_nothing(sandbox, bench, duration, sleepers):
    script = f"while :; do kill -STOP $PPID; done & sleep {duration} & exit 5"
    assert bench.run(sandbox, script).took_s < 9
    assert sleepers(duration) == []


def test_a_parent_killed_from_outside_is_no_outcome_of_the_script(sandbox, bench, duration, sleepers, eventually):
    """As the kernel does when memory is short: bwrap itself, or the supervisor of `local`."""

    def kill() -> None:
        eventually(lambda: sleepers(duration) != [])
        pid = sleepers(duration)[0]
        while (parent := _parent(pid)) != os.getpid():
            pid = parent
        os.kill(pid, signal.SIGKILL)

    heard = threading.Event()
    spec = bench.spec(sandbox, f"sleep {duration} & echo begun; sleep 60; echo late")
    killer = threading.Thread(target=lambda: heard.wait(20) and kill())
    killer.start()
    outcome = sandbox.run(spec, lambda data: heard.set(), lambda: False)
    killer.join()
    assert (outcome.failure, outcome.failure_text) == ("sandbox_start_failed", "the sandbox was ended from outside")
    assert (outcome.exit_code, outcome.signal, outcome.timed_out) == (None, None, False)
    assert sleepers(duration) == []


def _parent(pid: int) -> int:
    with open(f"/proc/{pid}/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("PPid"))


def test_elapsed_is_the_time_of_the_script(sandbox, bench):
    assert 0.5 <= bench.run(sandbox, "sleep 0.5").outcome.elapsed_s < 5


# ---- what it gets


def test_the_script_gets_these_variables_and_no_other(sandbox, bench, monkeypatch):
    monkeypatch.setenv("REPRISE_LLM_API_KEY", "not-for-scripts")
    ran = bench.run(sandbox, "env -0 | tr '\\0' '\\n'")
    names = {line.split("=")[0] for line in ran.text.splitlines()}
    assert names - {"PWD", "SHLVL", "_"} == {
        "PATH", "HOME", "TMPDIR", "LANG", "TZ", "PYTHONUNBUFFERED", "PYTHONDONTWRITEBYTECODE", "OMP_NUM_THREADS",
        "REPRISE_RUN_ID", "REPRISE_ATTEMPT", "REPRISE_NETWORK", "REPRISE_PAPER_ID",
    }  # fmt: skip
    assert f"REPRISE_NETWORK={sandbox.network}\n" in ran.text


def test_where_and_how_it_runs(sandbox, bench):
    ran = bench.run(
        sandbox,
        'echo "$0 stdin=$(cat | wc -c) umask=$(umask) core=$(ulimit -c)"\n'
        '[[ $PWD == "$HOME" && -w $TMPDIR && $(mktemp) == "$TMPDIR"/* ]] && echo at home\n'
        "yes | head -1; trap -p SIGPIPE; [[ $$ == $(ps -o pgid= $$) ]] && echo leads its group",
    )
    assert ran.text.splitlines()[:3] == ["./reproduce.sh stdin=0 umask=0022 core=0", "at home", "y"]


def test_neither_the_x_bit_nor_the_shebang_matters(sandbox, bench):
    assert bench.run(sandbox, "#!/bin/no-such-shell\necho ran").text == "ran\n"


def test_what_it_writes_is_ours_afterwards(sandbox, bench):
    ran = bench.run(sandbox, "mkdir -p out; echo 1 > out/a; echo x >> reproduce.sh; rm -f gone; chmod 700 out")
    assert (ran.tree / "out/a").read_text() == "1\n"
    assert (ran.tree / "out/a").stat().st_uid == os.geteuid()


def test_python_runs(sandbox, bench):
    assert bench.run(sandbox, "python3 -c 'import ssl, sqlite3, ctypes, getpass; print(6 * 7)'").text == "42\n"


# ---- its output


def test_both_streams_arrive_interleaved(sandbox, bench):
    assert bench.run(sandbox, "for n in 1 2 3; do echo out $n; echo err $n >&2; done").text == (
        "out 1\nerr 1\nout 2\nerr 2\nout 3\nerr 3\n"
    )


def test_bytes_arrive_as_they_are(sandbox, bench):
    assert (
        bench.run(sandbox, "printf 'a\\rb\\n\\033[31mred\\377\\000 no newline'").output
        == b"a\rb\n\x1b[31mred\xff\x00 no newline"
    )


def test_output_arrives_while_the_script_runs(sandbox, bench):
    bench.run(sandbox, "printf begun; sleep 2; echo done")
    at = {data: when for when, data in bench.chunks}
    assert at[b"done\n"] - at[b"begun"] > 1


@pytest.mark.slow
def test_a_hundred_thousand_lines_arrive_whole_and_in_order(sandbox, bench):
    ran = bench.run(sandbox, "seq -f 'line %.0f' 1 100000", time_limit_s=60)
    assert ran.output == b"".join(b"line %d\n" % n for n in range(1, 100_001))


@pytest.mark.slow
def test_fifty_megabytes_pass_in_flat_memory(sandbox, bench):
    spec, seen = bench.spec(sandbox, "head -c 50000000 /dev/zero", time_limit_s=60), [0]

    def count(data: bytes) -> None:
        seen[0] += len(data)

    before = _peak_kib()
    assert sandbox.run(spec, count, lambda: False).exit_code == 0
    assert seen == [50_000_000]
    assert _peak_kib() - before < 16 * 1024


def _peak_kib() -> int:
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmHWM"))


# ---- limits


def test_the_time_limit_ends_everything(sandbox, bench, duration, sleepers):
    sleep = f"sleep {duration}"
    ran = bench.run(
        sandbox,
        f"echo one > part.txt\n{sleep} &\nsetsid {sleep} &\n({sleep} &)\n(setsid {sleep} & disown) &\n{sleep}\n",
        time_limit_s=1,
    )
    assert (ran.outcome.timed_out, ran.outcome.signal, ran.outcome.failure) == (True, "SIGTERM", None)
    assert ran.took_s < 9
    assert (ran.tree / "part.txt").read_text() == "one\n"
    assert sleepers(duration) == []


def test_a_script_may_use_its_last_seconds(sandbox, bench):
    ran = bench.run(sandbox, "trap 'sleep 1; echo saved; exit 7' TERM\nwhile :; do sleep 0.1; done", time_limit_s=1)
    assert (ran.outcome.timed_out, ran.outcome.exit_code) == (True, 7)
    assert ran.text.endswith("saved\n")


def test_a_child_that_outlives_the_script_may_use_them_too(sandbox, bench):
    saver = "(trap 'sleep 0.5; echo saved > late.txt; exit' TERM; while :; do sleep 0.1; done) &"
    ran = bench.run(sandbox, f"{saver}\nsleep 60", time_limit_s=1)
    assert (ran.tree / "late.txt").read_text() == "saved\n"


def test_a_stopped_script_hears_the_limit(sandbox, bench):
    ran = bench.run(sandbox, "kill -STOP $$", time_limit_s=0.5)
    assert ran.outcome.signal == "SIGTERM"
    assert ran.took_s < 9


@pytest.mark.slow
def test_who_ignores_term_is_killed_ten_seconds_later(sandbox, bench, duration, sleepers):
    ran = bench.run(sandbox, f"trap '' TERM; sleep {duration} & wait", time_limit_s=0.5)
    assert (ran.outcome.timed_out, ran.outcome.exit_code, ran.outcome.signal) == (True, None, "SIGKILL")
    assert 10 < ran.took_s < 25
    assert sleepers(duration) == []


def test_a_child_that_keeps_the_pipe_open_delays_nothing(sandbox, bench, duration, sleepers):
    ran = bench.run(sandbox, f"sleep {duration} & setsid sleep {duration} & echo end")
    assert (ran.outcome.exit_code, ran.text) == (0, "end\n")
    assert ran.took_s < 9
    assert sleepers(duration) == []


def test_a_flood_of_output_does_not_hide_the_limit(sandbox, bench):
    ran = bench.run(sandbox, "yes", time_limit_s=0.5)
    assert ran.outcome.timed_out
    assert ran.took_s < 9


def test_a_stop_ends_everything_soon(sandbox, bench, duration, sleepers):
    asked = threading.Event()
    timer = threading.Timer(0.7, asked.set)
    timer.start()
    ran = bench.run(sandbox, f"trap '' TERM; setsid sleep {duration} & sleep {duration}", should_stop=asked.is_set)
    assert (ran.outcome.stopped, ran.outcome.timed_out) == (True, False)
    assert ran.took_s < 9
    assert sleepers(duration) == []


def test_a_listener_that_fails_leaves_no_process(sandbox, bench, duration, sleepers):
    def fail(data: bytes) -> None:
        raise LookupError(data)

    with pytest.raises(LookupError):
        sandbox.run(bench.spec(sandbox, f"echo x; sleep {duration}"), fail, lambda: False)
    assert sleepers(duration) == []


def test_writing_too_much_is_a_disk_limit(sandbox, bench):
    script = "for n in $(seq 60); do head -c 1000000 /dev/zero > f$n; sleep 0.05; done; sleep 60"
    outcome = bench.run(sandbox, script, limits=Limits(tree_bytes=5_000_000)).outcome
    assert outcome.failure == "disk_limit"
    assert outcome.elapsed_s < 10


@pytest.mark.parametrize(
    "script", ["head -c 9000000 /dev/zero > $TMPDIR/x", "truncate -s 8T hole || head -c 99999999 /dev/zero > x"]
)
def test_the_disk_limit_is_looked_at_once_more_at_the_end(sandbox, bench, script):
    assert bench.run(sandbox, script, limits=Limits(tree_bytes=5_000_000)).outcome.failure == "disk_limit"


def test_memory_is_limited(sandbox, bench):
    script = "python3 -c 'bytearray(2_000_000_000)' 2>&1 | tail -1"
    assert "MemoryError" in bench.run(sandbox, script, limits=Limits(memory_bytes=10**9)).text


def test_many_processes_end_with_the_limit(sandbox, bench, duration, sleepers):
    script = f"for n in $(seq 300); do (setsid sleep {duration} &); done; echo all; sleep 60"
    ran = bench.run(sandbox, script, time_limit_s=3)
    assert ran.outcome.timed_out
    assert ran.took_s < 12
    assert sleepers(duration) == []


def test_the_number_of_processes_is_limited(sandbox, bench):
    assert bench.run(sandbox, "ulimit -u", limits=Limits(pids=4000)).text == "4000\n"


# ---- our own end


@pytest.mark.parametrize("kind", ["bubblewrap", "local"])
def test_a_killed_worker_leaves_no_process(kind, bench, duration, sleepers, eventually, request):
    if kind == "bubblewrap":
        request.getfixturevalue("bubblewrap")
    program = textwrap.dedent(f"""
        import pathlib, sys
        from runner.ports import ScriptSpec
        from runner.sandboxes.{kind} import {kind.capitalize()}
        sandbox, tree = {kind.capitalize()}(), pathlib.Path(sys.argv[1])
        env = sandbox.environment("run_1", 1, "p", tree, tree)
        script = "sleep {duration} & setsid sleep {duration} & (setsid sleep {duration} &) ; sleep {duration}"
        sandbox.run(ScriptSpec(tree, tree, ("bash", "-c", script), env, 60), print, lambda: False)
    """)
    worker = subprocess.Popen([sys.executable, "-c", program, str(bench.root)])
    try:
        eventually(lambda: len(sleepers(duration)) == 4)
    finally:
        worker.kill()
        worker.wait()
    eventually(lambda: sleepers(duration) == [])


def test_scripts_run_at_the_same_time(sandbox, bench):
    specs = [bench.spec(sandbox, "date +%s%N > begin; sleep 2; date +%s%N > end") for _ in range(3)]
    threads = [threading.Thread(target=sandbox.run, args=(spec, lambda data: None, lambda: False)) for spec in specs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    begins, ends = ([int((spec.tree / name).read_text()) for spec in specs] for name in ("begin", "end"))
    assert max(begins) < min(ends)


def test_no_descriptor_is_leaked(sandbox, bench):
    bench.run(sandbox, "exit 0")
    before = os.listdir("/proc/self/fd")
    bench.run(sandbox, "exit 0")
    assert os.listdir("/proc/self/fd") == before


def test_nothing_is_left_for_pid_1_to_collect(bubblewrap, bench):
    """In a container pid 1 may be a program that never collects: here the test's child stands in for it."""
    program = textwrap.dedent("""
        import ctypes, os, pathlib, sys
        from runner.ports import ScriptSpec
        from runner.sandboxes.bubblewrap import Bubblewrap
        ctypes.CDLL(None).prctl(36, 1)  # PR_SET_CHILD_SUBREAPER
        tree = pathlib.Path(sys.argv[1])
        for script, limit_s in (("true", 10), ("sleep 60", 0.2)):
            spec = ScriptSpec(tree, tree, ("bash", "-c", script), {"PATH": "/usr/bin"}, limit_s)
            Bubblewrap().run(spec, print, lambda: False)
        try:
            print("left:", os.waitpid(-1, 0))
        except ChildProcessError:
            print("nothing left")
    """)
    done = subprocess.run([sys.executable, "-c", program, str(bench.root)], capture_output=True, text=True, check=True)
    assert done.stdout == "nothing left\n"


def test_the_output_says_nothing_of_the_guard(sandbox, bench):
    assert not re.search("guard|started|ended", bench.run(sandbox, "kill -9 $$").text)
