"""WebDataset shards of a cluster as a dataset of PyTorch."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import torch.distributed
from torch.utils.data import IterableDataset, get_worker_info

from sluice.filesystem import SluiceFileSystem
from sluice.shards import Order, Shards, Share, expand_urls


class ShardDataset(IterableDataset):
    """The samples of tar shards, each a dict of `__key__`, `__url__` and bytes by extension.

    Shards are split over ranks and over the DataLoader's workers, so that each sample is read once
    in an epoch. Each epoch has its own order; call `set_epoch` before each one if the DataLoader
    starts new workers for it. `state_dict` and `load_state_dict` continue in the middle of an
    epoch, without a sample lost or repeated: with num_workers=0, or by torchdata's
    StatefulDataLoader.
    """

    def __init__(
        self,
        urls: str | Sequence[str],
        *,
        shuffle_shards: bool = False,
        shuffle_buffer: int = 0,
        seed: int = 0,
        rank: int | None = None,
        world_size: int | None = None,
        transform: Callable[[dict[str, Any]], Any] | None = None,
        filesystem: SluiceFileSystem | None = None,
        **options: Any,
    ) -> None:
        """
        :param urls: `sluice://b/train-{000..099}.tar`, a list, a glob, or a prefix that ends with /
        :param shuffle_shards: read the shards in a random order
        :param shuffle_buffer: choose each sample from so many; 0 or 1: as they are in the shards
        :param seed: the same on all ranks
        :param rank: with `world_size`; else those of torch.distributed, or RANK and WORLD_SIZE
        :param transform: what is made of each sample
        :param filesystem: where to read; else `SluiceFileSystem(**options)`
        """
        super().__init__()
        if (rank is None) != (world_size is None):
            raise ValueError("rank and world_size are given together")
        fs = filesystem or SluiceFileSystem(**options)
        order = Order(tuple(expand_urls(fs, urls)), seed, shuffle_shards, shuffle_buffer)
        self._rank = rank
        self._world_size = world_size
        self._transform = transform
        self._shards = Shards(fs, order, self._share)

    def _share(self) -> Share:
        rank, world_size = _ranks()
        if self._rank is not None and self._world_size is not None:
            rank, world_size = self._rank, self._world_size
        info = get_worker_info()
        if info is None:
            return Share(rank, world_size)
        return Share(rank, world_size, info.id, info.num_workers)

    def __iter__(self) -> Iterator[Any]:
        samples = self._shards.begin()
        return samples if self._transform is None else map(self._transform, samples)

    def set_epoch(self, epoch: int) -> None:
        """The number of the next epoch, as of DistributedSampler."""
        self._shards.set_epoch(epoch)

    def state_dict(self) -> dict[str, Any]:
        """Where this process is in the epoch."""
        return self._shards.state()

    def load_state_dict(self, state_dict: Mapping[str, Any]) -> None:
        """The next iteration continues there."""
        self._shards.load(state_dict)


def _ranks() -> tuple[int, int]:
    if torch.distributed.is_available() and torch.distributed.is_initialized():
        return torch.distributed.get_rank(), torch.distributed.get_world_size()
    return int(os.environ.get("RANK", "0")), int(os.environ.get("WORLD_SIZE", "1"))
