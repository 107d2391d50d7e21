"""Objects a second of `sluice.read_many` beside boto3's `get_object`, with the same threads.

    python bench/batches.py --size 256KiB --objects 2000 --threads 8

Both read the same objects of the same cluster in turn, several times; the medians are compared.
"""

from __future__ import annotations

import argparse
import os
import statistics
import time
import uuid
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

from timing import parsed

import sluice


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--size", default="256KiB,1MiB", help="of each object; several with commas")
    parser.add_argument("--objects", type=int, default=400, help="how many objects there are")
    parser.add_argument("--reads", type=int, default=1500, help="reads in one round")
    parser.add_argument("--threads", type=int, default=8)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    with _cluster() as (fs, client):
        for size in options.size.split(","):
            _compare(fs, client, size, options)


@contextmanager
def _cluster() -> Iterator[tuple[sluice.SluiceFileSystem, Callable[..., Any]]]:
    """The cluster that the environment names, else a new one."""
    if os.environ.get("AWS_ENDPOINT_URL"):
        import boto3  # noqa: PLC0415

        yield sluice.SluiceFileSystem(), lambda **more: boto3.client("s3", **more)
        return
    with sluice.cluster() as cluster:
        yield cluster.filesystem(), cluster.client


def _compare(
    fs: sluice.SluiceFileSystem, client: Callable[..., Any], size: str, options: Any
) -> None:
    from botocore.config import Config  # noqa: PLC0415

    s3 = client(config=Config(max_pool_connections=options.threads))
    bucket = f"bench-{uuid.uuid4().hex[:8]}"
    body = os.urandom(parsed(size))
    fs.mkdir(bucket)
    try:
        keys = [f"{i:06}" for i in range(options.objects)]
        fs.pipe({f"{bucket}/{key}": body for key in keys})
        order = [keys[i % len(keys)] for i in range(options.reads)]
        rounds: dict[str, list[tuple[float, float]]] = {"boto3": [], "read_many": []}
        for _ in range(options.rounds):
            rounds["boto3"].append(_timed(lambda: _boto3(s3, bucket, order, options.threads)))
            rounds["read_many"].append(_timed(lambda: _sluice(fs, bucket, order, options.threads)))
        for name, times in rounds.items():
            wall, cpu = (statistics.median(values) for values in zip(*times, strict=True))
            print(
                f"{size:>8} {name:<10} {options.threads} threads: {options.reads / wall:7.0f} "
                f"objects/s, {1e6 * cpu / options.reads:6.0f} µs of CPU in the client for each"
            )
        ratios = [
            one[0] / two[0] for one, two in zip(rounds["boto3"], rounds["read_many"], strict=True)
        ]
        print(f"{size:>8} ratio of the rounds: {', '.join(f'{ratio:.2f}' for ratio in ratios)}")
    finally:
        fs.rm(bucket, recursive=True)


def _timed(read: Callable[[], int]) -> tuple[float, float]:
    wall, cpu = time.perf_counter(), time.process_time()
    read()
    return time.perf_counter() - wall, time.process_time() - cpu


def _boto3(s3: Any, bucket: str, keys: list[str], threads: int) -> int:
    def get(key: str) -> int:
        return len(s3.get_object(Bucket=bucket, Key=key)["Body"].read())

    with ThreadPoolExecutor(threads) as pool:
        return sum(pool.map(get, keys))


def _sluice(fs: sluice.SluiceFileSystem, bucket: str, keys: list[str], threads: int) -> int:
    urls = (f"sluice://{bucket}/{key}" for key in keys)
    return sum(len(data) for _, data in sluice.read_many(urls, workers=threads, filesystem=fs))


if __name__ == "__main__":
    main()
