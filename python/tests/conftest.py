"""The cluster of the tests: a given one (SLUICE_TEST_ENDPOINT and AWS_… keys), else a new one."""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterator
from typing import Any

import pytest

import sluice
from sluice import SluiceFileSystem


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if os.environ.get("SLUICE_LONG") == "1":
        return
    for item in items:
        if "long" in item.keywords:
            item.add_marker(pytest.mark.skip(reason="long: SLUICE_LONG=1 runs it"))


@pytest.fixture(scope="session")
def options() -> Iterator[dict[str, Any]]:
    """The storage options that lead to the cluster."""
    given = os.environ.get("SLUICE_TEST_ENDPOINT")
    if given:
        yield {
            "endpoints": given,
            "key": os.environ["AWS_ACCESS_KEY_ID"],
            "secret": os.environ["AWS_SECRET_ACCESS_KEY"],
        }
        return
    with sluice.cluster() as cluster:
        yield {
            "endpoints": cluster.endpoint,
            "key": cluster.access_key,
            "secret": cluster.secret_key,
        }


@pytest.fixture(scope="session")
def fs(options: dict[str, Any]) -> SluiceFileSystem:
    return SluiceFileSystem(**options, backoff=0.01)


@pytest.fixture(scope="session")
def shared_bucket(fs: SluiceFileSystem) -> Iterator[str]:
    """One bucket of the session. Each test has names of its own in it."""
    name = f"py-{uuid.uuid4().hex[:12]}"
    fs.mkdir(name)
    yield name
    fs.rm(name, recursive=True)


@pytest.fixture
def folder(shared_bucket: str) -> str:
    """A prefix that no other test uses."""
    return f"{shared_bucket}/{uuid.uuid4().hex[:8]}"


@pytest.fixture
def bucket(fs: SluiceFileSystem) -> Iterator[str]:
    """A bucket of the test alone."""
    name = f"py-{uuid.uuid4().hex[:12]}"
    fs.mkdir(name)
    yield name
    if fs.exists(name):
        fs.rm(name, recursive=True)
