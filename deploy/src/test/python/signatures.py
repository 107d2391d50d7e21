"""Who may do what: signatures right and wrong, in headers, queries and chunks."""

import base64
import binascii
import hashlib
import re
import urllib.error
import urllib.request
from datetime import datetime, timedelta, timezone

from checks import (ACCESS_KEY, MIB, SECRET_KEY, check, check_of_ours, content, holds, md5, new_bucket_name, run, same,
                    same_bytes)
from raw_s3 import Signer, call, canonical_query, made, path_of, refused, send, served
from s3_boto3 import client
from s3_boto3 import refused as boto3_refused

s3 = client()
BUCKET = new_bucket_name("signed")
BODY = content("signed", 300_000)
PATH = path_of(BUCKET, "held/object")


def get(key):
    return s3.get_object(Bucket=BUCKET, Key=key)["Body"].read()


def opened(url, method="GET", body=None, headers=()):
    """urllib as a user has it: the status and the body, also of a refusal."""
    request = urllib.request.Request(url, data=body, method=method, headers=dict(headers))
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as refusal:
        return refusal.code, refusal.read()


@check
def make_the_bucket():
    s3.create_bucket(Bucket=BUCKET)
    made(BUCKET)
    s3.put_object(Bucket=BUCKET, Key="held/object", Body=BODY)


@check
def wrong_keys():
    wrong_secret = client(secret_key="not" + SECRET_KEY)
    unknown = client(access_key="NOBODYKNOWSTHISKEY00")
    for who, code in ((wrong_secret, "SignatureDoesNotMatch"), (unknown, "InvalidAccessKeyId")):
        boto3_refused(403, [code], who.get_object, Bucket=BUCKET, Key="held/object")
        boto3_refused(403, [code], who.put_object, Bucket=BUCKET, Key="intruder", Body=b"x")
        boto3_refused(403, [code], who.list_objects_v2, Bucket=BUCKET)
        boto3_refused(403, [code], who.delete_object, Bucket=BUCKET, Key="held/object")
        boto3_refused(403, [code], who.create_bucket, Bucket=new_bucket_name("intruder"))
        boto3_refused(403, [code], who.list_buckets)
        boto3_refused(403, None, who.head_object, Bucket=BUCKET, Key="held/object")
    boto3_refused(404, None, s3.head_object, Bucket=BUCKET, Key="intruder")


@check_of_ours
def signature_version_2_in_headers():
    who = client(signature_version="s3")
    boto3_refused(400, ["InvalidRequest"], who.get_object, Bucket=BUCKET, Key="held/object")
    boto3_refused(400, ["InvalidRequest"], who.put_object, Bucket=BUCKET, Key="intruder", Body=b"x")
    boto3_refused(400, ["InvalidRequest"], who.list_buckets)
    boto3_refused(404, None, s3.head_object, Bucket=BUCKET, Key="intruder")


@check
def no_signature():
    for method, target in (("GET", PATH), ("PUT", PATH), ("DELETE", PATH), ("GET", f"/{BUCKET}"), ("GET", "/")):
        refused(send(method, target), 403, "AccessDenied")
    same_bytes(get("held/object"), BODY)


@check
def a_changed_request_does_not_match():
    headers = Signer().headers("GET", PATH)
    served(send("GET", PATH, headers))
    refused(send("GET", path_of(BUCKET, "held/other"), headers), 403, "SignatureDoesNotMatch")
    refused(send("DELETE", PATH, headers), 403, "SignatureDoesNotMatch")
    refused(send("GET", f"{PATH}?uploadId=1", headers), 403, "SignatureDoesNotMatch")
    refused(send("GET", PATH, headers | {"x-amz-date": Signer(now=datetime.now(timezone.utc) - timedelta(minutes=2)).time}),
            403, "SignatureDoesNotMatch", "AccessDenied")


@check
def old_and_early_requests():
    for minutes in (-20, 20):
        then = datetime.now(timezone.utc) + timedelta(minutes=minutes)
        refused(send("GET", PATH, Signer(now=then).headers("GET", PATH)), 403, "RequestTimeTooSkewed")
    for minutes in (-10, 10):
        then = datetime.now(timezone.utc) + timedelta(minutes=minutes)
        served(send("GET", PATH, Signer(now=then).headers("GET", PATH)))


@check_of_ours
def another_region_is_named():
    refused(send("GET", PATH, Signer(region="eu-west-1").headers("GET", PATH)), 400, "AuthorizationHeaderMalformed")


@check_of_ours
def every_amz_header_is_signed():
    for name, value in (("x-amz-copy-source", f"/{BUCKET}/held/object"), ("x-amz-meta-added", "later")):
        path = path_of(BUCKET, "unsigned header")
        refused(call("PUT", path, unsigned={name: value}), 403, "AccessDenied", "SignatureDoesNotMatch")
    boto3_refused(404, None, s3.head_object, Bucket=BUCKET, Key="unsigned header")


@check
def a_body_that_is_not_the_signed_one():
    path = path_of(BUCKET, "other body")
    headers = Signer().headers("PUT", path, payload=hashlib.sha256(b"what was signed").hexdigest())
    refused(send("PUT", path, headers, b"what was sentt!"), 400, "XAmzContentSHA256Mismatch")
    boto3_refused(404, None, s3.head_object, Bucket=BUCKET, Key="other body")


@check
def presigned_by_boto3():
    for signature in (None, "s3v4"):  # boto3's default for such an endpoint is SigV2
        who = client(signature_version=signature) if signature else s3
        url = who.generate_presigned_url("get_object", {"Bucket": BUCKET, "Key": "held/object"}, ExpiresIn=60)
        same("X-Amz-Signature" in url, signature == "s3v4", url)
        status, body = opened(url)
        same(status, 200, f"{body[:300]!r}")
        same_bytes(body, BODY)
        same(opened(url, headers={"Range": "bytes=10-19"}), (206, BODY[10:20]), "a range")
        same(opened(url.replace("held/object", "held/objecu"))[0], 403, "another key")
        same(opened(url, method="DELETE")[0], 403, "another method")
        same(opened(url[:-1] + ("0" if url[-1] != "0" else "1"))[0], 403, "a changed URL")
        key = f"put by url {signature}"
        url = who.generate_presigned_url("put_object", {"Bucket": BUCKET, "Key": key}, ExpiresIn=60)
        status, body = opened(url, "PUT", BODY[:100_000], {"Content-Type": ""} if signature is None else ())
        same(status, 200, f"{body[:300]!r}")
        same_bytes(get(key), BODY[:100_000])
        url = who.generate_presigned_url(
            "get_object",
            {"Bucket": BUCKET, "Key": key, "ResponseContentType": "text/x-odd", "ResponseContentDisposition": "inline; a=b"})
        with urllib.request.urlopen(url, timeout=30) as answer:
            same((answer.headers["Content-Type"], answer.headers["Content-Disposition"]), ("text/x-odd", "inline; a=b"), "")
        head = who.generate_presigned_url("head_object", {"Bucket": BUCKET, "Key": "held/object"})
        same(opened(head, "HEAD")[0], 200, "HEAD")


@check
def presigned_by_hand():
    same_bytes(served(send("GET", Signer().presigned("GET", PATH))).body, BODY)
    earlier = Signer(now=datetime.now(timezone.utc) - timedelta(minutes=10))
    refused(send("GET", earlier.presigned("GET", PATH, seconds=60)), 403, "AccessDenied")
    refused(send("GET", Signer(secret_key="wrong").presigned("GET", PATH)), 403, "SignatureDoesNotMatch")
    refused(send("GET", Signer(access_key="WRONG").presigned("GET", PATH)), 403, "InvalidAccessKeyId")
    refused(send("GET", Signer().presigned("GET", PATH, seconds=8 * 24 * 3600)), 400, "AuthorizationQueryParametersError")
    path = path_of(BUCKET, "put by hand")
    served(send("PUT", Signer().presigned("PUT", path), body=BODY))
    same_bytes(get("put by hand"), BODY)


@check_of_ours
def a_query_given_twice():
    url = Signer().presigned("GET", PATH)
    refused(send("GET", f"{url}&X-Amz-Expires=100000"), 400)


@check
def an_expired_sigv2_url():
    url = s3.generate_presigned_url("get_object", {"Bucket": BUCKET, "Key": "held/object"}, ExpiresIn=-100)
    same(opened(url)[0], 403, "status")


def presigned(operation, method, key, body=None, who=s3, **arguments):
    """One request by a URL of boto3's default signature, SigV2."""
    url = who.generate_presigned_url(operation, {"Bucket": BUCKET, "Key": key} | arguments, ExpiresIn=60)
    same("X-Amz-Signature" in url, False, url)
    return opened(url, method, body, {"Content-Type": ""})


@check
def everything_of_an_object_by_sigv2_urls():
    key = "by url/ä b+c"
    same(presigned("put_object", "PUT", key, b"first", Metadata={"kept": "yes"})[0], 200, "PutObject")
    same(s3.head_object(Bucket=BUCKET, Key=key)["Metadata"], {"kept": "yes"}, "metadata in the URL")
    same(presigned("copy_object", "PUT", f"{key} copied", CopySource={"Bucket": BUCKET, "Key": key})[0], 200, "CopyObject")
    same(get(f"{key} copied"), b"first", "the copy")
    status, said = presigned("create_multipart_upload", "POST", key)
    same(status, 200, "CreateMultipartUpload")
    upload = {"UploadId": re.search(rb"<UploadId>(.*)</UploadId>", said).group(1).decode()}
    same(presigned("upload_part", "PUT", key, BODY, PartNumber=1, **upload)[0], 200, "UploadPart")
    copied = presigned("upload_part_copy", "PUT", key, PartNumber=2, CopySource={"Bucket": BUCKET, "Key": key}, **upload)
    same(copied[0], 200, f"UploadPartCopy {copied}")
    status, said = presigned("list_parts", "GET", key, **upload)
    same((status, re.findall(rb"<PartNumber>(.)<", said)), (200, [b"1", b"2"]), "ListParts")
    document = f"<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>{md5(BODY)}</ETag></Part></CompleteMultipartUpload>"
    status, said = presigned("complete_multipart_upload", "POST", key, document.encode(), **upload)
    same((status, b"<ETag>" in said), (200, True), f"CompleteMultipartUpload {said}")
    same_bytes(get(key), BODY)
    upload = {"UploadId": s3.create_multipart_upload(Bucket=BUCKET, Key=key)["UploadId"]}
    same(presigned("abort_multipart_upload", "DELETE", key, **upload)[0], 204, "AbortMultipartUpload")
    boto3_refused(404, ["NoSuchUpload"], s3.list_parts, Bucket=BUCKET, Key=key, **upload)
    same(presigned("delete_object", "DELETE", key)[0], 204, "DeleteObject")
    boto3_refused(404, None, s3.head_object, Bucket=BUCKET, Key=key)


@check_of_ours
def what_is_added_to_a_sigv2_url_does_nothing_else():
    url = s3.generate_presigned_url("get_object", {"Bucket": BUCKET, "Key": "held/object"}, ExpiresIn=60)
    for signed in ("uploadId=u", "partNumber=1", "acl", "tagging", "uploads", "versionId=null", "response-expires=0",
                   "x-amz-checksum-mode=ENABLED", "X-Amz-Copy-Source=/a/b"):
        same(opened(f"{url}&{signed}")[0], 403, signed)
    for unsigned in ("max-parts=1", "x-id=DeleteObject", "prefix=a", "X%20Amz-Acl=private", "list-type=2"):
        same(opened(f"{url}&{unsigned}"), (200, BODY), unsigned)
    same(opened(f"{url}&legal-hold")[0], 501, "an action that is not served")
    url = s3.generate_presigned_url("put_object", {"Bucket": BUCKET, "Key": "never"}, ExpiresIn=60)
    for added in ("legal-hold", "x-amz-copy-source=%2Fa%2Fb", "x-amz-meta-a=1", "tagging", "uploadId=u&partNumber=1"):
        holds(opened(f"{url}&{added}", "PUT", b"x", {"Content-Type": ""})[0] in (403, 501), added)
    boto3_refused(404, None, s3.head_object, Bucket=BUCKET, Key="never")


@check_of_ours
def sigv2_urls_are_for_objects_only():
    for operation, arguments in (("list_objects_v2", {"Bucket": BUCKET}), ("get_bucket_location", {"Bucket": BUCKET})):
        url = s3.generate_presigned_url(operation, arguments, ExpiresIn=60)
        same("X-Amz-Signature" in url, False, url)
        same(opened(url)[0], 400, operation)
    url = s3.generate_presigned_url("get_object", {"Bucket": BUCKET, "Key": "held/object"}, ExpiresIn=8 * 24 * 3600)
    same(opened(url)[0], 403, "eight days")


def chunks_of(data, size=70_000):
    return [data[at : at + size] for at in range(0, len(data), size)] + [b""]


def chunked_put(key, payload, body_of, trailer=None, decoded=len(BODY), more=()):
    path = path_of(BUCKET, key)
    headers = {"content-encoding": "aws-chunked", "x-amz-decoded-content-length": str(decoded)} | dict(more)
    if trailer:
        headers["x-amz-trailer"] = trailer
    signer = Signer()
    signed = signer.headers("PUT", path, headers=headers, payload=payload)
    return send("PUT", path, signed, body_of(signer))


SIGNED = "STREAMING-AWS4-HMAC-SHA256-PAYLOAD"
CRC32 = base64.b64encode(binascii.crc32(BODY).to_bytes(4, "big")).decode()


def unsigned_chunks(data):
    return b"".join(f"{len(chunk):x}\r\n".encode() + chunk + b"\r\n" for chunk in chunks_of(data)[:-1]) + b"0\r\n"


@check
def signed_chunks():
    served(chunked_put("chunks", SIGNED, lambda s: b"".join(s.chunk(chunk) for chunk in chunks_of(BODY))))
    same_bytes(get("chunks"), BODY)
    same(s3.head_object(Bucket=BUCKET, Key="chunks").get("ContentEncoding") in (None, ""), True, "no aws-chunked is kept")


@check
def signed_chunks_with_a_trailer():
    def body(signer):
        *full, end = [signer.chunk(chunk) for chunk in chunks_of(BODY)]
        return b"".join(full) + end[:-2] + signer.trailer("x-amz-checksum-crc32", CRC32)

    served(chunked_put("trailer", f"{SIGNED}-TRAILER", body, trailer="x-amz-checksum-crc32"))
    same_bytes(get("trailer"), BODY)
    head = s3.head_object(Bucket=BUCKET, Key="trailer", ChecksumMode="ENABLED")
    same(head.get("ChecksumCRC32"), CRC32, "the trailer's checksum is kept")


@check
def unsigned_chunks_with_a_trailer():
    payload, trailer = "STREAMING-UNSIGNED-PAYLOAD-TRAILER", "x-amz-checksum-crc32"
    end = f"{trailer}:{CRC32}\r\n\r\n".encode()
    served(chunked_put("plain chunks", payload, lambda _: unsigned_chunks(BODY) + end, trailer))
    same_bytes(get("plain chunks"), BODY)
    wrong = f"{trailer}:AAAAAA==\r\n\r\n".encode()
    refused(chunked_put("wrong sum", payload, lambda _: unsigned_chunks(BODY) + wrong, trailer), 400,
            "BadDigest", "XAmzContentChecksumMismatch")
    boto3_refused(404, None, s3.head_object, Bucket=BUCKET, Key="wrong sum")


@check
def aws_chunks_within_http_chunks():
    """As the C++ SDK sends them: no Content-Length at all."""
    trailer = "x-amz-checksum-crc32"
    inner = unsigned_chunks(BODY) + f"{trailer}:{CRC32}\r\n\r\n".encode()
    outer = b"".join(f"{len(c):x}\r\n".encode() + c + b"\r\n" for c in chunks_of(inner, 50_001)[:-1]) + b"0\r\n\r\n"
    path = path_of(BUCKET, "twice chunked")
    headers = {"content-encoding": "aws-chunked", "x-amz-decoded-content-length": str(len(BODY)), "x-amz-trailer": trailer}
    signed = Signer().headers("PUT", path, headers=headers, payload="STREAMING-UNSIGNED-PAYLOAD-TRAILER")
    served(send("PUT", path, signed | {"Transfer-Encoding": "chunked"}, outer))
    same_bytes(get("twice chunked"), BODY)


@check
def chunks_that_were_touched():
    def flipped(signer):
        full = b"".join(signer.chunk(chunk) for chunk in chunks_of(BODY))
        at = full.index(b"\r\n") + 100
        return full[:at] + bytes([full[at] ^ 1]) + full[at + 1 :]

    def cut_short(signer):
        return b"".join(signer.chunk(chunk) for chunk in (*chunks_of(BODY)[:2], b""))

    def last_unsigned(signer):
        return b"".join(signer.chunk(chunk) for chunk in chunks_of(BODY)[:-1]) + b"0;chunk-signature=" + b"0" * 64 + b"\r\n\r\n"

    refused(chunked_put("touched", SIGNED, flipped), 403, "SignatureDoesNotMatch")
    refused(chunked_put("touched", SIGNED, cut_short), 400, "IncompleteBody")
    refused(chunked_put("touched", SIGNED, last_unsigned), 403, "SignatureDoesNotMatch")
    boto3_refused(404, None, s3.head_object, Bucket=BUCKET, Key="touched")


@check
def a_length_that_is_not_given():
    path = path_of(BUCKET, "no length")
    headers = Signer().headers("PUT", path) | {"Transfer-Encoding": "chunked"}
    refused(send("PUT", path, headers, b"3\r\nabc\r\n0\r\n\r\n"), 411, "MissingContentLength")


@check_of_ours
def bodies_that_are_no_xml_or_too_much_of_it():
    path = f"/{BUCKET}"
    bomb = b'<?xml version="1.0"?><!DOCTYPE d [<!ENTITY a "aaaaaaaaaa">]><Delete><Object><Key>&a;</Key></Object></Delete>'
    for body in (b"", b"<Delete", b"no xml", bomb, b"<Delete></Delete>",
                 b"<Delete>" + b"<Object><Key>k</Key></Object>" * 1001 + b"</Delete>"):
        md5 = base64.b64encode(hashlib.md5(body).digest()).decode()
        refused(call("POST", path, {"delete": ""}, {"content-md5": md5}, body), 400, "MalformedXML", "MissingRequestBodyError")


@check_of_ours
def the_longer_path_of_s3():
    path = f"/s3{PATH}"
    same_bytes(served(call("GET", path)).body, BODY)


@check
def clean_up():
    keys = [o["Key"] for o in s3.list_objects_v2(Bucket=BUCKET)["Contents"]]
    s3.delete_objects(Bucket=BUCKET, Delete={"Objects": [{"Key": k} for k in keys]})
    s3.delete_bucket(Bucket=BUCKET)


run()
