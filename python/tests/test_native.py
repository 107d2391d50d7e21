"""Jobs and usage. The cloud of the cached bucket is a bucket of the same cluster."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator
from urllib.parse import parse_qsl, urlsplit

import pytest
from fake import FakeServer, Reply, Seen

import sluice
from sluice import SluiceFileSystem
from sluice.native import _lists
from sluice.transport import Request

KEYS = [f"train/{i:03}" for i in range(20)]

DATE = "Fri, 27 Nov 2026 00:00:00 GMT"


def cloud(seen: Seen) -> Reply:
    """A cloud bucket with these keys, to be listed and read without keys."""
    url = urlsplit(seen.target)
    key = url.path.removeprefix("/cloud").lstrip("/")
    if key in KEYS:
        return Reply(body=key.encode(), headers={"ETag": '"e"', "Last-Modified": DATE})
    if key:
        return Reply(404, b"<Error><Code>NoSuchKey</Code><Message>no</Message></Error>")
    prefix = dict(parse_qsl(url.query)).get("prefix", "")
    entries = "".join(
        f"<Contents><Key>{key}</Key><Size>{len(key)}</Size><ETag>&quot;e&quot;</ETag>"
        "<LastModified>2026-11-27T00:00:00.000Z</LastModified></Contents>"
        for key in KEYS
        if key.startswith(prefix)
    )
    document = f"<ListBucketResult><IsTruncated>false</IsTruncated>{entries}</ListBucketResult>"
    return Reply(body=document.encode(), headers={"Content-Type": "application/xml"})


@pytest.fixture
def cached(fs: SluiceFileSystem) -> Iterator[str]:
    """A cached bucket before a cloud that this process plays."""
    name = f"py-cached-{uuid.uuid4().hex[:8]}"
    with FakeServer(cloud).running() as server:
        backend = {"url": "s3://cloud", "endpoint": server.url, "profile": "anonymous"}
        create = {"action": "create-bck", "value": {"backend": backend}}
        call(fs, "POST", f"/v1/buckets/{name}", create, {"check": "false"})
        yield name
        destroy = {"action": "destroy-bck", "value": {"force": True}}
        call(fs, "DELETE", f"/v1/buckets/{name}", destroy)


def test_prefetch_of_a_list_waits_for_its_end(fs: SluiceFileSystem, cached: str) -> None:
    urls = [f"sluice://{cached}/{key}" for key in KEYS]
    (job,) = sluice.prefetch(urls, wait=True, timeout=50, filesystem=fs)
    assert job.state == "done"
    # Skipped, if the request was repeated after its answer was lost, and the first job was quicker.
    assert (job.done + job.skipped, job.failed) == (len(KEYS), 0), job
    assert job.complete
    assert not job.running
    assert job.id in [found.id for found in sluice.jobs(filesystem=fs)]
    assert sluice.job(job.id, filesystem=fs) == job
    usage = sluice.stats(cached, filesystem=fs)[cached]
    assert usage.objects == len(KEYS)
    assert usage.bytes == sum(map(len, KEYS))
    assert set(usage.reads) == {"minute", "hour", "day"}
    assert usage.silent == ()


def test_prefetch_names_the_keys_that_fail(fs: SluiceFileSystem, cached: str) -> None:
    urls = [f"{cached}/{KEYS[0]}", f"{cached}/none"]
    (job,) = sluice.prefetch(urls, wait=True, timeout=50, filesystem=fs)
    assert [failure.key for failure in job.failures] == ["none"]
    assert not job.complete


def test_prefetch_of_a_native_bucket_is_refused(fs: SluiceFileSystem, bucket: str) -> None:
    with pytest.raises(OSError, match=bucket):
        sluice.prefetch(f"sluice://{bucket}", filesystem=fs)
    with pytest.raises(FileNotFoundError):
        sluice.job("prefetch-none", filesystem=fs)


def test_stats_of_a_native_bucket(fs: SluiceFileSystem, bucket: str) -> None:
    fs.pipe_file(f"{bucket}/a", b"data")
    usage = sluice.stats(bucket, filesystem=fs)[bucket]
    assert (usage.objects, usage.bytes, usage.quota) == (1, 4, None)
    assert usage.reads == {}
    assert bucket in sluice.stats(filesystem=fs)


def test_long_lists_become_several_jobs() -> None:
    keys = [f"{i:040}" for i in range(3000)]
    requests = list(_lists([f"sluice://a/{key}" for key in keys] + ["b/x"]))
    assert [
        key for request in requests if request["bucket"] == "a" for key in request["list"]
    ] == keys
    assert all(len(json.dumps(request)) < 64 << 10 for request in requests)
    assert requests[-1] == {"bucket": "b", "list": ["x"]}


def call(
    fs: SluiceFileSystem,
    method: str,
    path: str,
    message: object,
    query: dict[str, str] | None = None,
) -> None:
    body = json.dumps(message).encode()
    fs.store.transport.call(Request(method, path, query or {}, {}, body))
