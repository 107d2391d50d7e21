"""A cluster on this machine, for tests and notebooks."""

from __future__ import annotations

import atexit
import json
import os
import random
import shutil
import socket
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from sluice.filesystem import SluiceFileSystem

# Below the ports that the kernel gives to outgoing connections.
_PORTS = range(20_000, 32_000)
_TARGET_PORTS = 100
_PORTS_TRIED = 50


def cluster(
    dir: str | os.PathLike[str] | None = None,
    *,
    targets: int = 3,
    proxies: int = 1,
    drives: int = 2,
    port: int | None = None,
    separate: bool = False,
    config: str | os.PathLike[str] | None = None,
    timeout: float = 600.0,
) -> Cluster:
    """A cluster that runs in a `with` block, or from its `start()` to its `stop()`.

    The program is `$SLUICE_HOME/bin/sluice` (a distribution), `$SLUICE_HOME/sluice` (a checkout,
    which is built at its first use), or `sluice` on the PATH.

    :param dir: the folder of its data, which is kept; else a temporary one
    :param port: of the first proxy; else a free one
    :param separate: a process for each node
    :param config: a settings file
    :param timeout: seconds that the start may take
    """
    options = ["--targets", str(targets), "--proxies", str(proxies), "--drives", str(drives)]
    if separate:
        options.append("--separate")
    if config is not None:
        options += ["--config", os.fspath(config)]
    return Cluster(
        None if dir is None else Path(dir), options, port, max(targets, proxies), timeout
    )


class Cluster:
    """A cluster that `sluice up` starts and `sluice down` stops."""

    def __init__(
        self, dir: Path | None, options: list[str], port: int | None, nodes: int, timeout: float
    ) -> None:
        self._given = dir
        self._options = options
        self._port = port
        self._nodes = nodes
        self._timeout = timeout
        self._dir: Path | None = None
        self._file: dict[str, Any] = {}
        self._process = os.getpid()

    def __enter__(self) -> Cluster:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.stop()

    def start(self) -> Cluster:
        """Starts it and returns when it serves. It stops with this process at the latest."""
        if self._file:
            return self
        program = find_program()
        self._dir = self._given or Path(tempfile.mkdtemp(prefix="sluice-"))
        port = self._port or _free_port(self._nodes)
        try:
            _run(
                [program, "up", "--dir", str(self._dir), "--port", str(port), *self._options],
                self._timeout,
            )
            self._file = json.loads((self._dir / "cluster.json").read_text())
        except BaseException:
            self._forget_folder()
            raise
        atexit.register(self.stop)
        return self

    def stop(self) -> None:
        """Stops it. A temporary folder is deleted, a given one is kept."""
        if not self._file or os.getpid() != self._process:  # a child process that ends
            return
        atexit.unregister(self.stop)
        self._file = {}
        try:
            _run([find_program(), "down", "--dir", str(self._dir)], self._timeout)
        finally:
            self._forget_folder()

    def run(self, *arguments: str) -> str:
        """Runs a command of `sluice` about this cluster, and returns what it prints."""
        return _run([find_program(), *arguments, "--dir", str(self.dir)], self._timeout)

    @property
    def dir(self) -> Path:
        if self._dir is None:
            raise RuntimeError("the cluster was not started: use it in a with block, or start()")
        return self._dir

    @property
    def endpoint(self) -> str:
        return str(self._running["s3_endpoint"])

    @property
    def endpoints(self) -> list[str]:
        """The URLs of all proxies."""
        return [node["url"] for node in self._running["nodes"] if node["role"] == "proxy"]

    @property
    def access_key(self) -> str:
        return str(self._running["access_key"])

    @property
    def secret_key(self) -> str:
        return str(self._running["secret_key"])

    @property
    def _running(self) -> dict[str, Any]:
        if not self._file:
            raise RuntimeError("the cluster does not run: use it in a with block, or start()")
        return self._file

    def environment(self) -> dict[str, str]:
        """This process's variables, and those with which S3 clients find the cluster."""
        found = {
            "SLUICE_ENDPOINTS": ",".join(self.endpoints),
            "AWS_ENDPOINT_URL": self.endpoint,
            "AWS_ACCESS_KEY_ID": self.access_key,
            "AWS_SECRET_ACCESS_KEY": self.secret_key,
            "AWS_REGION": "us-east-1",
            "AWS_DEFAULT_REGION": "us-east-1",
        }
        if self._running["tls_certificate"]:
            found["AWS_CA_BUNDLE"] = self._running["tls_certificate"]
        return {**os.environ, **found}

    def client(self, **options: Any) -> Any:
        """A boto3 client, if boto3 is installed."""
        import boto3  # noqa: PLC0415

        return boto3.client(
            "s3",
            endpoint_url=self.endpoint,
            aws_access_key_id=self.access_key,
            aws_secret_access_key=self.secret_key,
            region_name="us-east-1",
            verify=self._running["tls_certificate"] or None,
            **options,
        )

    def filesystem(self, **options: Any) -> SluiceFileSystem:
        """The fsspec filesystem of this cluster."""
        return SluiceFileSystem(
            self.endpoints,
            key=self.access_key,
            secret=self.secret_key,
            ca=self._running["tls_certificate"] or None,
            region="us-east-1",
            **options,
        )

    def _forget_folder(self) -> None:
        if self._given is None and self._dir is not None:
            shutil.rmtree(self._dir, ignore_errors=True)
        self._dir = None


def find_program() -> str:
    """The `sluice` program, or an error that says where it was looked for."""
    home = os.environ.get("SLUICE_HOME")
    tried = [Path(home, "bin", "sluice"), Path(home, "sluice")] if home else []
    for program in tried:
        if os.access(program, os.X_OK) and program.is_file():
            return str(program)
    found = shutil.which("sluice")
    if found:
        return found
    looked = ", ".join(map(str, tried)) or "SLUICE_HOME is not set"
    raise FileNotFoundError(
        f"no sluice program ({looked}; none on the PATH): set SLUICE_HOME to the folder of an "
        "unpacked distribution or of a source checkout"
    )


def _run(command: list[str], timeout: float) -> str:
    try:
        # Through files: nodes that live on would hold pipes open.
        with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
            ended = subprocess.run(
                command,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                timeout=timeout,
                check=False,
            )
            out.seek(0)
            err.seek(0)
            said, failed = out.read(), err.read()
    except subprocess.TimeoutExpired:
        raise TimeoutError(f"{' '.join(command)} did not end within {timeout:g} s") from None
    if ended.returncode != 0:
        raise RuntimeError(
            f"{' '.join(command)} failed with exit code {ended.returncode}:\n{failed or said}"
        )
    return said


def _free_port(nodes: int) -> int:
    """A port for the first proxy, with the ports that follow from it free too."""
    for _ in range(_PORTS_TRIED):
        port = random.choice(_PORTS)
        if all(_is_free(port + i) and _is_free(port + _TARGET_PORTS + i) for i in range(nodes)):
            return port
    raise RuntimeError("found no free ports: pass port=…")


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True
