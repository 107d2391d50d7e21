"""boto3 with its defaults: what a training job does every day."""

import io

from boto3.s3.transfer import TransferConfig

from checks import MIB, check, check_of_ours, content, holds, md5, multipart_etag, new_bucket_name, run, same, same_bytes
from raw_s3 import made
from s3_boto3 import client, refused

s3 = client()
BUCKET = new_bucket_name("boto3")
SHARD = content("shard", 3 * MIB + 17)
BIG = content("big", 64 * MIB)


def get(key, **arguments):
    return s3.get_object(Bucket=BUCKET, Key=key, **arguments)["Body"].read()


@check
def create_head_list_locate_a_bucket():
    s3.create_bucket(Bucket=BUCKET)
    made(BUCKET)
    s3.head_bucket(Bucket=BUCKET)
    holds(BUCKET in [b["Name"] for b in s3.list_buckets()["Buckets"]], "the new bucket is not in ListBuckets")
    same(s3.get_bucket_location(Bucket=BUCKET)["LocationConstraint"], None, "location")


@check
def put_head_get():
    put = s3.put_object(Bucket=BUCKET, Key="train/shard-000.tar", Body=SHARD)
    same(put["ETag"], f'"{md5(SHARD)}"', "ETag of the PUT")
    head = s3.head_object(Bucket=BUCKET, Key="train/shard-000.tar")
    same(head["ContentLength"], len(SHARD), "length")
    same(head["ETag"], put["ETag"], "ETag of the HEAD")
    same(head["AcceptRanges"], "bytes", "Accept-Ranges")
    got = s3.get_object(Bucket=BUCKET, Key="train/shard-000.tar")
    same_bytes(got["Body"].read(), SHARD)
    same(got["ETag"], put["ETag"], "ETag of the GET")
    same(got["LastModified"], head["LastModified"], "Last-Modified")


@check
def empty_object():
    same(s3.put_object(Bucket=BUCKET, Key="empty", Body=b"")["ETag"], f'"{md5(b"")}"', "ETag")
    same(get("empty"), b"")
    same(s3.head_object(Bucket=BUCKET, Key="empty")["ContentLength"], 0, "length")
    s3.delete_object(Bucket=BUCKET, Key="empty")


@check
def overwrite():
    for turn in range(3):
        body = content(f"turn {turn}", 1000 + turn)
        s3.put_object(Bucket=BUCKET, Key="again", Body=body)
        same_bytes(get("again"), body)
    s3.delete_object(Bucket=BUCKET, Key="again")


@check
def ranges():
    size = len(SHARD)
    for header, first, last in [
        ("bytes=0-0", 0, 0),
        ("bytes=0-1023", 0, 1023),
        (f"bytes={MIB - 1}-{MIB}", MIB - 1, MIB),
        (f"bytes={2 * MIB}-", 2 * MIB, size - 1),
        ("bytes=-100", size - 100, size - 1),
        (f"bytes={size - 1}-{size + 1000}", size - 1, size - 1),
        (f"bytes=-{size * 2}", 0, size - 1),
    ]:
        got = s3.get_object(Bucket=BUCKET, Key="train/shard-000.tar", Range=header)
        same(got["ResponseMetadata"]["HTTPStatusCode"], 206, f"status of {header}")
        same(got["ContentRange"], f"bytes {first}-{last}/{size}", header)
        same_bytes(got["Body"].read(), SHARD[first : last + 1], header)
    refused(416, ["InvalidRange"], s3.get_object, Bucket=BUCKET, Key="train/shard-000.tar", Range=f"bytes={size}-")


@check_of_ours
def a_beside_a_slash_b():
    for key in ["a", "a/b", "a/b/c"]:
        s3.put_object(Bucket=BUCKET, Key=key, Body=key.encode())
    for key in ["a", "a/b", "a/b/c"]:
        same(get(key), key.encode(), key)
    same([o["Key"] for o in s3.list_objects_v2(Bucket=BUCKET, Prefix="a")["Contents"]], ["a", "a/b", "a/b/c"], "listing")
    got = s3.list_objects_v2(Bucket=BUCKET, Prefix="a", Delimiter="/")
    same([o["Key"] for o in got["Contents"]], ["a"], "keys")
    same([p["Prefix"] for p in got["CommonPrefixes"]], ["a/"], "prefixes")
    s3.delete_object(Bucket=BUCKET, Key="a/b")
    same([get("a"), get("a/b/c")], [b"a", b"a/b/c"], "what remains")
    for key in ["a", "a/b/c"]:
        s3.delete_object(Bucket=BUCKET, Key=key)
    same(s3.list_objects_v2(Bucket=BUCKET, Prefix="a")["KeyCount"], 0, "left")


LISTED = sorted([f"list/{folder}/{number:03}" for folder in "xyz" for number in range(9)] + ["list/top", "list/zz"])


@check
def list_pages_v2():
    for key in LISTED:
        s3.put_object(Bucket=BUCKET, Key=key, Body=key.encode())
    for page_size in (1, 4, 1000):
        pages = s3.get_paginator("list_objects_v2").paginate(
            Bucket=BUCKET, Prefix="list/", PaginationConfig={"PageSize": page_size}
        )
        got = [o for page in pages for o in page.get("Contents", [])]
        same([o["Key"] for o in got], LISTED, f"keys by {page_size}")
        same({o["Size"] for o in got if o["Key"] == "list/top"}, {8}, "size")
        same({o["ETag"] for o in got if o["Key"] == "list/top"}, {f'"{md5(b"list/top")}"'}, "ETag")
    first = s3.list_objects_v2(Bucket=BUCKET, Prefix="list/", MaxKeys=5)
    same((first["IsTruncated"], first["KeyCount"], first["MaxKeys"]), (True, 5, 5), "the first page")
    after = s3.list_objects_v2(Bucket=BUCKET, Prefix="list/", StartAfter="list/y/003")
    same([o["Key"] for o in after["Contents"]], [k for k in LISTED if k > "list/y/003"], "start-after")


@check
def list_pages_v1():
    for page_size in (1, 4, 1000):
        pages = s3.get_paginator("list_objects").paginate(
            Bucket=BUCKET, Prefix="list/", PaginationConfig={"PageSize": page_size}
        )
        same([o["Key"] for page in pages for o in page.get("Contents", [])], LISTED, f"keys by {page_size}")
    after = s3.list_objects(Bucket=BUCKET, Prefix="list/", Marker="list/y/003")
    same([o["Key"] for o in after["Contents"]], [k for k in LISTED if k > "list/y/003"], "marker")


@check
def list_with_a_delimiter():
    for operation in ("list_objects", "list_objects_v2"):
        for page_size in (1, 2, 1000):
            keys, prefixes = [], []
            for page in s3.get_paginator(operation).paginate(
                Bucket=BUCKET, Prefix="list/", Delimiter="/", PaginationConfig={"PageSize": page_size}
            ):
                entries = len(page.get("Contents", [])) + len(page.get("CommonPrefixes", []))
                holds(entries <= page_size, f"{entries} entries in a page of {page_size}")
                keys += [o["Key"] for o in page.get("Contents", [])]
                prefixes += [p["Prefix"] for p in page.get("CommonPrefixes", [])]
            same(keys, ["list/top", "list/zz"], f"{operation} by {page_size}: keys")
            same(prefixes, ["list/x/", "list/y/", "list/z/"], f"{operation} by {page_size}: prefixes")
    other = s3.list_objects_v2(Bucket=BUCKET, Prefix="list/", Delimiter="0")
    same([p["Prefix"] for p in other["CommonPrefixes"]], ["list/x/0", "list/y/0", "list/z/0"], "another delimiter")
    same(s3.list_objects_v2(Bucket=BUCKET, Prefix="nothing/")["KeyCount"], 0, "nothing there")
    same(s3.list_objects_v2(Bucket=BUCKET, MaxKeys=0)["KeyCount"], 0, "no keys asked for")


@check
def multipart_by_the_transfer_code():
    s3.upload_fileobj(
        io.BytesIO(BIG), BUCKET, "big", Config=TransferConfig(multipart_chunksize=8 * MIB, max_concurrency=4)
    )
    parts = [BIG[at : at + 8 * MIB] for at in range(0, len(BIG), 8 * MIB)]
    head = s3.head_object(Bucket=BUCKET, Key="big")
    same((head["ContentLength"], head["ETag"]), (len(BIG), f'"{multipart_etag(parts)}"'), "length and ETag")
    out = io.BytesIO()
    s3.download_fileobj(BUCKET, "big", out)  # by parallel ranges
    same_bytes(out.getvalue(), BIG, "by ranges")
    same_bytes(get("big"), BIG, "whole")
    same_bytes(get("big", Range=f"bytes={8 * MIB - 3}-{16 * MIB + 5}"), BIG[8 * MIB - 3 : 16 * MIB + 6], "across parts")


@check
def multipart_by_hand():
    upload = s3.create_multipart_upload(Bucket=BUCKET, Key="parts", Metadata={"made": "by hand"})["UploadId"]
    holds(
        upload in [u["UploadId"] for u in s3.list_multipart_uploads(Bucket=BUCKET, Prefix="parts").get("Uploads", [])],
        "the upload is not listed",
    )
    # Sent out of order, of two sizes, one replaced, one left out of the result, numbers with a gap.
    bodies = {number: content(f"part {number}", 5 * MIB + (number == 3) * 4321) for number in (9, 3, 1, 2)}
    s3.upload_part(Bucket=BUCKET, Key="parts", UploadId=upload, PartNumber=2, Body=b"replaced below")
    etags = {
        number: s3.upload_part(Bucket=BUCKET, Key="parts", UploadId=upload, PartNumber=number, Body=body)["ETag"]
        for number, body in bodies.items()
    }
    listed = s3.list_parts(Bucket=BUCKET, Key="parts", UploadId=upload)["Parts"]
    same([(p["PartNumber"], p["Size"], p["ETag"]) for p in listed],
         [(n, len(bodies[n]), f'"{md5(bodies[n])}"') for n in (1, 2, 3, 9)], "ListParts")
    page = s3.list_parts(Bucket=BUCKET, Key="parts", UploadId=upload, MaxParts=2)
    same((page["IsTruncated"], page["NextPartNumberMarker"]), (True, 2), "the first page of parts")
    refused(404, None, s3.head_object, Bucket=BUCKET, Key="parts")
    wrong = [{"PartNumber": 1, "ETag": '"00000000000000000000000000000000"'}]
    refused(400, ["InvalidPart"], s3.complete_multipart_upload, Bucket=BUCKET, Key="parts", UploadId=upload,
            MultipartUpload={"Parts": wrong})
    disorder = [{"PartNumber": n, "ETag": etags[n]} for n in (3, 1)]
    refused(400, ["InvalidPartOrder"], s3.complete_multipart_upload, Bucket=BUCKET, Key="parts", UploadId=upload,
            MultipartUpload={"Parts": disorder})
    chosen = [{"PartNumber": n, "ETag": etags[n]} for n in (1, 3, 9)]
    done = s3.complete_multipart_upload(Bucket=BUCKET, Key="parts", UploadId=upload, MultipartUpload={"Parts": chosen})
    expected = [bodies[n] for n in (1, 3, 9)]
    same(done["ETag"], f'"{multipart_etag(expected)}"', "ETag")
    same_bytes(get("parts"), b"".join(expected))
    same(s3.head_object(Bucket=BUCKET, Key="parts")["Metadata"], {"made": "by hand"}, "metadata")
    same(s3.list_multipart_uploads(Bucket=BUCKET, Prefix="parts").get("Uploads", []), [], "uploads left")


@check
def multipart_too_small_and_aborted():
    upload = s3.create_multipart_upload(Bucket=BUCKET, Key="small")["UploadId"]
    parts = [
        {"PartNumber": n, "ETag": s3.upload_part(Bucket=BUCKET, Key="small", UploadId=upload, PartNumber=n, Body=b"x" * n)["ETag"]}
        for n in (1, 2)
    ]
    refused(400, ["EntityTooSmall"], s3.complete_multipart_upload, Bucket=BUCKET, Key="small", UploadId=upload,
            MultipartUpload={"Parts": parts})
    s3.abort_multipart_upload(Bucket=BUCKET, Key="small", UploadId=upload)
    refused(404, ["NoSuchUpload"], s3.upload_part, Bucket=BUCKET, Key="small", UploadId=upload, PartNumber=1, Body=b"x")
    refused(404, ["NoSuchUpload"], s3.list_parts, Bucket=BUCKET, Key="small", UploadId=upload)
    refused(404, None, s3.head_object, Bucket=BUCKET, Key="small")


@check
def copy():
    s3.put_object(Bucket=BUCKET, Key="from here", Body=SHARD, Metadata={"kept": "yes"}, ContentType="application/x-tar")
    copied = s3.copy_object(Bucket=BUCKET, Key="to/there", CopySource={"Bucket": BUCKET, "Key": "from here"})
    same(copied["CopyObjectResult"]["ETag"], f'"{md5(SHARD)}"', "ETag")
    same_bytes(get("to/there"), SHARD)
    head = s3.head_object(Bucket=BUCKET, Key="to/there")
    same((head["Metadata"], head["ContentType"]), ({"kept": "yes"}, "application/x-tar"), "what is copied with it")
    s3.copy_object(Bucket=BUCKET, Key="to/there", CopySource={"Bucket": BUCKET, "Key": "from here"},
                   MetadataDirective="REPLACE", Metadata={"new": "one"})
    same(s3.head_object(Bucket=BUCKET, Key="to/there")["Metadata"], {"new": "one"}, "replaced metadata")
    other = new_bucket_name("boto3-other")
    s3.create_bucket(Bucket=other)
    made(other)
    s3.copy_object(Bucket=other, Key="elsewhere", CopySource={"Bucket": BUCKET, "Key": "from here"})
    same_bytes(s3.get_object(Bucket=other, Key="elsewhere")["Body"].read(), SHARD)
    s3.delete_object(Bucket=other, Key="elsewhere")
    s3.delete_bucket(Bucket=other)
    refused(404, ["NoSuchKey"], s3.copy_object, Bucket=BUCKET, Key="x", CopySource={"Bucket": BUCKET, "Key": "missing"})
    refused(400, ["InvalidRequest"], s3.copy_object, Bucket=BUCKET, Key="from here",
            CopySource={"Bucket": BUCKET, "Key": "from here"})


@check
def copy_by_parts():
    s3.copy({"Bucket": BUCKET, "Key": "big"}, BUCKET, "big copy",
            Config=TransferConfig(multipart_threshold=16 * MIB, multipart_chunksize=16 * MIB))
    same_bytes(get("big copy"), BIG)


@check
def delete():
    refused(409, ["BucketNotEmpty"], s3.delete_bucket, Bucket=BUCKET)
    same(s3.delete_object(Bucket=BUCKET, Key="big copy")["ResponseMetadata"]["HTTPStatusCode"], 204, "DELETE")
    same(s3.delete_object(Bucket=BUCKET, Key="never there")["ResponseMetadata"]["HTTPStatusCode"], 204, "DELETE of nothing")
    refused(404, ["NoSuchKey"], s3.get_object, Bucket=BUCKET, Key="big copy")


@check
def delete_objects():
    keys = [o["Key"] for page in s3.get_paginator("list_objects_v2").paginate(Bucket=BUCKET) for o in page["Contents"]]
    answer = s3.delete_objects(Bucket=BUCKET, Delete={"Objects": [{"Key": k} for k in [*keys, "never there"]]})
    same(sorted(d["Key"] for d in answer["Deleted"]), sorted([*keys, "never there"]), "deleted")
    same(answer.get("Errors", []), [], "errors")
    same(s3.list_objects_v2(Bucket=BUCKET)["KeyCount"], 0, "left")
    s3.put_object(Bucket=BUCKET, Key="quiet", Body=b"x")
    quiet = s3.delete_objects(Bucket=BUCKET, Delete={"Objects": [{"Key": "quiet"}], "Quiet": True})
    same(quiet.get("Deleted", []), [], "a quiet answer")


@check
def delete_bucket():
    s3.delete_bucket(Bucket=BUCKET)
    refused(404, None, s3.head_bucket, Bucket=BUCKET)
    holds(BUCKET not in [b["Name"] for b in s3.list_buckets()["Buckets"]], "still in ListBuckets")


run()
