"""`sluice.dcp`: checkpoints in a bucket. Needs torch."""

from __future__ import annotations

from typing import Any

import pytest

from sluice import SluiceFileSystem
from sluice.store import Store

pytestmark = [pytest.mark.long, pytest.mark.timeout(300)]


@pytest.fixture
def torch() -> Any:
    return pytest.importorskip("torch")


def state(torch: Any, number: int) -> dict[str, Any]:
    return {
        "large": torch.arange(6_000_000, dtype=torch.float32) + number,
        "small": torch.full((3, 4), float(number)),
        "step": number,
    }


def save(folder: str, fs: SluiceFileSystem, values: dict[str, Any]) -> None:
    from torch.distributed import checkpoint  # noqa: PLC0415

    from sluice.dcp import SluiceWriter  # noqa: PLC0415

    writer = SluiceWriter(f"sluice://{folder}", filesystem=fs)
    checkpoint.save(values, storage_writer=writer, no_dist=True)


def load(folder: str, fs: SluiceFileSystem, values: dict[str, Any]) -> None:
    from torch.distributed import checkpoint  # noqa: PLC0415

    from sluice.dcp import SluiceReader  # noqa: PLC0415

    reader = SluiceReader(f"sluice://{folder}", filesystem=fs)
    checkpoint.load(values, storage_reader=reader, no_dist=True)


def test_what_is_saved_is_loaded(torch: Any, fs: SluiceFileSystem, folder: str) -> None:
    for number in (1, 2):  # the second replaces the first
        saved = state(torch, number)
        save(folder, fs, saved)
        loaded = state(torch, 0)
        load(folder, fs, loaded)
        assert torch.equal(loaded["large"], saved["large"])
        assert torch.equal(loaded["small"], saved["small"])
        assert loaded["step"] == number
    names = {name.rpartition("/")[2] for name in fs.find(folder)}
    assert ".metadata" in names
    assert not [name for name in names if name.endswith(".tmp")]


def test_failed_save_is_no_checkpoint(
    torch: Any, fs: SluiceFileSystem, folder: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    save(folder, fs, state(torch, 1))

    def fails(*_: object) -> None:
        raise ConnectionError("no answer")

    monkeypatch.setattr(Store, "upload_part", fails)
    with pytest.raises(BaseException, match="no answer"):
        save(folder, fs, state(torch, 2))
    assert not fs.exists(f"{folder}/.metadata")
    bucket, _, key = folder.partition("/")
    assert fs.store.uploads(bucket, key) == []
