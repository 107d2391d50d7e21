"""Every key is a name, not a path: those that a file system or a URL library would change must come back as given."""

from urllib.parse import unquote_plus

from checks import check, check_of_ours, content, new_bucket_name, run, same, same_bytes
from raw_s3 import call, made, path_of, refused, served
from s3_boto3 import client

s3 = client()
BUCKET = new_bucket_name("odd")

# What the stand-in serves as well.
PLAIN = [
    "with space", "plus+plus", "100%", "%41", "%2F", "a&b=c?d#e", "semi;colon,comma", "quote'\"<>&",
    "ünïcode/日本語/😀", "u\u0308 decomposed", "\u00fc composed", "CASE", "case", "tilde~", "(brackets)[]{}", "back\\slash",
    "trailing space ", " leading", "..hidden", "...", "a..b", ".hidden", "dir/", "x/.y", "*", "|", "$(id)", "`id`", "-rf",
    "l" * 255, "/".join(["d" * 100] * 10), "tab\there",
]
# What a file system cannot hold under that name.
ODD = [
    "a//b", "//", "/", "/leading", "x/../y", "..", "../../etc/passwd", ".", "./x", "x/.", "x/..", "x//", "dir/ectory/", "n" * 256,
    "n" * 1024, "ä" * 512, "p/" + "q" * 300 + "/r", "line\nbreak", "\x01control", ".sluice", ".sluice/work/x", "objects",
    "same", "same/", "same//", "same/child", "same/child/", "\ufeffbom", "\uffff", "\U0010ffff",
]


def path_sent(key):
    return path_of(BUCKET, key)


def round_trip(keys):
    for key in keys:
        body = content(key, 50 + len(key))
        served(call("PUT", path_sent(key), body=body))
    for key in keys:
        body = content(key, 50 + len(key))
        same_bytes(served(call("GET", path_sent(key))).body, body, repr(key))
        same(served(call("HEAD", path_sent(key))).headers["Content-Length"], str(len(body)), repr(key))
        same_bytes(served(call("GET", path_sent(key), headers={"Range": "bytes=5-14"}), 206).body, body[5:15], repr(key))


def listed(**arguments):
    """All keys and prefixes, by pages of seven."""
    keys, prefixes = [], []
    for page in s3.get_paginator("list_objects_v2").paginate(
        Bucket=BUCKET, EncodingType="url", PaginationConfig={"PageSize": 7}, **arguments
    ):
        keys += [unquote_plus(o["Key"]) for o in page.get("Contents", [])]
        prefixes += [unquote_plus(p["Prefix"]) for p in page.get("CommonPrefixes", [])]
    return keys, prefixes


def in_order(keys):
    return sorted(keys, key=lambda key: key.encode())


@check
def make_the_bucket():
    s3.create_bucket(Bucket=BUCKET)
    made(BUCKET)


@check
def plain_keys():
    round_trip(PLAIN)
    same(listed()[0], in_order(PLAIN), "listing")


@check
def listing_as_it_is():
    """boto3 asks for encoded keys and decodes them; without that the XML itself must hold them."""
    answer = served(call("GET", f"/{BUCKET}", {"list-type": "2", "prefix": "quote"}))
    same(b"<Key>quote&#39;" in answer.body or b"<Key>quote'" in answer.body or b"<Key>quote&apos;" in answer.body, True, "")
    same([o["Key"] for o in s3.list_objects_v2(Bucket=BUCKET, Prefix="ünïcode/")["Contents"]], ["ünïcode/日本語/😀"], "")
    same([o["Key"] for o in s3.list_objects_v2(Bucket=BUCKET, Prefix="plus+")["Contents"]], ["plus+plus"], "")
    same([o["Key"] for o in s3.list_objects_v2(Bucket=BUCKET, Prefix="%")["Contents"]], ["%2F", "%41"], "")


@check_of_ours
def odd_keys():
    round_trip(ODD)
    same(listed()[0], in_order(PLAIN + ODD), "listing")
    same(listed(Prefix="same")[0], ["same", "same/", "same//", "same/child", "same/child/"], "a prefix")
    same(listed(Prefix="same", Delimiter="/"), (["same"], ["same/"]), "a delimiter")
    same(listed(Prefix="same/", Delimiter="/"), (["same/", "same/child"], ["same//", "same/child/"]), "one level below")
    same(listed(Prefix="/", Delimiter="/"), (["/", "/leading"], ["//"]), "slashes first")


@check_of_ours
def odd_keys_by_boto3():
    for key in [k for k in ODD if not k.startswith("/") and ".." not in k.split("/") and "." not in k.split("/")]:
        body = content(f"boto3 {key}", 60)
        s3.put_object(Bucket=BUCKET, Key=key, Body=body)
        same(s3.get_object(Bucket=BUCKET, Key=key)["Body"].read(), body, repr(key))


@check
def too_long():
    refused(call("PUT", path_sent("n" * 1025), body=b"x"), 400, "KeyTooLongError")
    refused(call("PUT", path_sent("ä" * 513), body=b"x"), 400, "KeyTooLongError")


@check_of_ours
def copies_of_odd_keys():
    for key in ["a//b", "x/../y", "100%", "plus+plus", "ünïcode/日本語/😀", "dir/"]:
        source = path_sent(key)
        served(call("PUT", path_sent(f"copy of {key}"), headers={"x-amz-copy-source": source}))
        same(served(call("GET", path_sent(f"copy of {key}"))).body, served(call("GET", source)).body, key)
        served(call("DELETE", path_sent(f"copy of {key}")), 204)


@check
def one_at_a_time_gone():
    keys = listed()[0]
    for key in keys[::2]:
        served(call("DELETE", path_sent(key)), 204)
        refused(call("GET", path_sent(key)), 404, "NoSuchKey")
    same(listed()[0], keys[1::2], "what is left")


@check
def all_gone():
    keys = listed()[0]
    answer = s3.delete_objects(Bucket=BUCKET, Delete={"Objects": [{"Key": k} for k in keys if k.isprintable() and "\uffff" not in k]})
    same(answer.get("Errors", []), [], "errors")
    for key in listed()[0]:  # those that no XML 1.0 can name
        served(call("DELETE", path_sent(key)), 204)
    s3.delete_bucket(Bucket=BUCKET)


run()
