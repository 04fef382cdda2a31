"""The only variables that reproduce.sh sees (reproduction.md 2). Nothing of our own environment is in them."""

from __future__ import annotations

import os
from typing import Literal

PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


def script_environment(
    run_id: str,
    attempt: int,
    paper_id: str,
    *,
    network: Literal["off", "on", "unrestricted"],
    home: str,
    tmpdir: str,
    cpus: int | None = None,
) -> dict[str, str]:
    """`home` is the submission's root and `tmpdir` the private folder, both as the script sees them.

    `cpus` are the granted ones; None: those that this process may use, and so what it starts.
    """
    return {
        "PATH": PATH,
        "HOME": home,
        "TMPDIR": tmpdir,
        "LANG": "C.UTF-8",
        "TZ": "UTC",
        "PYTHONUNBUFFERED": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
        "OMP_NUM_THREADS": str(cpus or len(os.sched_getaffinity(0))),
        "REPRISE_RUN_ID": run_id,
        "REPRISE_ATTEMPT": str(attempt),
        "REPRISE_NETWORK": network,
        "REPRISE_PAPER_ID": paper_id,
    }
