"""Reads a bucket and keeps a checkpoint by Amazon's connector for PyTorch, without the package.

eval "$(./sluice env)" && python examples/s3torchconnector_reads.py s3://BUCKET/folder
"""

from __future__ import annotations

import io
import os
import sys
from typing import Any
from urllib.parse import urlsplit

import boto3
import torch
import torch.distributed.checkpoint as dcp
from s3torchconnector import S3ClientConfig, S3IterableDataset
from s3torchconnector.dcp import S3StorageReader, S3StorageWriter
from torch.utils.data import DataLoader

REGION = "us-east-1"  # auth.region of the cluster
PATH_STYLE = S3ClientConfig(force_path_style=True)
RECORDS = 64


def main(url: str) -> None:
    write_records(url)
    dataset = S3IterableDataset.from_prefix(
        f"{url}/records/",
        region=REGION,
        endpoint=os.environ["AWS_ENDPOINT_URL"],
        transform=load,
        s3client_config=PATH_STYLE,
        enable_sharding=True,
    )
    records = torch.cat(list(DataLoader(dataset, batch_size=8, num_workers=2)))
    assert sorted(records[:, 0].tolist()) == list(range(RECORDS)), "each record once"

    state = {"weights": torch.rand(1000, 1000)}
    dcp.save(state, storage_writer=S3StorageWriter(REGION, f"{url}/step-1", PATH_STYLE))
    found = {"weights": torch.zeros(1000, 1000)}
    dcp.load(found, storage_reader=S3StorageReader(REGION, f"{url}/step-1", PATH_STYLE))
    assert torch.equal(found["weights"], state["weights"]), "the checkpoint as it was saved"
    print(f"{len(records)} records and a checkpoint of {found['weights'].nbytes} bytes")


def write_records(url: str) -> None:
    place = urlsplit(url)
    s3 = boto3.client("s3", region_name=REGION)
    for number in range(RECORDS):
        body = io.BytesIO()
        torch.save(torch.full((256,), number), body)
        key = f"{place.path.strip('/')}/records/{number:04}.pt"
        s3.put_object(Bucket=place.netloc, Key=key, Body=body.getvalue())


def load(record: Any) -> torch.Tensor:
    return torch.load(io.BytesIO(record.read()))


if __name__ == "__main__":
    main(sys.argv[1])
