"""Readers of training data on a cluster, beside the same readers on a local folder.

    python bench/readers.py --folder /var/tmp/bench

Shards by `sluice.torch.ShardDataset` in a DataLoader, a Parquet table by pyarrow. Both read the
same bytes in turn; all of it fits into memory, so the local folder costs no drive anything.
"""

from __future__ import annotations

import argparse
import os
import shutil
import uuid
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
from fsspec.implementations.local import LocalFileSystem
from timing import in_turn, parsed, show
from torch.utils.data import DataLoader

import sluice
from sluice.torch import ShardDataset


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--folder", required=True, help="a new folder, deleted at the end")
    parser.add_argument("--shards", type=int, default=24)
    parser.add_argument("--samples", type=int, default=200, help="in each shard")
    parser.add_argument("--sample", default="110KiB", help="the size of one")
    parser.add_argument("--workers", type=int, default=2, help="of the DataLoader")
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    folder = Path(options.folder)
    folder.mkdir()
    cluster = sluice.SluiceFileSystem()
    bucket = f"bench-{uuid.uuid4().hex[:8]}"
    cluster.mkdir(bucket)
    try:
        _shards(cluster, bucket, folder, options)
        _table(cluster, bucket, folder, options)
    finally:
        cluster.rm(bucket, recursive=True)
        shutil.rmtree(folder)


class _LocalFiles(LocalFileSystem):  # type: ignore[misc]
    """A data set asks whether its shards were replaced meanwhile: these never are."""

    def _open(self, *path: Any, **options: Any) -> Any:
        file = super()._open(*path, **options)
        file.etag = ""
        return file


def _shards(cluster: sluice.SluiceFileSystem, bucket: str, folder: Path, options: Any) -> None:
    from tarfile import TarFile, TarInfo  # noqa: PLC0415

    body = folder / "body"
    body.write_bytes(os.urandom(parsed(options.sample)))
    for shard in range(options.shards):
        with TarFile(folder / f"{shard:03}.tar", "w") as tar:
            for sample in range(options.samples):
                for extension, size in (("jpg", body.stat().st_size), ("cls", 4)):
                    member = TarInfo(f"{shard:03}{sample:05}.{extension}")
                    member.size = size
                    with body.open("rb") as file:
                        tar.addfile(member, file)
    paths = sorted(folder.glob("*.tar"))
    cluster.put([str(path) for path in paths], [f"{bucket}/{path.name}" for path in paths])
    names = f"{{000..{options.shards - 1:03}}}.tar"

    def read(url: str, fs: Any) -> None:
        data = ShardDataset(url, filesystem=fs, shuffle_shards=True, transform=_sizes)
        loader = DataLoader(data, batch_size=64, num_workers=options.workers, collate_fn=list)
        assert sum(len(batch) for batch in loader) == options.shards * options.samples

    ways = {
        "cluster": lambda: read(f"sluice://{bucket}/{names}", cluster),
        "local folder": lambda: read(f"{folder}/{names}", _LocalFiles()),
    }
    show("shards", sum(p.stat().st_size for p in paths), in_turn(options.rounds, ways))


def _sizes(sample: dict[str, Any]) -> int:
    return len(sample["jpg"])


def _table(cluster: sluice.SluiceFileSystem, bucket: str, folder: Path, options: Any) -> None:
    path = folder / "table.parquet"
    rows = 4_000_000
    columns = {name: pa.array(range(i, rows + i)) for i, name in enumerate("abcdefgh")}
    pq.write_table(pa.table(columns), path, compression="none", use_dictionary=False)
    cluster.put_file(path, f"{bucket}/table.parquet")

    def read(where: str, fs: Any) -> None:
        table = ds.dataset(where, format="parquet", filesystem=fs).to_table()
        assert table.num_rows == rows

    ways = {
        "cluster": lambda: read(f"{bucket}/table.parquet", cluster),
        "local folder": lambda: read(str(path), LocalFileSystem()),
    }
    show("parquet", path.stat().st_size, in_turn(options.rounds, ways))


if __name__ == "__main__":
    main()
