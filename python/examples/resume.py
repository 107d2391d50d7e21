"""Stops in the middle of an epoch and goes on in a new loader: no sample lost, none repeated.

python examples/dataloader.py sluice://BUCKET/shards      # writes the shards
python examples/resume.py sluice://BUCKET/shards
"""

from __future__ import annotations

import pickle
import sys
from itertools import islice
from typing import Any

import fsspec
from torchdata.stateful_dataloader import StatefulDataLoader

from sluice.torch import ShardDataset


def main(url: str) -> None:
    whole = [label for batch in loader(url) for label in batch]
    first = loader(url)
    taken = [label for batch in islice(first, 7) for label in batch]
    with fsspec.open(f"{url}/state.pickle", "wb") as file:
        pickle.dump(first.state_dict(), file)

    second = loader(url)  # in a new process, after a crash
    with fsspec.open(f"{url}/state.pickle", "rb") as file:
        second.load_state_dict(pickle.load(file))
    rest = [label for batch in second for label in batch]
    assert taken + rest == whole, "the same order as without the interruption"
    print(f"{len(taken)} samples, then {len(rest)} in a new loader: the same {len(whole)} in order")


def loader(url: str) -> Any:
    dataset = ShardDataset(
        f"{url}/train-*.tar", shuffle_shards=True, shuffle_buffer=50, seed=1, transform=label
    )
    return StatefulDataLoader(dataset, batch_size=16, num_workers=2, collate_fn=list)


def label(sample: dict[str, bytes]) -> int:
    return int(sample["cls"])


if __name__ == "__main__":
    main(sys.argv[1])
