"""Open files of the filesystem: readers of one version of an object, and writers."""

from __future__ import annotations

import io
import os
import warnings
from collections import deque
from concurrent.futures import Future
from typing import Any

from fsspec.spec import AbstractBufferedFile

from sluice import errors
from sluice.readahead import ReadAhead
from sluice.store import Part, Store, split
from sluice.transport import Way

SMALLEST_PART = 5 << 20
# So many parts have the size that was asked for; then the size doubles, and so again.
_PARTS_OF_A_SIZE = 1000


class SluiceFile(AbstractBufferedFile):
    """A file of fsspec, opened by `SluiceFileSystem.open`.

    A reader reads the version that it found when it was opened, or fails with ObjectChangedError.
    What a writer writes becomes visible when it is closed; after an exception in its `with` block
    nothing does.
    """

    buffer: io.BytesIO

    def __init__(
        self,
        fs: Any,
        path: str,
        mode: str = "rb",
        block_size: int = 0,
        *,
        readahead: int = 4,
        details: dict[str, Any] | None = None,
        headers: dict[str, str] | None = None,
        **options: Any,
    ) -> None:
        self._store: Store = fs.store
        self._readahead = readahead
        self._way = Way()
        self.bucket, self.key = split(path)
        if not self.key:
            raise errors.make(400, "InvalidRequest", "a bucket is not a file", path)
        if mode == "rb":
            details = details or fs.info(path)
            if details["type"] != "file":
                raise IsADirectoryError(path)
            self.details = details
            self.etag: str = details["ETag"]
            options["size"] = details["size"]
        elif block_size < SMALLEST_PART:
            raise ValueError(f"block_size of a file that is written: {SMALLEST_PART} or more")
        options.pop("cache_type", None)
        options.pop("cache_options", None)
        super().__init__(fs, path, mode, block_size, cache_type="none", **options)
        self._headers = headers or {}
        self._process = os.getpid()
        self._upload: str | None = None
        self._parts: deque[Future[Part]] = deque()
        self._done: list[Part] = []
        self._numbers = 0
        if mode == "rb":
            transport = self._store.transport
            self._cache = ReadAhead(
                self.size,
                self._fetch_range,
                lambda: transport.threads,
                block_size,
                readahead,
            )

    # Reading

    def read(self, length: int = -1) -> bytes:
        """The next bytes, or all to the end."""
        if self.mode != "rb":
            raise ValueError("File not in read mode")
        if self.closed:
            raise ValueError("I/O operation on closed file.")
        end = self.size if length is None or length < 0 else min(self.size, self.loc + length)
        if end <= self.loc:
            return b""
        data = self._cache.read(self.loc, end)
        self.loc += len(data)
        return data

    def readinto(self, target: Any) -> int:
        view = memoryview(target).cast("B")
        data = self.read(len(view))
        view[: len(data)] = data
        return len(data)

    def _fetch_range(self, start: int, end: int) -> bytes:
        return self._store.get(self.bucket, self.key, start, end, self.etag, self._way)

    def __reduce__(self) -> Any:
        if self.mode != "rb":
            raise TypeError("a file that is written cannot be pickled")
        return _reopen, (
            self.fs,
            self.path,
            self.blocksize,
            self._readahead,
            self.details,
            self.loc,
        )

    # Writing

    def _initiate_upload(self) -> None:
        """Nothing yet: what fits into one part is one PUT."""

    def _upload_chunk(self, final: bool = False) -> bool:
        if final and not self.autocommit:
            return False  # commit() or discard() follows
        size = self._part_size()
        if not final and self.buffer.tell() < size:
            return False
        data = memoryview(self.buffer.getvalue())
        sent = 0
        while len(data) - sent > size:  # a part or less stays for the end
            self._send_part(data[sent : sent + size])
            sent += size
            size = self._part_size()
        self.buffer = io.BytesIO()
        self.buffer.write(data[sent:])
        if final:
            self.commit()
        return False  # what is not sent is in the new buffer

    def _part_size(self) -> int:
        return int(self.blocksize) << (self._numbers // _PARTS_OF_A_SIZE)

    def _send_part(self, data: memoryview) -> None:
        transport = self._store.transport
        if self._upload is None:
            self._upload = self._begin()
        if len(self._parts) >= transport.settings.max_concurrency // 4 + 1:
            self._done.append(self._parts.popleft().result())
        self._numbers += 1
        self._parts.append(
            transport.threads.submit(
                self._store.upload_part, self.bucket, self.key, self._upload, self._numbers, data
            )
        )

    def _begin(self) -> str:
        try:
            return self._store.begin_upload(self.bucket, self.key, self._headers)
        except errors.S3Error as error:
            if error.code != "NotImplemented":
                raise
            hint = (
                "this bucket takes no multipart uploads: open the file with a block_size of at "
                f"least the object's size, to send it in one PUT (now {self.blocksize})"
            )
            raise errors.make(error.status, error.code, hint, self.path) from error

    def commit(self) -> None:
        """Makes what was written visible."""
        if os.getpid() != self._process:
            raise OSError(f"{self.path} was opened by another process, which closes it")
        exclusive = "x" in self.mode
        rest = memoryview(self.buffer.getvalue())
        if self._upload is None:
            self._store.put(self.bucket, self.key, rest, self._headers, exclusive)
            return
        try:
            if rest:
                self._send_part(rest)
            self._done.extend(part.result() for part in self._parts)
            self._parts.clear()
            self._store.complete_upload(self.bucket, self.key, self._upload, self._done, exclusive)
        except BaseException:
            self.discard()
            raise
        self._upload = None

    def discard(self) -> None:
        """Forgets what was written."""
        if os.getpid() != self._process:  # the upload is the parent's, and so are its threads
            return
        upload, self._upload = self._upload, None
        self.buffer = io.BytesIO()
        for part in self._parts:
            part.cancel()
        for part in self._parts:  # a part that came after the abort would stay
            if not part.cancelled():
                part.exception()
        self._parts.clear()
        if upload is not None:
            self._store.abort_upload(self.bucket, self.key, upload)

    def flush(self, force: bool = False) -> None:
        try:
            super().flush(force)
        except BaseException:
            if self.mode != "rb":
                self.abort()
            raise

    def abort(self) -> None:
        """Closes the file. Nothing of what was written becomes visible."""
        self.closed = True
        self.discard()

    def close(self) -> None:
        if not self.closed and self.mode == "rb":
            self._cache.close()
        super().close()

    def __exit__(self, kind: Any, value: Any, trace: Any) -> None:
        if kind is not None and self.mode != "rb" and not self.closed:
            self.abort()
        self.close()

    def __del__(self) -> None:
        """A file that was not closed is not finished: nothing of it becomes visible."""
        if self.closed:
            return
        if self.mode == "rb":
            self.close()
        else:
            warnings.warn(
                f"{self} was not closed, nothing is stored", ResourceWarning, stacklevel=2
            )
            self.abort()


class TextFile(io.TextIOWrapper):
    """A text file over a SluiceFile: after an exception in its `with` block nothing is stored."""

    def __del__(self) -> None:
        """As of the file below: one that was not closed is not finished."""
        if isinstance(self.buffer, SluiceFile) and not self.closed:
            self.buffer.__del__()

    def __exit__(self, kind: Any, value: Any, trace: Any) -> None:
        if kind is not None and isinstance(self.buffer, SluiceFile):
            self.buffer.__exit__(kind, value, trace)
            return
        self.close()


def _reopen(
    fs: Any, path: str, block_size: int, readahead: int, details: dict[str, Any], loc: int
) -> SluiceFile:
    file = SluiceFile(fs, path, "rb", block_size, readahead=readahead, details=details)
    file.seek(loc)
    return file
