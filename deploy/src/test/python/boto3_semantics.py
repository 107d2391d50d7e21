"""boto3: headers, conditions, checksums, refusals."""

import base64
import binascii
import hashlib
import importlib.util
import socket
import urllib.request
from datetime import datetime, timedelta, timezone

import botocore.exceptions
from checks import ENDPOINT, MIB, check, check_of_ours, content, holds, md5, new_bucket_name, run, same, same_bytes
from raw_s3 import call, made, path_of, served
from s3_boto3 import client, refused

s3 = client()
BUCKET = new_bucket_name("semantics")
BODY = content("semantics", MIB + 11)


def b64(data):
    return base64.b64encode(data).decode()


def with_headers(**headers):
    """A client that sends these headers too, also those that this version of boto3 has no parameter for."""
    other = client(request_checksum_calculation="when_required")
    other.meta.events.register("before-sign.s3", lambda request, **_: [
        request.headers.add_header(name.replace("_", "-"), value) for name, value in headers.items()])
    return other


@check
def make_the_bucket():
    s3.create_bucket(Bucket=BUCKET)
    made(BUCKET)
    refused(409, ["BucketAlreadyOwnedByYou", "BucketAlreadyExists"], s3.create_bucket, Bucket=BUCKET)


@check
def user_metadata_and_content_headers():
    headers = {
        "ContentType": "image/jpeg",
        "ContentEncoding": "gzip",
        "ContentLanguage": "de",
        "ContentDisposition": 'attachment; filename="ä.jpg"'.encode("ascii", "replace").decode(),
        "CacheControl": "max-age=60",
    }
    metadata = {"label": "7", "mixed-case": "Value With Spaces", "long": "x" * 1500}
    s3.put_object(Bucket=BUCKET, Key="meta", Body=b"x", Metadata=metadata,
                  Expires=datetime(2030, 1, 2, 3, 4, 5, tzinfo=timezone.utc), **headers)
    for got in (s3.head_object(Bucket=BUCKET, Key="meta"), s3.get_object(Bucket=BUCKET, Key="meta")):
        same({name: got.get(name) for name in headers}, headers, "content headers")
        same(got["Metadata"], metadata, "user metadata")
        same(got["ExpiresString"], "Wed, 02 Jan 2030 03:04:05 GMT", "Expires")
    s3.put_object(Bucket=BUCKET, Key="plain", Body=b"x")
    same(s3.head_object(Bucket=BUCKET, Key="plain")["ContentType"], "binary/octet-stream", "default type")
    refused(400, ["MetadataTooLarge"], s3.put_object, Bucket=BUCKET, Key="fat", Body=b"", Metadata={"fat": "x" * 2100})


# MinIO takes the bytes of a header for UTF-8, S3 for ISO 8859-1.
@check_of_ours
def user_metadata_beyond_ascii():
    def returned(sent):
        served(call("PUT", path_of(BUCKET, "words"), headers={"x-amz-meta-text": sent}, body=b"x"))
        return s3.head_object(Bucket=BUCKET, Key="words")["Metadata"]["text"]

    same(returned("ÄMÄZÕÑ S3".encode().decode("latin-1")), "=?UTF-8?B?w4PChE3Dg8KEWsODwpXDg8KRIFMz?=", "raw bytes")
    same(returned("=?UTF-8?B?Y2Fmw6k=?="), "=?UTF-8?Q?caf=C3=A9?=", "a word")
    same(returned("=?utf-8?q?plain_text?="), "plain text", "a word of ASCII")
    s3.copy_object(Bucket=BUCKET, Key="words copied", CopySource={"Bucket": BUCKET, "Key": "meta"},
                   MetadataDirective="REPLACE", Metadata={"text": "=?UTF-8?B?5pel5pys?="})
    s3.copy_object(Bucket=BUCKET, Key="words", CopySource={"Bucket": BUCKET, "Key": "words copied"})
    same(s3.get_object(Bucket=BUCKET, Key="words")["Metadata"], {"text": "=?UTF-8?B?5pel5pys?="}, "a copy's")


@check
def content_encoding_loses_aws_chunked_only():
    for sent, kept in [("gzip", "gzip"), ("deflate,  gzip", "deflate,  gzip"), ("gzip, aws-chunked", "gzip"),
                       ("aws-chunked", None)]:
        s3.put_object(Bucket=BUCKET, Key="coded", Body=b"x", ContentEncoding=sent)
        same(s3.head_object(Bucket=BUCKET, Key="coded").get("ContentEncoding"), kept, sent)


@check
def times_are_in_whole_seconds():
    copied = s3.copy_object(Bucket=BUCKET, Key="timed", CopySource={"Bucket": BUCKET, "Key": "plain"})
    head = s3.head_object(Bucket=BUCKET, Key="timed")["LastModified"]
    listed = s3.list_objects_v2(Bucket=BUCKET, Prefix="timed")["Contents"][0]["LastModified"]
    same((copied["CopyObjectResult"]["LastModified"], listed), (head, head), "time of the copy and of the list")


@check
def response_headers_can_be_asked_for():
    got = s3.get_object(Bucket=BUCKET, Key="meta", ResponseContentType="text/plain",
                        ResponseContentDisposition="inline", ResponseCacheControl="no-store")
    same((got["ContentType"], got["ContentDisposition"], got["CacheControl"]), ("text/plain", "inline", "no-store"), "")


@check
def conditional_get():
    caching = {"cache-control": "max-age=60", "expires": "Wed, 02 Jan 2030 03:04:05 GMT"}
    etag = s3.put_object(Bucket=BUCKET, Key="cond", Body=BODY, CacheControl=caching["cache-control"],
                         Expires=caching["expires"])["ETag"]
    when = s3.head_object(Bucket=BUCKET, Key="cond")["LastModified"]
    hour = timedelta(hours=1)
    for read in (s3.get_object, s3.head_object):
        for fits in ({"IfMatch": etag}, {"IfMatch": "*"}, {"IfNoneMatch": '"other"'}, {"IfModifiedSince": when - hour},
                     {"IfUnmodifiedSince": when + hour}, {"IfMatch": etag, "IfUnmodifiedSince": when - hour}):
            same(read(Bucket=BUCKET, Key="cond", **fits)["ContentLength"], len(BODY), str(fits))
        for unchanged in ({"IfNoneMatch": etag}, {"IfNoneMatch": "*"}, {"IfModifiedSince": when},
                          {"IfNoneMatch": etag, "IfModifiedSince": when - hour}):
            got = refused(304, None, read, Bucket=BUCKET, Key="cond", **unchanged)["ResponseMetadata"]["HTTPHeaders"]
            same({name: got.get(name) for name in ["etag", "last-modified", *caching]},
                 {"etag": etag, "last-modified": when.strftime("%a, %d %b %Y %H:%M:%S GMT")} | caching, "headers of a 304")
        for failed in ({"IfMatch": '"other"'}, {"IfUnmodifiedSince": when - hour}):
            refused(412, None, read, Bucket=BUCKET, Key="cond", **failed)


@check
def conditional_put():
    refused(412, ["PreconditionFailed"], s3.put_object, Bucket=BUCKET, Key="cond", Body=b"no", IfNoneMatch="*")
    same_bytes(s3.get_object(Bucket=BUCKET, Key="cond")["Body"].read(), BODY, "after a refused PUT")
    s3.put_object(Bucket=BUCKET, Key="fresh", Body=b"first", IfNoneMatch="*")
    refused(412, ["PreconditionFailed"], s3.put_object, Bucket=BUCKET, Key="fresh", Body=b"2nd", IfNoneMatch="*")
    s3.put_object(Bucket=BUCKET, Key="fresh", Body=b"second", IfMatch=f'"{md5(b"first")}"')
    refused(412, ["PreconditionFailed"], s3.put_object, Bucket=BUCKET, Key="fresh", Body=b"3rd",
            IfMatch=f'"{md5(b"first")}"')
    same(s3.get_object(Bucket=BUCKET, Key="fresh")["Body"].read(), b"second", "the content")


@check
def a_write_has_one_condition():
    for headers in ({"If-None-Match": '"other"'}, {"If-None-Match": "*", "If-Match": '"other"'}):
        refused(501, ["NotImplemented"], with_headers(**headers).put_object, Bucket=BUCKET, Key="odd", Body=b"x")
    refused(404, ["NoSuchKey"], s3.put_object, Bucket=BUCKET, Key="odd", Body=b"x", IfMatch='"other"')
    refused(404, None, s3.head_object, Bucket=BUCKET, Key="odd")


@check
def conditional_deletions():
    etag = s3.put_object(Bucket=BUCKET, Key="kept", Body=BODY)["ETag"]
    when = s3.head_object(Bucket=BUCKET, Key="kept")["LastModified"].strftime("%a, %d %b %Y %H:%M:%S GMT")
    for failing in ({"If-Match": '"other"'}, {"x-amz-if-match-size": "3"},
                    {"x-amz-if-match-last-modified-time": "Sat, 21 Nov 2020 07:08:09 GMT"}):
        refused(412, ["PreconditionFailed"], with_headers(**failing).delete_object, Bucket=BUCKET, Key="kept")
    holding = {"If-Match": etag, "x-amz-if-match-size": str(len(BODY)), "x-amz-if-match-last-modified-time": when}
    with_headers(**holding).delete_object(Bucket=BUCKET, Key="kept")
    refused(404, None, s3.head_object, Bucket=BUCKET, Key="kept")
    with_headers(**{"x-amz-if-match-size": "3"}).delete_object(Bucket=BUCKET, Key="kept")
    refused(404, ["NoSuchKey"], with_headers(**{"If-Match": etag}).delete_object, Bucket=BUCKET, Key="kept")


@check
def deletions_of_many_have_a_result_each():
    for number in range(4):
        etag = s3.put_object(Bucket=BUCKET, Key=f"many/{number}", Body=b"the same")["ETag"]
    answer = s3.delete_objects(Bucket=BUCKET, Delete={"Objects": [
        {"Key": "many/0", "ETag": etag}, {"Key": "many/1", "ETag": '"other"'}, {"Key": "many/2", "Size": 3},
        {"Key": "many/3"}, {"Key": "many/4"}, {"Key": "many/5", "ETag": etag}]})
    same(sorted(each["Key"] for each in answer["Deleted"]), ["many/0", "many/3", "many/4"], "deleted")
    same(sorted((each["Key"], each["Code"]) for each in answer["Errors"]),
         [("many/1", "PreconditionFailed"), ("many/2", "PreconditionFailed"), ("many/5", "NoSuchKey")], "not deleted")
    left = s3.list_objects_v2(Bucket=BUCKET, Prefix="many/")["Contents"]
    same([each["Key"] for each in left], ["many/1", "many/2"], "left")


ALGORITHMS = {
    "CRC32": lambda data: b64(binascii.crc32(data).to_bytes(4, "big")),
    "SHA1": lambda data: b64(hashlib.sha1(data).digest()),
    "SHA256": lambda data: b64(hashlib.sha256(data).digest()),
}
if importlib.util.find_spec("awscrt"):
    from awscrt import checksums as crt

    ALGORITHMS["CRC32C"] = lambda data: b64(crt.crc32c(data).to_bytes(4, "big"))
    ALGORITHMS["CRC64NVME"] = lambda data: b64(crt.crc64nvme(data).to_bytes(8, "big"))
MEMENTO = b"Memento Mori"
KNOWN = {"CRC32C": ("4waSgw==", b"123456789"), "CRC64NVME": ("rosUhgp5mIg=", b"123456789"),  # the catalogue's check values
         "SHA512": (b64(hashlib.sha512(BODY).digest()), BODY), "MD5": (b64(hashlib.md5(BODY).digest()), BODY),
         # of the tests of Amazon's SDK for C++
         "XXHASH64": ("gpWjYMLp9XA=", MEMENTO), "XXHASH3": ("9RrF7krhuOI=", MEMENTO),
         "XXHASH128": ("AW5DBY+18wW7VuSsFyNFAg==", MEMENTO)}


@check
def checksums_are_verified_kept_and_returned():
    for name, of in ALGORITHMS.items():
        field = f"Checksum{name}"
        put = s3.put_object(Bucket=BUCKET, Key=f"sum/{name}", Body=BODY, ChecksumAlgorithm=name)
        same(put.get(field), of(BODY), f"{name} of the PUT")
        got = s3.get_object(Bucket=BUCKET, Key=f"sum/{name}", ChecksumMode="ENABLED")
        same(got.get(field), of(BODY), f"{name} of the GET")
        same_bytes(got["Body"].read(), BODY, name)
        same(s3.head_object(Bucket=BUCKET, Key=f"sum/{name}", ChecksumMode="ENABLED").get(field), of(BODY), "HEAD")
    part = s3.get_object(Bucket=BUCKET, Key="sum/CRC32", ChecksumMode="ENABLED", Range="bytes=0-9")
    same(part["Body"].read(), BODY[:10], "a range with checksums on")


@check
def all_of_them_as_headers():
    """Given as values, so that they need no library on the client's side."""
    for name, (value, body) in {**KNOWN, **{n: (of(BODY), BODY) for n, of in ALGORITHMS.items()}}.items():
        header = f"x-amz-checksum-{name.lower()}"
        key = f"given/{name}"
        with_headers(**{header: value}).put_object(Bucket=BUCKET, Key=key, Body=body)
        head = s3.head_object(Bucket=BUCKET, Key=key, ChecksumMode="ENABLED")
        same(head["ResponseMetadata"]["HTTPHeaders"].get(header), value, name)
        refused(400, ["InvalidRequest"], with_headers(**{header: value[1:]}).put_object, Bucket=BUCKET, Key=key, Body=b"")
        refused(400, ["BadDigest"], with_headers(**{header: value}).put_object, Bucket=BUCKET, Key=key, Body=b"other")
        refused(400, ["InvalidRequest"], with_headers(**{header: value, "x-amz-sdk-checksum-algorithm": "CRC16"}).put_object,
                Bucket=BUCKET, Key=key, Body=body)
        same_bytes(s3.get_object(Bucket=BUCKET, Key=key)["Body"].read(), body, f"what was there before, {name}")


@check
def a_wrong_checksum_stores_nothing():
    wrong = {"CRC32": "AAAAAA==", "CRC32C": "AAAAAA==", "CRC64NVME": "AAAAAAAAAAA=", "SHA1": b64(bytes(20)),
             "SHA256": b64(bytes(32))}
    for name, value in wrong.items():
        refused(400, ["BadDigest", "XAmzContentChecksumMismatch"], s3.put_object, Bucket=BUCKET, Key=f"bad/{name}",
                Body=BODY, **{f"Checksum{name}": value})
        refused(404, None, s3.head_object, Bucket=BUCKET, Key=f"bad/{name}")
    refused(400, ["BadDigest"], s3.put_object, Bucket=BUCKET, Key="bad/md5", Body=BODY, ContentMD5=b64(bytes(16)))
    refused(400, ["InvalidDigest"], s3.put_object, Bucket=BUCKET, Key="bad/md5", Body=BODY, ContentMD5="no md5")
    same(s3.list_objects_v2(Bucket=BUCKET, Prefix="bad/")["KeyCount"], 0, "stored")
    s3.put_object(Bucket=BUCKET, Key="bad/kept", Body=BODY, ContentMD5=b64(hashlib.md5(BODY).digest()))
    refused(400, ["BadDigest"], s3.put_object, Bucket=BUCKET, Key="bad/kept", Body=b"new", ContentMD5=b64(bytes(16)))
    same_bytes(s3.get_object(Bucket=BUCKET, Key="bad/kept")["Body"].read(), BODY, "what was there before")


@check
def multipart_checksums():
    key = "sum/multipart"
    upload = s3.create_multipart_upload(Bucket=BUCKET, Key=key, ChecksumAlgorithm="SHA256")["UploadId"]
    bodies = [content("first", 5 * MIB), content("second", 999)]
    parts = []
    for number, body in enumerate(bodies, 1):
        part = s3.upload_part(Bucket=BUCKET, Key=key, UploadId=upload, PartNumber=number, Body=body,
                              ChecksumAlgorithm="SHA256")
        same(part["ChecksumSHA256"], b64(hashlib.sha256(body).digest()), "a part's checksum")
        parts.append({"PartNumber": number, "ETag": part["ETag"], "ChecksumSHA256": part["ChecksumSHA256"]})
    done = s3.complete_multipart_upload(Bucket=BUCKET, Key=key, UploadId=upload, MultipartUpload={"Parts": parts})
    expected = b64(hashlib.sha256(b"".join(hashlib.sha256(b).digest() for b in bodies)).digest()) + "-2"
    same(done["ChecksumSHA256"], expected, "the checksum of checksums")
    same(s3.head_object(Bucket=BUCKET, Key=key, ChecksumMode="ENABLED")["ChecksumSHA256"], expected, "HEAD")
    got = s3.get_object(Bucket=BUCKET, Key=key, ChecksumMode="ENABLED")["Body"].read()
    same_bytes(got, b"".join(bodies))


@check
def what_is_missing():
    refused(404, ["NoSuchKey"], s3.get_object, Bucket=BUCKET, Key="missing")
    refused(404, None, s3.head_object, Bucket=BUCKET, Key="missing")
    absent = new_bucket_name("absent")
    refused(404, ["NoSuchBucket"], s3.get_object, Bucket=absent, Key="x")
    refused(404, ["NoSuchBucket"], s3.put_object, Bucket=absent, Key="x", Body=b"x")
    refused(404, ["NoSuchBucket"], s3.list_objects_v2, Bucket=absent)
    refused(404, ["NoSuchBucket"], s3.list_objects, Bucket=absent)
    refused(404, ["NoSuchBucket"], s3.delete_bucket, Bucket=absent)
    refused(404, ["NoSuchBucket"], s3.create_multipart_upload, Bucket=absent, Key="x")
    refused(404, ["NoSuchBucket"], s3.delete_objects, Bucket=absent, Delete={"Objects": [{"Key": "x"}]})
    refused(404, ["NoSuchUpload"], s3.upload_part, Bucket=BUCKET, Key="x", UploadId="none", PartNumber=1, Body=b"x")


# What Terraform reads of a bucket that it has made, and s3cmd, rclone and backup tools of theirs.
@check_of_ours
def what_is_not_configured_is_told():
    same(s3.get_bucket_acl(Bucket=BUCKET)["Grants"][0]["Permission"], "FULL_CONTROL", "bucket ACL")
    same(s3.get_object_acl(Bucket=BUCKET, Key="plain")["Grants"][0]["Permission"], "FULL_CONTROL", "object ACL")
    same(s3.get_object_tagging(Bucket=BUCKET, Key="plain")["TagSet"], [], "object tags")
    same(s3.get_bucket_versioning(Bucket=BUCKET).get("Status"), None, "versioning")
    same(s3.get_bucket_accelerate_configuration(Bucket=BUCKET).get("Status"), None, "acceleration")
    same(s3.get_bucket_request_payment(Bucket=BUCKET)["Payer"], "BucketOwner", "payer")
    same(s3.get_bucket_logging(Bucket=BUCKET).get("LoggingEnabled"), None, "logging")
    s3.get_bucket_notification_configuration(Bucket=BUCKET)
    refused(404, ["NoSuchCORSConfiguration"], s3.get_bucket_cors, Bucket=BUCKET)
    refused(404, ["NoSuchWebsiteConfiguration"], s3.get_bucket_website, Bucket=BUCKET)
    refused(404, ["NoSuchLifecycleConfiguration"], s3.get_bucket_lifecycle_configuration, Bucket=BUCKET)
    refused(404, ["ReplicationConfigurationNotFoundError"], s3.get_bucket_replication, Bucket=BUCKET)
    refused(404, ["ObjectLockConfigurationNotFoundError"], s3.get_object_lock_configuration, Bucket=BUCKET)
    refused(404, ["NoSuchTagSet"], s3.get_bucket_tagging, Bucket=BUCKET)
    refused(404, ["NoSuchBucketPolicy"], s3.get_bucket_policy, Bucket=BUCKET)
    versions = s3.list_object_versions(Bucket=BUCKET, Prefix="plain")["Versions"]
    same([(v["Key"], v["VersionId"], v["IsLatest"]) for v in versions], [("plain", "null", True)], "versions")


@check
def tags_are_kept():
    tags = [{"Key": "team", "Value": "vision"}, {"Key": "a b", "Value": "\u00e4=1&2"}][:1]
    s3.put_object(Bucket=BUCKET, Key="tagged", Body=b"t", Tagging="team=vision")
    same(s3.get_object_tagging(Bucket=BUCKET, Key="tagged")["TagSet"], tags, "tags")
    same(s3.get_object(Bucket=BUCKET, Key="tagged")["TagCount"], 1, "tag count")
    s3.copy_object(Bucket=BUCKET, Key="copied", CopySource={"Bucket": BUCKET, "Key": "tagged"})
    same(s3.get_object_tagging(Bucket=BUCKET, Key="copied")["TagSet"], tags, "tags of the copy")
    s3.put_bucket_tagging(Bucket=BUCKET, Tagging={"TagSet": tags})
    same(s3.get_bucket_tagging(Bucket=BUCKET)["TagSet"], tags, "tags of the bucket")
    s3.delete_bucket_tagging(Bucket=BUCKET)
    refused(404, ["NoSuchTagSet"], s3.get_bucket_tagging, Bucket=BUCKET)


@check
def cors_rules_are_kept():
    rule = {"AllowedOrigins": ["https://*.example.com"], "AllowedMethods": ["GET", "PUT"], "MaxAgeSeconds": 60}
    s3.put_bucket_cors(Bucket=BUCKET, CORSConfiguration={"CORSRules": [rule]})
    same(s3.get_bucket_cors(Bucket=BUCKET)["CORSRules"], [rule], "CORS rules")
    s3.delete_bucket_cors(Bucket=BUCKET)
    refused(404, ["NoSuchCORSConfiguration"], s3.get_bucket_cors, Bucket=BUCKET)


@check
def attributes_of_an_object_are_told():
    s3.put_object(Bucket=BUCKET, Key="attributes", Body=b"0123456789", ChecksumAlgorithm="SHA256")
    told = s3.get_object_attributes(
        Bucket=BUCKET, Key="attributes", ObjectAttributes=["ETag", "Checksum", "ObjectParts", "StorageClass", "ObjectSize"]
    )
    same((told["ObjectSize"], told["StorageClass"], told.get("ObjectParts")), (10, "STANDARD", None), "attributes")
    same(told["ETag"], s3.head_object(Bucket=BUCKET, Key="attributes")["ETag"].strip('"'), "ETag")
    same(told["Checksum"]["ChecksumType"], "FULL_OBJECT", "checksum's type")


@check_of_ours
def what_is_not_served_says_so():
    wrong = []
    for call, more in [
        (s3.get_object_torrent, {"Key": "plain"}),
        (s3.get_object_retention, {"Key": "plain"}),
        (s3.put_object_tagging, {"Key": "plain", "Tagging": {"TagSet": [{"Key": "a", "Value": "b"}]}}),
        (s3.delete_bucket_website, {}),
        (s3.put_bucket_versioning, {"VersioningConfiguration": {"Status": "Enabled"}}),
        (s3.restore_object, {"Key": "plain", "RestoreRequest": {"Days": 1}}),
        (s3.put_object, {"Key": "enc", "Body": b"x", "ServerSideEncryption": "aws:kms"}),
    ]:
        try:
            refused(501, ["NotImplemented"], call, Bucket=BUCKET, **more)
        except AssertionError as error:
            wrong.append(f"{call.__name__}: {error}")
    same(wrong, [], "not refused as not implemented")


@check_of_ours
def errors_say_what_s3_says():
    def error(call, **arguments):
        try:
            call(**arguments)
        except botocore.exceptions.ClientError as failure:
            return failure.response["Error"]
        raise AssertionError("not refused")

    s3.put_object(Bucket=BUCKET, Key="empty", Body=b"")
    s3.put_object(Bucket=BUCKET, Key="three", Body=b"abc")
    same(error(s3.get_object, Bucket=BUCKET, Key="none").get("Key"), "none", "the key that is not there")
    same(error(s3.list_objects_v2, Bucket="no-such-bucket").get("BucketName"), "no-such-bucket", "the bucket")
    for key, size, asked in (("three", "3", "bytes=3-"), ("empty", "0", "bytes=0-")):
        outside = error(s3.get_object, Bucket=BUCKET, Key=key, Range=asked)
        same((outside.get("ActualObjectSize"), outside.get("RangeRequested")), (size, asked), "the range outside")
    answer = s3.get_object(Bucket=BUCKET, Key="empty", Range="bytes=-5")
    same((answer["ResponseMetadata"]["HTTPStatusCode"], answer["Body"].read()), (200, b""), "the end of nothing")
    s3.delete_objects(Bucket=BUCKET, Delete={"Objects": [{"Key": "empty"}, {"Key": "three"}]})


@check_of_ours
def buckets_are_listed_by_pages_and_prefix():
    stem = new_bucket_name("paged")
    names = [f"{stem}-{letter}" for letter in "abc"]
    for name in reversed(names):
        s3.create_bucket(Bucket=name)
    first = s3.list_buckets(Prefix=stem, MaxBuckets=2)
    same([bucket["Name"] for bucket in first["Buckets"]], names[:2], "first page")
    same((first["Prefix"], first["Buckets"][0]["BucketRegion"]), (stem, "us-east-1"), "prefix and region")
    rest = s3.list_buckets(Prefix=stem, MaxBuckets=2, ContinuationToken=first["ContinuationToken"])
    same([bucket["Name"] for bucket in rest["Buckets"]], names[2:], "second page")
    same("ContinuationToken" in rest, False, "a token of the last page")
    pages = s3.get_paginator("list_buckets").paginate(Prefix=stem, PaginationConfig={"PageSize": 1})
    same([bucket["Name"] for page in pages for bucket in page["Buckets"]], names, "pages of one")
    same(s3.list_buckets(Prefix=stem, BucketRegion="eu-west-1")["Buckets"], [], "another region")
    refused(400, ["InvalidArgument"], s3.list_buckets, MaxBuckets=10_001)
    for name in names:
        s3.delete_bucket(Bucket=name)


@check_of_ours
def buckets_in_the_host_on_loopback():
    ask = socket.getaddrinfo
    socket.getaddrinfo = lambda host, *rest, **more: ask("127.0.0.1" if host.endswith(".localhost") else host, *rest, **more)
    try:
        there = client(endpoint=ENDPOINT.replace("127.0.0.1", "localhost"), s3={"addressing_style": "virtual"})
        there.put_object(Bucket=BUCKET, Key="v1/by host", Body=b"by host")
        same(s3.get_object(Bucket=BUCKET, Key="v1/by host")["Body"].read(), b"by host", "by path")
        same([o["Key"] for o in there.list_objects_v2(Bucket=BUCKET, Prefix="v1/")["Contents"]], ["v1/by host"], "list")
        url = there.generate_presigned_url("get_object", {"Bucket": BUCKET, "Key": "v1/by host"})
        holds(f"//{BUCKET}.localhost" in url and "AWSAccessKeyId" in url, url)
        with urllib.request.urlopen(url, timeout=30) as answer:
            same(answer.read(), b"by host", "presigned with SigV2")
    finally:
        socket.getaddrinfo = ask


@check
def names_that_no_bucket_may_have():
    for name in ("UPPER", "ab", "has_underscore", "-dash", "192.168.1.1"):
        raw = client()
        raw.meta.events.unregister("before-parameter-build.s3")
        refused(400, ["InvalidBucketName"], raw.create_bucket, Bucket=name)


@check_of_ours
def reserved_bucket_names():
    for name in ("metrics", "health"):
        refused(400, ["InvalidBucketName"], s3.create_bucket, Bucket=name)


@check
def clean_up():
    keys = [o["Key"] for o in s3.list_objects_v2(Bucket=BUCKET)["Contents"]]
    s3.delete_objects(Bucket=BUCKET, Delete={"Objects": [{"Key": k} for k in keys]})
    s3.delete_bucket(Bucket=BUCKET)


run()
