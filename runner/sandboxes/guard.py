"""The shell that starts a script inside a sandbox, waits for it, and says truly how it ended.

bubblewrap folds the end of its command into one number: 137 may be `exit 137` or SIGKILL. This shell is the parent of
the script; its job table tells the two apart. It needs nothing but the bash that reproduce.sh needs anyway. As the first
process of its pid namespace it can neither be killed nor stopped from inside, and with it everything goes.

It reports on its standard error (`report.py`); what bubblewrap itself says arrives there as well. The script can write
there, too (/proc/1/fd/2). After the script has ended the guard waits for the end of its standard input: we decide when
the sandbox goes.
"""

from __future__ import annotations

from runner.ports import Limits

_GUARD = """\
umask 022
{limits}
export -n PWD OLDPWD SHLVL
set -m
"$@" </dev/null 2>&1 &
echo "started $!" >&2
looks=0
while kill -0 "$!" 2>/dev/null; do
  ((looks++ < 50)) && pause=0.005 || pause=0.05
  read -r -t $pause _
done
jobs >&2
wait "$!"
echo "ended $?" >&2
read -r _
"""
"""`wait` alone would forget the job before `jobs` can show it. `read` waits without starting a process. No process is
started but the script: later that may fail, when the script has used up its limits."""

FILE_SLACK_BYTES = 2**20
"""One file may be so much larger than the limit on the tree, so that reaching the limit is seen as such."""


def command(limits: Limits, argv: tuple[str, ...]) -> list[str]:
    """The command to run inside. Only its own child's end counts, not what the child's children did."""
    return ["bash", "--norc", "--noprofile", "-c", _GUARD.format(limits=_ulimits(limits)), "guard", *argv]


def _ulimits(limits: Limits) -> str:
    lines = ["ulimit -c 0", f"ulimit -f {(limits.tree_bytes + FILE_SLACK_BYTES) // 1024}"]
    if limits.memory_bytes is not None:
        lines.append(f"ulimit -v {limits.memory_bytes // 1024}")
    if limits.pids is not None:
        lines.append(f"ulimit -u {limits.pids}")
    return "\n".join(lines)
