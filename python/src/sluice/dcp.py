"""Checkpoints of torch.distributed.checkpoint straight to a bucket.

    torch.distributed.checkpoint.save(state, storage_writer=SluiceWriter("sluice://b/step-100"))
    torch.distributed.checkpoint.load(state, storage_reader=SluiceReader("sluice://b/step-100"))

Each rank writes one object, whose parts are sent in parallel. The object with the metadata is
written last, when all ranks are done, so a checkpoint is whole or is not there.
"""

from __future__ import annotations

import os
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

from torch.distributed.checkpoint.filesystem import (
    FileSystemBase,
    FileSystemReader,
    FileSystemWriter,
)

from sluice.filesystem import SluiceFileSystem

_Path = str | os.PathLike[str]


class _Bucket(FileSystemBase):
    """What the writer and the reader of torch ask of a file system."""

    def __init__(self, fs: SluiceFileSystem) -> None:
        self._fs = fs

    @contextmanager
    def create_stream(self, path: _Path, mode: str) -> Generator[Any, None, None]:
        """An open object. When writing it fails, nothing of it is stored."""
        with self._fs.open(os.fspath(path), mode) as stream:
            yield stream

    def concat_path(self, path: _Path, suffix: str) -> str:
        return f"{os.fspath(path).rstrip('/')}/{suffix}"

    def init_path(self, path: _Path) -> str:
        return os.fspath(path)

    def rename(self, path: _Path, new_path: _Path) -> None:
        """A copy within the cluster, which appears as a whole."""
        self._fs.cp_file(os.fspath(path), os.fspath(new_path))
        self._fs.rm_file(os.fspath(path))

    def mkdir(self, path: _Path) -> None:
        """Nothing: a bucket has no folders."""

    @classmethod
    def validate_checkpoint_id(cls, checkpoint_id: _Path) -> bool:
        return os.fspath(checkpoint_id).startswith("sluice://")

    def exists(self, path: _Path) -> bool:
        return self._fs.exists(os.fspath(path))

    def rm_file(self, path: _Path) -> None:
        self._fs.rm_file(os.fspath(path))

    def ls(self, path: _Path) -> list[str]:
        return list(self._fs.ls(os.fspath(path), detail=False))


class SluiceWriter(FileSystemWriter):
    """Writes checkpoints below a URL."""

    def __init__(
        self,
        url: str,
        *,
        filesystem: SluiceFileSystem | None = None,
        **options: Any,
    ) -> None:
        """
        :param filesystem: where to write; else `SluiceFileSystem(**options)`
        """
        # One thread: torch does not notice a failure in others. Its parts are sent in parallel.
        super().__init__(url, single_file_per_rank=True, sync_files=False, thread_count=1)
        self.fs = _Bucket(filesystem or SluiceFileSystem(**options))
        self.path = self.fs.init_path(url)

    def set_up_storage_writer(self, is_coordinator: bool, *more: Any, **options: Any) -> None:
        """Before any rank writes: an older checkpoint here is not valid while it is replaced."""
        names = [".metadata"] if is_coordinator else []
        if options.get("rank") is not None:  # of a rank that writes a checkpoint of its own
            names.append(f"__{options['rank']}.metadata")
        for name in names:
            self.fs.rm_file(self.fs.concat_path(self.path, name))
        super().set_up_storage_writer(is_coordinator, *more, **options)

    @classmethod
    def validate_checkpoint_id(cls, checkpoint_id: _Path) -> bool:
        return _Bucket.validate_checkpoint_id(checkpoint_id)


class SluiceReader(FileSystemReader):
    """Reads checkpoints below a URL."""

    def __init__(
        self, url: str, *, filesystem: SluiceFileSystem | None = None, **options: Any
    ) -> None:
        """
        :param filesystem: where to read; else `SluiceFileSystem(**options)`
        """
        super().__init__(url)
        self.fs = _Bucket(filesystem or SluiceFileSystem(**options))
        self.path = self.fs.init_path(url)

    @classmethod
    def validate_checkpoint_id(cls, checkpoint_id: _Path) -> bool:
        return _Bucket.validate_checkpoint_id(checkpoint_id)
