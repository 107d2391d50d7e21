"""Trains with Grain on plain tar shards: shuffled over all samples, a batch by one request.

python examples/grain_loader.py sluice://BUCKET/shards
"""

from __future__ import annotations

import sys

import grain
import numpy as np
from dataloader import SAMPLES, SHARDS, write_shards

import sluice

BATCH = 16


def main(url: str) -> None:
    write_shards(url)
    samples = sluice.Samples(f"{url}/train-*.tar", transform=decode)
    loader = grain.MapDataset.source(samples).shuffle(seed=1).batch(BATCH).to_iter_dataset()
    labels = np.concatenate([batch["label"] for batch in loader])
    assert sorted(labels.tolist()) == list(range(SHARDS * SAMPLES)), "each sample once"

    # A checkpoint in the middle of an epoch continues with the next batch.
    first = iter(loader)
    for _ in range(5):
        next(first)
    state = first.get_state()
    second = iter(loader)
    second.set_state(state)
    rest = np.concatenate([batch["label"] for batch in second])
    assert rest.tolist() == labels[5 * BATCH :].tolist(), "the same order"
    print(f"{len(labels)} samples, first labels {labels[:5].tolist()}")


def decode(sample: dict[str, bytes]) -> dict[str, np.ndarray]:
    return {
        "bytes": np.frombuffer(sample["bin"], dtype=np.uint8),
        "label": np.int64(int(sample["cls"])),
    }


if __name__ == "__main__":
    main(sys.argv[1])
