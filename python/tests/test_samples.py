"""Samples by number: their order, their digests, and what happens when a stream breaks."""

from __future__ import annotations

import io
import json
import multiprocessing
import pickle
import random
import struct
import tarfile
import zlib
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from fake import FakeServer, Reply, Seen

import sluice
from sluice import ObjectChangedError, S3Error, S3NotFoundError, Samples, SluiceFileSystem
from sluice.samples import _simple
from sluice.shards import read_samples

FRAME = struct.Struct(">iiqiiII")


def tar(samples: Sequence[dict[str, bytes]], prefix: str = "s") -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.USTAR_FORMAT) as made:
        for number, fields in enumerate(samples):
            for field, body in fields.items():
                member = tarfile.TarInfo(f"{prefix}/{number:04}.{field}")
                member.size = len(body)
                made.addfile(member, io.BytesIO(body))
    return out.getvalue()


def content(shard: int, samples: int) -> list[dict[str, bytes]]:
    return [
        {"img": random.Random(shard * 1000 + i).randbytes(37 * i), "cls": f"{shard}/{i}".encode()}
        for i in range(samples)
    ]


COUNTS = (5, 1, 12, 3)


@pytest.fixture(scope="module")
def urls(fs: SluiceFileSystem, shared_bucket: str) -> list[str]:
    made = []
    for shard, samples in enumerate(COUNTS):
        path = f"{shared_bucket}/samples/train-{shard}.tar"
        fs.pipe_file(path, tar(content(shard, samples)))
        made.append(f"sluice://{path}")
    return made


def expected(urls: Sequence[str]) -> list[dict[str, Any]]:
    return [
        {"__key__": f"s/{i:04}", "__url__": url, **fields}
        for shard, url in enumerate(urls)
        for i, fields in enumerate(content(shard, COUNTS[shard]))
    ]


def test_all_samples(fs: SluiceFileSystem, urls: list[str]) -> None:
    samples = Samples(urls, filesystem=fs)
    assert len(samples) == sum(COUNTS)
    wanted = expected(urls)
    assert list(samples) == wanted
    assert [samples[i] for i in range(len(samples))] == wanted
    assert samples[-1] == wanted[-1]
    assert samples[-len(wanted)] == wanted[0]
    assert samples[2:9:3] == wanted[2:9:3]
    for wrong in ("3", 1.5):
        with pytest.raises(TypeError):
            samples[wrong]  # type: ignore[call-overload]
    for outside in (len(wanted), -len(wanted) - 1):
        with pytest.raises(IndexError):
            samples[outside]
    assert samples.checks.checked > 0
    assert samples.checks.wrong == 0


def test_batches_in_any_order(fs: SluiceFileSystem, urls: list[str]) -> None:
    samples = Samples(urls, filesystem=fs, transform=lambda sample: sample["cls"])
    wanted = [sample["cls"] for sample in expected(urls)]
    chance = random.Random(1)
    for size in (1, 2, 64, 5000):
        numbers = [chance.randrange(-len(wanted), len(wanted)) for _ in range(size)]
        assert samples.__getitems__(numbers) == [wanted[i] for i in numbers]
    assert samples.__getitems__([]) == []


def test_globs_and_braces(fs: SluiceFileSystem, urls: list[str], shared_bucket: str) -> None:
    for text in ("samples/train-{0..3}.tar", "samples/*.tar", "samples/"):
        assert len(Samples(f"sluice://{shared_bucket}/{text}", filesystem=fs)) == sum(COUNTS)


def test_overwritten_shards(fs: SluiceFileSystem, folder: str) -> None:
    path = f"{folder}/a.tar"
    fs.pipe_file(path, tar(content(1, 3)))
    samples = Samples(f"sluice://{path}", filesystem=fs)
    assert samples[2]["cls"] == b"1/2"
    fs.pipe_file(path, tar(content(2, 3)))
    with pytest.raises(ObjectChangedError):
        samples[2]
    fs.rm(path)
    with pytest.raises(S3NotFoundError):
        samples[2]


def test_what_is_no_shard(fs: SluiceFileSystem, folder: str) -> None:
    fs.pipe_file(f"{folder}/no.tar", b"no tar" * 100)
    with pytest.raises(ValueError, match="no header of a tar"):
        Samples(f"sluice://{folder}/no.tar", filesystem=fs)
    with pytest.raises(FileNotFoundError):
        Samples(f"sluice://{folder}/missing.tar", filesystem=fs)


def _child(samples: Samples, number: int, queue: Any) -> None:
    queue.put(samples[number])


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_other_processes(fs: SluiceFileSystem, urls: list[str], method: str) -> None:
    samples = Samples(urls, filesystem=fs)
    assert len(pickle.loads(pickle.dumps(samples))) == len(samples)
    wanted = samples[7]
    context: Any = multiprocessing.get_context(method)
    queue = context.Queue()
    child = context.Process(target=_child, args=(samples, 7, queue))
    child.start()
    assert queue.get(timeout=50) == wanted
    child.join()


# What a cluster may do that ours does not


class Cluster:
    """Answers batches of one shard, and can be told to fail."""

    def __init__(self, samples: int = 6) -> None:
        self.bytes = tar(content(0, samples))
        self.parts = [(start, end) for start, end, _ in read_samples(io.BytesIO(self.bytes), "", 0)]
        self.change: Callable[[bytes, int], Reply] = lambda body, _: Reply(200, body)
        self.single: Callable[[int], Reply] = self.whole
        self.batches = 0
        self.asked: list[list[int]] = []

    def part(self, sample: int) -> bytes:
        start, end = self.parts[sample]
        return self.bytes[start:end]

    def whole(self, sample: int) -> Reply:
        data = self.part(sample)
        return Reply(200, data, {"x-sluice-crc32": f"{zlib.crc32(data):08x}"})

    def answer(self, seen: Seen) -> Reply:
        if seen.method == "GET":
            return self.single(int(seen.target.rpartition("sample=")[2]))
        batch = json.loads(seen.body)
        if "samples" not in batch:
            line = {"shard": 0, "samples": len(self.parts), "size": len(self.bytes), "etag": "e"}
            return Reply(200, b'{"waiting":1}\n' + json.dumps(line).encode() + b"\n")
        assert batch["shards"] == [["b", "a.tar", "e"]]
        numbers = batch["samples"][1::3]
        self.asked.append(numbers)
        body = b""
        for sequence, sample in enumerate(numbers):
            body += FRAME.pack(2, 200, sequence, 0, sample, 0, 0)
            body += self.frame(sequence, sample, self.part(sample))
        body += FRAME.pack(3, 200, len(numbers), 0, 0, 0, 0)
        self.batches += 1
        return self.change(body, self.batches)

    @staticmethod
    def frame(sequence: int, sample: int, data: bytes, status: int = 200) -> bytes:
        head = FRAME.pack(1, status, sequence, 0, sample, len(data), zlib.crc32(data))
        return head + data

    def samples(self, url: str) -> Samples:
        fs = SluiceFileSystem(endpoints=url, anon=True, backoff=0.001, skip_instance_cache=True)
        return Samples("sluice://b/a.tar", filesystem=fs)


def labels(samples: list[Any]) -> list[bytes]:
    return [sample["cls"] for sample in samples]


ORDER = (3, 0, 5, 5, 1, 4, 2)
LABELS = [f"0/{i}".encode() for i in ORDER]


def test_streams_that_break() -> None:
    """Wherever it is cut, what is missing is asked for again, and nothing comes twice."""
    cluster = Cluster()
    with FakeServer(cluster.answer).running() as server:
        samples = cluster.samples(server.url)
        assert labels(samples.__getitems__(ORDER)) == LABELS
        length = sum(len(cluster.part(i)) + 2 * FRAME.size for i in ORDER) + FRAME.size
        for cut in [*range(0, length, 97), length - 1]:
            cluster.batches = 0
            cluster.asked.clear()
            cluster.change = lambda body, batch, cut=cut: (  # type: ignore[misc]
                Reply(200, body, cut=cut) if batch == 1 else Reply(200, body)
            )
            assert labels(samples.__getitems__(ORDER)) == LABELS
            assert cluster.asked[0] == list(ORDER)
            assert list(ORDER)[len(ORDER) - len(cluster.asked[-1]) :] == cluster.asked[-1]
        cluster.change = lambda body, _: Reply(200, body, cut=100)
        with pytest.raises(ConnectionError):
            samples.__getitems__(ORDER)


def test_wrong_digests() -> None:
    cluster = Cluster()
    wrong = cluster.part(5)[:-600] + b"\1" + cluster.part(5)[-599:]
    cluster.change = lambda body, _: Reply(200, body.replace(cluster.part(5), wrong))
    with FakeServer(cluster.answer).running() as server:
        samples = cluster.samples(server.url)
        assert labels(samples.__getitems__(ORDER)) == LABELS
        assert samples.checks.wrong == ORDER.count(5)
        digest = {"x-sluice-crc32": f"{zlib.crc32(cluster.part(5)):08x}"}
        cluster.single = lambda _: Reply(412, b"")
        with pytest.raises(ObjectChangedError):
            samples.__getitems__(ORDER)
        cluster.single = lambda _: Reply(200, wrong, digest)
        with pytest.raises(S3Error, match=r"sample 5 of sluice://b/a\.tar"):
            samples.__getitems__(ORDER)


@pytest.mark.parametrize(
    ("status", "error"),
    [
        (404, S3NotFoundError),
        (412, ObjectChangedError),
        (422, ValueError),
        (500, S3Error),
        (503, ConnectionError),
    ],
)
def test_samples_that_are_not_had(status: int, error: type[Exception]) -> None:
    cluster = Cluster()
    good = cluster.frame(0, 1, cluster.part(1))

    def answer(_: bytes, __: int) -> Reply:
        if cluster.asked[-1] == [2]:
            return Reply(200, cluster.frame(0, 2, b"because", status))
        return Reply(200, good + cluster.frame(1, 2, b"because", status))

    cluster.change = answer
    with FakeServer(cluster.answer).running() as server:
        samples = cluster.samples(server.url)
        with pytest.raises(error, match="overwritten" if status == 412 else "because"):
            samples.__getitems__([1, 2])


def test_a_shard_that_is_away_for_a_while() -> None:
    cluster = Cluster()

    def answer(body: bytes, batch: int) -> Reply:
        if batch < 3:
            return Reply(200, cluster.frame(0, 3, b"not now", 503))
        return Reply(200, body)

    cluster.change = answer
    with FakeServer(cluster.answer).running() as server:
        assert labels(cluster.samples(server.url).__getitems__(ORDER)) == LABELS


def test_the_fast_decoder_and_the_other_one_agree() -> None:
    for number, (start, end) in enumerate(Cluster().parts):
        data = Cluster().bytes[start:end]
        ((_, _, wanted),) = read_samples(io.BytesIO(data), "u", 0)
        assert _simple(memoryview(data), "u") == wanted
        assert number >= 0
    odd = io.BytesIO()
    with tarfile.open(fileobj=odd, mode="w", format=tarfile.PAX_FORMAT) as made:
        made.addfile(tarfile.TarInfo("ä" * 80 + ".txt"))
    assert _simple(memoryview(odd.getvalue()[:-1024]), "u") is None


def test_the_package_has_it() -> None:
    assert sluice.Samples is Samples
