"""Writes a data set of Hugging Face to a bucket and reads it: whole, and as a stream.

python examples/huggingface_datasets.py sluice://BUCKET/dataset
"""

from __future__ import annotations

import sys
import tempfile

import datasets

import sluice  # noqa: F401 # not needed where the package is installed

ROWS = 10_000


def main(url: str) -> None:
    rows = {"number": list(range(ROWS)), "text": [f"row {number}" for number in range(ROWS)]}
    table = datasets.Dataset.from_dict(rows)
    table.save_to_disk(f"{url}/saved", num_shards=4)
    assert datasets.load_from_disk(f"{url}/saved")["number"][:] == rows["number"]

    table.to_parquet(f"{url}/table.parquet")
    with tempfile.TemporaryDirectory() as cache:
        whole = datasets.load_dataset(
            "parquet", data_files=f"{url}/table.parquet", split="train", cache_dir=cache
        )
        assert whole["text"][:] == rows["text"]
    stream = datasets.load_dataset(
        "parquet", data_files=f"{url}/table.parquet", split="train", streaming=True
    )
    shuffled = [row["number"] for row in stream.shuffle(seed=1, buffer_size=1000)]
    assert sorted(shuffled) == rows["number"]
    print(f"{len(whole)} rows, {len(shuffled)} in a shuffled stream, first {shuffled[:5]}")


if __name__ == "__main__":
    main(sys.argv[1])
