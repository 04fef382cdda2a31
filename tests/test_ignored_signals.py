"""What ignores a signal because of how it was started does not pass that on to scripts."""

from __future__ import annotations

import subprocess
import sys

PARENT = """
import signal, subprocess, sys
from runner.ignored_signals import hand_down_defaults
signal.signal(signal.SIGINT, signal.SIG_IGN)
signal.signal(signal.SIGQUIT, signal.SIG_IGN)
hand_down_defaults()
signal.raise_signal(signal.SIGINT)
print(subprocess.run(["grep", "SigIgn", "/proc/self/status"], capture_output=True, text=True).stdout.split()[1])
"""


def test_children_get_defaults_and_we_go_on_ignoring() -> None:
    done = subprocess.run([sys.executable, "-c", PARENT], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert int(done.stdout, 16) & 0b110 == 0
