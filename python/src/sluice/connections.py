"""Connections of urllib3 that read the heads of answers with less work.

`http.client` parses headers as those of mail, which takes more time than the rest of a small read.
"""

from __future__ import annotations

import http.client
from collections.abc import Iterator
from typing import Any

import urllib3
from urllib3.connection import HTTPConnection, HTTPSConnection

_LONGEST_LINE = 64 << 10
_MOST_HEADERS = 200


class _Headers(http.client.HTTPMessage):
    """Names and values as they came; a name that comes twice has both values."""

    def __init__(self) -> None:
        super().__init__()
        self._found: list[tuple[str, str]] = []
        self._by_name: dict[str, str] = {}

    def note(self, name: str, value: str) -> None:
        self._found.append((name, value))
        self._by_name.setdefault(name.lower(), value)

    def get(self, name: str, failobj: Any = None) -> Any:
        return self._by_name.get(name.lower(), failobj)

    def items(self) -> list[tuple[str, str]]:
        return self._found

    def keys(self) -> list[str]:
        return [name for name, _ in self._found]

    def __getitem__(self, name: str) -> Any:
        return self.get(name)

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and name.lower() in self._by_name

    def __iter__(self) -> Iterator[str]:
        return iter(self.keys())

    def __len__(self) -> int:
        return len(self._found)


class _Response(http.client.HTTPResponse):
    """An answer whose head is read here, and its body by `http.client`."""

    def begin(self) -> None:
        if self.headers is not None:
            return
        status = 100
        while 100 <= status < 200:
            self.version, status, reason = self._status_line()
            if status == 101:
                raise http.client.BadStatusLine("101: nobody asked for another protocol")
            headers = self._read_headers()
        self.code = self.status = status
        self.reason = reason
        self.headers = self.msg = headers
        kept = headers.get("connection", "keep-alive" if self.version == 11 else "close")
        self.will_close = kept.lower() != "keep-alive"
        self.chunked = headers.get("transfer-encoding", "").lower() == "chunked"
        self.chunk_left = None
        self.length = None if self.chunked else _length(headers)
        if status in (204, 304) or self._method == "HEAD":
            self.length = 0
        if self.length is None and not self.chunked:
            self.will_close = True  # the body ends with the connection

    def _line(self) -> bytes:
        line = self.fp.readline(_LONGEST_LINE + 1)
        if len(line) > _LONGEST_LINE:
            raise http.client.LineTooLong("header")
        return line

    def _status_line(self) -> tuple[int, int, str]:
        line = self._line()
        if not line:
            raise http.client.RemoteDisconnected("the connection closed without an answer")
        version, _, rest = line.decode("iso-8859-1").rstrip("\r\n").partition(" ")
        status, _, reason = rest.partition(" ")
        if version not in ("HTTP/1.1", "HTTP/1.0") or not status.isdecimal():
            raise http.client.BadStatusLine(repr(line))
        return (11 if version == "HTTP/1.1" else 10), int(status), reason

    def _read_headers(self) -> _Headers:
        headers = _Headers()
        while (line := self._line()) not in (b"\r\n", b"\n"):
            name, colon, value = line.decode("iso-8859-1").partition(":")
            if not colon or name != name.strip() or len(headers) >= _MOST_HEADERS:
                raise http.client.BadStatusLine(f"not a header: {line[:80]!r}")
            headers.note(name, value.strip())
        return headers


def _length(headers: _Headers) -> int | None:
    length = headers.get("content-length", "")
    return int(length) if length.isdecimal() else None


def read_into(response: urllib3.BaseHTTPResponse, data: memoryview) -> int:
    """Fills the buffer with the next bytes of a body that was not read by anything else.

    :return: how many they are: fewer at the end only
    """
    body: Any = response._fp  # type: ignore[attr-defined]
    count = 0
    while count < len(data):
        rest = data[count:]
        more = _read_of_chunk(body, rest) if body.chunked else body.readinto(rest)
        if not more:
            break
        count += more
    return count


def _read_of_chunk(body: Any, data: memoryview) -> int:
    """Past `http.client`, which does more for each read than the read itself takes."""
    left: int | None = body.chunk_left or (body._get_chunk_left() if body.fp else None)
    if not left:
        return 0
    more: int = body.fp.readinto(data[:left])
    if not more:
        raise http.client.IncompleteRead(b"", left)
    body.chunk_left = left - more
    return more


class _PlainConnection(HTTPConnection):
    response_class = _Response


class _SecureConnection(HTTPSConnection):
    response_class = _Response


class PlainPool(urllib3.HTTPConnectionPool):
    ConnectionCls = _PlainConnection


class SecurePool(urllib3.HTTPSConnectionPool):
    ConnectionCls = _SecureConnection
