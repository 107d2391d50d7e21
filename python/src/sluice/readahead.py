"""The cache of an open file: blocks ahead of a sequential reader, fetched in parallel."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import Executor, Future

# A read that is not sequential fetches this much at least, for headers and footers of formats.
_SMALLEST = 64 << 10


class ReadAhead:
    """Bytes of one version of an object.

    Sequential reads are served from blocks. The first one fetches what it needs, and each further
    block doubles the number of blocks fetched ahead, up to `most`. Other reads fetch little more
    than their own bytes. Memory: `most` + 1 blocks. Not for several threads, as files are not.
    """

    def __init__(
        self,
        size: int,
        fetch: Callable[[int, int], bytes],
        threads: Callable[[], Executor],
        block_size: int,
        most: int,
    ) -> None:
        self._size = size
        self._fetch = fetch
        self._threads = threads
        self._block_size = block_size
        self._most = most
        self._start(0)

    def _start(self, expected: int) -> None:
        self._process = os.getpid()
        self._blocks: dict[int, Future[bytes]] = {}
        self._expected = expected
        self._used = -1
        self._ahead = 0
        self._near: tuple[int, bytes] = (0, b"")

    def read(self, start: int, end: int) -> bytes:
        """The bytes from start to before end, both within the object."""
        if self._process != os.getpid():  # after a fork: the parent's threads are not here
            self._start(self._expected)
        near_start, near = self._near
        if near_start <= start and end <= near_start + len(near):
            self._expected = end
            return near[start - near_start : end - near_start]
        ahead = 0 <= start - self._expected < self._block_size  # formats skip padding
        if not ahead and start // self._block_size not in self._blocks:
            return self._read_apart(start, end)
        self._expected = end
        return self._read_blocks(start, end)

    def _read_apart(self, start: int, end: int) -> bytes:
        self.close()
        near = self._fetch(start, min(self._size, max(end, start + _SMALLEST)))
        self._start(end)
        self._near = (start, near)
        return near[: end - start]

    def _read_blocks(self, start: int, end: int) -> bytes:
        size = self._block_size
        last = (end - 1) // size
        pieces = []
        for block in range(start // size, last + 1):
            whole = self._block(block, last)
            pieces.append(whole[max(0, start - block * size) : end - block * size])
        return pieces[0] if len(pieces) == 1 else b"".join(pieces)

    def _block(self, block: int, last: int) -> bytes:
        """A block, with those behind it under way: up to `last`, or as far as the reader earned."""
        for old in [number for number in self._blocks if number < block]:
            self._blocks.pop(old).cancel()
        if block != self._used:
            self._ahead = 0 if self._used < 0 else min(self._most, max(1, 2 * self._ahead))
            self._used = block
        last = min(max(last, block + self._ahead), block + self._most)
        for number in range(block + 1, min(last, (self._size - 1) // self._block_size) + 1):
            if number not in self._blocks:
                self._blocks[number] = self._threads().submit(self._fetch_block, number)
        try:
            if block not in self._blocks:
                self._blocks[block] = Future()
                self._blocks[block].set_result(self._fetch_block(block))
            return self._blocks[block].result()
        except BaseException:
            self.close()
            raise

    def _fetch_block(self, block: int) -> bytes:
        start = block * self._block_size
        return self._fetch(start, min(self._size, start + self._block_size))

    def close(self) -> None:
        """Forgets all blocks. Those that are being fetched are not waited for."""
        for future in self._blocks.values():
            future.cancel()
        self._blocks.clear()
