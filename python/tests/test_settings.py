"""Endpoints and credentials: from arguments, then from the environment."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import sluice
from sluice.settings import Settings
from sluice.signing import Signer

VARIABLES = ["SLUICE_ENDPOINTS", "SLUICE_ENDPOINT", "AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"]


@pytest.fixture(autouse=True)
def no_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [*VARIABLES, "SLUICE_ACCESS_KEY", "SLUICE_HOME", "AWS_CA_BUNDLE"]:
        monkeypatch.delenv(name, raising=False)


def test_endpoints_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://c:1")
    assert Settings.of().endpoints == ("http://c:1",)
    monkeypatch.setenv("SLUICE_ENDPOINTS", "http://a:1/, https://b")
    assert Settings.of().endpoints == ("http://a:1", "https://b")
    assert Settings.of(["http://d:2"]).endpoints == ("http://d:2",)


@pytest.mark.parametrize("url", ["a:1", "ftp://a", "http://a/path", "http://u:p@a"])
def test_invalid_endpoint_is_refused(url: str) -> None:
    with pytest.raises(ValueError, match="endpoint"):
        Settings.of(url)


def test_no_endpoint_says_what_to_set() -> None:
    with pytest.raises(ValueError, match="SLUICE_ENDPOINTS"):
        sluice.SluiceFileSystem(skip_instance_cache=True)


def test_keys_are_arguments_then_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AWSKEY")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "s")
    assert "Credential=AWSKEY/" in signature(Settings.of("http://a"))
    monkeypatch.setenv("SLUICE_ACCESS_KEY", "SLUICEKEY")
    monkeypatch.setenv("SLUICE_SECRET_KEY", "s")
    assert "Credential=SLUICEKEY/" in signature(Settings.of("http://a"))
    assert "Credential=MINE/" in signature(Settings.of("http://a", key="MINE", secret="s"))
    assert signature(Settings.of("http://a", anon=True)) == ""


def signature(settings: Settings) -> str:
    return Signer(settings).sign("GET", "http://a/b/k", {}).get("Authorization", "")


def test_no_program_says_what_to_set(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(FileNotFoundError, match="set SLUICE_HOME"), sluice.cluster():
        pass
    monkeypatch.setenv("SLUICE_HOME", str(tmp_path))
    with pytest.raises(FileNotFoundError, match=str(tmp_path / "bin" / "sluice")), sluice.cluster():
        pass


def test_failed_start_shows_its_stderr(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    program = tmp_path / "bin" / "sluice"
    program.parent.mkdir()
    program.write_text(f"#!{sys.executable}\nimport sys\nsys.exit('sluice: the port is in use')\n")
    program.chmod(0o755)
    monkeypatch.setenv("SLUICE_HOME", str(tmp_path))
    with pytest.raises(RuntimeError, match="exit code 1:\nsluice: the port is in use"):
        sluice.cluster(tmp_path / "data").start()
