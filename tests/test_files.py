"""SQL files are read and replaced as they are, byte for byte."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tzconv import files
from tzconv.errors import OutputError


def test_files(tmp_path: Path) -> None:
    path = tmp_path / "a.sql"
    path.write_bytes(b"\xef\xbb\xbfSELECT 1\r\n")
    file = files.read(str(path))
    assert (file.text, file.mark) == ("SELECT 1\r\n", "\ufeff")
    assert file.diff(file.text) == ""
    files.replace(file, "SELECT 2\r\n")
    assert path.read_bytes() == b"\xef\xbb\xbfSELECT 2\r\n"
    with pytest.raises(OutputError, match="changed meanwhile"):
        files.replace(file, "SELECT 3")
    path.unlink()
    with pytest.raises(OutputError, match=r"a\.sql: cannot be (written|read)"):
        files.replace(file, "SELECT 3")
    assert list(tmp_path.iterdir()) == []


def test_a_new_file_appears_when_it_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "run.html"
    with files.writing(str(path)) as out:
        out.write("one")
        assert not path.exists()
    assert path.read_text() == "one"
    with pytest.raises(ZeroDivisionError), files.writing(str(path)) as out:
        out.write(str(1 / 0))
    with pytest.raises(FileNotFoundError), files.writing(str(path)):
        (tmp_path / "other").read_text()  # not an error about the page
    assert path.read_text() == "one"
    os.mkfifo(tmp_path / "pipe")  # as root, a device could be replaced, too
    with pytest.raises(OutputError, match="name a file"), files.writing(str(tmp_path / "pipe")):
        pass
    assert (tmp_path / "pipe").is_fifo()
    assert set(tmp_path.iterdir()) == {path, tmp_path / "pipe"}
