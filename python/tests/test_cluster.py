"""`sluice.cluster()`: it serves in its `with` block, and keeps a folder that is given."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import sluice
from sluice import localcluster

pytestmark = [pytest.mark.long, pytest.mark.timeout(600)]

SCRIPT = "import fsspec, sluice; print(fsspec.filesystem('sluice').cat_file('kept/a').decode())"


def test_cluster_serves_and_keeps_its_folder(tmp_path: Path) -> None:
    try:
        localcluster.find_program()
    except FileNotFoundError as absent:
        pytest.skip(str(absent))
    with sluice.cluster(tmp_path / "data", targets=1, drives=1) as cluster:
        fs = cluster.filesystem()
        fs.mkdir("kept")
        fs.pipe_file("kept/a", b"hello")
        said = subprocess.run(
            [sys.executable, "-c", SCRIPT],
            env=cluster.environment(),
            capture_output=True,
            check=True,
        )
        assert said.stdout == b"hello\n"
        assert "target001" in cluster.run("status")
    with pytest.raises(RuntimeError, match="does not run"):
        print(cluster.endpoint)
    with sluice.cluster(tmp_path / "data", targets=1, drives=1) as cluster:
        assert cluster.filesystem().cat_file("kept/a") == b"hello"


def test_temporary_folder_is_deleted() -> None:
    try:
        localcluster.find_program()
    except FileNotFoundError as absent:
        pytest.skip(str(absent))
    cluster = sluice.cluster(targets=1, drives=1).start()
    folder = cluster.dir
    assert (folder / "cluster.json").exists()
    cluster.stop()
    assert not folder.exists()
