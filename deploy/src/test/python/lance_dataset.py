"""Lance: a versioned dataset whose commits are conditional PUTs."""

from concurrent.futures import ThreadPoolExecutor

import boto3
import lance
import pyarrow as pa
from checks import ACCESS_KEY, ENDPOINT, REGION, SECRET_KEY, check, content, holds, new_bucket_name, run, same, same_bytes

BUCKET = new_bucket_name("lance")
URI = f"s3://{BUCKET}/sets/images.lance"
OPTIONS = {
    "aws_endpoint": ENDPOINT,
    "aws_access_key_id": ACCESS_KEY,
    "aws_secret_access_key": SECRET_KEY,
    "aws_region": REGION,
    "allow_http": "true",
}
CLIENT = boto3.client("s3", endpoint_url=ENDPOINT)
SHARD = 2_000


def rows(first, count=SHARD):
    ids = range(first, first + count)
    return pa.table({
        "id": pa.array(ids, pa.int64()),
        "label": [f"label {n % 10}" for n in ids],
        "image": pa.array([content(f"lance {n}", 200 + n % 50) for n in ids], pa.binary()),
        "vector": pa.FixedSizeListArray.from_arrays(pa.array([float((n * 7 + i) % 97) for n in ids for i in range(8)],
                                                             pa.float32()), 8),
    })


def opened(**more):
    return lance.dataset(URI, storage_options=OPTIONS, **more)


@check
def write_and_read():
    CLIENT.create_bucket(Bucket=BUCKET)
    lance.write_dataset(rows(0), URI, storage_options=OPTIONS)
    read = opened()
    same((read.version, read.count_rows()), (1, SHARD), "version and rows")
    same(read.to_table().equals(rows(0)), True, "content")


@check
def append_filter_and_take():
    lance.write_dataset(rows(SHARD), URI, mode="append", storage_options=OPTIONS)
    read = opened()
    same(read.count_rows(), 2 * SHARD, "rows")
    same(read.to_table(columns=["id"], filter="label = 'label 3' and id < 100")["id"].to_pylist(),
         list(range(3, 100, 10)), "a filter")
    taken = read.take([5, 3_999, 17], columns=["id", "image"])
    same(taken["id"].to_pylist(), [5, 3_999, 17], "taken rows")
    same_bytes(taken["image"][1].as_py(), content("lance 3999", 200 + 3_999 % 50), "a taken image")


@check
def writers_at_once_lose_no_row():
    before = opened().count_rows()
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda n: lance.write_dataset(rows(n * SHARD, 100), URI, mode="append", storage_options=OPTIONS),
                      range(10, 18)))
    same(opened().count_rows(), before + 800, "rows of eight appends at once")


@check
def versions_deletions_and_compaction():
    read = opened()
    version, count = read.version, read.count_rows()
    read.delete("id < 50")
    same((opened().count_rows(), opened(version=version).count_rows()), (count - 50, count), "now and before")
    opened().optimize.compact_files()
    compacted = opened()
    same((compacted.count_rows(), len(compacted.get_fragments())), (count - 50, 1), "rows and fragments")
    holds(compacted.version > version, "a version of its own")


@check
def an_index_finds_the_nearest():
    opened().create_scalar_index("id", "BTREE")
    same(opened().to_table(filter="id = 1234", columns=["id"]).num_rows, 1, "by the index")
    query = [float((100 * 7 + i) % 97) for i in range(8)]
    nearest = opened().to_table(nearest={"column": "vector", "q": query, "k": 1}, columns=["id", "vector"])
    same(nearest["vector"][0].as_py(), query, "the nearest vector")


@check
def clean_up_old_versions():
    from datetime import timedelta

    opened().cleanup_old_versions(older_than=timedelta(0), delete_unverified=True)
    same(opened().count_rows(), opened().to_table(columns=["id"]).num_rows, "rows after the cleanup")
    keys = [found["Key"] for page in CLIENT.get_paginator("list_objects_v2").paginate(Bucket=BUCKET)
            for found in page["Contents"]]
    CLIENT.delete_objects(Bucket=BUCKET, Delete={"Objects": [{"Key": key} for key in keys], "Quiet": True})
    CLIENT.delete_bucket(Bucket=BUCKET)


run()
