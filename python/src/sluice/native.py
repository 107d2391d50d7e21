"""Jobs and usage, from the native calls of the cluster (docs/http-api.md)."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from sluice.filesystem import SluiceFileSystem
from sluice.store import split
from sluice.transport import Request, Transport

# A job's list of keys may have 64 KiB.
_LIST_SIZE = 60 << 10
_LONGEST_PAUSE = 1.0


@dataclass(frozen=True)
class JobFailure:
    """A key that a job could not do, and the reason."""

    key: str
    why: str


@dataclass(frozen=True)
class Job:
    """A job as it stood when it was asked for. Counts are objects; `bytes` are those of `done`."""

    id: str
    kind: str
    bucket: str
    state: str
    message: str | None
    prefix: str | None
    template: str | None
    listed: int
    done: int
    skipped: int
    failed: int
    bytes: int
    failures: tuple[JobFailure, ...]

    @property
    def running(self) -> bool:
        return self.state == "running"

    @property
    def complete(self) -> bool:
        """Whether it has ended and everything is done."""
        return self.state == "done" and self.failed == 0


@dataclass(frozen=True)
class Reads:
    """GETs of a cached bucket in a span of time. Misses were served from the cloud."""

    hits: int
    misses: int
    bytes: int
    cloud_bytes: int
    hit_ratio: float | None


@dataclass(frozen=True)
class BucketStats:
    """What a bucket takes on the drives, each replica counted.

    `reads` has `minute`, `hour` and `day` of a cached bucket, and is empty for others. `silent`
    names the targets that did not answer, whose part is missing.
    """

    bucket: str
    objects: int
    bytes: int
    uploading: int
    reserved: int
    quota: int | None
    reads: Mapping[str, Reads]
    silent: tuple[str, ...]


def prefetch(
    urls: str | Iterable[str],
    wait: bool = False,
    *,
    timeout: float | None = None,
    filesystem: SluiceFileSystem | None = None,
    **options: Any,
) -> list[Job]:
    """Fetches objects of cached buckets onto the drives before they are read.

    :param urls: one URL is a prefix, or a template with braces (`sluice://b/shard-{000..999}.tar`);
        an iterable of URLs are single objects
    :param wait: return when the jobs have ended, else when they have begun
    :param timeout: seconds to wait, then TimeoutError; the jobs go on
    """
    api = _api(filesystem, options)
    requests = [_selection(urls)] if isinstance(urls, str) else _lists(urls)
    started = [_job(api.post("/v1/jobs", {"kind": "prefetch", **request})) for request in requests]
    if not wait:
        return started
    until = None if timeout is None else time.monotonic() + timeout
    return [_await(api, job, until) for job in started]


def jobs(*, filesystem: SluiceFileSystem | None = None, **options: Any) -> list[Job]:
    """The jobs that run and the last 1000 that ended, the newest first, without their failures."""
    return [_job(found) for found in _api(filesystem, options).get("/v1/jobs")]


def job(job_id: str, *, filesystem: SluiceFileSystem | None = None, **options: Any) -> Job:
    """One job, with the first 100 of its failures."""
    return _job(_api(filesystem, options).get(f"/v1/jobs/{job_id}"))


def stats(
    *buckets: str, filesystem: SluiceFileSystem | None = None, **options: Any
) -> dict[str, BucketStats]:
    """The usage of these buckets, by name; of all if none is named."""
    api = _api(filesystem, options)
    names = buckets or [str(bucket["name"]) for bucket in api.get("/v1/buckets")]
    return {name: _stats(api.get(f"/v1/usage/{split(name)[0]}")) for name in names}


class _Api:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def get(self, path: str) -> Any:
        return json.loads(self._transport.call(Request("GET", path)).body)

    def post(self, path: str, message: Mapping[str, Any]) -> Any:
        body = json.dumps(message).encode()
        headers = {"Content-Type": "application/json"}
        return json.loads(self._transport.call(Request("POST", path, {}, headers, body)).body)


def _api(filesystem: SluiceFileSystem | None, options: Mapping[str, Any]) -> _Api:
    return _Api((filesystem or SluiceFileSystem(**options)).store.transport)


def _selection(url: str) -> dict[str, Any]:
    bucket, key = split(url)
    named = "template" if "{" in key else "prefix"
    return {"bucket": bucket, named: key} if key else {"bucket": bucket}


def _lists(urls: Iterable[str]) -> Iterator[dict[str, Any]]:
    """Requests with lists of keys, as many as their size limit asks for."""
    keys: dict[str, list[str]] = {}
    sizes: dict[str, int] = {}
    for url in urls:
        bucket, key = split(url)
        if not key:
            raise ValueError(f"not an object: {url}; a bucket or prefix is passed alone")
        size = len(json.dumps(key)) + 2
        if sizes.get(bucket, 0) + size > _LIST_SIZE:
            yield {"bucket": bucket, "list": keys.pop(bucket)}
            sizes[bucket] = 0
        keys.setdefault(bucket, []).append(key)
        sizes[bucket] = sizes.get(bucket, 0) + size
    for bucket, names in keys.items():
        yield {"bucket": bucket, "list": names}


def _await(api: _Api, current: Job, until: float | None) -> Job:
    pause = 0.05
    while current.running:
        if until is not None and time.monotonic() > until:
            raise TimeoutError(f"{current.id} still runs; sluice.job({current.id!r}) shows it")
        time.sleep(pause)
        pause = min(_LONGEST_PAUSE, 2 * pause)
        current = _job(api.get(f"/v1/jobs/{current.id}"))
    return current


def _job(found: Mapping[str, Any]) -> Job:
    failures = found.get("failures") or ()
    return Job(
        id=found["id"],
        kind=found["kind"],
        bucket=found["bucket"],
        state=found["state"],
        message=found.get("message"),
        prefix=found.get("prefix"),
        template=found.get("template"),
        listed=found.get("listed", 0),
        done=found.get("done", 0),
        skipped=found.get("skipped", 0),
        failed=found.get("failed", 0),
        bytes=found.get("bytes", 0),
        failures=tuple(JobFailure(failure["key"], failure["why"]) for failure in failures),
    )


def _stats(usage: Mapping[str, Any]) -> BucketStats:
    reads = usage.get("reads") or {}
    return BucketStats(
        bucket=usage["bucket"],
        objects=usage["objects"],
        bytes=usage["bytes"],
        uploading=usage["uploading"],
        reserved=usage["reserved"],
        quota=usage.get("quota"),
        reads={
            span: Reads(
                hits=counts["hits"],
                misses=counts["misses"],
                bytes=counts["bytes"],
                cloud_bytes=counts["cloud_bytes"],
                hit_ratio=counts.get("hit_ratio"),
            )
            for span, counts in reads.items()
        },
        silent=tuple(part["target"] for part in usage["targets"] if "error" in part),
    )
