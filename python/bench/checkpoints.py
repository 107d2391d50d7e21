"""A checkpoint of PyTorch on Sluice, beside Amazon's connector for PyTorch on another S3 store.

    python bench/checkpoints.py --other http://localhost:9000 --other-keys KEY:SECRET --folder DIR

Saves and loads the same tensors in turn. The other store is usually MinIO on the same drive. The
rate of one file that is written to DIR and synced there is measured in the same rounds.
"""

from __future__ import annotations

import argparse
import os
import uuid
from pathlib import Path
from typing import Any

import boto3
import torch
import torch.distributed.checkpoint as dcp
from s3torchconnector import S3ClientConfig
from s3torchconnector.dcp import S3StorageReader, S3StorageWriter
from timing import in_turn, parsed, show

import sluice
from sluice.dcp import SluiceReader, SluiceWriter

REGION = "us-east-1"
CONFIG = S3ClientConfig(force_path_style=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--size", default="2GiB")
    parser.add_argument("--other", required=True, help="URL of the other store")
    parser.add_argument("--other-keys", required=True, help="KEY:SECRET")
    parser.add_argument("--folder", required=True, help="on the drive that both stores use")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    size = parsed(options.size)
    state = {f"layer{i}": torch.rand(size // 16 // 4) for i in range(16)}
    fs = sluice.SluiceFileSystem()
    bucket = f"bench-{uuid.uuid4().hex[:8]}"
    fs.mkdir(bucket)
    key, _, secret = options.other_keys.partition(":")
    other = boto3.client(
        "s3",
        endpoint_url=options.other,
        region_name=REGION,
        aws_access_key_id=key,
        aws_secret_access_key=secret,
    )
    other.create_bucket(Bucket=bucket)
    # The connector takes them from nowhere else.
    names = ("AWS_ENDPOINT_URL", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY")
    os.environ.update(zip(names, (options.other, key, secret), strict=True))
    url, other_url = f"sluice://{bucket}/step", f"s3://{bucket}/step"
    file = Path(options.folder) / bucket
    try:
        saves = {
            "Sluice": lambda: dcp.save(state, storage_writer=SluiceWriter(url, filesystem=fs)),
            "s3torchconnector": lambda: dcp.save(
                state, storage_writer=S3StorageWriter(REGION, other_url, CONFIG)
            ),
            "synced file": lambda: _file(state, file),
        }
        show("save", size, in_turn(options.rounds, saves))
        loads = {
            "Sluice": lambda: _load(state, SluiceReader(url, filesystem=fs)),
            "s3torchconnector": lambda: _load(state, S3StorageReader(REGION, other_url, CONFIG)),
        }
        show("load", size, in_turn(options.rounds, loads))
    finally:
        file.unlink(missing_ok=True)
        fs.rm(bucket, recursive=True)
        for found in other.list_objects_v2(Bucket=bucket).get("Contents", []):
            other.delete_object(Bucket=bucket, Key=found["Key"])
        other.delete_bucket(Bucket=bucket)


def _load(state: dict[str, torch.Tensor], reader: Any) -> None:
    found = {name: torch.zeros_like(tensor) for name, tensor in state.items()}
    dcp.load(found, storage_reader=reader)
    assert all(torch.equal(found[name], state[name]) for name in state)


def _file(state: dict[str, torch.Tensor], path: Path) -> None:
    with path.open("wb") as file:
        for tensor in state.values():
            file.write(tensor.numpy())
        os.fsync(file.fileno())


if __name__ == "__main__":
    main()
