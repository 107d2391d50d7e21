"""Sluice, a distributed object store for deep-learning training, from Python.

`fsspec` finds `sluice://bucket/key` by itself. `read_many` reads batches of objects, `prefetch`
brings a cloud bucket's objects onto the drives, and `cluster` starts a cluster on this machine.
"""

import fsspec

from sluice.batches import read_many
from sluice.errors import (
    ObjectChangedError,
    S3Error,
    S3ExistsError,
    S3NotFoundError,
    S3PermissionError,
)
from sluice.filesystem import SluiceFileSystem
from sluice.localcluster import Cluster, cluster
from sluice.native import BucketStats, Job, JobFailure, Reads, job, jobs, prefetch, stats
from sluice.samples import Samples

__version__ = "0.1.0"

# As the installed package's entry point says, also for one that is only on the path.
fsspec.register_implementation("sluice", "sluice.filesystem.SluiceFileSystem")

__all__ = [
    "BucketStats",
    "Cluster",
    "Job",
    "JobFailure",
    "ObjectChangedError",
    "Reads",
    "S3Error",
    "S3ExistsError",
    "S3NotFoundError",
    "S3PermissionError",
    "Samples",
    "SluiceFileSystem",
    "cluster",
    "job",
    "jobs",
    "prefetch",
    "read_many",
    "stats",
]
