"""Makes signatures.tsv, the golden vectors of SignatureVectorsTest, with botocore as the signer.

Run by hand, with boto3 1.43 installed, only when a case is added:
    python3 common/src/test/python/signature_vectors.py > common/src/test/resources/dev/sluice/common/auth/signatures.tsv
One line per request: scheme, unix time, method, path, query, then headers as name=value with a tab between.
"""

import datetime
import sys
import time
from unittest import mock

import boto3
import botocore.auth
import botocore.awsrequest
import botocore.config
import botocore.credentials

KEY, SECRET = "AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"
NOW = datetime.datetime(2026, 11, 5, 12, 34, 56)
UNIX = int(NOW.replace(tzinfo=datetime.timezone.utc).timestamp())
KEYS = [
    "plain.tar", "a b", "a+b", "ünïcödé/日本語", "a//b", "../up", "a/./b/..", "tilde~x", "per%cent%2Fslash",
    "q?x=y&z", "#hash", "semi;colon,comma", "trailing/", "=!$'()*:@", "\"quoted\"", "emoji-😀",
]


def emit(scheme, request):
    url = request.url.split("://", 1)[1]
    host, _, rest = url.partition("/")
    path, _, query = ("/" + rest).partition("?")
    headers = {name: (value.decode() if isinstance(value, bytes) else value) for name, value in request.headers.items()}
    headers = {n: v for n, v in headers.items() if n != "User-Agent" and not n.startswith("amz-sdk")}  # never signed
    headers.setdefault("Host", host)
    print("\t".join([scheme, str(UNIX), request.method, path, query] + [f"{n}={v}" for n, v in headers.items()]))


def client(version, **more):
    return boto3.client(
        "s3", endpoint_url="http://127.0.0.1:8080", region_name="us-east-1", aws_access_key_id=KEY,
        aws_secret_access_key=SECRET, config=botocore.config.Config(signature_version=version, **more))


class Sent(Exception):
    pass


def capture(s3, operation, **arguments):
    caught = []

    def before_send(request, **_):
        caught.append(request)
        raise Sent()

    s3.meta.events.register("before-send.s3", before_send)
    try:
        getattr(s3, operation)(**arguments)
    except Sent:
        pass
    finally:
        s3.meta.events.unregister("before-send.s3", before_send)
    return caught[0]


def presigned(s3, operation, params, method=None, headers=None):
    url = s3.generate_presigned_url(operation, Params=params, ExpiresIn=3600, HttpMethod=method)
    verb = method or {"get_object": "GET", "put_object": "PUT", "list_objects_v2": "GET", "upload_part": "PUT",
                      "delete_object": "DELETE"}[operation]
    return botocore.awsrequest.AWSRequest(verb, url, headers=headers or {})


def main():
    sys.stdout.reconfigure(encoding="utf-8", newline="\n")
    v4, v2 = client("s3v4"), client("s3")
    for scheme, s3 in (("v4-header", v4), ("v2-header", v2)):
        for key in KEYS:
            emit(scheme, capture(s3, "get_object", Bucket="bucket", Key=key, Range="bytes=0-9"))
            emit(scheme, capture(s3, "put_object", Bucket="bucket", Key=key, Body=b"hello", ContentType="text/plain",
                                 Metadata={"first": "one  two", "second": "x,y"}))
        emit(scheme, capture(s3, "list_buckets"))
        emit(scheme, capture(s3, "list_objects_v2", Bucket="bucket", Prefix="a b/ü+", Delimiter="/", MaxKeys=3))
        emit(scheme, capture(s3, "create_multipart_upload", Bucket="bucket", Key="a b"))
        emit(scheme, capture(s3, "upload_part", Bucket="bucket", Key="a b", UploadId="u+/=", PartNumber=2, Body=b"x"))
        emit(scheme, capture(s3, "delete_objects", Bucket="bucket", Delete={"Objects": [{"Key": "a"}]}))
        emit(scheme, capture(s3, "copy_object", Bucket="bucket", Key="b", CopySource="bucket/a b"))
    for scheme, s3 in (("v4-query", v4), ("v2-query", v2)):
        for key in KEYS:
            emit(scheme, presigned(s3, "get_object", {"Bucket": "bucket", "Key": key}))
            emit(scheme, presigned(s3, "get_object", {
                "Bucket": "bucket", "Key": key, "ResponseContentDisposition": "attachment; filename=\"ü +.txt\""}))
            emit(scheme, presigned(s3, "put_object", {"Bucket": "bucket", "Key": key}))
        emit(scheme, presigned(s3, "put_object", {"Bucket": "bucket", "Key": "a", "ContentType": "text/plain"},
                               headers={"Content-Type": "text/plain"}))
        emit(scheme, presigned(
            s3, "put_object", {"Bucket": "bucket", "Key": "a", "ContentType": "x/y", "Metadata": {"first": "b c"}},
            headers={"Content-Type": "x/y", "x-amz-meta-first": "b c"}))
        emit(scheme, presigned(s3, "upload_part", {"Bucket": "bucket", "Key": "a b", "UploadId": "u+/=", "PartNumber": 2}))
        emit(scheme, presigned(s3, "delete_object", {"Bucket": "bucket", "Key": "a b"}))
        emit(scheme, presigned(s3, "list_objects_v2", {"Bucket": "bucket", "Prefix": "a b"}))


class FixedTime(datetime.datetime):
    @classmethod
    def now(cls, tz=None):
        return NOW.replace(tzinfo=tz)

    @classmethod
    def utcnow(cls):
        return NOW


with mock.patch.object(botocore.auth, "get_current_datetime", lambda *a, **k: NOW), \
        mock.patch.object(time, "time", lambda: float(UNIX)), \
        mock.patch.object(botocore.auth, "formatdate",
                          lambda *a, **k: NOW.strftime("%a, %d %b %Y %H:%M:%S GMT")):
    main()
