"""bwrap's argument list, a pure function (reproduction.md 4; bwrap(1))."""

from __future__ import annotations

import pathlib
from collections.abc import Iterable

from runner.ports import ScriptSpec
from runner.sandboxes import guard
from runner.sandboxes.bubblewrap_program import Program

TREE, SCRATCH = "/submission", "/scratch"
"""Where the script finds its submission and its TMPDIR."""

OUR_ETC = pathlib.Path(__file__).with_name("etc")
_OURS = ("group", "hosts", "nsswitch.conf", "passwd")
_THE_HOST_S = (
    "alternatives", "fonts", "ld.so.cache", "ld.so.conf", "ld.so.conf.d", "openmpi", "R",
    "pki/ca-trust/extracted", "pki/tls/certs", "ssl/certs", "ssl/openssl.cnf",
)  # fmt: skip
"""What programs below /usr need of /etc: links, the loader, fonts, certificates."""
TMPFS_BYTES = 2**30
"""How much of this host's memory files may take in each of /tmp and /dev/shm. TMPDIR is a folder on disk."""
_KERNEL = ("acpi", "asound", "bus", "fs", "irq", "latency_stats", "mtrr", "scsi", "sys", "sysrq-trigger")
"""What of /proc the kernel lets root change by file mode alone, without any capability. When we are root, user 1000
inside is root for these checks: through /proc/sys/kernel/core_pattern it could have the host run its code."""


def arguments(spec: ScriptSpec, program: Program) -> list[str]:
    """No further user namespaces inside, with bwrap 0.8.0 or later; limits for files in memory, with 0.7.0 or later:
    before that a script can fill half of this host's memory with each of the two folders.

    The guard is the first process inside: nothing there can kill it.
    """
    size = ["--size", str(TMPFS_BYTES)] if program.can_limit_tmpfs else []
    return [
        "--unshare-all", "--unshare-user", *(["--disable-userns"] if program.can_disable_userns else []),
        "--uid", "1000", "--gid", "1000", "--cap-drop", "ALL",
        "--die-with-parent", "--as-pid-1", "--new-session", "--clearenv",
        *(part for name, value in spec.env.items() for part in ("--setenv", name, value)),
        "--ro-bind", "/usr", "/usr",
        *(part for name in ("bin", "sbin", "lib", "lib64") for part in ("--symlink", f"usr/{name}", f"/{name}")),
        *(part for name in _OURS for part in ("--ro-bind", str(OUR_ETC / name), f"/etc/{name}")),
        *_each("--ro-bind-try", (f"/etc/{name}" for name in _THE_HOST_S)),
        "--proc", "/proc",
        *_each("--ro-bind-try", (f"/proc/{name}" for name in _KERNEL)),
        "--dev", "/dev", *size, "--tmpfs", "/dev/shm", "--remount-ro", "/dev", *size, "--tmpfs", "/tmp",
        *_each("--ro-bind", map(str, spec.binds)),
        "--bind", str(spec.tree), TREE, "--bind", str(spec.scratch), SCRATCH, "--remount-ro", "/",
        "--chdir", TREE,
        "--", *guard.command(spec.limits, spec.argv),
    ]  # fmt: skip


def _each(option: str, paths: Iterable[str]) -> list[str]:
    """Each path at its own place."""
    return [part for path in paths for part in (option, path, path)]
