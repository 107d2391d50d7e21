"""Reads: ranges at all borders, read-ahead, and one version of an object."""

from __future__ import annotations

import io
import random
from typing import Any

import pytest

from sluice import ObjectChangedError, SluiceFileSystem

BLOCK = 64 << 10
SIZE = 5 * BLOCK + 7


@pytest.fixture(scope="module")
def data() -> bytes:
    return random.Random(1).randbytes(SIZE)


@pytest.fixture(scope="module")
def path(fs: SluiceFileSystem, shared_bucket: str, data: bytes) -> str:
    name = f"{shared_bucket}/reading/data"
    fs.pipe_file(name, data)
    return name


BORDERS = [None, 0, 1, BLOCK - 1, BLOCK, SIZE - 1, SIZE, SIZE + 1, -1, -SIZE, -SIZE - 1]


@pytest.mark.parametrize("start", BORDERS)
def test_slices_are_those_of_bytes(
    fs: SluiceFileSystem, path: str, data: bytes, start: int | None
) -> None:
    ends = BORDERS
    found = fs.cat_ranges([path] * len(ends), start, ends, on_error="raise")
    assert found == [data[start:end] for end in ends]


def test_slices_of_an_empty_object_are_empty(fs: SluiceFileSystem, folder: str) -> None:
    fs.pipe_file(f"{folder}/empty", b"")
    for start, end in [(None, None), (0, 1), (1, None), (-5, None), (None, -1)]:
        assert fs.cat_file(f"{folder}/empty", start, end) == b""
    with fs.open(f"{folder}/empty") as file:
        assert file.read() == b""
        assert file.size == 0


@pytest.mark.parametrize("step", [1000, BLOCK - 1, BLOCK, BLOCK + 1, 3 * BLOCK, SIZE])
def test_sequential_reads_give_all_bytes(
    fs: SluiceFileSystem, path: str, data: bytes, step: int
) -> None:
    with fs.open(path, block_size=BLOCK) as file:
        assert b"".join(iter(lambda: file.read(step), b"")) == data


def test_random_reads_are_those_of_a_local_file(
    fs: SluiceFileSystem, path: str, data: bytes
) -> None:
    chance = random.Random(2)
    local = io.BytesIO(data)
    with fs.open(path, block_size=BLOCK) as file:
        for _ in range(60):
            if chance.random() < 0.5:
                place = chance.randrange(SIZE + 10)
                assert file.seek(place) == local.seek(place)
            length = chance.choice([0, 1, 10, 1000, BLOCK, 2 * BLOCK])
            assert file.read(length) == local.read(length)
            assert file.tell() == local.tell()


def test_lines_and_text(fs: SluiceFileSystem, folder: str) -> None:
    text = "one\nzwölf\n\nlast"
    with fs.open(f"{folder}/text", "w", encoding="utf-8") as file:
        file.write(text)
    with fs.open(f"{folder}/text", "r", encoding="utf-8") as file:
        assert file.read() == text
    with fs.open(f"{folder}/text", "rb") as file:
        assert list(file) == text.encode().splitlines(keepends=True)


def test_overwrite_in_the_middle_of_a_read_fails(fs: SluiceFileSystem, folder: str) -> None:
    path = f"{folder}/changing"
    fs.pipe_file(path, b"a" * SIZE)
    with fs.open(path, block_size=BLOCK, readahead=1) as file:
        assert file.read(10) == b"a" * 10
        fs.pipe_file(path, b"b" * SIZE)
        with pytest.raises(ObjectChangedError):
            file.read()
    assert fs.cat_file(path) == b"b" * SIZE


def test_delete_in_the_middle_of_a_read_fails(fs: SluiceFileSystem, folder: str) -> None:
    path = f"{folder}/deleted"
    fs.pipe_file(path, b"a" * SIZE)
    with fs.open(path, block_size=BLOCK) as file:
        file.read(10)
        fs.rm(path)
        with pytest.raises(FileNotFoundError):
            file.read()


def test_cat_of_many_objects(fs: SluiceFileSystem, folder: str) -> None:
    bodies = {f"{folder}/{i:02}": bytes([i]) * i for i in range(30)}
    fs.pipe(bodies)
    assert fs.cat(list(bodies)) == bodies
    assert fs.cat(folder, recursive=True) == bodies
    with pytest.raises(FileNotFoundError):
        fs.cat([*bodies, f"{folder}/none"])
    left = fs.cat([*bodies, f"{folder}/none"], on_error="omit")
    assert left == bodies
    told = fs.cat_ranges([f"{folder}/05", f"{folder}/none"], 1, 3)
    assert told[0] == b"\5\5"
    assert isinstance(told[1], FileNotFoundError)


def test_relayed_reads_are_the_same(options: dict[str, Any], path: str, data: bytes) -> None:
    assert SluiceFileSystem(**options, redirect=False).cat_file(path) == data
