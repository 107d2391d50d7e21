"""Filesystems and files in other processes: fork, pickle, threads."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import random
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from sluice import SluiceFileSystem, read_many

BLOCK = 64 << 10
DATA = random.Random(3).randbytes(6 * BLOCK)


@pytest.fixture
def path(fs: SluiceFileSystem, folder: str) -> str:
    fs.pipe_file(f"{folder}/data", DATA)
    return f"{folder}/data"


def test_pickled_filesystem_and_file_read_the_same(fs: SluiceFileSystem, path: str) -> None:
    assert pickle.loads(pickle.dumps(fs)).cat_file(path) == DATA
    assert pickle.loads(pickle.dumps(fs.store)).get(*path.split("/", 1)) == DATA
    with fs.open(path, block_size=BLOCK) as file:
        file.seek(100)
        copy = pickle.loads(pickle.dumps(file))
        assert copy.tell() == 100
        assert copy.etag == file.etag
        assert copy.read() == DATA[100:]


def test_pickled_file_stays_at_its_version(fs: SluiceFileSystem, path: str) -> None:
    with fs.open(path, block_size=BLOCK) as file:
        text = pickle.dumps(file)
    fs.pipe_file(path, b"other")
    with pytest.raises(OSError, match="overwritten"):
        pickle.loads(text).read()


def test_child_after_a_fork_reads_with_connections_of_its_own(
    fs: SluiceFileSystem, path: str
) -> None:
    with fs.open(path, block_size=BLOCK) as file:
        file.read(2 * BLOCK)  # threads and connections of the parent are there now
        assert in_child(file.read) == DATA[2 * BLOCK :]
        assert file.read() == DATA[2 * BLOCK :]
    assert in_child(lambda: fs.cat([path])) == {path: DATA}
    assert in_child(lambda: list(read_many([path], filesystem=fs))) == [(path, DATA)]


def test_fork_while_another_thread_has_the_lock(fs: SluiceFileSystem, path: str) -> None:
    lock = fs.store.transport._lock
    held = threading.Event()
    release = threading.Event()

    def hold() -> None:
        with lock:
            held.set()
            release.wait()

    thread = threading.Thread(target=hold)
    thread.start()
    held.wait()
    pid, receive = fork(lambda: fs.cat_file(path))
    release.set()
    thread.join()
    assert result(pid, receive) == DATA


def test_threads_share_a_filesystem(fs: SluiceFileSystem, path: str) -> None:
    with ThreadPoolExecutor(8) as pool:
        starts = list(range(0, len(DATA), BLOCK // 4))
        found = pool.map(lambda start: fs.cat_file(path, start, start + BLOCK // 4), starts)
        assert b"".join(found) == DATA


def in_child(work: Any) -> Any:
    return result(*fork(work))


def fork(work: Any) -> tuple[int, Any]:
    """Runs it in a child of `os.fork`, as the workers of a DataLoader are made."""
    receive, send = multiprocessing.Pipe(duplex=False)
    pid = os.fork()
    if pid == 0:
        try:
            send.send(work())
        except BaseException as failure:
            send.send(failure)
        finally:
            os._exit(0)
    send.close()
    return pid, receive


def result(pid: int, receive: Any) -> Any:
    with receive:
        found = receive.recv()
    os.waitpid(pid, 0)
    if isinstance(found, BaseException):
        raise found
    return found
