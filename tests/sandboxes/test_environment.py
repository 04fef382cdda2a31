"""The variables of reproduce.sh."""

from __future__ import annotations

import os

from runner.sandboxes.environment import script_environment


def test_exactly_the_variables_of_the_contract():
    assert script_environment("run_1", 2, "paper-1", network="off", home="/submission", tmpdir="/scratch", cpus=4) == {
        "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
        "HOME": "/submission",
        "TMPDIR": "/scratch",
        "LANG": "C.UTF-8",
        "TZ": "UTC",
        "PYTHONUNBUFFERED": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
        "OMP_NUM_THREADS": "4",
        "REPRISE_RUN_ID": "run_1",
        "REPRISE_ATTEMPT": "2",
        "REPRISE_NETWORK": "off",
        "REPRISE_PAPER_ID": "paper-1",
    }


def test_the_cpus_are_those_we_may_use():
    variables = script_environment("run_1", 1, "p", network="off", home="/", tmpdir="/tmp")
    assert variables["OMP_NUM_THREADS"] == str(len(os.sched_getaffinity(0)))
