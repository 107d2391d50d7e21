"""Batches of random samples beside the same client's reads of whole shards, and other loaders.

    python bench/samples.py
    python bench/samples.py --minio http://127.0.0.1:9000   # AWS_… keys; needs what loaders need

Processes read batches of samples out of warm, indexed shards, with and without the check of their
digests, and whole shards by GET. All ways take part in every round, after a warm-up. With --minio
and torch also a DataLoader with workers, beside ranges of the same samples by boto3, beside
webdataset, which reads whole shards in sequence, both from that server, and beside a local folder;
and the first epoch of MosaicML Streaming from that server.
"""

from __future__ import annotations

import argparse
import io
import multiprocessing
import os
import random
import statistics
import tarfile
import tempfile
import time
import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from timing import in_turn, parsed

import sluice
from sluice import samples as _module
from sluice.shards import Sample, read_samples

module: Any = _module


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--shards", type=int, default=24)
    parser.add_argument("--samples", type=int, default=200, help="in each shard")
    parser.add_argument("--sample", default="110KB", help="the size of one")
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--batches", type=int, default=40, help="in one round")
    parser.add_argument("--warm-up", type=int, default=400, help="batches before the first round")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--processes", default="1,3")
    parser.add_argument("--workers", default="2,4", help="of the DataLoader")
    parser.add_argument("--minio", help="an S3 server for the other loaders")
    options = parser.parse_args()
    with _cluster() as fs:
        bucket = f"bench-{uuid.uuid4().hex[:8]}"
        fs.mkdir(bucket)
        try:
            shards = _shards(options)
            fs.pipe({f"{bucket}/train-{i:03}.tar": data for i, data in enumerate(shards)})
            begun = time.perf_counter()
            samples = sluice.Samples(f"sluice://{bucket}/", filesystem=fs)
            print(f"{options.shards} shards indexed in {time.perf_counter() - begun:.2f} s")
            for processes in map(int, options.processes.split(",")):
                _batches(fs, bucket, samples, processes, options)
            if options.minio:
                _loaders(samples, bucket, shards, options)
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


def _batches(
    fs: sluice.SluiceFileSystem,
    bucket: str,
    samples: sluice.Samples,
    processes: int,
    options: Any,
) -> None:
    whole = fs.store.head(bucket, "train-000.tar").size
    size = _raw(samples, range(options.batch)) * options.batches
    gets = max(1, round(size / whole))

    def orders(seed: int) -> list[list[int]]:
        chance = random.Random(seed)
        count = len(samples)
        return [
            [chance.randrange(count) for _ in range(options.batch)] for _ in range(options.batches)
        ]

    def shards(seed: int) -> None:
        for i in range(gets):
            fs.store.get(bucket, f"train-{(seed + i) % options.shards:03}.tar", 0, whole)

    def check(seed: int) -> None:
        for order in orders(seed):
            _raw(samples, order)

    def no_check(seed: int) -> None:
        _unchecked(lambda: check(seed))

    def dicts(seed: int) -> None:
        for order in orders(seed):
            samples.__getitems__(order)

    works = {"whole shards": shards, "no check": no_check, "check": check, "dicts": dicts}
    for i in range(-(-options.warm_up // options.batches)):
        no_check(i)
        shards(i)
    with _Processes(works, processes) as run:
        ways: dict[str, Callable[[], object]] = {
            name: lambda name=name: run(name)  # type: ignore[misc]
            for name in works
        }
        times = in_turn(options.rounds, ways)
    amounts = dict.fromkeys(works, size) | {"whole shards": gets * whole}
    for name, seconds in times.items():
        rates = [amounts[name] * processes / each for each in seconds]
        of_whole = [amounts["whole shards"] * processes / each for each in times["whole shards"]]
        ratios = [one / two for one, two in zip(rates, of_whole, strict=True)]
        print(
            f"{processes} processes, {name:<14} {statistics.median(rates) / (1 << 20):7.0f} MiB/s, "
            f"÷ whole shards {statistics.median(ratios):.2f} "
            f"({', '.join(f'{ratio:.2f}' for ratio in ratios)})",
            flush=True,
        )


class _Processes:
    """Child processes that do the same work at once, each with a seed of its own."""

    def __init__(self, works: Mapping[str, Callable[[int], None]], number: int) -> None:
        fork = multiprocessing.get_context("fork")
        self._works = works
        self._ends = [fork.Pipe() for _ in range(number)]
        self._all = [
            fork.Process(target=self._serve, args=(i,), daemon=True) for i in range(number)
        ]

    def _serve(self, number: int) -> None:
        end = self._ends[number][1]
        while True:
            name, seed = end.recv()
            self._works[name](seed)
            end.send("done")

    def __call__(self, name: str) -> None:
        seed = random.randrange(1 << 30)
        for i, (end, _) in enumerate(self._ends):
            end.send((name, seed + i))
        for end, _ in self._ends:
            end.recv()

    def __enter__(self) -> _Processes:
        for each in self._all:
            each.start()
        for name in self._works:
            self(name)
        return self

    def __exit__(self, *_: object) -> None:
        for each in self._all:
            each.terminate()
            each.join()


def _raw(samples: sluice.Samples, order: range | list[int]) -> int:
    """Reads the bytes of a batch's samples, and compares them with their digests.

    :return: how many they are
    """
    places = [samples._where(i) for i in order]
    return sum(len(data) for _, data in samples._batches.whole(places))


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

    def __getitem__(self, index: int) -> Sample:
        if self._client is None:
            self._client = _client(self._endpoint)
        key, start, end = self._places[index]
        answer = self._client.get_object(
            Bucket=self._bucket, Key=key, Range=f"bytes={start}-{end - 1}"
        )
        ((_, _, sample),) = read_samples(io.BytesIO(answer["Body"].read()), key, 0)
        return sample


def _client(endpoint: str) -> Any:
    import boto3  # noqa: PLC0415

    return boto3.client("s3", endpoint_url=endpoint)


class _Folder:
    """The same samples, a local file each."""

    def __init__(self, folder: Path, shards: list[bytes]) -> None:
        self._files = []
        for shard, data in enumerate(shards):
            for number, (_, _, sample) in enumerate(read_samples(io.BytesIO(data), "", 0)):
                self._files.append(folder / f"{shard:03}-{number:06}.jpg")
                self._files[-1].write_bytes(sample["jpg"])

    def __len__(self) -> int:
        return len(self._files)

    def __getitem__(self, index: int) -> Sample:
        return {"jpg": self._files[index].read_bytes(), "cls": b"0"}


def _loaders(samples: sluice.Samples, bucket: str, shards: list[bytes], options: Any) -> None:
    other = _client(options.minio)
    other.create_bucket(Bucket=bucket)
    places = []
    urls = []
    for i, data in enumerate(shards):
        key = f"train-{i:03}.tar"
        other.put_object(Bucket=bucket, Key=key, Body=data)
        places += [(key, start, end) for start, end, _ in read_samples(io.BytesIO(data), key, 0)]
        wanted = {"Bucket": bucket, "Key": key}
        urls.append(f"pipe:curl -s '{other.generate_presigned_url('get_object', Params=wanted)}'")
    order = random.Random(3).sample(range(len(samples)), options.batch * options.batches)
    ranges = _Ranges(options.minio, bucket, places)
    with tempfile.TemporaryDirectory() as local:
        folder = _Folder(Path(local), shards)
        for workers in map(int, options.workers.split(",")):
            ways: dict[str, Callable[[], object]] = {
                "Samples": lambda w=workers: _load(samples, order, w, options),  # type: ignore[misc]
                "boto3 ranges": lambda w=workers: _load(ranges, order, w, options),  # type: ignore[misc]
                "webdataset": lambda w=workers: _webdataset(urls, len(order), w, options),  # type: ignore[misc]
                "local folder": lambda w=workers: _load(folder, order, w, options),  # type: ignore[misc]
            }
            times = in_turn(options.rounds, ways)
            for name, seconds in times.items():
                rate = len(order) / statistics.median(seconds)
                ratios = [one / two for one, two in zip(seconds, times["Samples"], strict=True)]
                print(
                    f"DataLoader, {workers} workers, {name:<14} {rate:7.0f} samples/s, Samples ÷ "
                    f"it {', '.join(f'{ratio:.2f}' for ratio in ratios)}",
                    flush=True,
                )
    _mosaicml(bucket, shards, options)


def _load(dataset: Any, order: list[int], workers: int, options: Any) -> None:
    from torch.utils.data import DataLoader  # noqa: PLC0415

    loader = DataLoader(
        dataset,
        batch_size=options.batch,
        sampler=order,
        num_workers=workers,
        collate_fn=_count,
    )
    assert sum(loader) == len(order)


def _count(samples: list[Any]) -> int:
    return len(samples)


def _webdataset(urls: list[str], samples: int, workers: int, options: Any) -> None:
    import webdataset  # noqa: PLC0415
    from torch.utils.data import DataLoader  # noqa: PLC0415

    dataset = webdataset.WebDataset(urls, shardshuffle=False)
    read = 0
    for count in DataLoader(
        dataset, batch_size=options.batch, num_workers=workers, collate_fn=_count
    ):
        read += count
        if read >= samples:
            return
    raise AssertionError(f"{read} samples")


def _mosaicml(bucket: str, shards: list[bytes], options: Any) -> None:
    from streaming import MDSWriter, StreamingDataset  # noqa: PLC0415
    from torch.utils.data import DataLoader  # noqa: PLC0415

    os.environ["S3_ENDPOINT_URL"] = options.minio
    remote = f"s3://{bucket}/mds"
    with MDSWriter(out=remote, columns={"jpg": "bytes", "cls": "int"}, size_limit="22mb") as out:
        for data in shards:
            for _, _, sample in read_samples(io.BytesIO(data), "", 0):
                out.write({"jpg": sample["jpg"], "cls": int(sample["cls"])})
    for workers in map(int, options.workers.split(",")):
        with tempfile.TemporaryDirectory() as local:
            dataset = StreamingDataset(
                remote=remote, local=local, shuffle=True, batch_size=options.batch
            )
            begun = time.perf_counter()
            loader = DataLoader(
                dataset, batch_size=options.batch, num_workers=workers, collate_fn=_count
            )
            read = sum(loader)
            rate = read / (time.perf_counter() - begun)
            print(f"DataLoader, {workers} workers, MosaicML, first epoch {rate:7.0f} samples/s")


if __name__ == "__main__":
    main()
