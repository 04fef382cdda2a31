"""What bubblewrap promises (reproduction.md 4), tried from inside."""

from __future__ import annotations

import os
import pathlib
import shlex
import socket
import subprocess
import tempfile

import pytest

from runner.domain.errors import Invalid
from runner.ports import Limits, ScriptSpec
from runner.sandboxes import bubblewrap_arguments, bubblewrap_program
from runner.sandboxes.bubblewrap import Bubblewrap
from runner.sandboxes.bubblewrap_program import Program
from runner.sandboxes.environment import PATH
from runner.sandboxes.guard import command

GOLDEN = """\
--unshare-all --unshare-user --disable-userns --uid 1000 --gid 1000 --cap-drop ALL
--die-with-parent --as-pid-1 --new-session --clearenv --setenv A 1 --setenv B 'two words'
--ro-bind /usr /usr
--symlink usr/bin /bin --symlink usr/sbin /sbin --symlink usr/lib /lib --symlink usr/lib64 /lib64
--ro-bind ETC/group /etc/group --ro-bind ETC/hosts /etc/hosts
--ro-bind ETC/nsswitch.conf /etc/nsswitch.conf --ro-bind ETC/passwd /etc/passwd
--ro-bind-try /etc/alternatives /etc/alternatives --ro-bind-try /etc/fonts /etc/fonts
--ro-bind-try /etc/ld.so.cache /etc/ld.so.cache --ro-bind-try /etc/ld.so.conf /etc/ld.so.conf
--ro-bind-try /etc/ld.so.conf.d /etc/ld.so.conf.d --ro-bind-try /etc/openmpi /etc/openmpi --ro-bind-try /etc/R /etc/R
--ro-bind-try /etc/pki/ca-trust/extracted /etc/pki/ca-trust/extracted
--ro-bind-try /etc/pki/tls/certs /etc/pki/tls/certs
--ro-bind-try /etc/ssl/certs /etc/ssl/certs --ro-bind-try /etc/ssl/openssl.cnf /etc/ssl/openssl.cnf
--proc /proc
--ro-bind-try /proc/acpi /proc/acpi --ro-bind-try /proc/asound /proc/asound --ro-bind-try /proc/bus /proc/bus
--ro-bind-try /proc/fs /proc/fs --ro-bind-try /proc/irq /proc/irq
--ro-bind-try /proc/latency_stats /proc/latency_stats --ro-bind-try /proc/mtrr /proc/mtrr
--ro-bind-try /proc/scsi /proc/scsi --ro-bind-try /proc/sys /proc/sys
--ro-bind-try /proc/sysrq-trigger /proc/sysrq-trigger
--dev /dev --size 1073741824 --tmpfs /dev/shm --remount-ro /dev --size 1073741824 --tmpfs /tmp
--ro-bind /site/data /site/data
--bind '/work dir/tree' /submission --bind '/work dir/scratch' /scratch --remount-ro / --chdir /submission --
"""


def test_the_argument_list():
    spec = ScriptSpec(
        pathlib.Path("/work dir/tree"),
        pathlib.Path("/work dir/scratch"),
        ("bash", "./reproduce.sh"),
        {"A": "1", "B": "two words"},
        60,
        binds=(pathlib.Path("/site/data"),),
    )
    expected = shlex.split(GOLDEN.replace("ETC", str(bubblewrap_arguments.OUR_ETC)))
    assert bubblewrap_arguments.arguments(spec, Program("bwrap", "", True, True)) == expected + command(
        spec.limits, spec.argv
    )
    old = bubblewrap_arguments.arguments(spec, Program("bwrap", "", False, False))
    assert not {"--disable-userns", "--size"} & set(old)
    assert old.count("--tmpfs") == 2


def test_the_guard_sets_the_limits_it_was_given():
    *_, text, name, bash, script = command(Limits(2**30, 100, 2**30), ("bash", "./reproduce.sh"))
    assert (name, bash, script) == ("guard", "bash", "./reproduce.sh")
    assert "ulimit -c 0\nulimit -f 1049600\nulimit -v 1048576\nulimit -u 100\n" in text
    assert "ulimit -v" not in " ".join(command(Limits(), ()))


def test_it_sees_only_its_submission_and_a_read_only_system(bubblewrap, bench):
    ran = bench.run(
        bubblewrap,
        "ls -A / | tr '\\n' ' '; echo\n"
        "ls /home /root /var /run /sys /opt /mnt /srv 2>/dev/null\n"
        "for f in /usr/x /bin/x /etc/ssl/certs/x /proc/sys/x; do (echo x > $f) 2>/dev/null && echo wrote $f; done\n"
        "cat /etc/shadow 2>/dev/null; cat /etc/hosts",
    )
    assert (
        ran.text == "bin dev etc lib lib64 proc sbin scratch submission tmp usr \n127.0.0.1 localhost\n::1 localhost\n"
    )


def test_it_is_user_1000_without_capabilities_whoever_we_are(bubblewrap, bench):
    ran = bench.run(
        bubblewrap, "id -un; id -u; id -G; grep -E 'Cap(Eff|Prm|Bnd)|NoNewPrivs' /proc/self/status | tr '\\t' ' '"
    )
    assert ran.text == (
        "reprise\n1000\n1000\n"
        "CapPrm: 0000000000000000\nCapEff: 0000000000000000\nCapBnd: 0000000000000000\nNoNewPrivs: 1\n"
    )


def test_it_cannot_change_the_kernel_even_when_we_are_root(bubblewrap, bench):
    """Files of /proc that root may write by their mode; pressure files only start a monitor of one's own."""
    script = "find /proc -writable -type f -not -path '/proc/[0-9]*' -not -path '/proc/pressure/*' 2>/dev/null"
    assert bench.run(bubblewrap, script).text == ""


def test_files_in_memory_are_limited_to_two_small_folders(bubblewrap, bench):
    ran = bench.run(
        bubblewrap,
        "for f in /x /dev/x /etc/x /dev/pts/x; do (echo x > $f) 2>/dev/null && echo wrote $f; done\n"
        "for d in /tmp /dev/shm; do echo x > $d/x; stat -fc '%S %b' $d; done\n"
        "head -c 5 /dev/zero > /dev/null; head -c 5 /dev/urandom | wc -c; cat <(echo substituted)",
    )
    *sizes, count, substituted = ran.text.splitlines()
    assert [int(size) * int(blocks) for size, blocks in map(str.split, sizes)] == [2**30, 2**30]
    assert (count, substituted) == ("5", "substituted")


def test_python_s_processes_and_terminals_work(bubblewrap, bench):
    script = "import multiprocessing, os, pty; print(multiprocessing.Pool(2).map(abs, [-1, 2]), len(pty.openpty()))"
    assert bench.run(bubblewrap, f"python3 -c '{script}'").text == "[1, 2] 2\n"


def test_it_cannot_become_root_in_a_namespace_of_its_own(bubblewrap, bench):
    script = "unshare -Ur echo root 2>/dev/null; unshare -Urmpf mount -t proc proc /tmp 2>/dev/null && echo mounted"
    assert bench.run(bubblewrap, script).text == ""


def test_it_sees_its_own_processes_only(bubblewrap, bench):
    names = "cat /proc/[0-9]*/environ 2>/dev/null | tr '\\0' '\\n' | cut -d= -f1 | sort -u"
    ran = bench.run(bubblewrap, f"cat /proc/[0-9]*/comm | sort -u; {names}")
    names = set(ran.text.split())
    assert {"bash", "cat"} <= names
    assert not names & {"pytest", "python", "REPRISE_TEST_DATA", "SSH_AUTH_SOCK", "USER"}


def test_there_is_no_network(bubblewrap, bench):
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        ran = bench.run(
            bubblewrap,
            f"(exec 3<>/dev/tcp/127.0.0.1/{port}) 2>/dev/null && echo connected\n"
            "tail -n +3 /proc/net/dev | cut -d: -f1; tail -n +2 /proc/net/route",
        )
    assert ran.text.split() == ["lo"]


def test_abstract_sockets_of_the_host_are_out_of_reach(bubblewrap, bench):
    name = f"reprise-test-{os.getpid()}"
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(f"\0{name}")
        server.listen()
        script = f"python3 -c 'import socket; socket.socket(socket.AF_UNIX).connect(\"\\0{name}\")' 2>&1 | tail -1"
        assert "ConnectionRefusedError" in bench.run(bubblewrap, script).text


def test_a_set_uid_program_gives_nothing(bubblewrap, bench):
    assert bench.run(bubblewrap, "cp /usr/bin/id ./id; chmod u+s id; ./id -u").text == "1000\n"


def test_binds_are_seen_read_only_at_their_own_place(bubblewrap, bench, tmp_path):
    (tmp_path / "data").mkdir()
    (tmp_path / "data/table.csv").write_text("1\n")
    script = f"cat {tmp_path}/data/table.csv; (echo x > {tmp_path}/data/x) 2>/dev/null || echo refused; ls {tmp_path}"
    assert bench.run(bubblewrap, script, binds=(tmp_path / "data",)).text == "1\nrefused\ndata\n"


def test_a_fork_bomb_stays_small(bubblewrap):
    """Root, whom the kernel lets start what it wants, becomes another user for this."""
    script = (
        "bomb() { bomb & bomb & read -t 60 < /dev/zero; }; bomb 2> /dev/null & sleep 2; set -- /proc/[0-9]*; echo $#"
    )
    program = bubblewrap_program.find("bwrap")
    with tempfile.TemporaryDirectory() as name:
        os.chmod(name, 0o777)
        tree = pathlib.Path(name)
        spec = ScriptSpec(tree, tree, ("bash", "-c", script), {"PATH": PATH}, 3, limits=Limits(pids=40))
        done = subprocess.run(
            [program.path, *bubblewrap_arguments.arguments(spec, program)],
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=30,
            **({"user": 65534, "group": 65534, "extra_groups": []} if os.geteuid() == 0 else {}),
        )  # fmt: skip
    assert 30 <= int(done.stdout) <= 40, done.stderr
    assert "ended 0" in done.stderr


def test_a_network_is_refused_rather_than_shared(bubblewrap, bench):
    with pytest.raises(Invalid) as refused:
        bench.run(bubblewrap, "true", network=True)
    assert refused.value.code == "sandbox_network_unenforceable"


def test_a_sandbox_that_does_not_start_is_no_outcome_of_the_script(bubblewrap, bench, tmp_path):
    outcome = bench.run(bubblewrap, "echo ran", binds=(tmp_path / "absent",)).outcome
    assert (outcome.failure, outcome.exit_code, outcome.signal) == ("sandbox_start_failed", None, None)
    assert outcome.failure_text == "bwrap: Can't find source path …: No such file or directory"


def test_without_bwrap_nothing_starts(bench):
    absent = Bubblewrap(program="no-such-bwrap")
    assert bench.run(absent, "echo ran").outcome.failure == "sandbox_start_failed"
