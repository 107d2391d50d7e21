"""`read_many`: all objects, in order, with bounded memory."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

from sluice import SluiceFileSystem, read_many
from sluice.store import Store


@pytest.fixture(scope="module")
def bodies(fs: SluiceFileSystem, shared_bucket: str) -> dict[str, bytes]:
    found = {f"{shared_bucket}/batch/{i:03}": bytes([i]) * (i * 7 % 50) for i in range(120)}
    fs.pipe(found)
    return found


def test_objects_come_in_the_order_of_the_urls(
    fs: SluiceFileSystem, bodies: dict[str, bytes]
) -> None:
    urls = [f"sluice://{name}" for name in reversed(bodies)] * 2
    found = list(read_many(urls, workers=7, filesystem=fs))
    assert found == [(url, bodies[url.removeprefix("sluice://")]) for url in urls]
    assert list(read_many([], filesystem=fs)) == []


def test_failure_comes_in_its_turn(fs: SluiceFileSystem, bodies: dict[str, bytes]) -> None:
    names = list(bodies)
    urls = [*names[:5], f"{names[0]}/none", *names[5:]]
    batch = read_many(urls, workers=3, filesystem=fs)
    assert [next(batch)[0] for _ in range(5)] == names[:5]
    with pytest.raises(FileNotFoundError):
        next(batch)


def test_failure_of_the_urls_is_raised(fs: SluiceFileSystem, bodies: dict[str, bytes]) -> None:
    def urls() -> Iterator[str]:
        yield from list(bodies)[:3]
        raise ZeroDivisionError

    batch = read_many(urls(), workers=2, filesystem=fs)
    assert len([next(batch) for _ in range(3)]) == 3
    with pytest.raises(ZeroDivisionError):
        next(batch)


def test_a_caller_that_leaves_ends_the_threads(
    fs: SluiceFileSystem, bodies: dict[str, bytes]
) -> None:
    batch = read_many(bodies, workers=4, filesystem=fs)
    next(batch)
    batch.close()  # type: ignore[attr-defined]
    names = [thread.name for thread in threading.enumerate()]
    assert not [name for name in names if name.startswith("sluice-read")]


def test_memory_is_bounded(fs: SluiceFileSystem, monkeypatch: pytest.MonkeyPatch) -> None:
    """While nothing is taken, no more is read than the buffer and an object for each worker."""
    size, workers, room = 1000, 4, 10_000
    lock = threading.Lock()
    begun = 0

    def get(*_: object) -> bytes:
        nonlocal begun
        with lock:
            begun += 1
        return bytes(size)

    monkeypatch.setattr(Store, "get", get)
    batch = read_many(
        (f"b/{i}" for i in range(500)), workers=workers, buffer_size=room, filesystem=fs
    )
    most = room // size + workers + 1
    for taken in range(1, 501):
        next(batch)
        with lock:
            assert begun <= taken + most
    assert next(batch, None) is None


def test_results_are_taken_while_the_urls_wait(
    fs: SluiceFileSystem, bodies: dict[str, bytes]
) -> None:
    first, second = list(bodies)[:2]
    taken = threading.Event()

    def urls() -> Iterator[str]:
        yield first
        assert taken.wait(30)
        yield second

    batch = read_many(urls(), workers=2, filesystem=fs)
    assert next(batch) == (first, bodies[first])
    taken.set()
    assert list(batch) == [(second, bodies[second])]
