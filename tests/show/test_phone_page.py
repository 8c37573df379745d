"""The way to the phones' page and the page itself: a QR code read by another's eyes, a browser."""

from __future__ import annotations

import time
from typing import Any

import pyte
import pytest
import zxingcpp
from PIL import Image

from console import Screen
from demos import REGISTRY
from lecture.show.deck import Deck, Place, stops_of
from lecture.show.phones import Line, opened
from lecture.show.polls import Answer, Asked, Poll
from lecture.show.present import Show
from tests.show.test_page import CONTRAST, browser  # noqa: F401

ADDRESSES = ["http://192.168.100.200:58040/9K7XWQ0Z3M", "http://10.0.0.5:8040/ABCDEFGHJK",
             "http://[fe80::1cc0:3e8c:119f:c2e1]:8040/ABCDEFGHJK"]
GROUNDS = {"dark": ("101010", "d0d0d0"), "light": ("ffffff", "202020")}     # ground, letters
NAMED = {"black": "000000", "white": "e5e5e5", "brightwhite": "ffffff"}
CELL = (6, 12)                          # pixels


def line_to(address: str) -> Line:
    import segno

    code = segno.make(address.upper() if "[" not in address else address, error="l",
                      micro=False).matrix
    return Line(Poll(), address, [[bool(m) for m in row] for row in code])


def deck_of(line: Line, size: tuple[int, int], **how: Any) -> Deck:
    """Demo 04 with phones, at its first question."""
    entry = next(e for e in REGISTRY if e.code == "04")
    screen = Screen(**{"lang": "zh", "color": "always"} | how)
    showing = Show(entry, screen, {}, phones=line)
    made = Deck(stops_of(showing, entry.parts()[:1], None), screen)
    made.size = lambda: size
    made.compute(0)
    made._results[0][0].result()
    return made


def picture(text: str, size: tuple[int, int], ground: str) -> Image.Image:
    """A slide as a projector throws it: every cell's ground, and the block that stands on it."""
    screen = pyte.Screen(*size)
    pyte.Stream(screen).feed(text.replace("\n", "\r\n"))
    back, fore = GROUNDS[ground]
    wide, high = CELL
    image = Image.new("RGB", (size[0] * wide, size[1] * high), f"#{back}")
    for y in range(size[1]):
        for x in range(size[0]):
            cell = screen.buffer[y][x]
            colours = [f"#{default if given == 'default' else NAMED.get(given, given)}"
                       for given, default in ((cell.bg, back), (cell.fg, fore))]
            under, over = reversed(colours) if cell.reverse else colours
            top, left = y * high, x * wide
            image.paste(under, (left, top, left + wide, top + high))
            if cell.data in "▄█":
                image.paste(over, (left, top + (high // 2 if cell.data == "▄" else 0),
                                   left + wide, top + high))
            elif cell.data.strip():                     # some letter: a blot of ink
                image.paste(over, (left + 1, top + 3, left + wide - 1, top + high - 3))
    return image


def read(image: Image.Image, inverted: bool = False) -> list[str]:
    """What another's decoder reads; light on dark is not read unless asked."""
    return [found.text for found in zxingcpp.read_barcodes(
        image, formats=zxingcpp.BarcodeFormat.QRCode, try_invert=inverted)]


def with_code(deck: Deck) -> str:
    """The page of the question's slide on which the code stands."""
    slide = deck.slides()[0]
    assert slide.question is not None
    pages = deck.pages(slide)
    deck.at = Place(0, slide.name, len(pages) - 1)
    return deck.text()


HOW = [({"theme": theme}, ground) for theme in ("dark", "light", "unknown")
       for ground in ("dark", "light")]                 # both grounds are set: any will do
HOW += [({"theme": "light", "color": "16"}, "light"), ({"theme": "dark", "color": "16"}, "dark"),
        ({"theme": "dark", "plain": True}, "dark"), ({"theme": "light", "plain": True}, "light"),
        ({"theme": "dark", "color": "never"}, "dark"), ({"theme": "light", "color": "never"},
                                                        "light")]


@pytest.mark.parametrize("address", ADDRESSES, ids=["long", "short", "version 6"])
@pytest.mark.parametrize(("how", "ground"), HOW, ids=str)
def test_the_code_on_the_slide_is_read_by_another_decoder(
        how: dict[str, Any], ground: str, address: str, monkeypatch) -> None:
    how, rows = dict(how), 24
    if how.get("color") == "16":                        # a terminal of sixteen colours
        monkeypatch.setattr("console._console", sixteen)
        how["color"] = "always"
    if how.get("plain") or how.get("color") == "never":     # no half blocks: larger
        rows = 48
    size = (96, rows)
    line = line_to(address)
    text = with_code(deck_of(line, size, **how))
    assert address in text
    assert set(text) & set("▄█") or how.get("plain")
    assert not (how.get("plain") and set(text) & set("▄█"))
    text.encode("gbk")
    found = read(picture(text, size, ground))
    assert [one.lower() for one in found] == [address.lower()]


def sixteen(stream, width, color):
    from rich.console import Console

    return Console(file=stream, width=width, height=50, color_system="standard",
                   force_terminal=True, legacy_windows=False)


def test_the_picture_would_show_a_wrong_polarity_and_a_missing_row() -> None:
    text = with_code(deck_of(line_to(ADDRESSES[0]), (80, 24)))
    image = picture(text, (80, 24), "dark")
    assert read(image) and not read(Image.eval(image, lambda v: 255 - v))
    lines = text.split("\n")
    cut = "\n".join(lines[:8] + lines[11:])
    assert not read(picture(cut, (80, 24), "dark"))


@pytest.mark.parametrize(("size", "pages", "code"), [
    ((80, 24), 2, True), ((80, 44), 1, True), ((60, 20), 3, True), ((40, 12), None, False),
    ((26, 40), None, False)])
def test_the_code_stands_whole_or_not_at_all(size, pages, code: bool) -> None:
    line = line_to(ADDRESSES[0])
    deck = deck_of(line, size, lang="en")
    drawn = deck.pages(deck.slides()[0])
    assert pages is None or len(drawn) == pages
    assert all(len(page) <= size[1] for page in drawn)
    deck.over = "phones"
    assert line.address[:20] in deck.text()             # the address at least, at p
    assert bool(read(picture(with_code(deck_of(line, size, lang="en")), size, "dark"))) is code


# --- the page in a browser ------------------------------------------------------------

QUESTION = Asked("04.lookup.0", {"zh": "取回的是？ <img src=x onerror=alert(1)>",
                                 "en": "Returned: <img src=x onerror=alert(1)>"},
                 [{"zh": "零：没找到", "en": "zero: not found"},
                  {"zh": "40，末一条的值", "en": "40, the last one's"},
                  {"zh": "三十" * 30, "en": "thirty and a long word after " * 6}])
ANSWER = Answer("B", {"zh": "因为分数最高。", "en": "Its score is the highest."},
                {"A": {"zh": "以为没有。", "en": "takes unlike for none."}})
SAID = {"zh": ("选一个", "收到了：A", "投票结束", "这次没猜对", "等老师出题"),
        "en": ("Choose one", "Counted: A", "Closed", "Not this time", "Waiting for a question")}
# What an accessibility checker asks first: every control has a name and a size for a thumb, the
# page a language, a title and one heading, and what changes is said by a screen reader.
LABELS = r"""
() => {
  const bad = [];
  for (const one of document.querySelectorAll('button, input, select, a')) {
    if (!one.checkVisibility()) continue;
    const box = one.getBoundingClientRect();
    if (!one.textContent.trim()) bad.push(['no name', one.outerHTML]);
    if (box.width < 44 || box.height < 44) bad.push(['small', one.textContent, box.height]);
  }
  if (!document.documentElement.lang || !document.title) bad.push(['no language or title']);
  if (document.querySelectorAll('h1').length !== 1) bad.push(['headings']);
  if (!document.querySelector('[role=status]')) bad.push(['nothing is said']);
  for (const one of document.querySelectorAll('[aria-labelledby]'))
    if (!document.getElementById(one.getAttribute('aria-labelledby'))) bad.push(['label', one.id]);
  return bad;
}
"""


def checked(page: Any) -> None:
    """Nothing too wide, too pale, too small or without a name."""
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    assert page.evaluate(CONTRAST) == []
    assert page.evaluate(LABELS) == []


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("lang", ["zh", "en"])
def test_a_phone_in_chromium(browser, lang: str, scheme: str, tmp_path) -> None:  # noqa: F811
    choose, mine, closed, miss, wait = SAID[lang]
    with opened("127.0.0.1", lang) as line:
        context = browser.new_context(viewport={"width": 390, "height": 844}, has_touch=True,
                                      color_scheme=scheme, locale={"zh": "zh-CN", "en": "en-GB"}[
                                          lang])
        page = context.new_page()
        told: list[str] = []
        asked: set[str] = set()
        page.on("console", lambda m: told.append(m.text))
        page.on("pageerror", lambda e: told.append(str(e)))
        page.on("dialog", lambda d: (told.append("a dialog"), d.dismiss()))
        page.on("request", lambda r: asked.add(r.url))
        page.goto(line.address)
        page.get_by_text(wait).wait_for()
        checked(page)
        line.poll.ask(QUESTION)
        page.get_by_text(choose).wait_for()
        assert "<img src=x" in page.inner_text("h1")        # as words, not as markup
        assert page.locator("img").count() == 0
        checked(page)
        page.get_by_role("button", name="B").tap()
        page.get_by_role("button", name="A", exact=False).first.tap()
        page.get_by_text(mine).wait_for()
        assert page.locator("[aria-pressed=true]").count() == 1
        assert line.poll.counts() == {"A": 1}
        checked(page)
        page.screenshot(path=str(tmp_path / "open.png"))
        page.reload()                                       # the device stays the same
        page.get_by_text(mine).wait_for()
        line.poll.close()
        page.get_by_text(closed).wait_for()
        assert page.locator("#options button:enabled").count() == 0
        line.poll.reveal(QUESTION.key, ANSWER)
        page.get_by_text(miss).wait_for()
        assert page.locator(".right").count() == 1 and ANSWER.words
        text = page.inner_text("main")
        assert ANSWER.words[lang] in text and ANSWER.misread["A"][lang] in text
        checked(page)
        page.screenshot(path=str(tmp_path / "answer.png"))
        other = "en" if lang == "zh" else "zh"
        page.locator("#other").tap()                        # the choice is kept in the address
        page.get_by_text(SAID[other][3]).wait_for()
        assert page.url.endswith(f"#{other}")
        assert told == []
        assert {url.partition("#")[0].rpartition("/")[0] for url in asked} <= {
            line.address, line.address.rpartition("/")[0]}
        (cookie,) = context.cookies()
        assert cookie["name"] == "device" and cookie["httpOnly"]
        context.close()


@pytest.mark.slow
def test_a_phone_that_loses_the_network_votes_when_it_is_back(browser) -> None:  # noqa: F811
    with opened("127.0.0.1", "en") as line:
        context = browser.new_context(viewport={"width": 390, "height": 844}, locale="en-GB")
        page = context.new_page()
        page.goto(line.address)
        line.poll.ask(QUESTION)
        page.get_by_text("Choose one").wait_for()
        context.set_offline(True)
        page.get_by_role("button", name="B").first.click()
        page.get_by_text("No connection").wait_for()
        context.set_offline(False)
        end = time.monotonic() + 60
        while not line.poll.counts() and time.monotonic() < end:
            page.wait_for_timeout(100)
        assert line.poll.counts() == {"B": 1}
        context.close()
