"""smart_open: streams of text, of compressed lines and of large objects, as readers of training data use it."""

import gzip
import json

import boto3
import smart_open
from checks import ENDPOINT, MIB, check, content, holds, new_bucket_name, run, same, same_bytes
from smart_open import s3 as smart_s3

BUCKET = new_bucket_name("smart-open")
CLIENT = boto3.client("s3", endpoint_url=ENDPOINT)
BIG = content("smart_open big", 24 * MIB + 5)
LINES = [json.dumps({"id": n, "text": "ü" * (n % 7)}, ensure_ascii=False) for n in range(5_000)]


def stream(key, mode, **parameters):
    return smart_open.open(f"s3://{BUCKET}/{key}", mode, transport_params={"client": CLIENT} | parameters)


def missing(key):
    try:
        stream(key, "rb").read()
    except OSError:
        return True
    return False


@check
def text_lines_plain_and_compressed():
    CLIENT.create_bucket(Bucket=BUCKET)
    for key in ("lines/plain.jsonl", "lines/packed.jsonl.gz"):
        with stream(key, "w") as out:
            out.writelines(f"{line}\n" for line in LINES)
        with stream(key, "r") as source:
            same([line.rstrip("\n") for line in source], LINES, key)
    packed = CLIENT.get_object(Bucket=BUCKET, Key="lines/packed.jsonl.gz")["Body"].read()
    same(gzip.decompress(packed).decode().splitlines(), LINES, "what is stored")


@check
def large_objects_by_multipart():
    with stream("big", "wb", min_part_size=5 * MIB) as out:
        for at in range(0, len(BIG), 700_001):
            out.write(BIG[at : at + 700_001])
    holds(CLIENT.head_object(Bucket=BUCKET, Key="big")["ETag"].endswith('-5"'), "five parts")
    with stream("big", "rb") as source:
        same_bytes(source.read(), BIG, "the whole")
        for at, size in ((20 * MIB, 999), (0, 10), (len(BIG) - 3, 10)):
            source.seek(at)
            same(source.read(size), BIG[at : at + size], f"{size} at {at}")
    with stream("big", "rb", range_chunk_size=3 * MIB) as source:
        same_bytes(source.read(), BIG, "by ranges")


@check
def in_one_put_with_its_headers():
    with stream("one", "wb", multipart_upload=False,
                client_kwargs={"S3.Client.put_object": {"Metadata": {"label": "7"}, "ContentType": "text/x"}}) as out:
        out.write(b"one")
    head = CLIENT.head_object(Bucket=BUCKET, Key="one")
    same((head["Metadata"], head["ContentType"], head["ETag"].count("-")), ({"label": "7"}, "text/x", 0), "headers")


@check
def an_upload_that_fails_leaves_nothing():
    try:
        with stream("torn", "wb", min_part_size=5 * MIB) as out:
            out.write(BIG[: 6 * MIB])
            raise KeyboardInterrupt
    except KeyboardInterrupt:
        pass
    holds(missing("torn"), "a torn upload")
    same(CLIENT.list_multipart_uploads(Bucket=BUCKET).get("Uploads", []), [], "unfinished uploads")


@check
def empty_and_missing():
    with stream("empty", "wb"):
        pass
    with stream("empty", "rb") as source:
        same(source.read(), b"", "an empty object")
    holds(missing("nothing"), "a missing object")


@check
def every_object_below_a_prefix():
    found = dict(smart_s3.iter_bucket(BUCKET, prefix="lines/", workers=4, client_kwargs={"endpoint_url": ENDPOINT}))
    same(sorted(found), ["lines/packed.jsonl.gz", "lines/plain.jsonl"], "keys")
    same(found["lines/plain.jsonl"].decode().splitlines(), LINES, "content")


@check
def clean_up():
    for found in CLIENT.list_objects_v2(Bucket=BUCKET)["Contents"]:
        CLIENT.delete_object(Bucket=BUCKET, Key=found["Key"])
    CLIENT.delete_bucket(Bucket=BUCKET)


run()
