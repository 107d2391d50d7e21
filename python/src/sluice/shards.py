"""Samples of WebDataset shards (tar files), in an order that can be continued exactly.

The order is a function of the seed, the epoch and the worker alone. Its state names the samples
in the shuffle buffer by their places in the shards, so that a reader that continues fetches those
again, and then the shard where it stopped. Needs no torch.
"""

from __future__ import annotations

import hashlib
import re
import tarfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from typing import IO, Any, NamedTuple, cast

from sluice import errors
from sluice.filesystem import SluiceFileSystem
from sluice.store import split

Sample = dict[str, Any]

_RANGE = re.compile(r"\{(\d+)\.\.(\d+)(?:\.\.(\d+))?\}")
_CHOICE = re.compile(r"\{([^{}]*,[^{}]*)\}")


def expand_braces(text: str) -> list[str]:
    """`a{08..10}.tar` as a08.tar, a09.tar, a10.tar; also `{0..90..10}`, `{a,b}`, several ones."""
    found = _RANGE.search(text) or _CHOICE.search(text)
    if found is None:
        return [text]
    if found.re is _CHOICE:
        words = found[1].split(",")
    else:
        first, last, step = int(found[1]), int(found[2]), int(found[3] or 1)
        padded = any(word.startswith("0") and len(word) > 1 for word in found.group(1, 2))
        width = max(len(found[1]), len(found[2])) if padded else 0
        down = -1 if last < first else 1
        numbers = range(first, last + down, down * max(step, 1))
        words = [f"{number:0{width}}" for number in numbers]
    before, after = text[: found.start()], text[found.end() :]
    return [text for word in words for text in expand_braces(before + word + after)]


def expand_urls(fs: SluiceFileSystem, urls: str | Sequence[str]) -> list[str]:
    """The shards that are meant: braces, lists, globs, and all `.tar` below a prefix with `/`."""
    shards = []
    for url in [urls] if isinstance(urls, str) else urls:
        path = fs._strip_protocol(url)
        if url.endswith("/") or "/" not in path:
            shards += [name for name in fs.find(path) if name.endswith(".tar")]
        elif "*" in path:
            shards += fs.glob(path)
        else:
            shards += expand_braces(path)
    if not shards:
        raise FileNotFoundError(f"no shards: {urls}")
    return [fs.unstrip_protocol(path) for path in shards]


class Place(NamedTuple):
    """The bytes of a sample: a shard, by its position in the epoch's order, from start to end."""

    shard: int
    start: int
    end: int


@dataclass(frozen=True)
class Share:
    """The part of the shards that one worker of one rank reads."""

    rank: int = 0
    world_size: int = 1
    worker: int = 0
    workers: int = 1


@dataclass(frozen=True)
class Order:
    """What the order of the samples follows from."""

    urls: tuple[str, ...]
    seed: int = 0
    shuffle_shards: bool = False
    buffer_size: int = 0

    def shards(self, epoch: int, share: Share) -> list[str]:
        """The shards of an epoch that are this worker's, in their order."""
        urls = list(self.urls)
        if self.shuffle_shards:
            for last in range(len(urls) - 1, 0, -1):
                other = self.number(last + 1, "shards", epoch, last)
                urls[last], urls[other] = urls[other], urls[last]
        return urls[share.rank :: share.world_size][share.worker :: share.workers]

    def number(self, below: int, *about: object) -> int:
        """A random number that depends on the seed and these things only."""
        text = "/".join(map(str, (self.seed, *about))).encode()
        return int.from_bytes(hashlib.blake2b(text, digest_size=8).digest(), "big") % below

    def fingerprint(self, share: Share) -> str:
        """What a state belongs to: another order or share cannot continue it."""
        return hashlib.blake2b(repr((self, share)).encode(), digest_size=8).hexdigest()


class Epoch:
    """One pass of a worker over its samples. `state()` tells where it is after the last one."""

    def __init__(
        self,
        fs: SluiceFileSystem,
        order: Order,
        share: Share,
        epoch: int,
        state: Mapping[str, Any] | None = None,
    ) -> None:
        self._fs = fs
        self._order = order
        self._share = share
        self._epoch = epoch
        self._shards = order.shards(epoch, share)
        self._etags: dict[int, str] = {}
        self._shard = 0
        self._offset = 0
        self._picked = 0
        self._open: Iterator[tuple[int, int, Sample]] | None = None
        self._buffer: list[tuple[Place, Sample]] = []
        if state is not None:
            self._load(state)

    def __iter__(self) -> Epoch:
        return self

    def __next__(self) -> Sample:
        while len(self._buffer) < max(1, self._order.buffer_size):
            following = self._read()
            if following is None:
                break
            self._buffer.append(following)
        if not self._buffer:
            raise StopIteration
        chosen = 0
        if self._order.buffer_size > 1:
            about = ("sample", self._epoch, self._share.rank, self._share.worker, self._picked)
            chosen = self._order.number(len(self._buffer), *about)
        self._picked += 1
        self._buffer[chosen], self._buffer[-1] = self._buffer[-1], self._buffer[chosen]
        return self._buffer.pop()[1]

    def _read(self) -> tuple[Place, Sample] | None:
        """The next sample in the order of the shards."""
        while self._shard < len(self._shards):
            if self._open is None:
                self._open = self._samples(self._shard, self._offset)
            try:
                for start, end, sample in self._open:
                    self._offset = end
                    return Place(self._shard, start, end), sample
            except BaseException:
                self._open = None  # a caller that goes on continues behind the last sample
                raise
            self._open = None
            self._shard += 1
            self._offset = 0
        return None

    def _samples(self, shard: int, offset: int) -> Iterator[tuple[int, int, Sample]]:
        url = self._shards[shard]
        with self._fs.open(url) as file:
            self._check(shard, file.etag)
            yield from read_samples(file, url, offset)

    def _check(self, shard: int, etag: str) -> None:
        """A state's places are in one version of a shard."""
        if self._etags.setdefault(shard, etag) != etag:
            raise errors.changed(self._shards[shard])

    def _bytes_of(self, place: Place) -> bytes:
        """Of the version that the state is about, or ObjectChangedError."""
        bucket, key = split(self._shards[place.shard])
        etag = self._etags[place.shard]
        return self._fs.store.get(bucket, key, place.start, place.end, etag)

    def state(self) -> dict[str, Any]:
        """Values of JSON from which the samples that follow can be had again."""
        places = [place for place, _ in self._buffer]
        used = {place.shard for place in places} | {self._shard}
        return {
            "version": 1,
            "fingerprint": self._order.fingerprint(self._share),
            "epoch": self._epoch,
            "shard": self._shard,
            "offset": self._offset,
            "picked": self._picked,
            "buffer": [list(place) for place in places],
            "etags": {str(shard): self._etags[shard] for shard in used if shard in self._etags},
        }

    def _load(self, state: Mapping[str, Any]) -> None:
        if state.get("version") != 1:
            raise ValueError(f"a state of another version of sluice: {state.get('version')}")
        if state["fingerprint"] != self._order.fingerprint(self._share):
            raise ValueError(
                "the state was saved with other shards, seed, shuffle, ranks or workers: "
                "continue with the same ones"
            )
        self._shard, self._offset = state["shard"], state["offset"]
        self._picked = state["picked"]
        self._etags = {int(shard): etag for shard, etag in state["etags"].items()}
        places = [Place(*place) for place in state["buffer"]]
        found = self._fs.store.transport.threads.map(self._bytes_of, places)
        for place, data in zip(places, found, strict=True):
            (one,) = read_samples(BytesIO(data), self._shards[place.shard], 0)
            self._buffer.append((place, one[2]))


def read_samples(file: Any, url: str, offset: int) -> Iterator[tuple[int, int, Sample]]:
    """Start, end and content of each sample of a tar file, from an offset at which one starts.

    Neighbouring members whose names are the same up to the first dot of the last part are one
    sample, with the rest of the name as the field.
    """
    file.seek(offset)
    try:
        tar = tarfile.TarFile(fileobj=file)
        sample: Sample = {}
        start = offset
        begin = offset
        while (member := tar.next()) is not None:
            tar.members = []  # type: ignore[attr-defined] # it would grow with the archive
            # GNU tar writes the real name of a sparse member, and after it a path of its own.
            key, field = _key(member.pax_headers.get("GNU.sparse.name", member.name))
            before, begin = begin, tar.offset  # a global header belongs to what follows it
            if not member.isreg() or key is None:
                continue
            if sample and sample["__key__"] != key:
                yield start, before, sample
                sample = {}
            if not sample:
                sample = {"__key__": key, "__url__": url}
                start = before
            if field in sample:
                raise ValueError(f"{url}: two members are called {member.name}")
            sample[field] = _content(tar, member)
        file.seek(tar.offset)
        rest = file.read(tarfile.BLOCKSIZE)
        if rest.strip(b"\0") or len(rest) % tarfile.BLOCKSIZE:  # tarfile calls this an end too
            raise tarfile.ReadError(f"no header at byte {tar.offset}")
        if sample:
            yield start, tar.offset, sample
    except tarfile.TarError as broken:
        raise ValueError(f"{url} is not a whole tar file: {broken}") from broken


def _content(tar: tarfile.TarFile, member: tarfile.TarInfo) -> bytes:
    if member.issparse():  # its bytes are not as they lie in the tar
        with cast(IO[bytes], tar.extractfile(member)) as whole:
            return whole.read()
    file = cast(IO[bytes], tar.fileobj)
    file.seek(member.offset_data)
    data = file.read(member.size)
    if len(data) < member.size:
        raise tarfile.ReadError(f"the content of {member.name} is cut off")
    return data


def _key(name: str) -> tuple[str | None, str]:
    """`dir/0001.seg.png` as `dir/0001` and `seg.png`. Names with `__` around are not samples."""
    folder, slash, last = name.rpartition("/")
    stem, dot, field = last.partition(".")
    if not dot or not stem or (last.startswith("__") and last.endswith("__")):
        return None, ""
    return f"{folder}{slash}{stem}", field.lower()


class Shards:
    """Passes over the samples of shards, each with another order if it is shuffled.

    :param find_share: which part is read, asked at the begin of each pass
    """

    def __init__(
        self,
        fs: SluiceFileSystem,
        order: Order,
        find_share: Callable[[], Share] = Share,
    ) -> None:
        self._fs = fs
        self._order = order
        self._find_share = find_share
        self._next_epoch = 0
        self._current: Epoch | None = None
        self._loaded: Mapping[str, Any] | None = None

    def begin(self) -> Epoch:
        """The next pass, or the rest of the one whose state was loaded."""
        state, self._loaded = self._loaded, None
        epoch = self._next_epoch if state is None else state["epoch"]
        self._next_epoch = epoch + 1
        self._current = Epoch(self._fs, self._order, self._find_share(), epoch, state)
        return self._current

    def set_epoch(self, epoch: int) -> None:
        """The number of the next pass."""
        self._next_epoch = epoch

    def state(self) -> dict[str, Any]:
        """The state of the pass that is under way, or of the next one before its first sample."""
        if self._loaded is not None:
            return dict(self._loaded)
        current = self._current
        if current is None:
            current = Epoch(self._fs, self._order, self._find_share(), self._next_epoch)
        return current.state()

    def load(self, state: Mapping[str, Any]) -> None:
        """The next pass is the rest of this one."""
        self._loaded = dict(state)

    def __getstate__(self) -> dict[str, Any]:
        """For another process: open shards stay here."""
        return {**self.__dict__, "_current": None}
