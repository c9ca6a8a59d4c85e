"""The rules of a tz release by its name: that of an installed package, a folder, or a wheel."""

from __future__ import annotations

import functools
import io
import re
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

from tzconv.errors import RulesError
from tzconv.tz import zones
from tzconv.tz.zones import Rules

INSTALLED = "installed"
_NAME = re.compile(r"(\d{4})([a-z])")
_PATIENCE_SECONDS = 120


def named(name: str) -> Rules:
    """Rules by ``installed``, by a release such as ``2025b``, or by the path of a TZif tree.

    A release that is not installed comes from the wheel of the package ``tzdata``, by pip.
    RulesError where neither is there.
    """
    if name == INSTALLED or name == zones.installed().release:
        return zones.installed()
    found = _NAME.fullmatch(name)
    if Path(name).is_dir():
        return zones.from_tree(name)
    if found is None:
        raise RulesError(
            f"{name}: is neither a tz release such as 2025b nor a folder of TZif files."
        )
    return _of_wheel(name, f"{found[1]}.{ord(found[2]) - ord('a') + 1}")


@functools.cache
def _of_wheel(name: str, version: str) -> Rules:
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
        command += ["--only-binary=:all:", "--disable-pip-version-check", "--dest", folder]
        try:
            done = subprocess.run(
                [*command, f"tzdata=={version}"],
                capture_output=True,
                text=True,
                timeout=_PATIENCE_SECONDS,
                check=False,
            )
            said = done.stderr.strip().splitlines()
        except subprocess.TimeoutExpired:
            said = ["no answer"]
        wheels = sorted(Path(folder).glob("*.whl"))
        if not wheels:
            reason = said[-1].removeprefix("ERROR: ").rstrip(".") if said else "it got no file"
            raise RulesError(
                f"tz release {name} is not installed, and pip cannot get tzdata {version} "
                f"({reason}): give the folder of a compiled tree of that release."
            )
        data = io.BytesIO(wheels[0].read_bytes())  # read later, when the folder is gone
    package = zipfile.Path(zipfile.ZipFile(data), "tzdata/")
    return zones.of_package(package, name, f"tzdata {version}")
