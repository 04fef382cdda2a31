"""Whether the links of an archive stay inside it, whatever chain of links they lead through."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping

MAX_STEPS = 500
"""Path parts looked at for one link. Loops end here, too: what does not resolve is not kept."""


def stays_inside(path: str, links: Mapping[str, str]) -> bool:
    """Whether the link at `path` leads to a place below the root. `links` maps the paths of all links to their targets.

    The target need not exist.
    """
    place = path.split("/")[:-1]
    todo = deque(_parts(links[path]))
    for _ in range(MAX_STEPS):
        if not todo:
            return True
        part = todo.popleft()
        if part == "/" or (part == ".." and not place):
            return False
        if part == "..":
            place.pop()
        elif (target := links.get("/".join([*place, part]))) is not None:
            todo.extendleft(reversed(_parts(target)))
        else:
            place.append(part)
    return False


def _parts(target: str) -> list[str]:
    """`a/./b` -> [a, b]; an absolute target begins with `/`."""
    root = ["/"] if target.startswith("/") else []
    return root + [part for part in target.split("/") if part not in ("", ".")]
