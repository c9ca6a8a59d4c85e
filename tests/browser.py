"""A real browser for the tests, Chromium: pages in any width, light, dark and on paper."""

from __future__ import annotations

import base64
import contextlib
import json
import os
import re
import shutil
import subprocess
import tempfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

_PROGRAMS = ("chromium", "chromium-browser", "google-chrome", "chrome")
_FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--no-first-run"]
_PROBE = """
(() => {
  const numbers = text => (text.match(/[\\d.]+/g) || []).map(Number);
  const light = rgb => rgb.slice(0, 3).map(one => one / 255).map(
    one => one <= 0.04045 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4
  ).reduce((sum, one, place) => sum + one * [0.2126, 0.7152, 0.0722][place], 0);
  const behind = element => {
    for (let one = element; one; one = one.parentElement) {
      const found = numbers(getComputedStyle(one).backgroundColor);
      if (found.length === 3 || found[3] === 1) return found;
    }
    return [255, 255, 255];
  };
  const shown = [...document.body.querySelectorAll('*')].filter(
    one => one.checkVisibility({opacityProperty: true}) && one.getClientRects().length
  );
  const texts = shown.filter(
    one => [...one.childNodes].some(node => node.nodeType === 3 && node.data.trim())
  );
  const contrast = texts.map(one => {
    const [a, b] = [numbers(getComputedStyle(one).color), behind(one)].map(light);
    return [(Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05), one.textContent.trim().slice(0, 40)];
  }).sort((one, other) => one[0] - other[0]);
  const root = document.documentElement;
  return {
    width: root.clientWidth,
    scrolled: root.scrollWidth,
    contrast: contrast[0],
    texts: texts.length,
    background: behind(document.body),
    smallest: Math.min(...texts.map(one => parseFloat(getComputedStyle(one).fontSize))),
    broken: [...document.images].filter(one => !one.naturalWidth).map(one => one.src),
  };
})()
"""


class Browser:
    """Driven over two pipes by the DevTools protocol. ``requests``: URLs that the page read."""

    def __init__(self, to: IO[bytes], answers: IO[bytes]) -> None:
        self._to, self._answers = to, answers
        self._number, self._session, self._context = 0, "", ""
        self._is_dark: bool | None = None
        self.requests: list[str] = []

    def open(self, url: str, width: int, *, dark: bool = False, media: str = "screen") -> None:
        """Load a page in a window of that many CSS pixels."""
        if dark is not self._is_dark:
            self._new_visitor()
            self._is_dark = dark
        self._call(
            "Emulation.setDeviceMetricsOverride",
            **{"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 600},
        )
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self._call("Emulation.setEmulatedMedia", media=media, features=[scheme])
        self.requests.clear()
        self._call("Page.navigate", url=url)
        self._wait("Page.loadEventFired")
        self.run("document.fonts.ready.then(() => 1)")

    def run(self, code: str) -> Any:
        """The value of an expression in the page, or of its promise."""
        done = self._call(
            "Runtime.evaluate", expression=code, returnByValue=True, awaitPromise=True
        )
        assert "exceptionDetails" not in done, done
        return done["result"].get("value")

    def probe(self) -> dict[str, Any]:
        """Widths, the lowest contrast with its text, the background, pictures that do not load."""
        found: dict[str, Any] = self.run(_PROBE)
        return found

    def picture(self, name: str, *, whole: bool = False) -> bytes:
        """A PNG of the window, or of the whole page; kept if TZCONV_PICTURES names a folder."""
        done = self._call("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        return keep(f"{name}.png", base64.b64decode(done["data"]))

    def paper(self, name: str) -> bytes:
        """A PDF of the page; kept if TZCONV_PICTURES names a folder."""
        done = self._call("Page.printToPDF", printBackground=True)
        return keep(f"{name}.pdf", base64.b64decode(done["data"]))

    def _new_visitor(self) -> None:
        """A tab with nothing stored: the site remembers whether it was light or dark."""
        self._session = ""
        if self._context:
            self._call("Target.disposeBrowserContext", browserContextId=self._context)
        self._context = self._call("Target.createBrowserContext")["browserContextId"]
        target = self._call(
            "Target.createTarget", url="about:blank", browserContextId=self._context
        )
        attached = self._call("Target.attachToTarget", targetId=target["targetId"], flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Network"):
            self._call(f"{domain}.enable")

    def _call(self, method: str, **parameters: Any) -> dict[str, Any]:
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        self._to.write(json.dumps(message).encode() + b"\0")
        self._to.flush()
        while (answer := self._read()).get("id") != self._number:
            self._note(answer)
        assert "error" not in answer, answer
        found: dict[str, Any] = answer["result"]
        return found

    def _wait(self, event: str) -> None:
        while (answer := self._read()).get("method") != event:
            self._note(answer)

    def _note(self, answer: dict[str, Any]) -> None:
        if answer.get("method") == "Network.requestWillBeSent":
            self.requests.append(answer["params"]["request"]["url"])

    def _read(self) -> dict[str, Any]:
        text = bytearray()
        while (byte := self._answers.read(1)) != b"\0":
            assert byte, "the browser has ended"
            text += byte
        found: dict[str, Any] = json.loads(text)
        return found


@contextlib.contextmanager
def running() -> Iterator[Browser]:
    """A browser with an empty profile, ended with the block."""
    program = next(filter(None, map(shutil.which, _PROGRAMS)), None)
    assert program, f"none of {', '.join(_PROGRAMS)} is on the path: make test-browser installs it"
    to_read, to_write = os.pipe()
    from_read, from_write = os.pipe()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        # the protocol is read from descriptor 3 and written to 4
        command = [program, *_FLAGS, "--remote-debugging-pipe", f"--user-data-dir={profile}"]
        shell = f'exec "$0" "$@" 3<&{to_read} 4>&{from_write}'
        with subprocess.Popen(
            ["bash", "-c", shell, *command, "about:blank"],
            pass_fds=(to_read, from_write),
            stderr=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
        ) as process:
            os.close(to_read)
            os.close(from_write)
            with os.fdopen(to_write, "wb") as to, os.fdopen(from_read, "rb") as answers:
                try:
                    yield Browser(to, answers)
                finally:
                    process.terminate()


def keep(name: str, data: bytes) -> bytes:
    """The same bytes, also written to the folder that TZCONV_PICTURES names."""
    if folder := os.environ.get("TZCONV_PICTURES"):
        Path(folder).mkdir(parents=True, exist_ok=True)
        (Path(folder) / name).write_bytes(data)
    return data


def is_blank(png: bytes) -> bool:
    """Whether a picture shows next to nothing: its lines hardly differ from each other."""
    parts = re.findall(rb"IDAT(.*?)(?=.{4}.{4}(?:IDAT|IEND))", png, re.DOTALL)
    return len(set(zlib.decompress(b"".join(parts)))) < 32
