"""From the bytes of a script to the lines people see (paperbench-api.md, logs; reproduction.md 3).

Terminal sequences (ECMA-48: CSI, OSC and other strings, escapes) and control characters are removed; of text that was
overwritten with a carriage return only the last visible state stays; what is no UTF-8 becomes U+FFFD; a line of more
than 8 KiB is cut. HTML stays as it is.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable

LINE_BYTES = 8 * 1024
CUT = " …[cut]"
STATE_BYTES = 8 * LINE_BYTES
"""Of what lies between two carriage returns at most this many raw bytes are kept: memory is flat without line ends."""

_SEQUENCE = re.compile(
    rb"\x1b(?:"
    rb"\[[0-?]*[ -/]*[@-~]"  # CSI: colours, cursor moves, clear screen
    rb"|[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)?"  # OSC and other strings, up to BEL or ST
    rb"|[ -/]*[0-~]"  # other escapes
    rb")?"
)
_BEGUN_SEQUENCE = re.compile(rb"\x1b(?:\[[0-?]*[ -/]*|[\]PX^_][^\x07\x1b]*\x1b?|[ -/]*)\Z")
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")


class LineCleaner:
    """Fed with bytes that are cut anywhere, gives shown lines; where the bytes were cut makes no difference.

    `mask` sees every line whole, before it is cut.
    """

    _state: str  # the last visible state that was overwritten
    _given: str | None  # what `flush_partial` gave last of this line
    _raw: bytearray  # what was written since the last line end or carriage return
    _overflows: bool  # whether bytes of it were left out
    _given_raw: int  # how many bytes of it were given already

    def __init__(self, mask: Callable[[str], str] = str) -> None:
        self._mask = mask
        self._begin_line()

    def feed(self, data: bytes) -> list[str]:
        """The lines that `data` completes."""
        first, *others = data.split(b"\n")
        self._write(first)
        if not others:
            return []
        lines = self._complete_line() + self._whole_lines(others[:-1])
        self._write(others[-1])
        return lines

    def flush_partial(self) -> list[str]:
        """What the present line shows and has not been given yet; it is not repeated when the line completes."""
        end = _whole_length(self._raw)
        shown = self._visible(end) or self._state
        if not shown or self._is_repeat(shown):
            return []
        self._given, self._given_raw, self._state = shown, end, ""
        self._overflows = self._overflows or len(shown.encode()) > LINE_BYTES  # a line is cut once
        return [shown]

    def close(self) -> list[str]:
        """The last line, when it has no line end."""
        return [line for line in self._complete_line() if line]

    def _begin_line(self) -> None:
        self._state, self._given = "", None
        self._begin_state()

    def _begin_state(self) -> None:
        self._raw, self._overflows, self._given_raw = bytearray(), False, 0

    def _write(self, data: bytes) -> None:
        """Writes bytes without a line end."""
        overwritten, _, last = data.rpartition(b"\r")
        if len(last) != len(data):
            for state in overwritten.split(b"\r"):
                self._append(state)
                self._state = self._visible(len(self._raw)) or self._state
                self._begin_state()
        self._append(last)

    def _append(self, data: bytes) -> None:
        room = 0 if self._overflows else STATE_BYTES - len(self._raw)
        self._overflows = self._overflows or len(data) > room
        self._raw += data[:room]

    def _complete_line(self) -> list[str]:
        shown = self._visible(len(self._raw)) or self._state
        is_new = self._given is None or (shown != "" and not self._is_repeat(shown))
        self._begin_line()
        return [shown] if is_new else []

    def _is_repeat(self, shown: str) -> bool:
        """Whether a bar was drawn again as it was given; text that goes on is never a repeat."""
        return self._given_raw == 0 and shown == self._given

    def _visible(self, end: int) -> str:
        """What the present state shows up to byte `end`, without what was given of it."""
        fresh = bytes(self._raw[self._given_raw : end])
        return self._fit(_text(_SEQUENCE.sub(b"", fresh)), self._overflows) if fresh else ""

    def _whole_lines(self, raws: list[bytes]) -> list[str]:
        """As `_write` and `_complete_line` of each; plain ones, the bulk of a long log, are decoded in one go."""
        block = b"\n".join(raws)
        if raws and b"\r" not in block and b"\x1b" not in block and max(map(len, raws)) <= STATE_BYTES:
            return [self._fit(line, False) for line in _text(block).split("\n")]
        lines = []
        for raw in raws:
            self._write(raw)
            lines += self._complete_line()
        return lines

    def _fit(self, text: str, overflows: bool) -> str:
        text = self._mask(text)
        if not overflows and len(text) * 4 <= LINE_BYTES:
            return text
        encoded = text.encode()
        if not overflows and len(encoded) <= LINE_BYTES:
            return text
        return encoded[:LINE_BYTES].decode(errors="ignore") + CUT


def _text(raw: bytes) -> str:
    return _CONTROL.sub("", raw.decode("utf-8", "replace"))


def _whole_length(raw: bytearray) -> int:
    """The length of `raw` without a sequence or a character that has only begun."""
    begun = _BEGUN_SEQUENCE.search(raw)
    if begun:
        return begun.start()
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    decoder.decode(bytes(raw[-4:]))
    return len(raw) - len(decoder.getstate()[0])
