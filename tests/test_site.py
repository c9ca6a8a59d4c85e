"""The documentation as a site, in a browser: `make test-browser` builds it first."""

from __future__ import annotations

import functools
import http.server
import threading
from collections.abc import Iterator

import pytest

from tests import ROOT, browser

pytestmark = pytest.mark.browser
SITE = ROOT / "site"

_SEARCH = """
(async () => {
  const until = async what => {
    for (let wait = 0; wait < 200; wait++) {
      const found = what();
      if (found) return found;
      await new Promise(done => setTimeout(done, 50));
    }
    return '';
  };
  document.querySelector('.md-search__button').click();
  const field = await until(() => {
    const host = document.activeElement;
    const inner = host.shadowRoot ? host.shadowRoot.activeElement : host;
    return inner && inner.tagName === 'INPUT' ? inner : null;
  });
  field.value = 'WORD';
  field.dispatchEvent(new Event('input', {bubbles: true}));
  const links = () => [...field.getRootNode().querySelectorAll('a')].map(one => one.innerText);
  return await until(() => links().join('|'));
})()
"""


class _Silent(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *arguments: object) -> None:
        pass


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    assert (SITE / "index.html").exists(), "build the site first: make site"
    handler = functools.partial(_Silent, directory=str(SITE))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.mark.parametrize("width", [1400, 400])
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_home_page(chromium: browser.Browser, address: str, width: int, dark: bool) -> None:
    chromium.open(f"{address}/index.html", width, dark=dark)
    found = chromium.probe()
    assert found["scrolled"] <= width
    assert found["contrast"][0] >= 4.5, found["contrast"]
    assert found["broken"] == []
    assert (max(found["background"]) < 60) is dark
    colours = "dark" if dark else "light"
    assert not browser.is_blank(chromium.picture(f"site-{width}-{colours}"))
    assert not browser.is_blank(chromium.picture(f"site-{width}-{colours}-whole", whole=True))


def test_every_page_on_a_phone(chromium: browser.Browser, address: str) -> None:
    """None is wider than the window, lacks a picture, or loads anything from elsewhere."""
    pages = sorted(SITE.rglob("*.html"))
    assert len(pages) > 40
    for page in pages:
        chromium.open(f"{address}/{page.relative_to(SITE)}", 400)
        found = chromium.probe()
        assert found["scrolled"] <= 400, page
        assert found["broken"] == [], page
        assert found["contrast"][0] >= 4.5, (page, found["contrast"])
        foreign = [
            url for url in chromium.requests if not url.startswith((address, "data:", "blob:"))
        ]
        assert foreign == [], page


def test_search(chromium: browser.Browser, address: str) -> None:
    """It finds pages by a word in them, in the browser."""
    chromium.open(f"{address}/index.html", 1400)
    found = chromium.run(_SEARCH.replace("WORD", "PgBouncer"))
    chromium.picture("site-search")
    assert "The refresh job" in found
    assert "Zone names" not in found
