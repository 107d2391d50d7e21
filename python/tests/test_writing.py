"""Writes: nothing is visible before the end, and failed uploads leave nothing."""

from __future__ import annotations

import gzip
import random
from typing import Any

import pytest

from sluice import SluiceFileSystem
from sluice.store import Part, Store, split

PART = 5 << 20


@pytest.mark.parametrize("size", [0, 1, PART - 1, PART, PART + 1, 3 * PART + 5])
def test_what_is_written_is_read(fs: SluiceFileSystem, folder: str, size: int) -> None:
    path = f"{folder}/data"
    data = random.Random(size).randbytes(size)
    with fs.open(path, "wb", block_size=PART) as file:
        for start in range(0, size, 1 << 20):
            file.write(data[start : start + (1 << 20)])
        assert not fs.exists(path)
    assert fs.cat_file(path) == data
    assert fs.size(path) == size
    assert uploads(fs, path) == []


def test_exception_leaves_nothing(fs: SluiceFileSystem, folder: str) -> None:
    path = f"{folder}/failed"
    with pytest.raises(ZeroDivisionError), fs.open(path, "wb", block_size=PART) as file:
        file.write(bytes(2 * PART + 1))
        assert uploads(fs, path) != []
        raise ZeroDivisionError
    assert not fs.exists(path)
    assert uploads(fs, path) == []
    with pytest.raises(ZeroDivisionError), fs.open(path, "w") as file:
        file.write("text")
        raise ZeroDivisionError
    assert not fs.exists(path)


def test_failed_part_leaves_nothing(
    fs: SluiceFileSystem, folder: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = f"{folder}/failed"
    whole = Store.upload_part

    def second_fails(
        self: Store, bucket: str, key: str, upload: str, number: int, body: Any
    ) -> Part:
        if number == 2:
            raise ConnectionError("no answer")
        return whole(self, bucket, key, upload, number, body)

    monkeypatch.setattr(Store, "upload_part", second_fails)
    with pytest.raises(ConnectionError), fs.open(path, "wb", block_size=PART) as file:
        file.write(bytes(4 * PART))
    assert not fs.exists(path)
    assert uploads(fs, path) == []


def test_old_version_stays_until_close(fs: SluiceFileSystem, folder: str) -> None:
    path = f"{folder}/replaced"
    fs.pipe_file(path, b"old")
    with fs.open(path, "wb") as file:
        file.write(b"new")
        file.flush()
        assert fs.cat_file(path) == b"old"
    assert fs.cat_file(path) == b"new"


def test_exclusive_write_of_a_key_that_exists_fails(fs: SluiceFileSystem, folder: str) -> None:
    path = f"{folder}/once"
    fs.pipe_file(path, b"first", mode="create")
    with pytest.raises(FileExistsError):
        fs.pipe_file(path, b"second", mode="create")
    assert fs.cat_file(path) == b"first"


def test_transaction_is_visible_as_a_whole(fs: SluiceFileSystem, folder: str) -> None:
    with fs.transaction:
        for name in "ab":
            fs.pipe_file(f"{folder}/{name}", b"x")
        assert fs.find(folder) == []
    assert len(fs.find(folder)) == 2
    with pytest.raises(ZeroDivisionError), fs.transaction:
        fs.pipe_file(f"{folder}/c", b"x")
        raise ZeroDivisionError
    assert len(fs.find(folder)) == 2


def test_unclosed_file_stores_nothing(fs: SluiceFileSystem, folder: str) -> None:
    file = fs.open(f"{folder}/lost", "wb")
    file.write(b"x")
    with pytest.warns(ResourceWarning):
        del file
    assert not fs.exists(f"{folder}/lost")


def test_unclosed_text_stores_nothing(fs: SluiceFileSystem, folder: str) -> None:
    file = fs.open(f"{folder}/lost", "w")
    file.write("x")
    file.flush()
    with pytest.warns(ResourceWarning):
        del file
    assert not fs.exists(f"{folder}/lost")


def test_compression_that_would_store_nothing_is_refused(fs: SluiceFileSystem, folder: str) -> None:
    with pytest.raises(NotImplementedError):
        fs.open(f"{folder}/a.gz", "wb", compression="gzip")
    with fs.open(f"{folder}/a.gz", "wb") as file, gzip.open(file, "wb") as packed:
        packed.write(b"data")
    with fs.open(f"{folder}/a.gz", "rb", compression="gzip") as file:
        assert file.read() == b"data"


def test_appending_is_refused(fs: SluiceFileSystem, folder: str) -> None:
    with pytest.raises(NotImplementedError):
        fs.open(f"{folder}/a", "ab")


def uploads(fs: SluiceFileSystem, path: str) -> list[tuple[str, str]]:
    return fs.store.uploads(*split(path))
