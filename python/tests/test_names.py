"""Lists, names, copies, deletes and errors."""

from __future__ import annotations

import urllib.request
import uuid
from collections.abc import Sequence
from datetime import datetime, timedelta, timezone
from typing import Any

import fsspec
import pytest

from sluice import S3Error, SluiceFileSystem
from sluice.store import Store

TREE = ["a.txt", "dir/b.txt", "dir/c.txt", "dir/sub/d.txt"]


@pytest.fixture
def tree(fs: SluiceFileSystem, folder: str) -> str:
    fs.pipe({f"{folder}/{name}": name.encode() for name in TREE})
    return folder


def test_ls_has_files_and_common_prefixes(fs: SluiceFileSystem, tree: str) -> None:
    assert fs.ls(tree, detail=False) == [f"{tree}/a.txt", f"{tree}/dir"]
    entries = {entry["name"]: entry for entry in fs.ls(f"sluice://{tree}/")}
    assert entries[f"{tree}/dir"] == {"name": f"{tree}/dir", "size": 0, "type": "directory"}
    assert entries[f"{tree}/a.txt"]["size"] == 5
    assert entries[f"{tree}/a.txt"]["type"] == "file"
    assert fs.ls(f"{tree}/a.txt", detail=False) == [f"{tree}/a.txt"]
    with pytest.raises(FileNotFoundError):
        fs.ls(f"{tree}/none")


def test_find_and_walk_and_glob(fs: SluiceFileSystem, tree: str) -> None:
    assert fs.find(tree) == [f"{tree}/{name}" for name in TREE]
    assert fs.find(f"{tree}/a.txt") == [f"{tree}/a.txt"]
    assert fs.find(f"{tree}/none") == []
    assert fs.find(tree, maxdepth=1) == [f"{tree}/a.txt"]
    directories = [f"{tree}/dir", f"{tree}/dir/sub"]
    assert fs.find(tree, withdirs=True) == sorted([tree, *directories, *fs.find(tree)])
    assert fs.glob(f"{tree}/**/*.txt") == fs.find(tree)
    assert fs.glob(f"{tree}/dir/*.txt") == [f"{tree}/dir/b.txt", f"{tree}/dir/c.txt"]
    assert [(len(dirs), len(files)) for _, dirs, files in fs.walk(tree)] == [(1, 1), (1, 2), (0, 1)]
    assert fs.du(tree) == sum(map(len, TREE))


def test_more_than_a_page_of_keys(
    fs: SluiceFileSystem, bucket: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = [f"{bucket}/{i:04}" for i in range(1005)]
    for future in [fs.store.transport.threads.submit(fs.pipe_file, name, b"") for name in names]:
        future.result()
    assert fs.find(bucket) == names
    assert fs.ls(bucket, detail=False) == names
    batches = []
    delete = Store.delete_many

    def noted(self: Store, name: str, keys: Sequence[str]) -> None:
        batches.append(len(keys))
        delete(self, name, keys)

    monkeypatch.setattr(Store, "delete_many", noted)
    fs.rm(names)
    assert sorted(batches) == [5, 1000]
    assert fs.ls(bucket) == []


@pytest.mark.parametrize("name", ["a b+c", "ü/€", "x?y=z&", "100%25", "a#b", "it's<&>\"", "~a_-.!"])
def test_odd_keys(fs: SluiceFileSystem, folder: str, name: str) -> None:
    path = f"{folder}/{name}"
    fs.pipe_file(path, b"x")
    assert fs.find(folder) == [path]
    assert fs.info(path)["size"] == 1
    fs.cp_file(path, f"{folder}/copy/{name}")
    assert fs.cat_file(f"{folder}/copy/{name}") == b"x"
    fs.rm([path, f"{folder}/copy/{name}"])
    assert fs.find(folder) == []


def test_info_and_times_and_keys_of_versions(fs: SluiceFileSystem, tree: str) -> None:
    path = f"{tree}/a.txt"
    assert fs.isfile(path)
    assert not fs.isdir(path)
    assert fs.isdir(f"{tree}/dir")
    assert not fs.exists(f"{tree}/di")
    assert abs(datetime.now(timezone.utc) - fs.modified(path)) < timedelta(minutes=5)
    assert fs.created(path) == fs.modified(path)
    before = fs.ukey(path), fs.checksum(path)
    fs.pipe_file(path, b"other")
    assert fs.ukey(path) != before[0]
    assert fs.checksum(path) != before[1]


def test_copy_and_move(fs: SluiceFileSystem, tree: str) -> None:
    fs.copy(f"{tree}/dir", f"{tree}/copy", recursive=True)
    assert fs.cat_file(f"{tree}/copy/sub/d.txt") == b"dir/sub/d.txt"
    fs.mv(f"{tree}/a.txt", f"{tree}/moved.txt")
    assert fs.cat_file(f"{tree}/moved.txt") == b"a.txt"
    assert not fs.exists(f"{tree}/a.txt")
    with pytest.raises(FileNotFoundError):
        fs.cp_file(f"{tree}/none", f"{tree}/x")


def test_recursive_delete_takes_markers_of_folders(fs: SluiceFileSystem, tree: str) -> None:
    bucket, _, key = tree.partition("/")
    fs.store.put(bucket, f"{key}/dir/", b"")
    assert fs.find(tree) == [f"{tree}/{name}" for name in TREE]
    fs.rm(f"{tree}/dir", recursive=True)
    assert fs.find(tree) == [f"{tree}/a.txt"]
    assert not fs.store.page(bucket, f"{key}/dir").objects
    with pytest.raises(FileNotFoundError):
        fs.rm(f"{tree}/dir", recursive=True)


def test_buckets(fs: SluiceFileSystem, bucket: str) -> None:
    assert bucket in fs.ls("", detail=False)
    assert fs.info(bucket)["type"] == "directory"
    with pytest.raises(FileExistsError):
        fs.mkdir(bucket)
    fs.makedirs(bucket, exist_ok=True)
    fs.mkdir(f"{bucket}/folder")  # nothing to make
    fs.pipe_file(f"{bucket}/a", b"")
    with pytest.raises(OSError, match="BucketNotEmpty"):
        fs.rmdir(bucket)
    fs.rm(f"{bucket}/a")
    fs.rmdir(bucket)
    assert not fs.exists(bucket)
    with pytest.raises(FileNotFoundError):
        fs.ls(bucket)


def test_errors_are_those_of_files(
    fs: SluiceFileSystem, options: dict[str, Any], tree: str
) -> None:
    for call in (fs.info, fs.cat_file, fs.open):
        with pytest.raises(FileNotFoundError):
            call(f"{tree}/none")
        with pytest.raises(FileNotFoundError):
            call(f"no-such-{uuid.uuid4().hex}/none")
    other = SluiceFileSystem(**{**options, "secret": "wrong"})
    with pytest.raises(PermissionError, match="SignatureDoesNotMatch"):
        other.cat_file(f"{tree}/a.txt")
    with pytest.raises(PermissionError):
        other.exists(f"{tree}/a.txt")
    with pytest.raises(PermissionError):
        SluiceFileSystem(options["endpoints"], anon=True).cat_file(f"{tree}/a.txt")
    with pytest.raises(S3Error) as refused:
        fs.mkdir("no")
    assert refused.value.code == "InvalidBucketName"
    assert refused.value.status == 400


def test_fsspec_finds_the_protocol(options: dict[str, Any], tree: str) -> None:
    with fsspec.open(f"sluice://{tree}/a.txt", "rb", **options) as file:
        assert file.read() == b"a.txt"


def test_signed_url_needs_no_keys(fs: SluiceFileSystem, tree: str) -> None:
    with urllib.request.urlopen(fs.sign(f"{tree}/a.txt", 60)) as answer:
        assert answer.read() == b"a.txt"
