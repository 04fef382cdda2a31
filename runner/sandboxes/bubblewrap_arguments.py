"""bwrap's argument list, a pure function (reproduction.md 4; bwrap(1))."""

from __future__ import annotations

import pathlib
from collections.abc import Iterable

from runner.ports import ScriptSpec
from runner.sandboxes import guard

TREE, SCRATCH = "/submission", "/scratch"
"""Where the script finds its submission and its TMPDIR."""

OUR_ETC = pathlib.Path(__file__).with_name("etc")
_OURS = ("group", "hosts", "nsswitch.conf", "passwd")
_THE_HOST_S = (
    "alternatives", "fonts", "ld.so.cache", "ld.so.conf", "ld.so.conf.d", "openmpi", "R",
    "pki/ca-trust/extracted", "pki/tls/certs", "ssl/certs", "ssl/openssl.cnf",
)  # fmt: skip
"""What programs below /usr need of /etc: links, the loader, fonts, certificates."""
_KERNEL = ("acpi", "asound", "bus", "fs", "irq", "latency_stats", "mtrr", "scsi", "sys", "sysrq-trigger")
"""What of /proc the kernel lets root change by file mode alone, without any capability. When we are root, user 1000
inside is root for these checks: through /proc/sys/kernel/core_pattern it could have the host run its code."""


def arguments(spec: ScriptSpec, disable_userns: bool) -> list[str]:
    """`disable_userns`: no further user namespaces inside; bwrap knows it since 0.8.0."""
    return [
        "--unshare-all", "--unshare-user", *(["--disable-userns"] if disable_userns else []),
        "--uid", "1000", "--gid", "1000", "--cap-drop", "ALL",
        "--die-with-parent", "--new-session", "--clearenv",
        *(part for name, value in spec.env.items() for part in ("--setenv", name, value)),
        "--ro-bind", "/usr", "/usr",
        *(part for name in ("bin", "sbin", "lib", "lib64") for part in ("--symlink", f"usr/{name}", f"/{name}")),
        *(part for name in _OURS for part in ("--ro-bind", str(OUR_ETC / name), f"/etc/{name}")),
        *_each("--ro-bind-try", (f"/etc/{name}" for name in _THE_HOST_S)),
        "--proc", "/proc",
        *_each("--ro-bind-try", (f"/proc/{name}" for name in _KERNEL)),
        "--dev", "/dev", "--tmpfs", "/tmp",
        *_each("--ro-bind", map(str, spec.binds)),
        "--bind", str(spec.tree), TREE, "--bind", str(spec.scratch), SCRATCH, "--chdir", TREE,
        "--", *guard.command(spec.limits, spec.argv),
    ]  # fmt: skip


def _each(option: str, paths: Iterable[str]) -> list[str]:
    """Each path at its own place."""
    return [part for path in paths for part in (option, path, path)]
