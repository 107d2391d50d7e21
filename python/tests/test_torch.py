"""`sluice.torch` in the loaders of PyTorch. Needs torch, torchdata and webdataset."""

from __future__ import annotations

import json
from typing import Any

import pytest
from test_shards import GOLDEN, SAMPLES, SHARDS, content, numbers, shard

from sluice import SluiceFileSystem
from sluice.shards import read_samples

pytestmark = [pytest.mark.long, pytest.mark.timeout(300)]

ALL = list(range(SHARDS * SAMPLES))


@pytest.fixture(scope="module")
def url(fs: SluiceFileSystem, shared_bucket: str) -> str:
    pytest.importorskip("torch")
    fs.pipe({f"{shared_bucket}/torch/{i:02}.tar": shard(content(i)) for i in range(SHARDS)})
    return f"sluice://{shared_bucket}/torch/{{00..{SHARDS - 1:02}}}.tar"


def dataset(url: str, fs: SluiceFileSystem, **options: Any) -> Any:
    from sluice.torch import ShardDataset  # noqa: PLC0415

    return ShardDataset(url, filesystem=fs, **options)


SHUFFLED = {"shuffle_shards": True, "shuffle_buffer": 5, "seed": 3}


@pytest.mark.parametrize("workers", [0, 2, 8])
def test_loader_reads_each_sample_once(url: str, fs: SluiceFileSystem, workers: int) -> None:
    from torch.utils.data import DataLoader  # noqa: PLC0415

    data = dataset(url, fs, **SHUFFLED)
    loader = DataLoader(data, batch_size=None, num_workers=workers)
    orders = []
    for epoch in range(2):
        data.set_epoch(epoch)
        orders.append(numbers(loader))
        assert sorted(orders[-1]) == ALL
    assert orders[0] != orders[1]


def test_ranks_of_the_environment(
    url: str, fs: SluiceFileSystem, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WORLD_SIZE", "2")
    parts = []
    for rank in "01":
        monkeypatch.setenv("RANK", rank)
        parts.append(numbers(dataset(url, fs, **SHUFFLED)))
    assert sorted(parts[0] + parts[1]) == ALL
    assert numbers(dataset(url, fs, rank=0, world_size=2, **SHUFFLED)) == parts[0]


@pytest.mark.parametrize("done", [0, 1, 20, len(ALL)])
def test_dataset_alone_continues(url: str, fs: SluiceFileSystem, done: int) -> None:
    whole = numbers(dataset(url, fs, **SHUFFLED))
    first = dataset(url, fs, **SHUFFLED)
    samples = iter(first)
    for _ in range(done):
        next(samples)
    second = dataset(url, fs, **SHUFFLED)
    second.load_state_dict(json.loads(json.dumps(first.state_dict())))
    assert numbers(second) == whole[done:]


@pytest.mark.parametrize("workers", [0, 1, 3])
@pytest.mark.parametrize("done", [0, 1, 7, 13])
def test_stateful_loader_continues(url: str, fs: SluiceFileSystem, workers: int, done: int) -> None:
    stateful = pytest.importorskip("torchdata.stateful_dataloader")

    def loader() -> Any:
        data = dataset(url, fs, transform=lambda sample: int(sample["cls"]), **SHUFFLED)
        return stateful.StatefulDataLoader(data, batch_size=3, num_workers=workers, collate_fn=list)

    whole = [number for batch in loader() for number in batch]
    assert sorted(whole) == ALL
    running = loader()
    batches = iter(running)
    taken = [number for _ in range(done) for number in next(batches)]
    state = running.state_dict()
    rest = loader()
    rest.load_state_dict(state)
    assert taken + [number for batch in rest for number in batch] == whole


def test_samples_are_those_of_webdataset(url: str, fs: SluiceFileSystem, tmp_path: Any) -> None:
    webdataset = pytest.importorskip("webdataset")
    for i in range(SHARDS):
        (tmp_path / f"{i:02}.tar").write_bytes(shard(content(i)))
    files = f"{tmp_path}/{{00..{SHARDS - 1:02}}}.tar"
    theirs = webdataset.WebDataset(files, shardshuffle=False)
    assert [fields(sample) for sample in dataset(url, fs)] == [fields(each) for each in theirs]


# A sample of theirs is none of ours when it has no name or one that begins with "__", and a sparse
# member of pax format 1.0 has the name of its archive there.
_ONLY_THEIRS = {"between": ["d/__x__", "d/"], "sparse": ["s/GNUSparseFile.13936/nön", "s/nön"]}
_ONLY_OURS = {"sparse": ["s/nön"]}


@pytest.mark.parametrize("name", json.loads((GOLDEN / "golden.json").read_text()))
def test_golden_shards_are_those_of_webdataset(name: str) -> None:
    webdataset = pytest.importorskip("webdataset")
    if "bad" in json.loads((GOLDEN / "golden.json").read_text())[name]:
        return
    file = GOLDEN / f"{name}.tar"
    read = webdataset.WebDataset(str(file), shardshuffle=False, empty_check=False)
    with file.open("rb") as whole:
        ours = [fields(sample) for _, _, sample in read_samples(whole, name, 0)]
    theirs = [fields(sample) for sample in read]
    assert without(_ONLY_OURS.get(name, []), ours) == without(_ONLY_THEIRS.get(name, []), theirs)


def without(keys: list[str], samples: list[dict[str, Any]]) -> list[dict[str, Any]]:
    assert set(keys) <= {sample["__key__"] for sample in samples}
    return [sample for sample in samples if sample["__key__"] not in keys]


def fields(sample: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in sample.items() if name not in _PLACES}


# Where the shard is.
_PLACES = ("__url__", "__local_path__")
