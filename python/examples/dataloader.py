"""Trains on WebDataset shards: writes some, then reads them with a DataLoader.

python examples/dataloader.py sluice://BUCKET/shards
"""

from __future__ import annotations

import io
import sys
import tarfile

import fsspec
import torch
from torch.utils.data import DataLoader

from sluice.torch import ShardDataset

SHARDS, SAMPLES = 8, 50


def main(url: str) -> None:
    write_shards(url)
    dataset = ShardDataset(
        f"{url}/train-{{000..{SHARDS - 1:03}}}.tar",
        shuffle_shards=True,
        shuffle_buffer=100,
        transform=decode,
    )
    loader = DataLoader(dataset, batch_size=16, num_workers=2)
    for epoch in range(2):
        dataset.set_epoch(epoch)
        labels = torch.cat([label for _, label in loader])
        assert sorted(labels.tolist()) == list(range(SHARDS * SAMPLES)), "each sample once"
        print(f"epoch {epoch}: {len(labels)} samples, first labels {labels[:5].tolist()}")


def write_shards(url: str) -> None:
    for shard in range(SHARDS):
        with (
            fsspec.open(f"{url}/train-{shard:03}.tar", "wb") as file,
            tarfile.open(fileobj=file, mode="w|") as tar,
        ):
            for sample in range(SAMPLES):
                number = shard * SAMPLES + sample
                add(tar, f"{number:06}.bin", bytes([number % 256]) * 1024)
                add(tar, f"{number:06}.cls", str(number).encode())


def add(tar: tarfile.TarFile, name: str, body: bytes) -> None:
    member = tarfile.TarInfo(name)
    member.size = len(body)
    tar.addfile(member, io.BytesIO(body))


def decode(sample: dict[str, bytes]) -> tuple[torch.Tensor, int]:
    return torch.frombuffer(bytearray(sample["bin"]), dtype=torch.uint8), int(sample["cls"])


if __name__ == "__main__":
    main(sys.argv[1])
