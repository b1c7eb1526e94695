"""What of reading a page is written in C, see `native/`, where that could be built.

Without it everything works, and says the same, but for pages of which a tree would be cut (`content/defuse.py`): only
indexing takes half as long again.
"""

import ctypes
import html.entities
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from itertools import accumulate
from pathlib import Path
from typing import Any

import xxhash

from webstrata.content.layout import LAYOUT, Layout

_LIBRARY = Path(__file__).with_name("_native.so")
_HANDLE, _BYTE, _TEXT, _SIZE, _FLAG = ctypes.c_void_p, ctypes.c_uint8, ctypes.c_char_p, ctypes.c_size_t, ctypes.c_bool
_FUNCTIONS: dict[str, tuple[Any, list[Any]]] = {
    "page_scanner": (_HANDLE, []),
    "page_close": (None, [_HANDLE]),
    "page_know_reference": (_FLAG, [_HANDLE, _TEXT, _TEXT]),
    "page_know_tag": (_FLAG, [_HANDLE, _TEXT, _BYTE, _BYTE, _FLAG, _FLAG]),
    "page_know_letter": (None, [_HANDLE, _BYTE, _BYTE]),
    "page_know_word": (_FLAG, [_HANDLE, _BYTE, _TEXT, _BYTE]),
    "page_scan": (_FLAG, [_HANDLE, _TEXT, _SIZE]),
    "page_part": (_HANDLE, [_HANDLE, _BYTE, ctypes.POINTER(_SIZE)]),
    "page_has_base": (_FLAG, [_HANDLE]),
    "text_is_utf8": (_FLAG, [_TEXT, _SIZE]),
    "text_fold": (_SIZE, [_TEXT, _SIZE, _HANDLE, _HANDLE, _SIZE, ctypes.POINTER(_SIZE)]),
    "text_fingerprint": (_SIZE, [_TEXT, _SIZE, _SIZE, _HANDLE, ctypes.POINTER(ctypes.c_uint64)]),
}
"""What each function returns and takes."""


_FOLDED_CHARACTERS = 0x20000
"""Up to the last emoji: what is beyond is rarely seen."""

_LONGEST_FOLDED = 255


@dataclass(frozen=True)
class ScannedPage:
    """What one pass over a plainly written page yields."""

    title: str
    text: str
    blocks: str
    stated_language: str
    references: tuple[str, ...]
    """What links and frames lead to, as it is written, in order."""
    base: str | None
    """What those are relative to, when the page says so."""


def is_there() -> bool:
    """Tell whether the library was built and can be used."""
    return _scanner() is not None


def scanned(source: bytes) -> ScannedPage | None:
    """Return what a page says that is written plainly enough to be read without making a tree of it."""
    scanner = _scanner()
    return None if scanner is None else scanner.scan(source)


def most_common_bits(words: bytes, most: int) -> tuple[int, int] | None:
    """Return the bits that most runs of three words share, and of how many words, see `content/fingerprint.py`."""
    library, hashing = _library(), _hashing()
    if library is None or hashing is None:
        return None
    bits = ctypes.c_uint64()
    count = library.text_fingerprint(words, len(words), most, hashing, ctypes.byref(bits))
    return bits.value, count


def is_utf8(body: bytes) -> bool | None:
    """Tell whether a body can be read as UTF-8; None when the library is not there to tell."""
    library = _library()
    return None if library is None else bool(library.text_is_utf8(body, len(body)))


class FoldedTexts:
    """Folds texts character by character: what each becomes is asked once, and then known in C."""

    def __init__(self, becomes: Mapping[int, str]) -> None:
        """Take what says of a character what it becomes."""
        self._becomes = becomes
        self._places = (ctypes.c_uint32 * _FOLDED_CHARACTERS)()
        self._pool = b"\0"
        self._learning = threading.Lock()

    def folded(self, text: str) -> str | None:
        """Return a text folded; None when the library is not there, or the text has characters that few have."""
        library = _library()
        if library is None:
            return None
        source, size, read = text.encode("utf-8", "surrogatepass"), 0, _SIZE()
        parts: list[bytes] = []
        while size < len(source):
            rest, pool = source[size:], self._pool
            folding = _Folding(ctypes.addressof(self._places), len(self._places), pool, len(pool))
            room = ctypes.create_string_buffer(2 * len(rest) + _LONGEST_FOLDED)
            count = library.text_fold(rest, len(rest), ctypes.byref(folding), room, len(room), ctypes.byref(read))
            if read.value == 0 and pool is self._pool and not self._learnt(text):
                return None
            parts.append(ctypes.string_at(room, count))
            size += read.value
        return b"".join(parts).decode()

    def _learnt(self, text: str) -> bool:
        """Learn what a text's characters become; False when there is nothing to be learnt."""
        with self._learning:
            new = [code for code in map(ord, set(text)) if code < len(self._places) and not self._places[code]]
            becomes = [self._becomes[code].encode() for code in new]
            sizes = [1 + len(folded) for folded in becomes]
            places = accumulate(sizes, initial=len(self._pool))
            # In this order: who looks a place up meanwhile, and has the old pool, asks again.
            self._pool += b"".join(bytes([len(folded)]) + folded for folded in becomes)
            for code, place in zip(new, places, strict=False):
                self._places[code] = place
        return bool(new)


class _Folding(ctypes.Structure):
    """What `native/fold.c` calls so."""

    _fields_ = (("places", _HANDLE), ("place_count", _SIZE), ("pool", _TEXT), ("pool_size", _SIZE))


class _UnfitError(Exception):
    """A library was built from other sources than this program's."""


class _Scanner:
    """Reads one page at a time, which it holds until the next."""

    def __init__(self, library: ctypes.CDLL, layout: Layout) -> None:
        """Tell it how pages are laid out: that is written down once, in `content/layout.py`."""
        self._library = library
        self._handle = library.page_scanner()
        if not self._handle:
            raise MemoryError("no memory to read pages with")
        known = [
            *(library.page_know_reference(self._handle, *_reference) for _reference in _references()),
            *(library.page_know_tag(self._handle, *_tag) for _tag in _tags(layout)),
            *(library.page_know_word(self._handle, *_word) for _word in _words(layout)),
        ]
        if not all(known):
            raise _UnfitError("it knows fewer elements, or has less room, than this program wants; build it anew")
        for letter, boilerplate in layout.boilerplate.items():
            library.page_know_letter(self._handle, ord(letter), ord(boilerplate))

    def __del__(self) -> None:
        """Give its memory back with the thread that had it."""
        if self._handle:
            self._library.page_close(self._handle)

    def scan(self, source: bytes) -> ScannedPage | None:
        """Return what a page says, or None when it takes a tree to tell."""
        if not self._library.page_scan(self._handle, source, len(source)):
            return None
        references = self._part("r")
        return ScannedPage(
            title=self._part("t"),
            text=self._part("x"),
            blocks=self._part("b"),
            stated_language=self._part("l"),
            references=tuple(references[:-1].split("\0")) if references else (),
            base=self._part("h") if self._library.page_has_base(self._handle) else None,
        )

    def _part(self, which: str) -> str:
        size = _SIZE()
        data = self._library.page_part(self._handle, ord(which), ctypes.byref(size))
        return ctypes.string_at(data, size.value).decode() if size.value else ""


def _references() -> list[tuple[bytes, bytes]]:
    return [(name.encode(), value.encode()) for name, value in html.entities.html5.items()]


def _tags(layout: Layout) -> list[tuple[bytes, int, int, bool, bool]]:
    return [(tag.name.encode(), ord(tag.kind or "\0"), tag.place, tag.is_block, tag.is_unseen) for tag in layout.tags]


def _words(layout: Layout) -> list[tuple[int, bytes, int]]:
    return [(ord(what), word.encode(), place) for what, words in layout.words.items() for word, place in words.items()]


_of_this_thread = threading.local()


def _scanner() -> _Scanner | None:
    library = _library()
    if library is None:
        return None
    if not hasattr(_of_this_thread, "scanner"):
        _of_this_thread.scanner = _new_scanner(library)
    scanner: _Scanner | None = _of_this_thread.scanner
    return scanner


def _new_scanner(library: ctypes.CDLL) -> _Scanner | None:
    try:
        return _Scanner(library, LAYOUT)
    except _UnfitError as error:
        _warn(error)
        return None


@cache
def _library() -> ctypes.CDLL | None:
    if not _LIBRARY.exists():
        return None
    try:
        library = ctypes.CDLL(str(_LIBRARY))
        for name, (result, arguments) in _FUNCTIONS.items():
            function = getattr(library, name)
            function.restype, function.argtypes = result, arguments
    except (OSError, AttributeError) as error:
        _warn(error)
        return None
    return library


def _warn(error: Exception) -> None:
    """Say why a library that is there is not used: what it is for can be done without it."""
    import structlog  # Takes as long to load as all else that reads pages, which processes of their own do.

    structlog.get_logger().warning("content.native.unusable", library=str(_LIBRARY), reason=str(error))


@cache
def _hashing() -> int | None:
    """Return where the hash function of the xxhash package lies, as C calls it; None where the package hides it."""
    package = getattr(xxhash, "_xxhash", None)
    try:
        function = ctypes.CDLL(package.__file__).XXH3_64bits if package else None
    except (OSError, AttributeError):
        return None
    return ctypes.cast(function, ctypes.c_void_p).value if function else None
