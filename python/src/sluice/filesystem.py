"""The filesystem of fsspec: `sluice://bucket/key`."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future
from datetime import datetime
from functools import partial
from typing import Any, TypeVar

from fsspec.spec import AbstractFileSystem

from sluice import errors
from sluice.files import SMALLEST_PART, SluiceFile, TextFile
from sluice.settings import Settings
from sluice.store import DELETE_BATCH, ObjectInfo, Store, split
from sluice.transport import Request, Transport

_DELETES_AT_ONCE = 4
_TEXT_OPTIONS = ("encoding", "errors", "newline")

_Result = TypeVar("_Result")


class SluiceFileSystem(AbstractFileSystem):
    """Buckets and objects of a Sluice cluster as files.

    Nothing is cached: every call sees the cluster as it is. For all threads, for processes that
    fork, and for pickle.
    """

    protocol = "sluice"
    root_marker = ""

    def __init__(
        self,
        endpoints: str | Sequence[str] | None = None,
        *,
        key: str | None = None,
        secret: str | None = None,
        token: str | None = None,
        profile: str | None = None,
        anon: bool = False,
        region: str | None = None,
        ca: str | None = None,
        redirect: bool = True,
        retries: int = 5,
        backoff: float = 0.1,
        connect_timeout: float = 3.0,
        read_timeout: float = 60.0,
        max_concurrency: int = 16,
        block_size: int = 4 << 20,
        part_size: int = 16 << 20,
        readahead: int = 4,
        endpoint_url: str | None = None,
        **storage_options: Any,
    ) -> None:
        """
        :param endpoints: URLs of nodes, one or several; else SLUICE_ENDPOINTS or AWS_ENDPOINT_URL.
            `endpoint_url` is the same
        :param key: access key, with `secret` and maybe `token`; else those that boto3 would use
        :param anon: send no credentials
        :param ca: a file of certificate authorities for https
        :param redirect: get the bytes of objects from their targets; False: through the endpoints
        :param retries: how often a request is sent again after a 503 or a broken connection
        :param max_concurrency: the number of requests that one call makes at once
        :param block_size: the bytes that a reader fetches in one request
        :param part_size: the bytes of one part of an upload
        :param readahead: the number of blocks that a sequential reader fetches ahead
        """
        super().__init__(**storage_options)
        self.block_size = block_size
        self.part_size = part_size
        self.readahead = readahead
        settings = Settings.of(
            endpoints or endpoint_url,
            key=key,
            secret=secret,
            token=token,
            profile=profile,
            anon=anon,
            region=region,
            ca=ca,
            redirect=redirect,
            retries=retries,
            backoff=backoff,
            connect_timeout=connect_timeout,
            read_timeout=read_timeout,
            max_concurrency=max_concurrency,
        )
        self.store = Store(Transport(settings))

    @property
    def fsid(self) -> str:
        return "sluice-" + ",".join(self.store.transport.settings.endpoints)

    # What there is

    def ls(self, path: str, detail: bool = True, **_: Any) -> list[Any]:
        """What is directly in a bucket or below a prefix; for "" the buckets."""
        path = self._strip_protocol(path)
        bucket, key = split(path)
        if not bucket:
            entries = [_bucket(info.name, info.created) for info in self.store.buckets()]
        else:
            entries = self._children(bucket, key)
            if not entries and key:
                entries = [self.info(path)]
                if entries[0]["type"] == "directory":
                    entries = []
        return entries if detail else [entry["name"] for entry in entries]

    def _children(self, bucket: str, key: str) -> list[dict[str, Any]]:
        prefix = f"{key}/" if key else ""
        entries = []
        for page in self.store.pages(bucket, prefix, "/"):
            entries += [_directory(f"{bucket}/{name.rstrip('/')}") for name in page.prefixes]
            entries += [_file(info) for info in page.objects if info.key != prefix]
        return sorted(entries, key=lambda entry: str(entry["name"]))

    def info(self, path: str, **_: Any) -> dict[str, Any]:
        """Name, size, type (file or directory), ETag and LastModified."""
        path = self._strip_protocol(path)
        bucket, key = split(path)
        if not bucket:
            return _directory("")
        if not key:
            if not self.store.has_bucket(bucket):
                raise errors.make(404, "NoSuchBucket", "the bucket does not exist", path)
            return _bucket(bucket, None)
        try:
            return _file(self.store.head(bucket, key))
        except FileNotFoundError:
            page = self.store.page(bucket, f"{key}/", limit=1)
            if page.objects:
                return _directory(path)
            raise

    def exists(self, path: str, **_: Any) -> bool:
        """Whether there is such a bucket, object or prefix. Other failures are raised."""
        try:
            self.info(path)
        except FileNotFoundError:
            return False
        return True

    def isdir(self, path: str) -> bool:
        try:
            return bool(self.info(path)["type"] == "directory")
        except FileNotFoundError:
            return False

    def isfile(self, path: str) -> bool:
        try:
            return bool(self.info(path)["type"] == "file")
        except FileNotFoundError:
            return False

    def find(
        self,
        path: str,
        maxdepth: int | None = None,
        withdirs: bool = False,
        detail: bool = False,
        prefix: str = "",
        **options: Any,
    ) -> Any:
        """All files below a path, from lists of 1000 keys instead of one list a folder.

        :param prefix: only those whose names below the path begin so
        """
        path = self._strip_protocol(path)
        bucket, key = split(path)
        if maxdepth is not None or not bucket:
            return super().find(path, maxdepth, withdirs, detail, **options)
        found: dict[str, dict[str, Any]] = {}
        below = f"{key}/" if key else ""
        for page in self.store.pages(bucket, below + prefix):
            for info in page.objects:
                if info.key.endswith("/") and info.size == 0:  # a marker of a folder
                    if withdirs:
                        name = f"{bucket}/{info.key.rstrip('/')}"
                        found[name] = _directory(name)
                    continue
                found[f"{bucket}/{info.key}"] = _file(info)
        if withdirs:
            self._add_directories(found, path, bool(prefix))
        elif not found and key and not prefix:
            try:
                found[path] = _file(self.store.head(bucket, key))
            except FileNotFoundError:
                found = {}
        return dict(sorted(found.items())) if detail else sorted(found)

    def _add_directories(
        self, found: dict[str, dict[str, Any]], path: str, apart_from_root: bool
    ) -> None:
        for name in list(found):
            parent = self._parent(name)
            while len(parent) > len(path) and parent not in found:
                found[parent] = _directory(parent)
                parent = self._parent(parent)
        if not apart_from_root and path not in found and (found or self.exists(path)):
            found[path] = self.info(path)

    def created(self, path: str) -> datetime:
        """When the object was written. Objects are replaced as a whole, never changed."""
        return self.modified(path)

    def modified(self, path: str) -> datetime:
        """When the object was written."""
        info = self.info(path)
        if info.get("LastModified") is None:
            raise FileNotFoundError(f"no object, so it has no time: {path}")
        return info["LastModified"]  # type: ignore[no-any-return]

    def ukey(self, path: str) -> str:
        """The ETag: another one means other bytes."""
        info = self.info(path)
        return str(info.get("ETag") or info["name"]).strip('"')

    def checksum(self, path: str) -> int:
        """A number made of the ETag."""
        return int(self.ukey(path).partition("-")[0], 16)

    # Reading

    def cat_file(
        self, path: str, start: int | None = None, end: int | None = None, **_: Any
    ) -> bytes:
        """The bytes of an object, or a slice of them."""
        path = self._strip_protocol(path)
        bucket, key = split(path)
        if not key:
            raise IsADirectoryError(f"a bucket is not a file: {path}")
        if (end is not None and end < 0) or (start is not None and start < 0 and end is not None):
            info = self.store.head(bucket, key)
            start, end, _step = slice(start, end).indices(info.size)
            return self.store.get(bucket, key, start, end, info.etag)
        return self.store.get(bucket, key, start, end)

    def cat(
        self, path: Any, recursive: bool = False, on_error: str = "raise", **options: Any
    ) -> Any:
        """The bytes of one or many objects, many in parallel."""
        paths = self.expand_path(path, recursive=recursive)
        if isinstance(path, str) and paths == [self._strip_protocol(path)]:
            return self.cat_file(paths[0], **options)
        if recursive:
            paths = [name for name in paths if not self.isdir(name)]
        results = self._parallel([partial(self.cat_file, name, **options) for name in paths])
        return dict(_outcomes(zip(paths, results, strict=True), on_error))

    def cat_ranges(
        self,
        paths: list[str],
        starts: Any,
        ends: Any,
        max_gap: int | None = None,
        on_error: str = "return",
        **options: Any,
    ) -> list[Any]:
        """Slices of objects, in parallel, in the order of the arguments."""
        if max_gap is not None:
            raise NotImplementedError("max_gap")
        starts = starts if isinstance(starts, list) else [starts] * len(paths)
        ends = ends if isinstance(ends, list) else [ends] * len(paths)
        calls = [
            partial(self.cat_file, path, start, end, **options)
            for path, start, end in zip(paths, starts, ends, strict=True)
        ]
        named = zip(range(len(calls)), self._parallel(calls), strict=True)
        return [result for _, result in _outcomes(named, on_error)]

    def _parallel(self, calls: Sequence[Callable[[], _Result]]) -> list[Future[_Result]]:
        threads = self.store.transport.threads
        return [threads.submit(call) for call in calls]

    def open(
        self,
        path: str,
        mode: str = "rb",
        block_size: int | None = None,
        cache_options: Any = None,
        compression: str | None = None,
        **options: Any,
    ) -> Any:
        """Opens an object for reading or writing, see SluiceFile."""
        if compression is not None and "r" not in mode:
            # fsspec's compressors do not close, and so not store, the file below.
            raise NotImplementedError(
                "compress what you write: with fs.open(…) as f, gzip.open(f, 'wb')"
            )
        if "b" in mode or compression is not None:
            return super().open(path, mode, block_size, cache_options, compression, **options)
        text = {name: options.pop(name) for name in _TEXT_OPTIONS if name in options}
        binary = mode.replace("t", "") + "b"
        return TextFile(self.open(path, binary, block_size, cache_options, **options), **text)

    def _open(
        self, path: str, mode: str = "rb", block_size: int | None = None, **options: Any
    ) -> SluiceFile:
        if mode not in ("rb", "wb", "xb"):
            raise NotImplementedError(f"mode {mode}: objects are written as a whole")
        usual = self.block_size if mode == "rb" else max(self.part_size, SMALLEST_PART)
        options.setdefault("readahead", self.readahead)
        return SluiceFile(self, path, mode, block_size or usual, **options)

    # Writing

    def pipe_file(self, path: str, value: Any, mode: str = "overwrite", **options: Any) -> None:
        """Writes an object."""
        with self.open(path, "xb" if mode == "create" else "wb", **options) as file:
            file.write(value)

    def touch(self, path: str, truncate: bool = True, **_: Any) -> None:
        """Makes an empty object."""
        if not truncate and self.exists(path):
            raise NotImplementedError("an object's time does not change without its bytes")
        self.pipe_file(path, b"")

    def cp_file(self, path1: str, path2: str, **_: Any) -> None:
        """Copies an object within the cluster, without its bytes passing through this process."""
        bucket, key = split(self._strip_protocol(path1))
        to_bucket, to_key = split(self._strip_protocol(path2))
        if not key:
            raise FileNotFoundError(f"a bucket is not a file: {path1}")
        if not to_key:
            raise errors.make(400, "InvalidRequest", "a bucket is not a file", path2)
        self.store.copy(self.store.head(bucket, key), to_bucket, to_key)

    def rm_file(self, path: str) -> None:
        """Deletes an object. One that does not exist is no failure, as with S3."""
        bucket, key = split(self._strip_protocol(path))
        if key:
            self.store.delete(bucket, key)
        else:
            self.store.delete_bucket(bucket)

    _rm = rm_file

    def rm(self, path: Any, recursive: bool = False, maxdepth: int | None = None) -> None:
        """Deletes objects, 1000 in a request; with `recursive` all below, also a whole bucket."""
        if recursive and maxdepth is None:
            for root in self.expand_path(path):
                self._rm_tree(root)
            return
        keys: dict[str, list[str]] = {}
        for bucket, key in map(split, self.expand_path(path, recursive, maxdepth)):
            if not key and not recursive:
                raise IsADirectoryError(f"a bucket: {bucket}; pass recursive=True, or use rmdir")
            if key:
                keys.setdefault(bucket, []).append(key)
        self._delete(
            (bucket, names[i : i + DELETE_BATCH])
            for bucket, names in keys.items()
            for i in range(0, len(names), DELETE_BATCH)
        )

    def _rm_tree(self, root: str) -> None:
        bucket, key = split(root)
        if not bucket:
            raise PermissionError("all buckets at once are not deleted")
        single = bool(key) and self.isfile(root)
        if single:
            self.store.delete(bucket, key)
        pages = self.store.pages(bucket, f"{key}/" if key else "")
        batches = ((bucket, [info.key for info in page.objects]) for page in pages)
        found = self._delete(batch for batch in batches if batch[1])
        if not key:
            self.store.delete_bucket(bucket)
        elif not single and not found:
            raise FileNotFoundError(root)

    def _delete(self, batches: Iterable[tuple[str, list[str]]]) -> int:
        """Deletes keys, a few batches at once. Returns the number of batches."""
        under_way: deque[Future[None]] = deque()
        count = 0
        for bucket, keys in batches:
            under_way.append(
                self.store.transport.threads.submit(self.store.delete_many, bucket, keys)
            )
            count += 1
            if len(under_way) >= _DELETES_AT_ONCE:
                under_way.popleft().result()
        for future in under_way:
            future.result()
        return count

    def mkdir(self, path: str, create_parents: bool = True, **_: Any) -> None:
        """Creates a bucket. Folders inside of it need not be made."""
        bucket, key = split(self._strip_protocol(path))
        if key and (not create_parents or self.store.has_bucket(bucket)):
            return
        self.store.create_bucket(bucket)

    def makedirs(self, path: str, exist_ok: bool = False) -> None:
        try:
            self.mkdir(path)
        except FileExistsError:
            if not exist_ok:
                raise

    def rmdir(self, path: str) -> None:
        """Deletes an empty bucket. Folders are gone with their last object."""
        path = self._strip_protocol(path)
        bucket, key = split(path)
        if not key:
            self.store.delete_bucket(bucket)
        elif self.isdir(path):
            raise errors.make(409, "BucketNotEmpty", "the folder is not empty", path)
        else:
            raise FileNotFoundError(path)

    def sign(self, path: str, expiration: int = 100, **_: Any) -> str:
        """A URL with which anybody can read the object for so many seconds."""
        bucket, key = split(self._strip_protocol(path))
        url = self.store.transport.url(Request("GET", f"/{bucket}/{key}"))
        return self.store.transport.signer.presign("GET", url, expiration)


def _outcomes(futures: Any, on_error: str) -> Any:
    """Names and results. A failure is raised, left out, or is the result."""
    futures = list(futures)
    try:
        for name, future in futures:
            failure = future.exception()
            if failure is None:
                yield name, future.result()
            elif on_error == "raise":
                raise failure
            elif on_error == "return":
                yield name, failure
    finally:
        for _, future in futures:
            future.cancel()


def _file(info: ObjectInfo) -> dict[str, Any]:
    entry: dict[str, Any] = {
        "name": f"{info.bucket}/{info.key}",
        "size": info.size,
        "type": "file",
        "ETag": info.etag,
        "LastModified": info.modified,
    }
    if info.metadata is not None:
        entry["ContentType"] = info.content_type
        entry["metadata"] = dict(info.metadata)
    return entry


def _directory(name: str) -> dict[str, Any]:
    return {"name": name, "size": 0, "type": "directory"}


def _bucket(name: str, created: datetime | None) -> dict[str, Any]:
    entry = _directory(name)
    return entry if created is None else {**entry, "CreationDate": created}
