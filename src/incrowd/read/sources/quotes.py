"""Text files whose quotes do not pair: a stray quote may not swallow the lines after it."""

import os
import re
import shutil
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import IO, Any, Literal

import numpy as np

from incrowd.arrays import Ints
from incrowd.errors import DataError
from incrowd.progress import tell
from incrowd.read import bad
from incrowd.read.bad import BadRow
from incrowd.read.files import CHUNK, compression_of, size_of, unpacked

FEW_LINES = 3  # a quoted field of more lines is worth a warning
MOST_BYTES = 2_000_000  # of one record, as the engine has it
_BOM = b"\xef\xbb\xbf"
State = Literal["outside", "inside", "broken"]  # of a line's end: between fields, in a quoted one, after a stray quote


@dataclass(frozen=True)
class Grammar:
    """How fields are separated and quoted, and which lines are records by themselves."""

    delimiter: bytes
    quote: bytes
    is_record: Callable[[bytes], bool]

    def after(self, line: bytes, *, inside: bool) -> State:
        """Where a line without its end leaves a reader that begins it outside or inside of a quoted field.

        >>> grammar = Grammar(b",", b'"', bool)
        >>> grammar.after(b'"a ""b"", c",d', inside=False), grammar.after(b'a,"b', inside=False)
        ('outside', 'inside')
        >>> grammar.after(b'b",c', inside=True), grammar.after(b'"a"b,c', inside=False)
        ('outside', 'broken')
        """
        if self.quote not in line:
            return "inside" if inside else "outside"
        place, (opening, content, closing) = 0, _patterns(self.delimiter, self.quote)
        while inside or place <= len(line):
            if not inside and (start := opening.match(line, place)):
                inside, place = True, start.end()
            if inside:
                held = content.match(line, place)
                place = place if held is None else held.end()
                if place == len(line):
                    return "inside"
                end = closing.match(line, place)
                if end is None:
                    return "broken"
                inside, place = False, end.end() + (not end.group().endswith(self.delimiter))
            else:
                place = (line.find(self.delimiter, place) + 1) or len(line) + 1
        return "outside"

    def odd(self, data: bytes, ends: Ints) -> Ints:
        """Which lines of a chunk (each to its end) have quotes that are not simply a pair around each field."""
        codes = np.frombuffer(data, np.uint8)
        beside = np.zeros(256, np.bool_)
        beside[[self.delimiter[0], self.quote[0], *b"\r\n"]] = True
        quotes = np.flatnonzero(codes == self.quote[0])
        line = np.searchsorted(ends, quotes, side="right")
        last = np.flatnonzero(np.diff(line, append=-1))
        many = np.diff(last, prepend=-1)
        opens = (np.arange(len(quotes)) - np.repeat(last - many + 1, many)) % 2 == 0
        # The ends of a chunk are those of lines, and a quote fits beside itself.
        neighbour = np.clip(np.where(opens, quotes - 1, quotes + 1), 0, len(codes) - 1)
        return np.unique(np.concatenate([line[~beside[codes[neighbour]]], line[last[many % 2 == 1]]]))


@lru_cache(maxsize=16)
def _patterns(delimiter: bytes, quote: bytes) -> tuple[re.Pattern[bytes], ...]:
    """What opens a quoted field, what is in it, and what closes it; the engine skips blanks around quotes."""
    blanks, q, d = b"" if delimiter == b" " else b" *", re.escape(quote), re.escape(delimiter)
    content = b"[^%b]*+(?:%b%b[^%b]*+)*+" % (q, q, q, q)
    return tuple(re.compile(pattern) for pattern in (blanks + q, content, b"%b%b(?:%b|\\Z)" % (q, blanks, d)))


@dataclass
class Quotes:
    """Goes through the lines of a file that may open or close a quoted field of several lines.

    A field that spans lines is one record, unless a line that it would swallow is a record by itself (`resume`), its
    quote is followed by text, or the file ends in it. Then its first line is set aside and reading goes on at the next
    line; so are the lines that it held and that open a field, and the line at which it would have ended.
    """

    grammar: Grammar
    resume: bool
    aside: dict[int, bytes] = field(default_factory=dict)  # line, from 1 -> its text
    long: int = 0  # fields of more than FEW_LINES lines
    longest: tuple[int, int] = (0, 0)  # the first line of the longest field, and how many it has
    _held: list[tuple[int, bytes]] = field(default_factory=list)
    _lines: int = 0
    _bytes: int = 0
    _dangling: bool = False

    @property
    def inside(self) -> bool:
        """Whether a quoted field is open: then the next line matters whatever it holds."""
        return self._lines > 0

    def add(self, number: int, line: bytes) -> None:
        """Take note of a line."""
        if self.inside:
            state = self.grammar.after(line, inside=True)
            if not self._breaks(line, state):
                self._hold(number, line)
                if state == "outside":
                    self._end()
                return
            self._give_up()
        self._outside(number, line)

    def close(self) -> None:
        """The file ends."""
        if self.inside:
            self._give_up()

    def _outside(self, number: int, line: bytes, *, may_open: bool = True) -> None:
        if self.grammar.quote not in line:
            return
        state = self.grammar.after(line, inside=False)
        if state == "inside" and may_open:
            self._hold(number, line)
        elif state != "outside":
            self.aside[number] = line
        elif self._dangling and self._ends(line):
            self.aside[number], self._dangling = line, False

    def _ends(self, line: bytes) -> bool:
        """Whether a line that could stand alone ends a field that was given up."""
        return line.count(self.grammar.quote) % 2 == 1 and self.grammar.after(line, inside=True) == "outside"

    def _hold(self, number: int, line: bytes) -> None:
        if self.resume or not self._held:
            self._held.append((number, line))
        self._lines, self._bytes = self._lines + 1, self._bytes + len(line)

    def _end(self) -> None:
        """The field is closed and stays one record."""
        self.long += self._lines > FEW_LINES
        if self._lines > self.longest[1]:
            self.longest = (self._held[0][0], self._lines)
        self._reset()

    def _breaks(self, line: bytes, state: State) -> bool:
        if state == "broken" or not self.resume:
            return state == "broken"
        if self._bytes + len(line) > MOST_BYTES:
            return True
        if state == "inside":
            return self.grammar.is_record(line)
        return all(map(self.grammar.is_record, (self._bare(self._held[0][1]), self._bare(line))))

    def _bare(self, line: bytes) -> bytes:
        return line.replace(self.grammar.quote, b"")

    def _give_up(self) -> None:
        """Set the line that opened the field aside, and those after it that open one, as it would come no further."""
        (number, line), *others = self._held
        self.aside[number], self._dangling = line, True
        self._reset()
        for number, line in others:
            self._outside(number, line, may_open=False)

    def _reset(self) -> None:
        self._held, self._lines, self._bytes = [], 0, 0


def quotes_of(file: Path, grammar: Grammar, skip: int, *, resume: bool) -> Quotes:
    """What the quotes of a file do across its lines, after those it skips."""
    quotes, first = Quotes(grammar, resume), 1
    for data in _chunks(file):
        if not quotes.inside and grammar.quote not in data and b"\r" not in data:
            first += data.count(b"\n")
            continue
        ends = _ends(data)
        odd = grammar.odd(data, ends).tolist()[::-1]
        row = 0
        while row < len(ends):
            if not quotes.inside:
                while odd and odd[-1] < row:
                    odd.pop()
                if not odd:
                    break
                row = odd[-1]
            if first + row > skip:
                line = data[ends[row - 1] if row else 0 : ends[row]].rstrip(b"\r\n")
                quotes.add(first + row, line.removeprefix(_BOM) if first + row == 1 else line)
            row += 1
        first += len(ends)
        if quotes.aside and not resume:
            return quotes
    quotes.close()
    return quotes


def without(file: Path, lines: dict[int, bytes]) -> IO[bytes]:
    """A copy of a file without some lines, packed as it is; it has no name and is gone with its last user."""
    import pyarrow as pa

    _check_space(file)
    copy = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the scan
    packed = compression_of(file)
    out: Any = copy if packed == "none" else pa.CompressedOutputStream(os.fdopen(os.dup(copy.fileno()), "wb"), packed)
    drop, first = np.sort(np.array(list(lines), np.int64)), 1
    size = 0
    for data in _chunks(file):
        tell(f"copying {file.name} without lines of stray quotes", size, max(size, size_of([file])))
        size += len(data)
        ends = _ends(data)
        begin = 0
        for line in (drop[np.searchsorted(drop, first) : np.searchsorted(drop, first + len(ends))] - first).tolist():
            out.write(data[begin : ends[line - 1] if line else 0])
            begin = ends[line]
        out.write(data[begin:])
        first += len(ends)
    if out is not copy:
        out.close()
    copy.flush()
    return copy


def _check_space(file: Path) -> None:
    """Refuse to begin a copy that has no room."""
    folder, needed = tempfile.gettempdir(), file.stat().st_size
    if shutil.disk_usage(folder).free < needed:
        raise DataError(
            f"{file} has stray quotes and is read from a copy without them, for which {folder} lacks the space "
            f"({needed / 1e6:,.0f} MB); set TMPDIR to a folder with more, or repair the file."
        )


def rows_of(file: Path, aside: dict[int, bytes], encoding: str) -> list[BadRow]:
    """Lines that were set aside, as bad rows."""
    lines = sorted(aside.items())
    return [BadRow(str(file), at, "line", "", bad.QUOTE, text.decode(encoding, "replace")) for at, text in lines]


def _chunks(file: Path) -> Iterator[bytes]:
    """The bytes of a file, cut at ends of lines."""
    rest = b""
    with unpacked(file) as stream:
        while data := bytes(stream.read(CHUNK)):
            data = rest + data
            # A carriage return at the end may be half of an end.
            cut = max(data.rfind(b"\n"), data.rfind(b"\r", 0, len(data) - 1)) + 1
            rest = data[cut:]
            if cut:
                yield data[:cut]
    if rest:
        yield rest


def _ends(data: bytes) -> Ints:
    """Where each line ends: after LF, CR LF, or a CR alone."""
    codes = np.frombuffer(data, np.uint8)
    ends = codes == 10
    if b"\r" in data:
        alone = codes == 13
        alone[:-1] &= ~ends[1:]
        ends = ends | alone
    line_ends = np.flatnonzero(ends) + 1
    return line_ends if len(line_ends) and line_ends[-1] == len(codes) else np.append(line_ends, len(codes))
