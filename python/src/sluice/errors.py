"""Failures of requests as the exceptions that file code expects, each with its S3 code."""

from __future__ import annotations

import errno
import json
from typing import TypeVar
from xml.etree import ElementTree


class S3Error(OSError):
    """The server refused a request. `code` is the S3 code, `status` the HTTP status."""

    code: str = ""
    status: int = 0


class S3NotFoundError(S3Error, FileNotFoundError):
    """There is no such bucket, object or upload."""


class S3PermissionError(S3Error, PermissionError):
    """The keys are wrong, or a policy denies the request."""


class S3ExistsError(S3Error, FileExistsError):
    """The bucket or object exists already."""


class ObjectChangedError(S3Error):
    """The object was overwritten while it was read. Open it again to read the new version."""


_ERRNO = {
    "BucketNotEmpty": errno.ENOTEMPTY,
    "EntityTooLarge": errno.EFBIG,
    "InsufficientStorage": errno.ENOSPC,
    "InvalidArgument": errno.EINVAL,
    "InvalidBucketName": errno.EINVAL,
    "InvalidRange": errno.EINVAL,
    "KeyTooLongError": errno.ENAMETOOLONG,
    "NotImplemented": errno.ENOTSUP,
    "QuotaExceeded": errno.EDQUOT,
}

_Kind = TypeVar("_Kind", bound=S3Error)


def of(status: int, body: bytes, path: str) -> S3Error:
    """The exception for a response with an error.

    :param path: the bucket, or bucket/key, that the request was about
    """
    code, message = _parse(body)
    return make(status, code, message, path)


def make(status: int, code: str, message: str, path: str) -> S3Error:
    """The exception for a code. Answers to HEAD have none: then the status decides."""
    text = f"{code or status}: {message}" if message else f"{code or 'HTTP status'} ({status})"
    if status == 404:
        return _error(S3NotFoundError, errno.ENOENT, text, path, code, status)
    if status == 403:
        return _error(S3PermissionError, errno.EACCES, text, path, code, status)
    if code == "BucketAlreadyOwnedByYou":
        return _error(S3ExistsError, errno.EEXIST, text, path, code, status)
    return _error(S3Error, _ERRNO.get(code, errno.EIO), text, path, code, status)


def changed(path: str) -> ObjectChangedError:
    """The answer to a read of a version that is no longer there."""
    text = "the object was overwritten while it was read; open it again"
    return _error(ObjectChangedError, errno.ESTALE, text, path, "PreconditionFailed", 412)


def exists(path: str, sent_again: bool = False) -> S3Error:
    """The answer to an exclusive write of a key that exists.

    :param sent_again: the write was sent before, and its first answer was lost
    """
    if sent_again:
        text = "the key exists now; an answer was lost, so it may be this write that made it"
        return _error(S3Error, errno.EIO, text, path, "OutcomeUnknown", 412)
    return _error(S3ExistsError, errno.EEXIST, "the key exists", path, "PreconditionFailed", 412)


def _error(kind: type[_Kind], number: int, text: str, path: str, code: str, status: int) -> _Kind:
    error = kind(number, text, path)
    error.code = code
    error.status = status
    return error


_SAID = {"Code", "Message", "Resource", "RequestId", "HostId"}
_LONGEST_SHOWN = 200  # what a signature is made of is longer


def _parse(body: bytes) -> tuple[str, str]:
    """Code and message of an error document, XML of S3 calls or JSON of native ones."""
    if body.lstrip().startswith(b"{"):
        try:
            document = json.loads(body)
            return str(document.get("tcode", "")), str(document.get("message", ""))
        except ValueError:
            return "", ""
    try:
        root = ElementTree.fromstring(body) if body else None
    except ElementTree.ParseError:
        root = None
    if root is None:
        return "", body[:200].decode("utf-8", "replace").strip()
    message = [root.findtext("{*}Message") or ""]
    for element in root:
        name = element.tag.rpartition("}")[2]
        if name not in _SAID and len(element.text or "") <= _LONGEST_SHOWN:
            message.append(f"{name}: {element.text or ''}")
    return root.findtext("{*}Code") or "", " ".join(message)
