"""Writes a data set with MosaicML Streaming and streams it, as from S3.

eval "$(./sluice env)" && python examples/mosaicml_streaming.py s3://BUCKET/mds
"""

from __future__ import annotations

import os
import sys
import tempfile

import torch
from streaming import MDSWriter, StreamingDataset
from torch.utils.data import DataLoader

SAMPLES = 2000


def main(url: str) -> None:
    os.environ["S3_ENDPOINT_URL"] = os.environ["AWS_ENDPOINT_URL"]  # the name that Streaming reads
    columns = {"number": "int", "body": "bytes"}
    with MDSWriter(out=url, columns=columns, compression="zstd", size_limit=1 << 18) as writer:
        for number in range(SAMPLES):
            writer.write({"number": number, "body": os.urandom(1024)})
    with tempfile.TemporaryDirectory() as local:
        dataset = StreamingDataset(remote=url, local=local, shuffle=True, batch_size=32)
        # Not forked: Streaming has opened a connection, and forked workers would share it.
        batches = DataLoader(dataset, 32, num_workers=2, multiprocessing_context="spawn")
        numbers = torch.cat([batch["number"] for batch in batches]).tolist()
    assert sorted(numbers) == list(range(SAMPLES)), "each sample once"
    print(f"{len(numbers)} samples from {len(dataset.shards)} shards, first {numbers[:5]}")


if __name__ == "__main__":
    main(sys.argv[1])
