"""pyarrow's S3 file system: the C++ SDK below a data loader."""

import random

import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
from pyarrow import fs

from checks import ACCESS_KEY, HOST, MIB, REGION, SECRET_KEY, check, content, holds, new_bucket_name, run, same, same_bytes
from raw_s3 import made

BUCKET = new_bucket_name("pyarrow")
BIG = content("pyarrow big", 64 * MIB)


def connect(access_key=ACCESS_KEY, secret_key=SECRET_KEY):
    return fs.S3FileSystem(
        access_key=access_key, secret_key=secret_key, endpoint_override=HOST, scheme="http", region=REGION,
        allow_bucket_creation=True, allow_bucket_deletion=True, connect_timeout=10, request_timeout=60,
        retry_strategy=fs.AwsStandardS3RetryStrategy(max_attempts=1),
    )


s3 = connect()


@check
def create_a_bucket():
    s3.create_dir(BUCKET)
    made(BUCKET)
    same(s3.get_file_info(BUCKET).type, fs.FileType.Directory, "kind")


@check
def write_and_read_a_stream():
    with s3.open_output_stream(f"{BUCKET}/data/small", metadata={"Content-Type": "text/plain", "label": "7"}) as out:
        out.write(b"hello ")
        out.write(b"world")
    with s3.open_input_stream(f"{BUCKET}/data/small") as source:
        same(source.read(), b"hello world", "content")
    info = s3.get_file_info(f"{BUCKET}/data/small")
    same((info.type, info.size), (fs.FileType.File, 11), "kind and size")
    same(s3.get_file_info(f"{BUCKET}/data/missing").type, fs.FileType.NotFound, "missing")


@check
def multipart_64_mib_and_random_reads():
    with s3.open_output_stream(f"{BUCKET}/data/big") as out:
        for at in range(0, len(BIG), 5 * MIB):
            out.write(BIG[at : at + 5 * MIB])
    dice = random.Random(7)
    with s3.open_input_file(f"{BUCKET}/data/big") as source:
        same(source.size(), len(BIG), "size")
        for _ in range(40):
            at, size = dice.randrange(len(BIG)), dice.choice([1, 100, 4096, 300_000])
            same_bytes(source.read_at(size, at), BIG[at : at + size], f"{size} at {at}")
        source.seek(len(BIG) - 10)
        same(source.read(), BIG[-10:], "the end")
    with s3.open_input_stream(f"{BUCKET}/data/big") as source:
        same_bytes(source.read(), BIG, "the whole")


@check
def parquet():
    table = pa.table({"id": range(200_000), "label": [f"label {n % 10}" for n in range(200_000)]})
    pq.write_table(table, f"{BUCKET}/tables/one.parquet", filesystem=s3, row_group_size=20_000)
    holds(pq.read_table(f"{BUCKET}/tables/one.parquet", filesystem=s3).equals(table), "the table differs")
    some = pq.read_table(f"{BUCKET}/tables/one.parquet", filesystem=s3, columns=["id"], filters=[("id", ">=", 190_000)])
    same(some["id"].to_pylist(), list(range(190_000, 200_000)), "filtered")
    ds.write_dataset(table.slice(0, 1000), f"{BUCKET}/set", filesystem=s3, format="parquet", partitioning=["label"])
    same(ds.dataset(f"{BUCKET}/set", filesystem=s3, partitioning=["label"]).count_rows(), 1000, "rows of a data set")


@check
def list_files():
    found = s3.get_file_info(fs.FileSelector(BUCKET, recursive=False))
    same(sorted((i.base_name, i.type) for i in found),
         [(name, fs.FileType.Directory) for name in ("data", "set", "tables")], "one level")
    found = s3.get_file_info(fs.FileSelector(f"{BUCKET}/data", recursive=True))
    same(sorted((i.path, i.size) for i in found if i.is_file),
         [(f"{BUCKET}/data/big", len(BIG)), (f"{BUCKET}/data/small", 11)], "recursive")


@check
def copy_and_move():
    s3.copy_file(f"{BUCKET}/data/small", f"{BUCKET}/data/copied")
    s3.move(f"{BUCKET}/data/copied", f"{BUCKET}/data/moved")
    with s3.open_input_stream(f"{BUCKET}/data/moved") as source:
        same(source.read(), b"hello world", "content")
    same(s3.get_file_info(f"{BUCKET}/data/copied").type, fs.FileType.NotFound, "the source of a move")


@check
def refusals():
    for keys in ((ACCESS_KEY, "wrong"), ("NOBODY", SECRET_KEY)):
        try:
            connect(*keys).open_input_stream(f"{BUCKET}/data/small").read()
        except OSError as error:
            holds("403" in str(error) or "ACCESS_DENIED" in str(error) or "SIGNATURE" in str(error).upper()
                  or "INVALID_ACCESS_KEY" in str(error).upper(), str(error))
        else:
            raise AssertionError(f"{keys[0]} was served")
    try:
        s3.open_input_stream(f"{BUCKET}/data/missing")
    except FileNotFoundError:
        return
    raise AssertionError("a missing file was opened")


@check
def remove():
    s3.delete_file(f"{BUCKET}/data/small")
    s3.delete_dir_contents(BUCKET)
    same([i.path for i in s3.get_file_info(fs.FileSelector(BUCKET, recursive=True))], [], "left")
    s3.delete_dir(BUCKET)
    same(s3.get_file_info(BUCKET).type, fs.FileType.NotFound, "the bucket")


run()
