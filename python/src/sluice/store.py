"""The S3 calls that the package needs, with values for what they return."""

from __future__ import annotations

import base64
import hashlib
import re
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from email.utils import parsedate_to_datetime
from urllib.parse import quote, unquote_plus, urlencode
from xml.etree import ElementTree
from xml.sax.saxutils import escape

from sluice import errors
from sluice.transport import Answer, Request, Transport, Way

DELETE_BATCH = 1000
_COPY_LIMIT = 5 << 30
_COPY_PART = 1 << 30
_TOTAL = re.compile(r"bytes (?:\d+-\d+|\*)/(\d+)")


@dataclass(frozen=True)
class ObjectInfo:
    """An object as lists and HEAD describe it. The ETag has its quotes."""

    bucket: str
    key: str
    size: int
    etag: str
    modified: datetime
    content_type: str | None = None
    metadata: Mapping[str, str] | None = None


@dataclass(frozen=True)
class BucketInfo:
    name: str
    created: datetime


@dataclass(frozen=True)
class Page:
    """A part of a list: objects, common prefixes, and where the next part begins."""

    objects: Sequence[ObjectInfo]
    prefixes: Sequence[str]
    next: str | None


@dataclass(frozen=True)
class Part:
    number: int
    etag: str


class Store:
    """Buckets and objects. For all threads; can be pickled and used after a fork."""

    def __init__(self, transport: Transport) -> None:
        self.transport = transport

    # Buckets

    def buckets(self) -> list[BucketInfo]:
        root = _xml(self.transport.call(Request("GET", "/")))
        return [
            BucketInfo(_text(bucket, "Name"), _iso_date(_text(bucket, "CreationDate")))
            for bucket in root.iterfind("{*}Buckets/{*}Bucket")
        ]

    def has_bucket(self, bucket: str) -> bool:
        answer = self.transport.send(Request("HEAD", f"/{bucket}"))
        if answer.status in (400, 404):
            return False
        return _good(answer, bucket).status == 200

    def create_bucket(self, bucket: str) -> None:
        self.transport.call(Request("PUT", f"/{bucket}"))

    def delete_bucket(self, bucket: str) -> None:
        self.transport.call(Request("DELETE", f"/{bucket}"))

    def page(
        self,
        bucket: str,
        prefix: str = "",
        delimiter: str = "",
        after: str | None = None,
        limit: int = 1000,
    ) -> Page:
        """One page of a list.

        :param after: the `next` of the page before
        """
        query = {"list-type": "2", "encoding-type": "url", "max-keys": str(limit)}
        if prefix:
            query["prefix"] = prefix
        if delimiter:
            query["delimiter"] = delimiter
        if after is not None:
            query["continuation-token"] = after
        root = _xml(self.transport.call(Request("GET", f"/{bucket}", query)))
        objects = [_listed(bucket, entry) for entry in root.iterfind("{*}Contents")]
        prefixes = [
            unquote_plus(_text(entry, "Prefix")) for entry in root.iterfind("{*}CommonPrefixes")
        ]
        return Page(objects, prefixes, root.findtext("{*}NextContinuationToken"))

    def pages(self, bucket: str, prefix: str = "", delimiter: str = "") -> Iterator[Page]:
        """All pages of a list."""
        after: str | None = None
        while True:
            page = self.page(bucket, prefix, delimiter, after)
            yield page
            after = page.next
            if after is None:
                return

    # Objects

    def head(self, bucket: str, key: str) -> ObjectInfo:
        answer = self.transport.send(Request("HEAD", f"/{bucket}/{key}"))
        return _info(bucket, key, _good(answer, f"{bucket}/{key}"))

    def get(
        self,
        bucket: str,
        key: str,
        start: int | None = None,
        end: int | None = None,
        etag: str | None = None,
        way: Way | None = None,
    ) -> bytes:
        """The bytes of an object, or from start to before end, as a slice. A negative start alone
        counts from the object's end.

        :param etag: the version that is meant; another one is an ObjectChangedError
        :param way: the same for all reads of an object that follow each other
        """
        headers = {"If-Match": etag} if etag else {}
        if start is not None and start < 0 and end is None:
            headers["Range"] = f"bytes={start}"
        elif start or end is not None:
            start = start or 0
            if end is not None and end <= start:
                return b""
            headers["Range"] = f"bytes={start}-{'' if end is None else end - 1}"
        path = f"/{bucket}/{key}"
        answer = self.transport.send(Request("GET", path, headers=headers, way=way or Way()))
        if answer.status == 416:  # behind the end, where a slice is empty
            return b""
        if answer.status == 412 and etag:
            raise errors.changed(path.lstrip("/"))
        body = _good(answer, path.lstrip("/")).body
        if "Range" in headers and answer.status != 206 and body:  # an empty object has no ranges
            text = f"asked for a range, and got status {answer.status}"
            raise errors.make(answer.status, "InvalidRange", text, path.lstrip("/"))
        return body

    def put(
        self,
        bucket: str,
        key: str,
        body: bytes | memoryview,
        headers: Mapping[str, str] | None = None,
        exclusive: bool = False,
    ) -> str:
        """Writes an object in one request.

        :param exclusive: only if the key does not exist
        :return: its ETag
        """
        sent = {**(headers or {}), **_checksum(body)}
        if exclusive:
            sent["If-None-Match"] = "*"
        path = f"/{bucket}/{key}"
        answer = self.transport.send(Request("PUT", path, headers=sent, body=body))
        if answer.status == 412 and exclusive:
            raise errors.exists(path.lstrip("/"), answer.attempts > 1)
        return _good(answer, path.lstrip("/")).headers["etag"]

    def delete(self, bucket: str, key: str) -> None:
        self.transport.call(Request("DELETE", f"/{bucket}/{key}"))

    def delete_many(self, bucket: str, keys: Sequence[str]) -> None:
        """Deletes up to 1000 keys in one request. Keys that do not exist are no failure."""
        entries = "".join(f"<Object><Key>{_xml_text(key)}</Key></Object>" for key in keys)
        body = f"<Delete><Quiet>true</Quiet>{entries}</Delete>".encode()
        headers = {"Content-MD5": base64.b64encode(hashlib.md5(body).digest()).decode()}
        request = Request("POST", f"/{bucket}", {"delete": ""}, headers, body)
        for failed in _xml(self.transport.call(request)).iterfind("{*}Error"):
            code, path = _text(failed, "Code"), f"{bucket}/{_text(failed, 'Key')}"
            status = {"AccessDenied": 403, "NoSuchKey": 404}.get(code, 500)
            raise errors.make(status, code, _text(failed, "Message"), path)

    def copy(self, source: ObjectInfo, bucket: str, key: str) -> None:
        """A copy that the servers make, of this version of the source."""
        if source.size > _COPY_LIMIT:
            self._copy_parts(source, bucket, key)
            return
        request = Request("PUT", f"/{bucket}/{key}", headers=_copy_source(source))
        self._copied(request, source)

    def _copy_parts(self, source: ObjectInfo, bucket: str, key: str) -> None:
        metadata = {f"x-amz-meta-{name}": text for name, text in (source.metadata or {}).items()}
        headers = {"Content-Type": source.content_type or "", **metadata}
        headers["x-amz-tagging"] = self._tags(source)
        upload = self.begin_upload(bucket, key, headers)
        try:
            parts = []
            for number, start in enumerate(range(0, source.size, _COPY_PART), 1):
                last = min(start + _COPY_PART, source.size) - 1
                headers = {
                    **_copy_source(source),
                    "x-amz-copy-source-range": f"bytes={start}-{last}",
                }
                query = {"partNumber": str(number), "uploadId": upload}
                root = self._copied(Request("PUT", f"/{bucket}/{key}", query, headers), source)
                parts.append(Part(number, _text(root, "ETag")))
            self.complete_upload(bucket, key, upload, parts)
        except BaseException:
            self.abort_upload(bucket, key, upload)
            raise

    def _tags(self, source: ObjectInfo) -> str:
        """As a header of a write takes them; empty for an object without tags."""
        request = Request("GET", f"/{source.bucket}/{source.key}", {"tagging": ""})
        tags = _xml(self.transport.call(request)).iterfind("{*}TagSet/{*}Tag")
        return urlencode([(_text(tag, "Key"), _text(tag, "Value")) for tag in tags])

    def _copied(self, request: Request, source: ObjectInfo) -> ElementTree.Element:
        answer = self.transport.send(request)
        if answer.status == 412:
            raise errors.changed(f"{source.bucket}/{source.key}")
        return _xml(_good(answer, request.about))

    # Multipart uploads

    def begin_upload(self, bucket: str, key: str, headers: Mapping[str, str] | None = None) -> str:
        sent = {name: value for name, value in (headers or {}).items() if value}
        request = Request("POST", f"/{bucket}/{key}", {"uploads": ""}, sent)
        return _text(_xml(self.transport.call(request)), "UploadId")

    def upload_part(
        self, bucket: str, key: str, upload: str, number: int, body: bytes | memoryview
    ) -> Part:
        query = {"partNumber": str(number), "uploadId": upload}
        request = Request("PUT", f"/{bucket}/{key}", query, _checksum(body), body)
        return Part(number, self.transport.call(request).headers["etag"])

    def complete_upload(
        self,
        bucket: str,
        key: str,
        upload: str,
        parts: Iterable[Part],
        exclusive: bool = False,
    ) -> str:
        """Makes the object of its parts. Until then nothing of it is visible.

        :return: its ETag
        """
        parts = list(parts)
        entries = "".join(
            f"<Part><PartNumber>{part.number}</PartNumber><ETag>{escape(part.etag)}</ETag></Part>"
            for part in parts
        )
        body = f"<CompleteMultipartUpload>{entries}</CompleteMultipartUpload>".encode()
        headers = {"If-None-Match": "*"} if exclusive else {}
        path = f"/{bucket}/{key}"
        answer = self.transport.send(Request("POST", path, {"uploadId": upload}, headers, body))
        if answer.status == 412 and exclusive:
            raise errors.exists(path.lstrip("/"))
        if answer.status == 404 and answer.attempts > 1 and self._is_made_of(bucket, key, parts):
            return _etag_of(parts)  # the first answer was lost, not the upload
        return _text(_xml(_good(answer, path.lstrip("/"))), "ETag")

    def _is_made_of(self, bucket: str, key: str, parts: Sequence[Part]) -> bool:
        try:
            return self.head(bucket, key).etag == _etag_of(parts)
        except FileNotFoundError:
            return False

    def abort_upload(self, bucket: str, key: str, upload: str) -> None:
        """Forgets an upload and its parts. One that is gone already is no failure."""
        request = Request("DELETE", f"/{bucket}/{key}", {"uploadId": upload})
        answer = self.transport.send(request)
        if answer.status != 404:
            _good(answer, request.about)

    def uploads(self, bucket: str, prefix: str = "") -> list[tuple[str, str]]:
        """Key and id of the uploads that are under way, at most 1000."""
        query = {"uploads": "", "encoding-type": "url"}
        if prefix:
            query["prefix"] = prefix
        root = _xml(self.transport.call(Request("GET", f"/{bucket}", query)))
        return [
            (unquote_plus(_text(entry, "Key")), _text(entry, "UploadId"))
            for entry in root.iterfind("{*}Upload")
        ]


def split(path: str) -> tuple[str, str]:
    """Bucket and key of `bucket/key`, with or without `sluice://`."""
    bucket, _, key = path.removeprefix("sluice://").lstrip("/").partition("/")
    return bucket, key


def _good(answer: Answer, path: str) -> Answer:
    if not 200 <= answer.status < 300:
        raise errors.of(answer.status, answer.body, path)
    return answer


def _xml(answer: Answer) -> ElementTree.Element:
    """The document of an answer. Copies and completes can fail after their status 200."""
    root = ElementTree.fromstring(answer.body)
    if root.tag.rpartition("}")[2] == "Error":
        raise errors.of(500, answer.body, "")
    return root


def _text(entry: ElementTree.Element, name: str) -> str:
    return entry.findtext("{*}" + name) or ""


def _xml_text(key: str) -> str:
    """A key in XML. Characters that XML would change are written as references."""
    return escape(key, {"\r": "&#13;", "\n": "&#10;", "\t": "&#9;"})


def _listed(bucket: str, entry: ElementTree.Element) -> ObjectInfo:
    return ObjectInfo(
        bucket,
        unquote_plus(_text(entry, "Key")),
        int(_text(entry, "Size")),
        _text(entry, "ETag"),
        _iso_date(_text(entry, "LastModified")),
    )


def _info(bucket: str, key: str, answer: Answer) -> ObjectInfo:
    headers = answer.headers
    total = _TOTAL.fullmatch(headers.get("content-range", ""))
    size = int(total[1]) if total else int(headers["content-length"])
    metadata = {
        name.lower().removeprefix("x-amz-meta-"): value
        for name, value in headers.items()
        if name.lower().startswith("x-amz-meta-")
    }
    modified = parsedate_to_datetime(headers["last-modified"])
    return ObjectInfo(
        bucket, key, size, headers["etag"], modified, headers.get("content-type"), metadata
    )


def _iso_date(text: str) -> datetime:
    return datetime.fromisoformat(text.replace("Z", "+00:00")).astimezone(timezone.utc)


def _checksum(body: bytes | memoryview) -> dict[str, str]:
    crc = base64.b64encode(zlib.crc32(body).to_bytes(4, "big")).decode()
    return {"x-amz-checksum-crc32": crc}


def _copy_source(source: ObjectInfo) -> dict[str, str]:
    name = quote(f"/{source.bucket}/{source.key}", safe="/~")
    return {"x-amz-copy-source": name, "x-amz-copy-source-if-match": source.etag}


def _etag_of(parts: Sequence[Part]) -> str:
    digests = b"".join(bytes.fromhex(part.etag.strip('"')) for part in parts)
    return f'"{hashlib.md5(digests).hexdigest()}-{len(parts)}"'
