"""Signed URLs of stored files: who holds one may GET that file until it expires (paperbench-api.md 6, artifacts).

The signature is the HMAC-SHA256 over the text exactly as it travels and is compared as text before anything is decoded:
a change of any character, in percent-encoding or parameter order too, makes it wrong.
"""

from __future__ import annotations

import base64
import hmac
import re
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import quote, unquote

from runner.domain.errors import Forbidden

PREFIX = "/objects/"
_QUERY = re.compile(r"name=([^&=]*)&type=([^&=]*)&inline=([01])&exp=([0-9]{1,12})&sig=([^&=]*)\Z")


@dataclass(frozen=True, slots=True)
class Signed:
    """What a valid URL says: which bytes to send, and how."""

    key: str
    filename: str
    content_type: str
    inline: bool


def sign(secret: bytes, signed: Signed, now: datetime, valid_s: int) -> str:
    """`/objects/<key>?name=..&type=..&inline=..&exp=..&sig=..`, to be put behind an origin."""
    query = (
        f"name={quote(signed.filename, safe='')}&type={quote(signed.content_type, safe='')}"
        f"&inline={int(signed.inline)}&exp={int(now.timestamp()) + valid_s}"
    )
    target = f"{PREFIX}{quote(signed.key)}?{query}"
    return f"{target}&sig={_signature(secret, target)}"


def verify(secret: bytes, path: str, query: str, now: datetime) -> Signed:
    """`path` and `query` as the request line had them, undecoded. Raises Forbidden `bad_signature`, `url_expired`."""
    match = _QUERY.match(query)
    target = f"{path}?{query.rpartition('&sig=')[0]}"
    if not match or not _equal(match[5], _signature(secret, target)):
        raise Forbidden("The signature of this address is wrong: ask for the file again.", "bad_signature")
    if now.timestamp() >= int(match[4]):
        raise Forbidden("This address is too old: ask for the file again.", "url_expired")
    return Signed(unquote(path.removeprefix(PREFIX)), unquote(match[1]), unquote(match[2]), match[3] == "1")


def _signature(secret: bytes, target: str) -> str:
    """43 characters of unpadded base64url. The prefix keeps apart what else is signed with the same secret."""
    digest = hmac.digest(secret, b"url\n" + target.encode(errors="surrogatepass"), "sha256")
    return base64.urlsafe_b64encode(digest).decode().rstrip("=")


def _equal(given: str, right: str) -> bool:
    """In constant time, for any text."""
    return hmac.compare_digest(given.encode(errors="surrogatepass"), right.encode())
