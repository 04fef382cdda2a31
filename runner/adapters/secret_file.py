"""A secret that is made once and kept in a file that only its owner can read."""

from __future__ import annotations

import os
import pathlib
import secrets
import stat

from runner.domain.errors import Unavailable

_OTHERS = stat.S_IRWXG | stat.S_IRWXO


def kept(path: pathlib.Path) -> str:
    """The secret in `path`, made (256 bits, URL-safe text) if there is none yet.

    Safe when several processes start at once: all get the same. Raises OSError, Unavailable `secret_exposed` when
    others than the owner may read or write the file.
    """
    while True:
        try:
            with path.open(encoding="ascii") as file:
                if os.fstat(file.fileno()).st_mode & _OTHERS:
                    raise Unavailable(f"Others can reach the secret in {path}: chmod 600 {path}", "secret_exposed")
                return file.read()
        except FileNotFoundError:
            _make(path)


def _make(path: pathlib.Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    aside = path.with_name(f"{path.name}.{secrets.token_hex(8)}")
    handle = os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with open(handle, "w", encoding="ascii") as file:
        file.write(secrets.token_urlsafe(32))
        file.flush()
        os.fsync(handle)
    try:
        os.link(aside, path)  # fails when another process was first, and never shows a half-written file
    except FileExistsError:
        pass
    finally:
        aside.unlink()
