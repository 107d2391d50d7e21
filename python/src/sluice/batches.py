"""Many whole objects, in order, with several requests under way."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator
from typing import Any

from sluice.filesystem import SluiceFileSystem
from sluice.store import Store, split

# What a result takes besides its bytes, so that empty objects are bounded too.
_ENTRY = 512


def read_many(
    urls: Iterable[str],
    *,
    workers: int = 16,
    buffer_size: int = 256 << 20,
    filesystem: SluiceFileSystem | None = None,
    **options: Any,
) -> Iterator[tuple[str, bytes]]:
    """Each URL with its object's bytes, in the order of the URLs.

    :param workers: the number of requests at once
    :param buffer_size: no further object is requested while so many bytes wait to be taken. Memory
        is at most this, and one object for each worker
    :param filesystem: where to read; else `SluiceFileSystem(**options)`
    """
    if workers < 1:
        raise ValueError("workers must be 1 or more")
    store = (filesystem or SluiceFileSystem(**options)).store
    batch = _Batch(store, iter(urls), workers, buffer_size)
    return batch.results()


class _Batch:
    """Workers take URLs in turn and leave results in `_done`; the caller takes them in order."""

    def __init__(self, store: Store, urls: Iterator[str], workers: int, buffer_size: int) -> None:
        self._store = store
        self._urls = urls
        self._workers = workers
        self._buffer_size = buffer_size
        # Held while the caller's iterator is asked: by one thread at a time, and results can be
        # taken meanwhile. Whoever has both locks took this one first.
        self._order = threading.Lock()
        self._lock = threading.Lock()
        self._room = threading.Condition(self._lock)
        self._ready = threading.Condition(self._lock)
        self._done: dict[int, tuple[str, bytes | BaseException]] = {}
        self._buffered = 0
        self._begun = 0
        self._taken = 0
        self._running = workers
        self._closed = False

    def results(self) -> Iterator[tuple[str, bytes]]:
        threads = [
            threading.Thread(target=self._work, name=f"sluice-read-{i}", daemon=True)
            for i in range(self._workers)
        ]
        for thread in threads:
            thread.start()
        try:
            while (result := self._take()) is not None:
                url, data = result
                if isinstance(data, BaseException):
                    raise data
                yield url, data
        finally:
            with self._lock:
                self._closed = True
                self._room.notify_all()
            for thread in threads:
                thread.join()

    def _take(self) -> tuple[str, bytes | BaseException] | None:
        with self._lock:
            while self._taken not in self._done:
                if self._running == 0:
                    return None
                self._ready.wait()
            url, data = self._done.pop(self._taken)
            self._taken += 1
            if not isinstance(data, BaseException):
                self._buffered -= len(data) + _ENTRY
            self._room.notify_all()
            return url, data

    def _work(self) -> None:
        try:
            while (turn := self._next()) is not None:
                number, url = turn
                data: bytes | BaseException
                try:
                    data = self._store.get(*split(url))
                except BaseException as failure:
                    data = failure
                self._leave(number, url, data)
        finally:
            with self._lock:
                self._running -= 1
                self._ready.notify()

    def _next(self) -> tuple[int, str] | None:
        with self._order:
            with self._lock:
                # The object that the caller waits for is always requested.
                while (
                    not self._closed
                    and self._buffered >= self._buffer_size
                    and self._begun > self._taken
                ):
                    self._room.wait()
                if self._closed:
                    return None
            number = self._begun
            try:
                url = next(self._urls, None)
            except BaseException as failure:
                self._leave(number, "", failure)
                return None
            if url is None:
                return None
            self._begun += 1
            return number, url

    def _leave(self, number: int, url: str, data: bytes | BaseException) -> None:
        with self._lock:
            self._done[number] = (url, data)
            if isinstance(data, BaseException):
                self._closed = True
                self._room.notify_all()
            else:
                self._buffered += len(data) + _ENTRY
            if number == self._taken:
                self._ready.notify()
