"""Nodes that do not answer, are overloaded or send elsewhere, against servers of the test."""

from __future__ import annotations

import itertools
import socket
import socketserver
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager

import pytest
from fake import FakeServer, Reply, Seen

from sluice import S3Error, SluiceFileSystem
from sluice.store import Part

SLOW_DOWN = b"<Error><Code>SlowDown</Code><Message>later</Message></Error>"
DATE = "Fri, 27 Nov 2026 12:00:00 GMT"
OK = Reply(body=b"data", headers={"ETag": '"e"'})

Start = Callable[[Callable[[Seen], Reply]], FakeServer]


@pytest.fixture
def start() -> Iterator[Start]:
    """Starts a server that answers as it is told."""
    with ExitStack() as stack:
        yield lambda answer: stack.enter_context(FakeServer(answer).running())


@pytest.fixture
def waits(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The pauses that would have been made. None is."""
    found: list[float] = []
    monkeypatch.setattr(time, "sleep", found.append)
    return found


@pytest.fixture
def closed_port() -> Iterator[str]:
    """An endpoint that refuses connections."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        yield f"http://127.0.0.1:{taken.getsockname()[1]}"


def filesystem(*endpoints: str, retries: int = 5) -> SluiceFileSystem:
    return SluiceFileSystem(
        list(endpoints),
        key="key",
        secret="secret",
        retries=retries,
        connect_timeout=2,
        skip_instance_cache=True,
    )


def test_503_is_sent_again_after_the_pause_it_asks_for(start: Start, waits: list[float]) -> None:
    replies = [
        Reply(503, SLOW_DOWN, {"Retry-After": "2"}),
        Reply(503, SLOW_DOWN),
        Reply(429, SLOW_DOWN, {"Retry-After": "1000000"}),
        OK,
    ]
    server = start(lambda _: replies.pop(0))
    assert filesystem(server.url).cat_file("b/k") == b"data"
    assert len(server.seen) == 4
    assert waits[0] >= 2
    assert 0.1 <= waits[1] <= 0.2
    assert waits[2] == 30


def test_retries_end(start: Start, waits: list[float]) -> None:
    server = start(lambda _: Reply(503, SLOW_DOWN))
    with pytest.raises(S3Error, match="SlowDown") as refused:
        filesystem(server.url, retries=3).cat_file("b/k")
    assert refused.value.status == 503
    assert len(server.seen) == 4
    assert len(waits) == 3
    assert waits == sorted(waits)


@pytest.mark.parametrize("status", [400, 403, 404, 500, 501])
def test_other_errors_are_not_sent_again(start: Start, waits: list[float], status: int) -> None:
    server = start(lambda _: Reply(status))
    with pytest.raises(S3Error):
        filesystem(server.url).cat_file("b/k")
    assert len(server.seen) == 1
    assert not waits


def test_endpoint_that_is_down_costs_nothing_but_a_try(
    start: Start, waits: list[float], closed_port: str
) -> None:
    server = start(lambda _: OK)
    fs = filesystem(closed_port, server.url)
    for _ in range(6):
        assert fs.cat_file("b/k") == b"data"
    assert not waits


def test_all_endpoints_down_is_an_error(waits: list[float], closed_port: str) -> None:
    with pytest.raises(ConnectionError, match="no answer after 4 attempts"):
        filesystem(closed_port, retries=3).cat_file("b/k")
    assert len(waits) == 3


def test_endpoints_take_turns(start: Start) -> None:
    servers = [start(lambda _: OK) for _ in range(3)]
    fs = filesystem(*(server.url for server in servers))
    for _ in range(9):
        fs.cat_file("b/k")
    assert [len(server.seen) for server in servers] == [3, 3, 3]


def test_body_that_breaks_off_is_read_again(start: Start, waits: list[float]) -> None:
    replies = [
        Reply(body=b"data", headers=OK.headers, cut=2),
        Reply(body=b"", cut=0, headers={"Content-Length": "4"}),
        OK,
    ]
    server = start(lambda _: replies.pop(0))
    assert filesystem(server.url).cat_file("b/k") == b"data"
    assert len(server.seen) == 3


def test_redirect_is_followed_without_credentials(start: Start) -> None:
    target = start(lambda _: Reply(206, b"at", OK.headers))
    location = f"{target.url}/b/k?x-sluice-token=abc"
    proxy = start(lambda _: Reply(307, headers={"Location": location}))
    assert filesystem(proxy.url).cat_file("b/k", 1, 3) == b"at"
    (asked,) = proxy.seen
    assert asked.headers["x-sluice-route"] == "redirect"
    assert "Authorization" in asked.headers
    (sent,) = target.seen
    assert sent.target == "/b/k?x-sluice-token=abc"
    assert sent.headers["Range"] == "bytes=1-2"
    secrets = {"authorization", "x-amz-security-token", "x-amz-date", "cookie"}
    assert not secrets & {name.lower() for name in sent.headers}


def test_target_that_is_not_reached_is_read_through_the_endpoint(
    start: Start, waits: list[float], closed_port: str
) -> None:
    def answer(seen: Seen) -> Reply:
        if seen.headers["x-sluice-route"] == "relay":
            return OK
        return Reply(307, headers={"Location": f"{closed_port}/b/k?x-sluice-token=abc"})

    proxy = start(answer)
    fs = filesystem(proxy.url)
    for _ in range(3):
        assert fs.cat_file("b/k") == b"data"
    routes = [seen.headers["x-sluice-route"] for seen in proxy.seen]
    assert routes == ["redirect", "relay"] * 3


def test_reads_of_a_file_share_a_redirect(start: Start) -> None:
    def target_answer(seen: Seen) -> Reply:
        first, last = map(int, seen.headers["Range"].removeprefix("bytes=").split("-"))
        return Reply(206, bytes(last - first + 1))

    target = start(target_answer)
    location = f"{target.url}/b/k?x-sluice-token=abc"
    size = 10 << 16
    head = {"ETag": '"e"', "Content-Length": str(size)}
    head["Last-Modified"] = "Fri, 27 Nov 2026 00:00:00 GMT"
    proxy = start(
        lambda seen: (
            Reply(headers=head)
            if seen.method == "HEAD"
            else Reply(307, headers={"Location": location})
        )
    )
    with filesystem(proxy.url).open("b/k", block_size=1 << 16, readahead=1) as file:
        while file.read(1 << 16):
            pass
    assert len(target.seen) == 10
    assert all(seen.headers["If-Match"] == '"e"' for seen in target.seen)
    assert sum(seen.method == "GET" for seen in proxy.seen) <= 2


@pytest.mark.parametrize(
    ("status", "location"),
    [(307, None), (302, "http://127.0.0.1:1/b/k"), (307, "ftp://127.0.0.1/b/k")],
)
def test_other_redirects_are_refused(start: Start, status: int, location: str | None) -> None:
    headers = {"Location": location} if location else {}
    server = start(lambda _: Reply(status, headers=headers))
    with pytest.raises(S3Error, match="redirects where it must not"):
        filesystem(server.url).cat_file("b/k")


def test_write_is_not_redirected(start: Start) -> None:
    other = start(lambda _: OK)
    server = start(lambda _: Reply(307, headers={"Location": f"{other.url}/b/k"}))
    with pytest.raises(S3Error, match="redirects where it must not"):
        filesystem(server.url).pipe_file("b/k", b"data")
    assert not other.seen


def test_lost_answer_of_a_complete_is_not_a_lost_upload(start: Start, waits: list[float]) -> None:
    """The first complete made the object; its answer broke off, and the second finds no upload."""
    part = Part(1, '"900150983cd24fb0d6963f7d28e17f72"')
    etag = '"af5da9f45af7a300e3aded972f8ff687-1"'
    number = itertools.count()
    head = {"ETag": etag, "Content-Length": "3", "Last-Modified": "Fri, 27 Nov 2026 00:00:00 GMT"}

    def answer(seen: Seen) -> Reply:
        if seen.method == "HEAD":
            return Reply(headers=head)
        if next(number) == 0:
            return Reply(cut=0, headers={"Content-Length": "4"})
        return Reply(404, b"<Error><Code>NoSuchUpload</Code></Error>")

    server = start(answer)
    assert filesystem(server.url).store.complete_upload("b", "k", "u", [part]) == etag


def test_failed_key_of_a_batch_delete_is_an_error(start: Start) -> None:
    body = (
        b'<DeleteResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Error><Key>k</Key>'
        b"<Code>AccessDenied</Code><Message>no</Message></Error></DeleteResult>"
    )
    server = start(lambda _: Reply(body=body))
    with pytest.raises(PermissionError, match="AccessDenied"):
        filesystem(server.url).rm(["b/j", "b/k"])


def test_copy_that_fails_after_its_status_is_an_error(start: Start) -> None:
    head = {"ETag": '"e"', "Content-Length": "3", "Last-Modified": "Fri, 27 Nov 2026 00:00:00 GMT"}
    error = b"<Error><Code>InternalError</Code><Message>broke off</Message></Error>"
    server = start(lambda seen: Reply(headers=head) if seen.method == "HEAD" else Reply(body=error))
    with pytest.raises(S3Error, match="broke off"):
        filesystem(server.url).cp_file("b/k", "b/l")


def test_endpoint_that_stands_still_is_left(start: Start, waits: list[float]) -> None:
    """It takes connections and sends nothing. After one timeout others are asked for a while."""
    server = start(lambda _: OK)
    with socket.create_server(("127.0.0.1", 0)) as still:
        fs = SluiceFileSystem(
            [f"http://127.0.0.1:{still.getsockname()[1]}", server.url],
            key="key",
            secret="secret",
            read_timeout=0.2,
        )
        for _ in range(6):
            assert fs.cat_file("b/k") == b"data"
        still.settimeout(0)
        accepted = 0
        with pytest.raises(BlockingIOError):
            while True:
                still.accept()[0].close()
                accepted += 1
        assert accepted <= 1


@pytest.mark.parametrize(
    "head",
    [
        b"HTTP/1.1 200 OK\r\netag: x\r\n\r\n",  # the body ends with the connection
        b"HTTP/1.0 200 OK\r\nContent-Length: 4\r\n\r\n",
        b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\ndata\r\n0\r\n\r\n",
    ],
)
def test_all_forms_of_answers_are_read(head: bytes) -> None:
    with answering(head if head.endswith(b"0\r\n\r\n") else head + b"data") as url:
        assert filesystem(url).cat_file("b/k") == b"data"


@pytest.mark.parametrize(
    "head",
    [
        b"",
        b"nonsense\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nno colon\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\ndata",
        b"HTTP/1.1 200 OK\r\nA: " + b"x" * 70_000 + b"\r\n\r\n",
    ],
)
def test_broken_answers_are_errors(waits: list[float], head: bytes) -> None:
    with answering(head) as url, pytest.raises(ConnectionError):
        filesystem(url, retries=1).cat_file("b/k")


@contextmanager
def answering(answer: bytes) -> Iterator[str]:
    """A server that sends the same bytes to all requests."""

    class Handler(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            while self.rfile.readline() not in (b"\r\n", b""):
                pass
            self.wfile.write(answer)

    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()


def redirect(target: str) -> Reply:
    return Reply(307, headers={"Location": f"{target}/b/k?x-sluice-token=t"})


def test_redirect_of_a_target_is_never_the_object(start: Start, waits: list[float]) -> None:
    """The object has moved on since the redirect: it is asked for at the endpoint again."""
    target = start(lambda _: redirect("http://127.0.0.1:1"))

    def answer(seen: Seen) -> Reply:
        return OK if seen.headers["x-sluice-route"] == "relay" else redirect(target.url)

    endpoint = start(answer)
    assert filesystem(endpoint.url).cat_file("b/k") == b"data"
    assert len(target.seen) == 1
    assert not waits


def test_open_file_leaves_a_target_that_redirects(start: Start) -> None:
    moved: list[bool] = []

    def part(seen: Seen) -> Reply:
        first, last = map(int, seen.headers["Range"].removeprefix("bytes=").split("-"))
        return Reply(206, b"0123456789"[first : last + 1], {"ETag": '"e"'})

    target = start(lambda seen: redirect("http://127.0.0.1:1") if moved else part(seen))

    def answer(seen: Seen) -> Reply:
        if seen.method == "HEAD":
            headers = {"ETag": '"e"', "Content-Length": "10", "Last-Modified": DATE}
            return Reply(headers=headers)
        return part(seen) if moved else redirect(target.url)

    endpoint = start(answer)
    with filesystem(endpoint.url).open("b/k", block_size=4, readahead=0) as file:
        assert file.read(4) == b"0123"
        moved.append(True)
        assert file.read() == b"456789"


def test_range_that_is_not_answered_as_one_is_an_error(start: Start) -> None:
    server = start(lambda _: Reply(body=b"all of it"))
    with pytest.raises(S3Error, match="asked for a range"):
        filesystem(server.url).cat_file("b/k", start=0, end=3)


def test_exclusive_write_whose_answer_was_lost_is_no_verdict(
    start: Start, waits: list[float]
) -> None:
    replies = [Reply(503, SLOW_DOWN), Reply(412)]
    server = start(lambda _: replies.pop(0))
    with pytest.raises(S3Error, match="it may be this write") as unknown:
        filesystem(server.url).pipe_file("b/k", b"mine", mode="create")
    assert not isinstance(unknown.value, FileExistsError)


def test_early_hints_are_not_the_answer() -> None:
    with answering(
        b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"
        b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ndata"
    ) as url:
        assert filesystem(url).cat_file("b/k") == b"data"
