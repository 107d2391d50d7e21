"""Makes the golden shards beside this file, and `golden.json`: what the samples of each are.

Run with Python 3.11 and GNU tar; the shards are in the repository so that both readers, Java's and
Python's, are tested with the same bytes. What is expected follows from how the bytes were put
together here, and not from reading them.
"""

from __future__ import annotations

import hashlib
import json
import subprocess
import tarfile
import tempfile
import zlib
from pathlib import Path
from typing import Any, Literal

HERE = Path(__file__).parent
END = bytes(1024)
Form = Literal[0, 1, 2]


def padded(data: bytes) -> bytes:
    return data + bytes(-len(data) % 512)


def member(name: str, data: bytes = b"", form: Form = tarfile.USTAR_FORMAT, **more: Any) -> bytes:
    info = tarfile.TarInfo(name)
    info.size = len(data)
    for attribute, value in more.items():
        setattr(info, attribute, value)
    return info.tobuf(form, "utf-8", "surrogateescape") + padded(data)


def global_header(**values: str) -> bytes:
    return tarfile.TarInfo.create_pax_global_header(values)


def sparse(name: str, content: bytes, holes: int, *arguments: str) -> bytes:
    """A member that GNU tar stores without its holes."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("wb") as file:
            for i in range(holes):
                file.seek(i * (64 << 10))
                file.write(content)
            file.truncate(holes * (64 << 10))
        made = subprocess.run(
            ["tar", "-C", folder, "-b1", "--sparse", "--mtime=@0", *arguments, "-cf", "-", name],
            check=True,
            capture_output=True,
        ).stdout
    assert made.endswith(END) and len(made) < holes * (32 << 10)
    return made[: -len(END)]


def expanded(content: bytes, holes: int) -> bytes:
    return b"".join(content.ljust(64 << 10, b"\0") for _ in range(holes))


class Shard:
    """Bytes, and the samples that they are said to be."""

    def __init__(self) -> None:
        self.data = b""
        self.samples: list[dict[str, Any]] = []

    def between(self, data: bytes) -> Shard:
        """Members of no sample: before the first one nobody's, else in the one before them."""
        self.data += data
        if self.samples:
            self.samples[-1]["length"] += len(data)
        return self

    def sample(self, key: str, data: bytes, **fields: bytes) -> Shard:
        sums = {name: hashlib.sha256(body).hexdigest() for name, body in fields.items()}
        offset = len(self.data)
        self.samples.append({"key": key, "offset": offset, "length": len(data), "fields": sums})
        self.data += data
        return self

    def write(self, name: str, end: bytes = END) -> dict[str, Any]:
        (HERE / f"{name}.tar").write_bytes(self.data + end)
        for each in self.samples:
            part = self.data[each["offset"] : each["offset"] + each["length"]]
            each["crc32"] = f"{zlib.crc32(part):08x}"
        return {"samples": self.samples}


def whole(form: Form, prefix: str = "train/", count: int = 3) -> Shard:
    shard = Shard()
    for i in range(count):
        key = f"{prefix}{i:04}"
        image, label = bytes([i]) * (700 * i + 1), str(i).encode()
        data = member(f"{key}.seg.PNG", image, form) + member(f"{key}.cls", label, form)
        shard.sample(key, data, **{"seg.png": image, "cls": label})
    return shard


def cut(name: str, data: bytes, at: int) -> dict[str, Any]:
    (HERE / f"{name}.tar").write_bytes(data)
    return {"bad": at}


def good() -> dict[str, Any]:
    long = "päth/" + "x" * 120 + "/"
    golden = {
        "ustar": whole(tarfile.USTAR_FORMAT).write("ustar"),
        "ustar-prefix": whole(tarfile.USTAR_FORMAT, "y" * 90 + "/" + "z" * 60 + "/").write(
            "ustar-prefix"
        ),
        "pax": whole(tarfile.PAX_FORMAT, long).write("pax"),
        "gnu": whole(tarfile.GNU_FORMAT, long).write("gnu"),
        "no-end": whole(tarfile.PAX_FORMAT).write("no-end", b""),
        "after-end": whole(tarfile.USTAR_FORMAT).write("after-end", END + b"\1" * 700),
        "none": Shard().write("none"),
        "no-samples": Shard().between(member("README", b"text")).write("no-samples"),
    }

    shard = Shard()
    shard.sample("a", global_header(comment="0123456789" * 4) + member("a.txt", b"one"), txt=b"one")
    shard.sample("b", global_header(comment="more") + member("b.txt", b"two"), txt=b"two")
    golden["global"] = shard.write("global")

    shard = Shard().between(member("d", type=tarfile.DIRTYPE))
    inner = member("d/1.a", b"A" * 600) + member("d", type=tarfile.DIRTYPE)
    inner += member("__meta__", b"about all") + member("d/1.b", b"B")
    shard.sample("d/1", inner, a=b"A" * 600, b=b"B")
    shard.between(
        member("d/__x__.json__", b"{}") + member("d/.hidden", b"h") + member("d/none", b"n")
    )
    shard.sample("d/2", member("d/2.a", b"C"), a=b"C")
    shard.sample("d/1", member("d/1.c", b"again"), c=b"again")
    golden["between"] = shard.write("between")

    shard = Shard()
    shard.sample(
        "e",
        member("e.empty") + member("e.txt", b"t") + member("e.last"),
        empty=b"",
        txt=b"t",
        last=b"",
    )
    shard.sample("f", member("f.only"), only=b"")
    golden["empty-members"] = shard.write("empty-members")

    link = member("g.link", type=tarfile.LNKTYPE, linkname="g.txt")
    symbolic = member("h.link", type=tarfile.SYMTYPE, linkname="g.txt")
    shard = Shard().sample("g", member("g.txt", b"linked") + link + symbolic, txt=b"linked")
    shard.sample("h", member("h.txt", b"h"), txt=b"h")
    golden["links"] = shard.write("links")

    few, many = expanded(b"few", 3), expanded(b"many", 7)
    shard = Shard()
    shard.sample(
        "s/1",
        sparse("s/1.bin", b"few", 3, "--format=gnu") + member("s/1.cls", b"1"),
        bin=few,
        cls=b"1",
    )
    shard.sample("s/2", sparse("s/2.bin", b"many", 7, "--format=gnu"), bin=many)
    for version in ("0.0", "0.1", "1.0"):
        data = sparse(
            f"s/{version[2]}x.bin", b"few", 3, "--format=pax", f"--sparse-version={version}"
        )
        if version == "1.0":
            data = sparse("s/3.bin", b"many", 7, "--format=pax", "--sparse-version=1.0")
            shard.sample("s/3", data, bin=many)
        else:
            shard.sample(f"s/{version[2]}x", data, bin=few)
    odd = sparse("s/nön.bin", b"few", 3, "--format=pax", "--sparse-version=1.0")
    shard.sample("s/nön", odd + member("s/nön.cls", b"n"), bin=few, cls=b"n")
    shard.sample("t", member("t.txt", b"after"), txt=b"after")
    golden["sparse"] = shard.write("sparse")

    return golden


def bad() -> dict[str, Any]:
    golden = {}
    good = whole(tarfile.PAX_FORMAT)
    last = good.samples[-1]
    cls = last["offset"] + last["length"] - 1024
    golden["cut-header"] = cut("cut-header", good.data[: cls + 70], cls)
    golden["cut-data"] = cut("cut-data", good.data[: cls + 512 + 1], cls)
    golden["cut-padding"] = cut("cut-padding", good.data[: cls + 512 + 500], cls)
    golden["garbage"] = cut("garbage", good.data[:cls] + b"\7" * 2048, cls)
    golden["no-tar"] = cut("no-tar", b"These are no headers of a tar. " * 100, 0)
    golden["empty"] = cut("empty", b"", 0)
    wrong = bytearray(good.data + END)
    wrong[cls + 10] ^= 1
    golden["bad-checksum"] = cut("bad-checksum", bytes(wrong), cls)
    sets = good.data + global_header(path="all.txt") + member("x.y", b"z") + END
    golden["global-path"] = cut("global-path", sets, len(good.data)) | {"java_only": True}
    alone = good.data + member("l" * 200 + ".txt", b"", tarfile.GNU_FORMAT)[:1024] + END
    golden["name-alone"] = cut("name-alone", alone, len(good.data) + 1024)
    return golden


if __name__ == "__main__":
    (HERE / "golden.json").write_text(
        json.dumps(good() | bad(), indent=1, ensure_ascii=False) + "\n"
    )
