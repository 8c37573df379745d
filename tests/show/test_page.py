"""The handout in a real browser, from a file, with the network off."""

from __future__ import annotations

import re
import shutil

import pytest

from demos import REGISTRY
from tests.conftest import ROOT, missing

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or ""
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
         "--disable-background-networking", "--disable-component-update"]

# Contrast of every visible text with what stands behind it, by WCAG 2.1 (1.4.3): at
# least 4.5. Returns the offenders.
CONTRAST = r"""
() => {
  const rgb = c => (c.match(/[\d.]+/g) || []).map(Number);
  const lum = c => { const f = c.slice(0, 3).map(v => { v /= 255;
    return v <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4 });
    return .2126 * f[0] + .7152 * f[1] + .0722 * f[2] };
  const bad = [];
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node; (node = walk.nextNode());) {
    const el = node.parentElement;
    if (!node.data.trim() || !el.checkVisibility()) continue;
    const ink = el.closest('svg') ? getComputedStyle(el).fill : getComputedStyle(el).color;
    let back = null;
    for (let up = el; up && !back; up = up.parentElement) {
      const c = rgb(getComputedStyle(up).backgroundColor);
      if (c.length && (c.length < 4 || c[3] > 0)) back = c;
    }
    const [a, b] = [lum(rgb(ink)), lum(back || [255, 255, 255])];
    const ratio = (Math.max(a, b) + .05) / (Math.min(a, b) + .05);
    if (ratio < 4.5) bad.push([node.data.trim().slice(0, 30), ink, String(back), ratio]);
  }
  return bad;
}
"""


@pytest.fixture(scope="module")
def page_file(tmp_path_factory):
    from cli import main

    path = tmp_path_factory.mktemp("page") / "page.html"
    assert main(["demo", "04", "--export", str(path), "--lang", "zh"]) == 0
    return path


@pytest.fixture(scope="module")
def browser():
    if not CHROMIUM:
        missing("the page was not tried in a browser: Chromium is missing "
                "(apt-get install chromium)")
    try:
        from playwright.sync_api import Error, sync_playwright
    except ImportError:
        missing("the page was not tried in a browser: playwright is missing (the extra test)")
    with sync_playwright() as play:
        try:
            started = play.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        except Error as error:                      # its libraries, a closed sandbox
            missing("the page was not tried in a browser: Chromium does not start: "
                    f"{str(error).splitlines()[0]}")
        yield started
        started.close()


def test_the_file_is_small_and_whole(page_file) -> None:
    text = page_file.read_text(encoding="utf-8")
    assert len(text.encode()) < 300_000
    assert not re.search(r"""(?:src|href)\s*=|url\(|@import|<script|https?://""", text)
    assert text.count("<table") == text.count("</table>") > 5
    for table in re.findall(r"<table.*?</table>", text, re.S):
        assert "<th scope=" in table
    assert text.count("<caption>") >= 5


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("lang", ["zh", "en"])
def test_in_chromium(page_file, browser, lang: str, width: int, scheme: str) -> None:
    context = browser.new_context(viewport={"width": width, "height": 900}, offline=True,
                                  color_scheme=scheme)
    page = context.new_page()
    told: list[str] = []
    asked: list[str] = []
    page.on("console", lambda m: told.append(m.text))
    page.on("pageerror", lambda e: told.append(str(e)))
    page.on("request", lambda r: asked.append(r.url))
    page.goto(page_file.as_uri())
    page.check(f"#{lang}")
    other = "en" if lang == "zh" else "zh"
    assert page.locator(f"span.{lang}").first.is_visible()
    assert not page.locator(f"span.{other}").first.is_visible()
    for fold in page.locator("summary").all():
        fold.click()
    assert told == [] and asked == [page_file.as_uri()]
    overflow = page.evaluate("document.documentElement.scrollWidth - innerWidth")
    assert overflow <= 0, f"{overflow} pixels too wide at {width}"
    assert page.evaluate(CONTRAST) == []
    tallest = page.evaluate("Math.max(...[...document.querySelectorAll('tbody th, td')].filter("
                            "e => e.checkVisibility()).map(e => e.offsetHeight))")
    assert tallest < 200, f"a cell of {tallest} pixels: its words are squeezed into a column"
    assert "04.5" in page.inner_text("body")
    context.close()


@pytest.mark.slow
def test_the_contrast_check_sees_grey_on_grey(browser) -> None:
    page = browser.new_page()
    page.set_content("<body style='background:#777'><p style='color:#888'>unreadable</p></body>")
    assert len(page.evaluate(CONTRAST)) == 1


def test_markdown_text_and_json_are_the_same_report(tmp_path) -> None:
    from cli import main

    for kind in ("md", "txt", "json"):
        path = tmp_path / f"page.{kind}"
        assert main(["demo", "04", "--export", str(path), "--lang", "en"]) == 0
        text = path.read_text(encoding="utf-8")
        assert "\x1b" not in text
        if kind != "json":
            for number in ("23.4", "11.4", "39.1"):
                assert number in text
        if kind == "md":
            assert not re.search(r"[\u4e00-\u9fff]", text)
            assert "About 6 minutes" not in text
    assert main(["demo", "04", "--export", str(path), "--with-notes"]) == 0


def test_notes_stay_out_unless_asked(tmp_path) -> None:
    from cli import main

    notes = next(e for e in REGISTRY if e.number == 4).parts()[0].notes.en
    for words, inside in (([], False), (["--with-notes"], True)):
        path = tmp_path / "page.md"
        main(["demo", "04", "--part", "1", "--lang", "en", "--export", str(path), *words])
        assert (notes[:25] in path.read_text(encoding="utf-8")) is inside
    assert ROOT.is_dir()
