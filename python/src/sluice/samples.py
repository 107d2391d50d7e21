"""Any sample of any shard by its number, in batches that the cluster puts together.

The cluster indexes the shards. A batch is one request, whose answer has the samples in the order
in which they were asked for, each with a digest that is checked here. Needs no torch.
"""

from __future__ import annotations

import bisect
import json
import operator
import struct
import sys
import time
import zlib
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import closing
from dataclasses import dataclass
from io import BytesIO
from itertools import accumulate
from typing import Any, NamedTuple, SupportsIndex, overload

from sluice import errors
from sluice.filesystem import SluiceFileSystem
from sluice.shards import Sample, expand_urls, read_samples
from sluice.store import split
from sluice.transport import BrokenStreamError, Request, Stream, Transport, Way

try:
    from zlib_ng.zlib_ng import crc32 as _crc32
except ImportError:
    _crc32 = zlib.crc32

_PATH = "/v1/samples"
# Kind, status, sequence, shard, sample, length, CRC32 (docs/http-api.md).
_FRAME = struct.Struct(">iiqiiII")
_SAMPLE, _WAITING, _END = 1, 2, 3
# So many samples in one request; a request has 1 MiB at most.
_MOST = 4096
_LARGEST = 1 << 20
# How many samples are read ahead of an iteration, and in how many requests.
_AHEAD = 64
_REQUESTS = 2
_PROGRESS = 5.0


class Where(NamedTuple):
    """A sample: a shard, by its place in the list, and the number in it."""

    shard: int
    sample: int


@dataclass
class Checks:
    """How many samples' digests were compared, and how many were wrong and read again."""

    checked: int = 0
    wrong: int = 0


class Samples:
    """All samples of some shards, in the shards' order, as a sequence.

    A sample is a dict of `__key__`, `__url__` and bytes by extension, as WebDataset makes them. It
    is of the version that the shard had when this was made: a shard that was overwritten since
    raises ObjectChangedError. Can be pickled and used after a fork.
    """

    def __init__(
        self,
        urls: str | Sequence[str],
        *,
        transform: Callable[[Sample], Any] | None = None,
        progress: bool = True,
        filesystem: SluiceFileSystem | None = None,
        **options: Any,
    ) -> None:
        """
        :param urls: `sluice://b/train-{000..099}.tar`, a list, a glob, or a prefix that ends with /
        :param transform: what is made of each sample
        :param progress: say on stderr how many shards are known, while it takes long
        :param filesystem: where to read; else `SluiceFileSystem(**options)`
        """
        fs = filesystem or SluiceFileSystem(**options)
        self.urls = tuple(expand_urls(fs, urls))
        self.checks = Checks()
        self._transform = transform
        self._batches = _Batches(fs.store.transport, self.urls, self.checks)
        counts = self._batches.count(progress)
        self._ends = list(accumulate(counts))

    def __len__(self) -> int:
        return self._ends[-1]

    @overload
    def __getitem__(self, index: SupportsIndex) -> Any: ...

    @overload
    def __getitem__(self, index: slice) -> list[Any]: ...

    def __getitem__(self, index: SupportsIndex | slice) -> Any:
        if isinstance(index, slice):
            return self.__getitems__(range(*index.indices(len(self))))
        return self.__getitems__([index])[0]

    def __getitems__(self, indices: Sequence[SupportsIndex]) -> list[Any]:
        """These samples, in this order, by one request."""
        places = [self._where(operator.index(i)) for i in indices]
        return list(self._made(self._batches.read(places)))

    # As Grain calls it.
    _getitems = __getitems__

    def __iter__(self) -> Iterator[Any]:
        """All samples. Some are read while the ones before them are used."""
        threads = self._batches.transport.threads
        starts = iter(range(0, len(self), _AHEAD))
        under_way: deque[Future[list[Sample]]] = deque()
        try:
            while True:
                while len(under_way) < _REQUESTS and (start := next(starts, None)) is not None:
                    wanted = range(start, min(start + _AHEAD, len(self)))
                    places = [self._where(i) for i in wanted]
                    under_way.append(threads.submit(self._read, places))
                if not under_way:
                    return
                yield from self._made(under_way.popleft().result())
        finally:
            for each in under_way:
                each.cancel()

    def _read(self, places: Sequence[Where]) -> list[Sample]:
        return list(self._batches.read(places))

    def _made(self, samples: Iterable[Sample]) -> Iterator[Any]:
        return iter(samples) if self._transform is None else map(self._transform, samples)

    def _where(self, index: int) -> Where:
        number = index + len(self) if index < 0 else index
        if not 0 <= number < len(self):
            raise IndexError(f"sample {index} of {len(self)}")
        shard = bisect.bisect_right(self._ends, number)
        return Where(shard, number - (self._ends[shard - 1] if shard else 0))


class _Batches:
    """Requests for samples of a list of shards."""

    def __init__(self, transport: Transport, urls: Sequence[str], checks: Checks) -> None:
        self.transport = transport
        self._urls = urls
        self._names = [split(url) for url in urls]
        self._etags: list[str | None] = [None] * len(urls)
        self._checks = checks

    # How many samples there are

    def count(self, progress: bool) -> list[int]:
        """The number of samples of each shard, which the cluster may have to find out first."""
        counts: list[int | None] = [None] * len(self._urls)
        missing = list(range(len(self._urls)))
        told = time.monotonic()
        for attempt in self._attempts():
            for some in self._requests(missing):
                for line in self._lines(some, attempt):
                    shard = some[line["shard"]] if "shard" in line else None
                    if shard is not None and line.get("status", 200) == 200:
                        counts[shard] = line["samples"]
                        self._etags[shard] = line["etag"]
                    elif shard is not None and line["status"] != 503:
                        raise _refused(line["status"], line["message"], self._urls[shard])
                    if progress and time.monotonic() - told >= _PROGRESS:
                        told = time.monotonic()
                        known = len(counts) - counts.count(None)
                        print(f"{known:,} of {len(counts):,} shards", file=sys.stderr, flush=True)
            missing = [shard for shard in missing if counts[shard] is None]
            if not missing:
                break
        else:
            raise errors.make(503, "ServiceUnavailable", "not known yet", self._urls[missing[0]])
        return [count or 0 for count in counts]

    def _requests(self, shards: Sequence[int]) -> Iterator[list[int]]:
        """Parts of a list that are short enough for one request each."""
        some: list[int] = []
        size = 0
        for shard in shards:
            length = len(json.dumps(self._names[shard])) + 64
            if some and size + length > _LARGEST // 2:
                yield some
                some, size = [], 0
            some.append(shard)
            size += length
        if some:
            yield some

    def _lines(self, shards: Sequence[int], attempt: int) -> Iterator[dict[str, Any]]:
        """What is known, line by line. Ends early when the stream breaks."""
        body = json.dumps({"shards": [[*self._names[shard], None] for shard in shards]}).encode()
        try:
            with closing(self._open(body)) as stream:
                left = len(shards)
                for text in stream.lines():
                    line = json.loads(text)
                    left -= "shard" in line
                    yield line
                if left:
                    raise BrokenStreamError("the answer ended before it was whole")
        except BrokenStreamError:
            if attempt == self.transport.settings.retries:
                raise

    def _attempts(self) -> Iterator[int]:
        for attempt in range(self.transport.settings.retries + 1):
            if attempt:
                self.transport.pause(attempt)
            yield attempt

    def _open(self, body: bytes) -> Stream:
        headers = {"Content-Type": "application/json"}
        return self.transport.open(Request("POST", _PATH, {}, headers, body))

    # Samples

    def read(self, places: Sequence[Where]) -> Iterator[Sample]:
        """These samples in this order."""
        for start in range(0, len(places), _MOST):
            for place, data in self.whole(places[start : start + _MOST]):
                yield self._decoded(place, data)

    def whole(self, places: Sequence[Where]) -> Iterator[tuple[Where, memoryview]]:
        """With their bytes, each until the next one is asked for.

        A stream that breaks goes on with the first missing sample.
        """
        done = 0
        failed = 0
        while done < len(places):
            try:
                for place, data in self._stream(places[done:]):
                    done += 1
                    failed = 0
                    yield place, data
            except BrokenStreamError:
                failed += 1
                if failed > self.transport.settings.retries:
                    raise
                self.transport.pause(failed)

    def _stream(self, places: Sequence[Where]) -> Iterator[tuple[Where, memoryview]]:
        shards = sorted({place.shard for place in places})
        numbers = {shard: number for number, shard in enumerate(shards)}
        samples = [value for place in places for value in (numbers[place.shard], place.sample, 1)]
        listed = [[*self._names[shard], self._etags[shard]] for shard in shards]
        body = json.dumps({"shards": listed, "samples": samples}, separators=(",", ":")).encode()
        if len(body) > _LARGEST and len(places) > 1:
            middle = len(places) // 2
            yield from self._stream(places[:middle])
            yield from self._stream(places[middle:])
            return
        with closing(self._open(body)) as stream:
            frames = _Frames(stream)
            for sequence, place in enumerate(places):
                yield place, self._sample(frames, sequence, place)
            kind, _, count, *_ = frames.next()
            if kind != _END or count != len(places):
                raise BrokenStreamError("the batch does not end where it should")
            stream.finish()

    def _sample(self, frames: _Frames, sequence: int, place: Where) -> memoryview:
        kind, status, number, _, sample, length, digest = frames.next()
        if kind != _SAMPLE or number != sequence or sample != place.sample:
            raise BrokenStreamError("the batch has another order than was asked for")
        if status != 200:
            why = frames.text(length)
            if status == 503:
                raise BrokenStreamError(why)
            raise _refused(status, why, f"sample {sample} of {self._urls[place.shard]}")
        data = frames.bytes(length)
        with self.transport.lock:
            self._checks.checked += 1
        return data if _crc32(data) == digest else memoryview(self._again(place))

    def _again(self, place: Where) -> bytes:
        """Once more, by itself: the bytes were not the ones that the index was made of."""
        with self.transport.lock:
            self._checks.wrong += 1
        about = f"sample {place.sample} of {self._urls[place.shard]}"
        bucket, key = self._names[place.shard]
        etag = self._etags[place.shard]
        headers = {"If-Match": f'"{etag}"'}
        query = {"sample": str(place.sample)}
        answer = self.transport.send(Request("GET", f"/{bucket}/{key}", query, headers, way=Way()))
        if answer.status == 412:
            raise errors.changed(about)
        if answer.status >= 400:
            raise errors.of(answer.status, answer.body, about)
        if f"{_crc32(answer.body):08x}" != answer.headers.get("x-sluice-crc32"):
            text = "the digest is wrong, also after the sample was read again"
            raise errors.make(500, "BadDigest", text, about)
        return answer.body

    def _decoded(self, place: Where, data: memoryview) -> Sample:
        url = self._urls[place.shard]
        sample = _simple(data, url)
        if sample is None:
            ((_, _, sample),) = read_samples(BytesIO(data), url, 0)
        return sample


_Frame = tuple[int, int, int, int, int, int, int]


class _Frames:
    """The frames of a batch. A sample's bytes are read together with the frame behind them."""

    def __init__(self, stream: Stream) -> None:
        self._stream = stream
        self._buffer = memoryview(bytearray(_FRAME.size))
        self._ahead: _Frame | None = None

    def next(self) -> _Frame:
        frame, self._ahead = self._ahead, None
        while frame is None or frame[0] == _WAITING:
            self._stream.fill(self._buffer[: _FRAME.size])
            frame = _FRAME.unpack_from(self._buffer)
        return frame

    def text(self, length: int) -> str:
        """What the last frame says instead of a sample."""
        data = memoryview(bytearray(length))
        self._stream.fill(data)
        return str(data, "utf-8", "replace")

    def bytes(self, length: int) -> memoryview:
        """Those of the last frame, until the next call."""
        if len(self._buffer) < length + _FRAME.size:
            self._buffer = memoryview(bytearray(length + length // 8 + _FRAME.size))
        self._stream.fill(self._buffer[: length + _FRAME.size])
        self._ahead = _FRAME.unpack_from(self._buffer, length)
        return self._buffer[:length]


def _refused(status: int, message: str, about: str) -> Exception:
    if status == 412:
        return errors.changed(about)
    if status == 422:
        return ValueError(f"{about}: {message}")
    code = {404: "NoSuchKey", 500: "InternalError"}.get(status, "")
    return errors.make(status, code, message, about)


_BLOCK = 512
_REGULAR = (0, ord("0"))
_DIGITS = b"01234567"


def _simple(data: memoryview, url: str) -> Sample | None:
    """A sample of nothing but short names and regular members; None for any other."""
    sample: Sample = {}
    at = 0
    while at < len(data):
        header = bytes(data[at : at + _BLOCK])
        name, _, _ = header[:100].partition(b"\0")
        digits = header[124:136].rstrip(b"\0 ")
        folder, slash, last = name.rpartition(b"/")
        stem, dot, field = last.partition(b".")
        if (
            header[156] not in _REGULAR
            or header[345]
            or digits.strip(_DIGITS)
            or not dot
            or not stem
            or last.startswith(b"__")
            or (slash and not last)
        ):
            return None
        size = int(digits or b"0", 8)
        key = (folder + slash + stem).decode("utf-8", "surrogateescape")
        if not sample:
            sample = {"__key__": key, "__url__": url}
        field_name = field.decode("utf-8", "surrogateescape").lower()
        if sample["__key__"] != key or field_name in sample:
            return None
        start = at + _BLOCK
        sample[field_name] = bytes(data[start : start + size])
        at = start + -(-size // _BLOCK) * _BLOCK
    return sample or None
