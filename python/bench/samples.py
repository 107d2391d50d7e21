"""Batches of random samples beside the same client's reads of whole shards, and other loaders.

    python bench/samples.py
    python bench/samples.py --minio http://127.0.0.1:9000   # AWS_… keys; also boto3 and webdataset

One process reads batches of samples out of warm, indexed shards: with and without the check of
their digests, and whole shards by GET. All ways take part in every round. With --minio and torch
also a DataLoader with workers, beside ranges of the same samples by boto3 and beside webdataset,
which reads whole shards in sequence; both from that server.
"""

from __future__ import annotations

import argparse
import io
import os
import random
import statistics
import tarfile
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from timing import in_turn, parsed

import sluice
from sluice import samples as _module
from sluice.shards import read_samples

module: Any = _module


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--shards", type=int, default=24)
    parser.add_argument("--samples", type=int, default=200, help="in each shard")
    parser.add_argument("--sample", default="110KB", help="the size of one")
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--batches", type=int, default=40, help="in one round")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--workers", default="2,4", help="of the DataLoader")
    parser.add_argument("--minio", help="an S3 server for the other loaders")
    options = parser.parse_args()
    with _cluster() as fs:
        bucket = f"bench-{uuid.uuid4().hex[:8]}"
        fs.mkdir(bucket)
        try:
            shards = _shards(options)
            fs.pipe({f"{bucket}/train-{i:03}.tar": data for i, data in enumerate(shards)})
            _batches(fs, bucket, options)
            if options.minio:
                _loaders(fs, bucket, shards, options)
        finally:
            fs.rm(bucket, recursive=True)


@contextmanager
def _cluster() -> Iterator[sluice.SluiceFileSystem]:
    """The cluster that the environment names, else a new one."""
    if os.environ.get("AWS_ENDPOINT_URL"):
        yield sluice.SluiceFileSystem()
        return
    with sluice.cluster() as cluster:
        yield cluster.filesystem()


def _shards(options: Any) -> list[bytes]:
    chance = random.Random(1)
    size = parsed(options.sample)
    made = []
    for _ in range(options.shards):
        out = io.BytesIO()
        with tarfile.open(fileobj=out, mode="w", format=tarfile.USTAR_FORMAT) as tar:
            for i in range(options.samples):
                for field, body in (("jpg", chance.randbytes(size)), ("cls", b"%d" % (i % 1000))):
                    member = tarfile.TarInfo(f"{i:06}.{field}")
                    member.size = len(body)
                    tar.addfile(member, io.BytesIO(body))
        made.append(out.getvalue())
    return made


def _batches(fs: sluice.SluiceFileSystem, bucket: str, options: Any) -> None:
    begun = time.perf_counter()
    samples = sluice.Samples(f"sluice://{bucket}/", filesystem=fs)
    print(f"{options.shards} shards indexed in {time.perf_counter() - begun:.2f} s")
    chance = random.Random(2)
    orders = [
        [chance.randrange(len(samples)) for _ in range(options.batch)]
        for _ in range(options.batches)
    ]
    size = sum(len(_raw(samples, order)) for order in orders)
    keys = [f"train-{i:03}.tar" for i in range(options.shards)]
    whole = fs.store.head(bucket, keys[0]).size
    gets = max(1, round(size / whole))
    ways: dict[str, Callable[[], object]] = {
        "whole shards": lambda: [
            fs.store.get(bucket, keys[i % len(keys)], 0, whole) for i in range(gets)
        ],
        "no check": lambda: _unchecked(lambda: [_raw(samples, order) for order in orders]),
        "check": lambda: [_raw(samples, order) for order in orders],
        "dicts": lambda: [samples.__getitems__(order) for order in orders],
    }
    times = in_turn(options.rounds, ways)
    rates = {
        name: [(gets * whole if name == "whole shards" else size) / each for each in seconds]
        for name, seconds in times.items()
    }
    for name, found in rates.items():
        ratios = [one / two for one, two in zip(found, rates["whole shards"], strict=True)]
        print(
            f"{name:<14} {statistics.median(found) / (1 << 20):7.0f} MiB/s, "
            f"÷ whole shards {statistics.median(ratios):.2f} "
            f"({', '.join(f'{ratio:.2f}' for ratio in ratios)})"
        )


def _raw(samples: sluice.Samples, order: list[int]) -> bytes:
    """The bytes of a batch's samples, compared with their digests."""
    places = [samples._where(i) for i in order]
    return b"".join(data for _, data in samples._batches._whole(places))


def _unchecked(read: Callable[[], object]) -> object:
    crc32 = module._crc32
    module._crc32 = lambda data: _Any()
    try:
        return read()
    finally:
        module._crc32 = crc32


class _Any:
    def __eq__(self, other: object) -> bool:
        return True

    __hash__ = None  # type: ignore[assignment]


# Loaders


class _Ranges:
    """The same samples, each by a GET of its range."""

    def __init__(self, endpoint: str, bucket: str, places: list[tuple[str, int, int]]) -> None:
        self._endpoint = endpoint
        self._bucket = bucket
        self._places = places
        self._client: Any = None

    def __len__(self) -> int:
        return len(self._places)

    def __getitem__(self, index: int) -> dict[str, Any]:
        if self._client is None:
            import boto3  # noqa: PLC0415

            self._client = boto3.client("s3", endpoint_url=self._endpoint)
        key, start, end = self._places[index]
        answer = self._client.get_object(
            Bucket=self._bucket, Key=key, Range=f"bytes={start}-{end - 1}"
        )
        ((_, _, sample),) = read_samples(io.BytesIO(answer["Body"].read()), key, 0)
        return sample


def _loaders(fs: sluice.SluiceFileSystem, bucket: str, shards: list[bytes], options: Any) -> None:
    import boto3  # noqa: PLC0415
    from torch.utils.data import DataLoader  # noqa: PLC0415

    other = boto3.client("s3", endpoint_url=options.minio)
    other.create_bucket(Bucket=bucket)
    places = []
    for i, data in enumerate(shards):
        key = f"train-{i:03}.tar"
        other.put_object(Bucket=bucket, Key=key, Body=data)
        places += [(key, start, end) for start, end, _ in read_samples(io.BytesIO(data), key, 0)]
    ours = sluice.Samples(f"sluice://{bucket}/", filesystem=fs)
    ranges = _Ranges(options.minio, bucket, places)
    order = random.Random(3).sample(range(len(ours)), options.batch * options.batches)

    def load(dataset: Any, workers: int) -> int:
        loader = DataLoader(
            dataset,
            batch_size=options.batch,
            sampler=order,
            num_workers=workers,
            collate_fn=_count,
        )
        return sum(loader)

    for workers in map(int, options.workers.split(",")):
        ways: dict[str, Callable[[], object]] = {
            "Samples": lambda workers=workers: load(ours, workers),  # type: ignore[misc]
            "boto3 ranges": lambda workers=workers: load(ranges, workers),  # type: ignore[misc]
            "webdataset": lambda workers=workers: _webdataset(  # type: ignore[misc]
                options, bucket, workers, len(order)
            ),
        }
        for name, seconds in in_turn(options.rounds, ways).items():
            rate = len(order) / statistics.median(seconds)
            print(f"DataLoader, {workers} workers, {name:<14} {rate:7.0f} samples/s")


def _count(samples: list[Any]) -> int:
    return len(samples)


def _webdataset(options: Any, bucket: str, workers: int, samples: int) -> int:
    import webdataset  # noqa: PLC0415
    from torch.utils.data import DataLoader  # noqa: PLC0415

    command = f"pipe:aws --endpoint-url {options.minio} s3 cp s3://{bucket}/"
    urls = [f"{command}train-{i:03}.tar -" for i in range(options.shards)]
    dataset = webdataset.WebDataset(urls, shardshuffle=False)
    read = 0
    for count in DataLoader(
        dataset, batch_size=options.batch, num_workers=workers, collate_fn=_count
    ):
        read += count
        if read >= samples:
            break
    return read


if __name__ == "__main__":
    main()
