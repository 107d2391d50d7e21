"""Queries the Parquet files of parquet_pyarrow.py with DuckDB, through fsspec.

python examples/parquet_duckdb.py sluice://BUCKET/table
"""

from __future__ import annotations

import sys

import duckdb
import fsspec

import sluice  # noqa: F401 # not needed where the package is installed


def main(url: str) -> None:
    connection = duckdb.connect()
    connection.register_filesystem(fsspec.filesystem("sluice"))
    rows = connection.sql(
        f"select count(*), sum(number) from read_parquet('{url}/**/*.parquet') where number < 1000"
    ).fetchall()
    assert rows == [(1000, 499_500)], rows
    print(f"rows and sum: {rows[0]}")


if __name__ == "__main__":
    main(sys.argv[1])
