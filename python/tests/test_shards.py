"""The order of samples, their split, and continuing in the middle. Without torch."""

from __future__ import annotations

import hashlib
import io
import json
import pickle
import tarfile
import zlib
from pathlib import Path
from typing import Any

import pytest

from sluice import ObjectChangedError, SluiceFileSystem
from sluice.files import SluiceFile
from sluice.shards import Epoch, Order, Shards, Share, expand_braces, expand_urls, read_samples

SHARDS, SAMPLES = 6, 7


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a.tar", ["a.tar"]),
        ("a{08..10}", ["a08", "a09", "a10"]),
        ("a{8..10}", ["a8", "a9", "a10"]),
        ("a{0..90..45}", ["a0", "a45", "a90"]),
        ("{2..1}", ["2", "1"]),
        ("{0..1}-{a,b}", ["0-a", "0-b", "1-a", "1-b"]),
        ("a{b}", ["a{b}"]),
    ],
)
def test_braces(text: str, expected: list[str]) -> None:
    assert expand_braces(text) == expected


def shard(samples: dict[str, dict[str, bytes]], form: int = tarfile.PAX_FORMAT) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=form) as tar:
        folder = tarfile.TarInfo("folder")
        folder.type = tarfile.DIRTYPE
        tar.addfile(folder)
        for key, fields in samples.items():
            for field, body in fields.items():
                member = tarfile.TarInfo(f"{key}.{field}")
                member.size = len(body)
                tar.addfile(member, io.BytesIO(body))
    return out.getvalue()


def content(number: int) -> dict[str, dict[str, bytes]]:
    return {
        f"s{number}/{i:03}": {
            "Seg.PNG": bytes([number, i]) * (1 + 300 * (i % 3)),
            "cls": str(number * SAMPLES + i).encode(),
        }
        for i in range(SAMPLES)
    }


@pytest.fixture(scope="module")
def urls(fs: SluiceFileSystem, shared_bucket: str) -> list[str]:
    names = {f"{shared_bucket}/shards/{i:02}.tar": shard(content(i)) for i in range(SHARDS)}
    fs.pipe({**names, f"{shared_bucket}/shards/readme.txt": b""})
    return [f"sluice://{name}" for name in names]


def numbers(samples: Any) -> list[int]:
    return [int(sample["cls"]) for sample in samples]


ALL = list(range(SHARDS * SAMPLES))


@pytest.mark.parametrize("form", [tarfile.PAX_FORMAT, tarfile.GNU_FORMAT, tarfile.USTAR_FORMAT])
def test_samples_are_groups_of_members(form: int) -> None:
    long_name = "é" * 60 if form != tarfile.USTAR_FORMAT else "e" * 60
    bodies = {f"d.1/{long_name}{i}": {"a.b": b"x" * i * 600, "c": b""} for i in range(4)}
    data = shard(bodies, form)
    found = list(read_samples(io.BytesIO(data), "u", 0))
    assert [sample for _, _, sample in found] == [
        {"__key__": key, "__url__": "u", **fields} for key, fields in bodies.items()
    ]
    for start, end, sample in found:  # each can be read alone, and as the first of the rest
        ((_, _, alone),) = read_samples(io.BytesIO(data[start:end]), "u", 0)
        assert alone == sample
        assert next(read_samples(io.BytesIO(data), "u", start))[2] == sample


def test_broken_shard_names_itself() -> None:
    data = shard(content(1))
    with pytest.raises(ValueError, match="u is not a whole tar file"):
        list(read_samples(io.BytesIO(data[:3000]), "u", 0))


def test_urls_of_all_kinds(fs: SluiceFileSystem, urls: list[str]) -> None:
    folder = urls[0].removesuffix("00.tar")
    assert expand_urls(fs, folder) == urls
    assert expand_urls(fs, f"{folder}*.tar") == urls
    assert expand_urls(fs, f"{folder}{{00..05}}.tar") == urls
    assert expand_urls(fs, urls) == urls
    with pytest.raises(FileNotFoundError):
        expand_urls(fs, f"{folder}none/")


def test_samples_as_webdataset_gives_them(fs: SluiceFileSystem, urls: list[str]) -> None:
    samples = list(Epoch(fs, Order(tuple(urls)), Share(), 0))
    assert numbers(samples) == ALL
    assert samples[8] == {
        "__key__": "s1/001",
        "__url__": urls[1],
        "seg.png": bytes([1, 1]) * 301,
        "cls": b"8",
    }


def test_shuffle_depends_on_seed_and_epoch(fs: SluiceFileSystem, urls: list[str]) -> None:
    def run(seed: int, epoch: int) -> list[int]:
        order = Order(tuple(urls), seed, shuffle_shards=True, buffer_size=10)
        return numbers(Epoch(fs, order, Share(), epoch))

    first = run(1, 0)
    assert sorted(first) == ALL
    assert first == run(1, 0)
    assert len({tuple(run(seed, epoch)) for seed in (1, 2) for epoch in (0, 1)} | {tuple(ALL)}) == 5


@pytest.mark.parametrize(("world_size", "workers"), [(1, 2), (2, 1), (2, 3), (3, 4)])
def test_split_reads_each_sample_once(
    fs: SluiceFileSystem, urls: list[str], world_size: int, workers: int
) -> None:
    order = Order(tuple(urls), 5, shuffle_shards=True, buffer_size=4)
    found = [
        number
        for rank in range(world_size)
        for worker in range(workers)
        for number in numbers(Epoch(fs, order, Share(rank, world_size, worker, workers), 3))
    ]
    assert sorted(found) == ALL


@pytest.mark.parametrize("buffer_size", [0, 5, 1000])
def test_state_continues_exactly(fs: SluiceFileSystem, urls: list[str], buffer_size: int) -> None:
    order = Order(tuple(urls), 7, shuffle_shards=True, buffer_size=buffer_size)
    whole = numbers(Epoch(fs, order, Share(0, 2), 1))
    running = Epoch(fs, order, Share(0, 2), 1)
    for done in range(len(whole) + 1):
        state = json.loads(json.dumps(running.state()))
        assert numbers(Epoch(fs, order, Share(0, 2), 1, state)) == whole[done:]
        next(running, None)


def test_failure_in_the_middle_of_a_shard_loses_no_sample(
    fs: SluiceFileSystem, urls: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    running = Epoch(fs, Order(tuple(urls)), Share(), 0)
    found = [next(running) for _ in range(3)]

    def fail(*_: object) -> bytes:
        raise OSError("the network is away")

    with monkeypatch.context() as broken:
        broken.setattr(SluiceFile, "read", fail)
        with pytest.raises(OSError, match="away"):
            next(running)
    assert numbers([*found, *running]) == ALL


def test_state_of_a_shard_that_was_replaced_is_refused(
    fs: SluiceFileSystem, urls: list[str], folder: str
) -> None:
    url = f"sluice://{folder}/moving.tar"
    fs.cp_file(urls[0], url)
    order = Order((url,), buffer_size=3)
    running = Epoch(fs, order, Share(), 0)
    next(running)
    state = running.state()
    fs.cp_file(urls[1], url)
    with pytest.raises(ObjectChangedError):
        Epoch(fs, order, Share(), 0, state)


def test_passes_and_loaded_states(fs: SluiceFileSystem, urls: list[str]) -> None:
    order = Order(tuple(urls), 7, shuffle_shards=True, buffer_size=5)
    shards = Shards(fs, order)
    first, second = numbers(shards.begin()), numbers(shards.begin())
    other = pickle.loads(pickle.dumps(Shards(fs, order)))
    begun = other.begin()
    assert [numbers([next(begun)])[0] for _ in range(9)] == first[:9]
    third = Shards(fs, order)
    third.load(other.state())
    assert third.state() == other.state()
    assert numbers(third.begin()) == first[9:]
    assert numbers(third.begin()) == second
    third.load(third.state())  # at the end of a pass nothing is left, and the next one follows
    assert numbers(third.begin()) == []
    third.set_epoch(0)
    assert numbers(third.begin()) == first


def test_state_of_something_else_is_refused(fs: SluiceFileSystem, urls: list[str]) -> None:
    order = Order(tuple(urls), 7)
    state = Epoch(fs, order, Share(), 0).state()
    for other, share in [(Order(tuple(urls), 8), Share()), (order, Share(0, 2))]:
        with pytest.raises(ValueError, match="other shards, seed, shuffle, ranks or workers"):
            Epoch(fs, other, share, 0, state)
    with pytest.raises(ValueError, match="another version"):
        Epoch(fs, order, Share(), 0, {**state, "version": 2})


@pytest.mark.parametrize("buffer_size", [0, 3])
def test_shard_that_was_replaced_does_not_continue(
    fs: SluiceFileSystem, folder: str, buffer_size: int
) -> None:
    fs.pipe_file(f"{folder}/a.tar", shard(content(1)))
    order = Order((f"sluice://{folder}/a.tar",), buffer_size=buffer_size)
    epoch = Epoch(fs, order, Share(), 0)
    next(epoch)
    state = epoch.state()
    fs.pipe_file(f"{folder}/a.tar", shard(content(2)))
    with pytest.raises(ObjectChangedError):
        list(Epoch(fs, order, Share(), 0, state))


GOLDEN = Path(__file__).parent / "golden"


@pytest.mark.parametrize("name", json.loads((GOLDEN / "golden.json").read_text()))
def test_golden_shards(name: str) -> None:
    expected = json.loads((GOLDEN / "golden.json").read_text())[name]
    data = (GOLDEN / f"{name}.tar").read_bytes()
    if "bad" in expected:
        if not expected.get("java_only"):
            with pytest.raises(ValueError, match="not a whole tar"):
                list(read_samples(io.BytesIO(data), name, 0))
        return
    found = []
    for start, end, sample in read_samples(io.BytesIO(data), name, 0):
        fields = {field: sum256(body) for field, body in sample.items() if field[:2] != "__"}
        crc = f"{zlib.crc32(data[start:end]):08x}"
        one = {"key": sample["__key__"], "offset": start, "length": end - start}
        found.append(one | {"fields": fields, "crc32": crc})
        (alone,) = read_samples(io.BytesIO(data[start:end]), name, 0)
        assert alone[2] == sample  # and it is a tar by itself
    assert found == expected["samples"]


def sum256(body: bytes) -> str:
    return hashlib.sha256(body).hexdigest()
