"""Writes a partitioned Parquet data set with pyarrow and reads a part of it.

python examples/parquet_pyarrow.py sluice://BUCKET/table
"""

from __future__ import annotations

import sys

import fsspec
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds

import sluice  # noqa: F401 # not needed where the package is installed

ROWS = 100_000


def main(url: str) -> None:
    fs, path = fsspec.core.url_to_fs(url)
    numbers = pa.array(range(ROWS))
    table = pa.table({"number": numbers, "part": pc.bit_wise_and(numbers, 3)})
    ds.write_dataset(
        table, path, format="parquet", filesystem=fs, partitioning=["part"], create_dir=False
    )
    dataset = ds.dataset(path, format="parquet", filesystem=fs, partitioning=["part"])
    found = dataset.to_table(
        columns=["number"], filter=(ds.field("part") == 2) & (ds.field("number") < 1000)
    )
    assert sorted(found["number"].to_pylist()) == list(range(2, 1000, 4))
    print(f"{len(dataset.files)} files, {dataset.count_rows()} rows, {len(found)} of them chosen")


if __name__ == "__main__":
    main(sys.argv[1])
