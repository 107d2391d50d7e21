"""curl with its own --aws-sigv4, as in a shell."""

import os
import re
import subprocess
import tempfile
from urllib.parse import quote

from checks import ACCESS_KEY, ENDPOINT, MIB, REGION, SECRET_KEY, check, content, holds, md5, multipart_etag, new_bucket_name, run, same, same_bytes
from raw_s3 import made

BUCKET = new_bucket_name("curl")
SHARD = content("curl shard", 3 * MIB + 5)
FOLDER = tempfile.TemporaryDirectory()


def curl(method, path, *more, body=None, signed=True, status=200, user=f"{ACCESS_KEY}:{SECRET_KEY}"):
    """The answer's body, and the headers as text in lower case."""
    heads = os.path.join(FOLDER.name, "heads")
    command = ["curl", "-sS", "--max-time", "60", "-D", heads, "-w", "%{stderr}%{http_code}"]
    command += ["-I"] if method == "HEAD" else ["-X", method]
    if signed:
        command += ["--aws-sigv4", f"aws:amz:{REGION}:s3", "--user", user, "-H", "x-amz-content-sha256: UNSIGNED-PAYLOAD"]
    if body is not None:
        sent = os.path.join(FOLDER.name, "sent")
        with open(sent, "wb") as file:
            file.write(body)
        command += ["-T", sent] if method == "PUT" else ["--data-binary", f"@{sent}"]
    done = subprocess.run([*command, *more, ENDPOINT + path], capture_output=True, timeout=90, check=False)
    with open(heads, encoding="latin-1", newline="") as file:
        headers = file.read().lower()
    same(done.stderr.decode(), str(status), f"{method} {path}: {done.stdout[:500]!r}")
    return done.stdout, headers


@check
def create_a_bucket():
    curl("PUT", f"/{BUCKET}")
    made(BUCKET)
    holds(BUCKET.encode() in curl("GET", "/")[0], "not in ListBuckets")


@check
def put_head_get():
    _, headers = curl("PUT", f"/{BUCKET}/train/a.tar", body=SHARD)
    holds(f'etag: "{md5(SHARD)}"' in headers, headers)
    _, headers = curl("HEAD", f"/{BUCKET}/train/a.tar")
    holds(f"content-length: {len(SHARD)}\r" in headers, headers)
    got, headers = curl("GET", f"/{BUCKET}/train/a.tar")
    same_bytes(got, SHARD)
    holds("x-amz-request-id:" in headers, headers)


@check
def put_without_expect():
    """Which curl leaves out for small bodies."""
    curl("PUT", f"/{BUCKET}/train/b.tar", body=SHARD[:900_000])
    same_bytes(curl("GET", f"/{BUCKET}/train/b.tar")[0], SHARD[:900_000])


@check
def ranges():
    got, headers = curl("GET", f"/{BUCKET}/train/a.tar", "-r", "1000000-1999999", status=206)
    same_bytes(got, SHARD[1000000:2000000])
    holds(f"content-range: bytes 1000000-1999999/{len(SHARD)}\r" in headers, headers)
    same_bytes(curl("GET", f"/{BUCKET}/train/a.tar", "-r", "-77", status=206)[0], SHARD[-77:])


@check
def list_keys():
    text = curl("GET", f"/{BUCKET}?list-type=2&prefix={quote('train/', safe='')}")[0].decode()
    same(re.findall("<Key>([^<]*)</Key>", text), ["train/a.tar", "train/b.tar"], text)
    text = curl("GET", f"/{BUCKET}?delimiter=%2F")[0].decode()
    same(re.findall("<CommonPrefixes><Prefix>([^<]*)</Prefix>", text), ["train/"], text)


@check
def multipart():
    big = content("curl big", 64 * MIB)
    started = curl("POST", f"/{BUCKET}/big?uploads=")[0].decode()
    upload = re.search("<UploadId>([^<]*)</UploadId>", started).group(1)
    parts = [big[at : at + 16 * MIB] for at in range(0, len(big), 16 * MIB)]
    for number, part in enumerate(parts, 1):
        curl("PUT", f"/{BUCKET}/big?partNumber={number}&uploadId={quote(upload, safe='')}", body=part)
    named = "".join(
        f'<Part><PartNumber>{n}</PartNumber><ETag>"{md5(part)}"</ETag></Part>' for n, part in enumerate(parts, 1)
    )
    done, _ = curl("POST", f"/{BUCKET}/big?uploadId={quote(upload, safe='')}", "-H", "Content-Type: application/xml",
                   body=f"<CompleteMultipartUpload>{named}</CompleteMultipartUpload>".encode())
    holds(multipart_etag(parts) in done.decode(), done[:500])
    same_bytes(curl("GET", f"/{BUCKET}/big")[0], big)


@check
def copy():
    curl("PUT", f"/{BUCKET}/copied", "-H", f"x-amz-copy-source: /{BUCKET}/train/a.tar")
    same_bytes(curl("GET", f"/{BUCKET}/copied")[0], SHARD)


@check
def refusals():
    for user, code in ((f"{ACCESS_KEY}:wrong", "SignatureDoesNotMatch"), (f"NOBODY:{SECRET_KEY}", "InvalidAccessKeyId")):
        text, _ = curl("GET", f"/{BUCKET}/copied", user=user, status=403)
        holds(f"<Code>{code}</Code>".encode() in text, text)
    holds(b"<Code>AccessDenied</Code>" in curl("GET", f"/{BUCKET}/copied", signed=False, status=403)[0], "unsigned")
    holds(b"<Code>NoSuchKey</Code>" in curl("GET", f"/{BUCKET}/missing", status=404)[0], "missing key")
    holds(b"<Code>NoSuchBucket</Code>" in curl("GET", "/no-such-bucket-here/x", status=404)[0], "missing bucket")


@check
def a_refused_upload_ends_the_connection_in_order():
    """With Expect: 100-continue the refusal comes before the body; without it curl must still read the answer."""
    for expect in ((), ("-H", "Expect:")):
        text, _ = curl("PUT", f"/{BUCKET}/refused", *expect, body=content("refused", 8 * MIB), signed=False, status=403)
        holds(b"AccessDenied" in text, text)


@check
def delete():
    for key in ("train/a.tar", "train/b.tar", "big", "copied"):
        curl("DELETE", f"/{BUCKET}/{key}", status=204)
    curl("GET", f"/{BUCKET}/big", status=404)
    curl("DELETE", f"/{BUCKET}", status=204)
    curl("GET", f"/{BUCKET}", status=404)


run()
