"""Files that are no Python: found beside the packages in a checkout, under `runner/_assets` in an installed wheel."""

from __future__ import annotations

import pathlib

_PACKAGE = pathlib.Path(__file__).resolve().parent


def path(name: str) -> pathlib.Path:
    """The file or folder `name`, such as `infra/gunicorn.web.py`. Raises FileNotFoundError naming it alone."""
    for root in (_PACKAGE / "_assets", _PACKAGE.parent):
        if (found := root / name).exists():
            return found
    raise FileNotFoundError(f"Reprise is installed without {name}")
