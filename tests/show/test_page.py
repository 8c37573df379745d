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


OPEN = """() => { document.querySelector('.all').click();
  for (const fold of document.querySelectorAll('details')) fold.open = true }"""

# What runs out of its place: words of a chart beyond the sheet, titles of tables beyond the box.
CLIPPED = r"""
() => [...document.querySelectorAll('svg.chart text, svg.squares text')].filter(t => {
    const box = t.getBoundingClientRect();
    if (!box.width) return false;
    const sheet = t.ownerSVGElement.getBoundingClientRect();
    return box.left < sheet.left - 2 || box.right > sheet.right + 2
      || box.top < sheet.top - 3 || box.bottom > sheet.bottom + 3;
  }).map(t => [t.closest('section').id, t.textContent]).concat(
  [...document.querySelectorAll('caption > span')].filter(s => s.checkVisibility()
    && s.getBoundingClientRect().right > s.closest('.wide').getBoundingClientRect().right + 2)
    .map(s => [s.closest('section').id, s.textContent]))
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
    assert not re.search(r"""src\s*=|href\s*=\s*(?!"#)|url\(|@import|https?://""", text)
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
    page.check(f"#lang-{lang}")
    other = "en" if lang == "zh" else "zh"
    assert page.locator(f"main span.{lang}").first.is_visible()
    assert not any(span.is_visible() for span in page.locator(f"span.{other}").all()[:40])
    page.evaluate(OPEN)
    assert told == [] and asked == [page_file.as_uri()]
    overflow = page.evaluate("document.documentElement.scrollWidth - innerWidth")
    assert overflow <= 0, f"{overflow} pixels too wide at {width}"
    assert page.evaluate(CONTRAST) == []
    tallest = page.evaluate("Math.max(...[...document.querySelectorAll('tbody th, td')].filter("
                            "e => e.checkVisibility()).map(e => e.offsetHeight))")
    assert tallest < 200, f"a cell of {tallest} pixels: its words are squeezed into a column"
    assert "04.5" in page.inner_text("body")
    context.close()


def opened(browser, address: str, width: int = 1280, **options):
    """A page, what it told the console, what it asked for."""
    page = browser.new_context(viewport={"width": width, "height": 900}, offline=True,
                               **options).new_page()
    told: list[str] = []
    page.on("console", lambda m: told.append(m.text))
    page.on("pageerror", lambda e: told.append(str(e)))
    page.on("request", lambda r: told.append(r.url) if r.url.partition("#")[0]
            != address.partition("#")[0] else None)
    page.goto(address)
    return page, told


@pytest.mark.slow
def test_the_address_keeps_language_and_place(page_file, browser) -> None:
    page, told = opened(browser, page_file.as_uri() + "#en/d04-2")

    def at() -> tuple[str, str, bool]:
        page.wait_for_timeout(50)
        return (page.url.partition("#")[2], page.get_attribute("html", "lang"),
                "Attention" in page.title())

    assert at() == ("en/d04-2", "en", True)
    assert abs(page.locator("#d04-2").bounding_box()["y"]) < 40
    page.click("#list a[href='#d04-4']")
    assert at() == ("en/d04-4", "en", True)
    assert abs(page.locator("#d04-4").bounding_box()["y"]) < 40
    assert page.locator("#list [aria-current]").get_attribute("href") == "#d04-4"
    page.click("#d04-4 + .pager [rel=next]")
    assert at() == ("en/d04-5", "en", True)
    page.check("#lang-zh")
    assert at() == ("zh/d04-5", "zh", False)
    page.go_back()
    assert at()[:2] == ("en/d04-4", "en")
    page.evaluate(OPEN)
    page.locator("#d04-4 .answer").first.scroll_into_view_if_needed()
    top = page.locator("#d04-4 .answer h3").first.bounding_box()["y"]
    page.add_style_tag(content="html{overflow-anchor:none}")        # as where no browser helps
    page.check("#lang-zh")                                                  # one reads on
    assert abs(page.locator("#d04-4 .answer h3").first.bounding_box()["y"] - top) < 80
    page.goto(page_file.as_uri() + "#zh")
    assert at() == ("zh", "zh", False)
    for link in page.locator("a[href^='#']").all():                         # none is dead
        assert page.locator(f"[id='{link.get_attribute('href')[1:]}']").count() == 1
    assert told == []


@pytest.mark.slow
def test_a_vote_opens_what_was_measured(page_file, browser) -> None:
    page, told = opened(browser, page_file.as_uri() + "#en/d04-1")
    behind = [page.locator(f"#d04-1 .after {css}").first for css in
              ("table", ".claims li", ".answer")]
    assert not any(one.is_visible() for one in behind)
    assert page.locator("#d04-1 .block").first.is_visible()         # the lead stands before it
    page.locator("#d04-1 .ask").first.get_by_text("40, the last one's").click()
    assert all(one.is_visible() for one in behind)
    ask = page.locator("#d04-1 .ask").first
    assert "Not this time" in ask.inner_text() and ask.locator(".measured:visible").count() == 1
    assert ask.locator("li:has(.measured:visible)").inner_text().startswith("30, place")
    ask.locator("li[data-right] button").click()
    assert "You guessed right" in ask.inner_text()
    assert not page.locator("#d04-2 .answer").first.is_visible()
    page.locator("#d04-2 .skip-vote").first.click()
    assert page.locator("#d04-2 .answer").first.is_visible()
    assert not page.locator("#d04-2 .more .answer").first.is_visible()
    page.locator("#d04-2 .more > summary").click()
    assert page.locator("#d04-2 .more > .block").first.is_visible()
    # a part that is drawn anew keeps its vote and its folds
    page.evaluate("""() => { const part = document.getElementById('d04-2');
      const text = part.innerHTML.replaceAll(' aria-pressed="true"', ''); part.innerHTML = text;
      for (const fold of part.querySelectorAll('details')) fold.open = false;
      window.page.dress(part) }""")
    page.wait_for_timeout(50)
    assert page.locator("#d04-2 .answer").first.is_visible()
    assert page.locator("#d04-2 .more > .block").first.is_visible()
    assert told == []


@pytest.mark.slow
def test_a_part_alone_is_what_stands_in_its_section(page_file, results) -> None:
    from lecture.show.page import part_html, part_view

    entry = next(e for e in REGISTRY if e.number == 4)
    text = page_file.read_text(encoding="utf-8")
    for part in entry.parts()[:2]:
        assert part_html(part_view(entry, results(part))).strip() in text


@pytest.mark.slow
def test_without_scripts_everything_stands_open(page_file, browser) -> None:
    page, told = opened(browser, page_file.as_uri(), java_script_enabled=False)
    for css in (".claims li", ".answer", ".more > .block", ".errata li", "#list > ol > li > a"):
        found = page.locator(css).all()
        assert found and all(one.is_visible() for one in found[:30] if one.locator(
            "xpath=ancestor-or-self::*[@lang='en']").count() == 0), css
    assert page.locator("button:visible:enabled").count() == 0          # none that does nothing
    page.check("#lang-en")
    assert page.get_by_text("Observations").first.is_visible() and told == []


@pytest.mark.slow
def test_paper_has_everything(page_file, browser) -> None:
    page, told = opened(browser, page_file.as_uri() + "#en")
    page.emulate_media(media="print", color_scheme="dark")
    for css in (".after .claims li", ".answer", ".more > .block", ".errata li"):
        assert all(one.is_visible() for one in page.locator(css).all()), css
    for css in (".side", ".pager", ".skip", ".goes-on"):
        assert not any(one.is_visible() for one in page.locator(css).all()), css
    style = "e => [getComputedStyle(e).breakBefore, getComputedStyle(e).color]"
    assert page.locator(".demo").evaluate(style) == ["page", "rgb(0, 0, 0)"]
    assert page.evaluate(CONTRAST) == [] and told == []
    assert page.pdf(format="A4").startswith(b"%PDF")
    page.emulate_media(media="screen")
    assert not page.locator(".after .answer").first.is_visible()        # folded again


@pytest.mark.slow
def test_the_keyboard_reaches_everything(page_file, browser) -> None:
    page, told = opened(browser, page_file.as_uri() + "#en")

    def focused() -> str:
        return page.evaluate("document.activeElement.outerHTML.slice(0, 60)")

    page.keyboard.press("Tab")
    assert 'class="skip"' in focused() and page.locator(".skip").bounding_box()["x"] >= 0
    page.keyboard.press("Enter")
    walked = []
    for _ in range(40):
        page.keyboard.press("Tab")
        walked.append(focused())
        box = page.evaluate("(e => [e.left, e.top, e.width])(document.activeElement."
                            "getBoundingClientRect())")
        assert box[0] >= 0 and -1 <= box[1] < 900 and box[2] > 0, walked[-1]
        ring = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
        assert ring != "none", walked[-1]
        if 'aria-pressed="false"' in walked[-1]:
            break
    assert 'href="#d04' in walked[0]                                    # past the list, in the text
    page.keyboard.press("Enter")
    assert page.locator("#d04-1 .answer").first.is_visible()
    phone, said = opened(browser, page_file.as_uri() + "#en", width=390)
    assert not phone.locator("#list").is_visible()
    phone.locator(".menu").focus()
    phone.keyboard.press("Enter")
    assert phone.locator("#list").is_visible()
    phone.keyboard.press("Escape")
    assert not phone.locator("#list").is_visible() and told == said == []
    assert phone.evaluate("document.activeElement.className") == "menu"


@pytest.mark.slow
def test_all_demos_at_both_widths(tmp_path, browser, results) -> None:
    """Nothing is clipped, and what goes on to the right says so and keeps its row names."""
    from lecture.show.page import html, view

    path = tmp_path / "all.html"
    path.write_text(html([view(entry, [results(part) for part in entry.parts()])
                          for entry in REGISTRY], "zh"), encoding="utf-8")
    for width in (1280, 390):
        page, told = opened(browser, path.as_uri(), width=width)
        page.evaluate(OPEN)
        for lang in ("zh", "en"):
            page.evaluate(f"window.page.speak('{lang}')")
            page.wait_for_timeout(100)
            assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
            assert page.evaluate(CLIPPED) == []
            wide = page.evaluate("""() => [...document.querySelectorAll('.wide')].filter(w =>
              w.checkVisibility() && w.scrollWidth > w.clientWidth + 1).map(w => {
                w.scrollLeft = 60;
                const name = w.querySelector('tbody th').getBoundingClientRect();
                return [w.nextElementSibling.checkVisibility(), w.tabIndex,
                        Math.round(name.left - w.getBoundingClientRect().left)] })""")
            assert all(said and tab == 0 and left in (0, 1) for said, tab, left in wide), wide
            assert bool(wide) or width == 1280
        assert page.locator("#list > ol > li").count() == len(REGISTRY) and told == []


@pytest.mark.slow
def test_the_errata_by_document_and_line(tmp_path, browser) -> None:
    from cli import main

    path = tmp_path / "errata.html"
    assert main(["errata", "04", "--export", str(path), "--lang", "en"]) == 0
    page, told = opened(browser, path.as_uri() + "#zh", width=390)
    rows = [e.row for part in next(e for e in REGISTRY if e.number == 4).parts()
            for e in part.errata]
    heads = page.locator(".erratum h2").all_inner_texts()
    assert sorted(re.search(r"[A-C]-\d+", head)[0] for head in heads) == sorted(rows)
    places = [re.match(r"(\d+):(\d+)", head).groups() for head in heads]
    assert [(d, int(n)) for d, n in places] == sorted((d, int(n)) for d, n in places)
    for lang, other in (("zh", "en"), ("en", "zh")):
        page.check(f"#lang-{lang}")
        text = page.inner_text("main")
        assert bool(re.search("[\u4e00-\u9fff]", text)) == (lang == "zh")
        assert not any(e.is_visible() for e in page.locator(f"main .{other}").all())
        assert page.get_attribute("html", "lang") == lang and page.title() in text
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    for link in page.locator(".contents a").all():
        link.click()
        page.wait_for_timeout(100)                          # the list follows, on a phone too
        assert page.locator(".place").inner_text() == link.get_attribute("href")[2:]
    table = page.locator(".erratum", has_text="B-038").locator("table").inner_text()
    assert "unscaled.d4.dot_variance" in table and "36" in table and "4.02617" in table
    assert told == []


def test_errata_stand_in_the_order_of_documents_and_lines() -> None:
    from lecture.show.errata import errata_html

    def item(row: str, *places: tuple[str, str]) -> dict:
        word = {"zh": "错", "en": "wrong"}
        return {"row": row, "places": list(places), "verdict": word, "demo": "04.1", "says": word,
                "kind": "reading", "figure": False, "right": word, "about": word, "table": []}

    text = errata_html([item("C", ("003", "100")), item("B", ("003", "20-30"), ("000", "9")),
                        item("A", ("002", "7")), item("D")], "en")
    assert re.findall(r'<h2><span class="code">(\S+)</span>', text) == [
        "002:7", "003:20-30", "003:100", "-"]
    heads = re.findall(r'<article class="demo" id="(\w+)">', text)
    assert heads == ["n000", "n002", "n003", "none"]
    assert re.search(r'000:9</span>: <a href="#e1-B">B</a>', text)      # its other place


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
