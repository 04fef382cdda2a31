"""The parent of a script in the `local` sandbox, a program of its own: `python -I -S supervisor.py LIMITS COMMAND...`.

LIMITS is JSON: names of resource limits and their values. The script gets its own process group. Whatever it starts
comes back to this process when its parent ends (PR_SET_CHILD_SUBREAPER, prctl(2)), and is killed when our standard
input ends: that is when the worker wants it, or has died. Reports as `report.py` says; imports nothing of ours.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import resource
import select
import signal
import sys

_PR_SET_PDEATHSIG, _PR_SET_CHILD_SUBREAPER = 1, 36


def main(limits: str, command: list[str]) -> None:
    libc = ctypes.CDLL(None)
    libc.prctl(_PR_SET_CHILD_SUBREAPER, 1)
    wake_read, wake_write = os.pipe()
    os.set_blocking(wake_write, False)
    signal.set_wakeup_fd(wake_write, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda number, frame: None)
    script = os.fork()
    if script == 0:
        libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        _become(json.loads(limits), command)
    _say(f"started {script}")
    while _wait([0, wake_read]):
        _collect(script)
    _collect(script)
    _kill_all()


def _become(limits: dict[str, int], command: list[str]) -> None:
    """Turns this process into the script."""
    signal.set_wakeup_fd(-1)
    for number in (signal.SIGCHLD, signal.SIGPIPE, signal.SIGXFSZ):  # Python ignores the latter two
        signal.signal(number, signal.SIG_DFL)
    os.setpgid(0, 0)
    os.umask(0o022)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(1, 2)
    for name, value in limits.items():
        resource.setrlimit(getattr(resource, name), (value, value))
    try:
        os.execvp(command[0], command)
    except OSError as error:
        os.write(1, f"{command[0]}: {error.strerror}\n".encode(errors="replace"))
        os._exit(127)


def _wait(pipes: list[int]) -> bool:
    """Until one has something, which is of no interest. False at the end of one."""
    return all(os.read(pipe, 1024) for pipe in select.select(pipes, [], [])[0])


def _collect(script: int) -> None:
    """Reaps all that has ended, and tells how the script did."""
    with contextlib.suppress(ChildProcessError):
        while (ended := os.waitpid(-1, os.WNOHANG))[0]:
            if ended[0] == script:
                code = os.waitstatus_to_exitcode(ended[1])
                _say(f"[1] Exit {code}\nended {code}" if code >= 0 else f"ended {128 - code}")


def _kill_all() -> None:
    """Until there is no child left. Killing one may bring its children to us."""
    with contextlib.suppress(ChildProcessError):
        while True:
            for pid in _children():
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.kill(pid, signal.SIGKILL)
            os.waitpid(-1, 0)


def _children() -> list[int]:
    """By the parent in /proc/PID/stat: the second field after the name, which ends with the last `)`."""
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(FileNotFoundError, ProcessLookupError), open(f"/proc/{name}/stat", "rb") as file:
            if int(file.read().rpartition(b")")[2].split()[1]) == os.getpid():
                found.append(int(name))
    return found


def _say(text: str) -> None:
    with contextlib.suppress(BrokenPipeError):
        os.write(2, f"{text}\n".encode())


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
