"""The page in a real Chromium: every control, by mouse and by keyboard, live, in both themes, on a phone."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import made_runs
import pytest
from chromium import BROWSER, Chromium
from conftest import serving

pytestmark = pytest.mark.skipif(BROWSER is None, reason="there is no Chromium")


@pytest.fixture(scope="module")
def chromium(tmp_path_factory):
    folder = tmp_path_factory.mktemp("browser")
    try:
        found = Chromium(folder)
    except (OSError, TimeoutError, EOFError) as error:
        pytest.skip(f"the browser does not run here: {error}")
    yield found
    found.close()


@pytest.fixture
def browser(chromium):
    chromium.complaints.clear()
    chromium.requests.clear()
    chromium.alerts.clear()
    chromium.size(1440, 900)
    chromium.media()
    yield chromium
    chromium.listen(0.1)
    assert chromium.complaints == []
    assert chromium.alerts == []
    chromium.open("about:blank")


@pytest.fixture
def page(server, browser):
    """The page of the hand-made runs, with the actor-critic chosen."""
    show(browser, server, "td3-walker")
    yield browser
    own = f"http://127.0.0.1:{server.access.port}/"
    assert [address for address in browser.requests if not address.startswith((own, "about:", "data:"))] == []


@contextmanager
def shown_to(browser, root):
    """A server that the browser has left before it ends: a question that nobody answers would be a complaint."""
    with serving(root) as server:
        yield server
        browser.open("about:blank")
        browser.listen(0.1)


def show(browser, server, name=None):
    browser.open(server.access.address)
    browser.wait("document.querySelectorAll('#runs-list li').length > 0")
    if name is not None:
        choose(browser, name)


def choose(browser, name):
    wanted = json.dumps(name)
    browser.run(
        "[...document.querySelectorAll('#runs-list button')]"
        f".find(b => b.querySelector('.run-name').textContent === {wanted}).click()"
    )
    browser.wait(f"document.getElementById('run-name').textContent === {wanted}")
    browser.wait("document.querySelectorAll('#charts .chart').length > 0")


def text(browser, selector):
    return browser.run(f"document.querySelector({json.dumps(selector)})?.textContent ?? null")


def chosen(browser):
    """What the address remembers: it is what the page shows."""
    browser.listen(0.05)
    return browser.run("Object.fromEntries(new URLSearchParams(location.hash.slice(1)))")


def colours_of(browser, row):
    """Of the heat map's picture: the colours in a row, at a few places from left to right."""
    return browser.run(
        "(() => { const c = document.querySelector('#heat canvas'), label = document.querySelector("
        f"'#heat [data-row=\"{row}\"]'), scale = c.width / c.clientWidth;"
        " const y = Math.round((label.offsetTop + label.offsetHeight / 2 - 2) * scale);"
        " const copy = new OffscreenCanvas(c.width, 1).getContext('2d', {willReadFrequently: true});"
        " copy.drawImage(c, 0, -y);"
        " return [0.1, 0.3, 0.45, 0.55, 0.75, 0.95].map(x => [...copy.getImageData(c.width * x, 0, 1, 1).data]); })()"
    )


def test_the_token_is_gone_from_the_address_and_no_script_can_read_it(page):
    assert "token" not in page.run("location.href")
    assert page.run("document.cookie") == ""


def test_the_list_of_runs(page):
    names = page.run("[...document.querySelectorAll('.run-name')].map(e => e.textContent)")
    assert sorted(names) == ["dqn-CartPole-v1-0-1", "hostile", "td3-walker"]
    assert page.run("document.querySelector('[aria-current=true] .run-name').textContent") == "td3-walker"
    assert "6,000 updates" in text(page, "[aria-current=true] .run-facts")
    assert text(page, "[aria-current=true] .badge") == "4"
    assert "return" in text(page, "[aria-current=true] .run-facts")


def test_a_dead_layer_is_a_black_stripe(page):
    rows = page.run("[...document.querySelectorAll('#heat .label')].map(e => e.textContent)")
    assert rows == ["0.weight", "0.bias", "2.weight", "2.bias", "4.weight", "4.bias"] * 2
    line = colours_of(page, 8)
    assert all(max(colour[:3]) > 80 for colour in line[:3])
    assert all(max(colour[:3]) < 16 for colour in line[3:])
    assert all(max(colour[:3]) > 60 for row in (6, 7, 10, 11) for colour in colours_of(page, row))


def test_the_first_thing_to_see_is_what_went_wrong(page):
    page.wait("document.getElementById('variable-title').textContent === 'critic.2.weight'")
    assert chosen(page)["at"] == "3000"
    assert "100 %" in text(page, ".numbers")


def test_a_click_chooses_a_variable_and_a_time(page):
    page.wait("!document.getElementById('variable-section').hidden")
    page.click("#heat .grid", 0.25, 0.12)
    page.wait("document.getElementById('variable-title').textContent === 'actor.0.weight'")
    at = int(chosen(page)["at"])
    assert 1_300 < at < 1_700
    page.wait(f"document.querySelector('.numbers dd').textContent.includes('{at // 4 * 4:,}'.slice(0, 3))")
    page.click("#heat .labels [data-row='10']")
    page.wait("document.getElementById('variable-title').textContent === 'critic.4.weight'")
    assert int(chosen(page)["at"]) == pytest.approx(at, abs=16)


def test_pointing_shows_a_crosshair_everywhere_and_what_the_cell_says(page):
    box = page.run(
        "(b => [b.left, b.top, b.width, b.height])(document.querySelector('#heat .grid').getBoundingClientRect())"
    )
    before = text(page, "#charts .value")
    page.mouse("mouseMoved", box[0] + 0.8 * box[2], box[1] + 0.72 * box[3])
    page.wait("!document.querySelector('.tip').hidden")
    assert "zero" in text(page, ".tip")
    assert "critic.2.weight" in text(page, ".tip")
    assert text(page, "#charts .value") != before
    page.mouse("mouseMoved", 5, 5)
    page.wait("document.querySelector('.tip').hidden")


def test_dragging_zooms_and_the_button_leads_back(page):
    box = page.run(
        "(b => [b.left, b.top, b.width, b.height])(document.querySelector('#heat .grid').getBoundingClientRect())"
    )
    y = box[1] + 0.5 * box[3]
    page.mouse("mouseMoved", box[0] + 0.4 * box[2], y)
    page.mouse("mousePressed", box[0] + 0.4 * box[2], y, button="left", clickCount=1)
    page.mouse("mouseMoved", box[0] + 0.6 * box[2], y, button="left", buttons=1)
    page.mouse("mouseReleased", box[0] + 0.6 * box[2], y, button="left", clickCount=1)
    page.wait("!document.getElementById('whole-run').hidden")
    begin, end = map(int, chosen(page)["range"].split("-"))
    assert (begin, end) == (pytest.approx(2_400, abs=60), pytest.approx(3_600, abs=60))
    page.click("#whole-run")
    page.wait("document.getElementById('whole-run').hidden")
    assert "range" not in chosen(page)


@pytest.mark.parametrize("field", ["applied", "ratio", "zeros", "largest", "norm"])
def test_what_the_colours_show(page, field):
    page.click(f"label[for=field-{field}]")
    page.wait(f"document.querySelector('#field-{field}').checked")
    page.listen(0.4)
    if field == "zeros":
        assert "100 %" in text(page, ".ramp-line")
    line = colours_of(page, 8)
    assert max(line[4][:3]) < 16  # dead, whatever is shown


def test_the_logarithmic_scale(page):
    assert page.run("document.querySelector('#charts .tiny').getAttribute('aria-pressed')") == "false"
    page.click("#charts .chart:nth-child(2) .tiny")
    assert page.run("document.querySelectorAll('#charts .tiny')[1].getAttribute('aria-pressed')") == "true"


def test_more_charts(page):
    assert page.run("document.querySelectorAll('#charts .chart').length") == 3
    page.click("#more-charts")
    page.wait("document.querySelectorAll('#charts .chart').length === 6")
    page.click("#more-charts")
    page.wait("document.querySelectorAll('#charts .chart').length === 3")


def test_events_lead_to_their_place_and_to_their_rule(page):
    assert page.run("document.querySelectorAll('.event').length") == 4
    page.click(".event:nth-child(4) .place")
    page.wait("document.getElementById('variable-title').textContent === 'actor.2.bias'")
    assert chosen(page)["at"] == "5000"
    page.wait("document.querySelector('.numbers').textContent.includes('5, 0')")
    page.click(".event:nth-child(4) .code")
    page.wait("document.getElementById('rule').open")
    assert "W402" in text(page, "#rule")
    assert "Why it matters" in text(page, "#rule")
    page.key("Escape")
    page.wait("!document.getElementById('rule').open")


def test_histograms(page):
    page.click("#heat .grid", 0.3, 0.12)
    page.wait(
        "document.querySelector('#variable-section canvas').getAttribute('aria-label').includes('actor.0.weight')"
    )
    label = page.run("document.querySelector('#variable-section canvas').getAttribute('aria-label')")
    assert "below zero" in label
    before = chosen(page)["at"]
    page.click("#variable-section .pickable", 0.9, 0.5)
    page.listen(0.3)
    assert int(chosen(page)["at"]) > int(before)


def test_everything_by_keyboard(page):
    page.key("h")
    assert page.run("document.activeElement.classList.contains('grid')")
    start = chosen(page)
    page.key("ArrowDown")
    page.wait("document.getElementById('variable-title').textContent === 'critic.2.bias'")
    page.key("ArrowRight")
    one = int(chosen(page)["at"])
    assert one > int(start["at"])
    page.key("ArrowLeft", shift=True)
    assert int(chosen(page)["at"]) < one - 100
    page.key("Home")
    assert int(chosen(page)["at"]) < 20
    page.key("End")
    assert int(chosen(page)["at"]) > 5_900
    page.key("PageUp")
    page.wait("document.getElementById('variable-title').textContent === 'actor.0.weight'")
    assert "actor.0.weight" in text(page, "#heat-says")
    page.key("+")
    page.wait("!document.getElementById('whole-run').hidden")
    page.key("-")
    page.wait("document.getElementById('whole-run').hidden")
    page.key("+")
    page.wait("!document.getElementById('whole-run').hidden")
    page.key("Escape")
    page.wait("document.getElementById('whole-run').hidden")
    page.key("f")
    assert chosen(page)["field"] == "applied"
    page.key("?")
    page.wait("document.getElementById('keys').open")
    page.key("Escape")
    page.wait("!document.getElementById('keys').open")
    names = page.run("[...document.querySelectorAll('.run-name')].map(e => e.textContent)")
    page.key("j" if names.index("td3-walker") < len(names) - 1 else "k")
    page.wait("document.getElementById('run-name').textContent !== 'td3-walker'")


def test_tab_reaches_every_control_and_focus_is_seen(page):
    page.run("document.activeElement.blur()")
    reached = []
    for _ in range(60):
        page.key("Tab")
        found = page.run(
            "(e => [e.id || e.className || e.tagName, e === document.body"
            " || [e, e.nextElementSibling ?? e].some(one => getComputedStyle(one).outlineStyle !== 'none')])"
            "(document.activeElement)"
        )
        if found[0] == "BODY":
            break
        assert found[1], found[0]
        reached.append(found[0])
    for wanted in ("theme-button", "keys-button", "tiny", "plot", "more-charts", "field-norm", "grid", "place", "code"):
        assert any(wanted in one for one in reached), (wanted, reached)


def test_charts_are_read_by_keyboard(page):
    page.run("document.querySelector('#charts .plot').focus()")
    now = text(page, "#charts .value")
    page.key("Home")
    assert text(page, "#charts .value") != now
    page.key("ArrowRight", shift=True)
    page.key("Enter")
    assert 500 < int(chosen(page)["at"]) < 700


def test_the_theme_turns_and_stays(page):
    assert page.run("getComputedStyle(document.body).backgroundColor") == "rgb(253, 253, 252)"
    page.click("#theme-button")
    assert page.run("getComputedStyle(document.body).backgroundColor") == "rgb(22, 24, 27)"
    page.reload()
    page.wait("document.querySelectorAll('#runs-list li').length > 0")
    assert page.run("getComputedStyle(document.body).backgroundColor") == "rgb(22, 24, 27)"
    page.key("t")
    assert page.run("getComputedStyle(document.body).backgroundColor") == "rgb(253, 253, 252)"


def test_a_reload_shows_the_same(page):
    page.click("#heat .grid", 0.25, 0.12)
    page.key("f")
    before = chosen(page)
    page.reload()
    page.wait("document.getElementById('variable-title')?.textContent === 'actor.0.weight'")
    assert chosen(page) == before


def test_names_that_would_run_are_only_shown(server, browser):
    show(browser, server, "hostile")
    browser.wait("!document.getElementById('variable-section').hidden")
    assert text(browser, "#variable-title") == made_runs.HOSTILE
    assert made_runs.HOSTILE in text(browser, ".event .says")
    assert browser.run("document.querySelectorAll('main img, main script, main b:not(.tip b), main svg').length") == 0
    browser.click(".event .code")
    browser.wait("document.getElementById('rule').open")
    browser.listen(0.5)
    assert not [address for address in browser.requests if address.endswith("/x")]


def contrast(browser):
    """Texts that are too pale, and how much is wider than the window."""
    return browser.run(Path(__file__).with_name("pale_texts.js").read_text(encoding="utf-8"))


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [360, 390, 800, 1440])
def test_it_fits_and_can_be_read(page, dark, width):
    page.size(width, 844)
    page.media(dark)
    page.listen(0.5)
    assert page.run("document.documentElement.scrollWidth - document.documentElement.clientWidth") == 0
    assert contrast(page) == []


def test_on_a_phone_the_runs_open_and_a_tap_chooses(page):
    page.size(390, 844)
    assert page.run("getComputedStyle(document.getElementById('runs')).display") == "none"
    page.click("#runs-button")
    page.wait("getComputedStyle(document.getElementById('runs')).display !== 'none'")
    assert page.run("document.getElementById('runs-button').getAttribute('aria-expanded')") == "true"
    page.click("#runs-list li:first-child button")
    page.wait("document.getElementById('run-name').textContent !== 'td3-walker'")
    assert page.run("getComputedStyle(document.getElementById('runs')).display") == "none"


def test_a_run_without_watching_says_how(server, browser):
    show(browser, server, "dqn-CartPole-v1-0-1")
    assert "whygrad.watch(model, optimizer)" in text(browser, "#unwatched")
    assert browser.run("document.getElementById('heat-section').hidden")
    assert browser.run("document.querySelectorAll('#charts .chart').length") == 3


def test_no_runs(browser, tmp_path):
    with shown_to(browser, tmp_path) as server:
        browser.open(server.access.address)
        browser.wait("!document.getElementById('empty').hidden")
        assert "whygrad.watch" in text(browser, "#empty")
        made_runs.make_hostile(tmp_path / "first")
        browser.wait("document.getElementById('run-name').textContent === 'first'")  # without a reload


def test_a_run_that_cannot_be_read_says_so(browser, made, tmp_path):
    shutil.copytree(made / "td3-walker", tmp_path / "good")
    (tmp_path / "bad").mkdir()
    (tmp_path / "bad" / "watch.db").write_bytes(b"this is no database" * 100)
    with shown_to(browser, tmp_path) as server:
        browser.open(server.access.address)
        browser.wait("document.querySelectorAll('#runs-list li').length === 2")
        browser.wait("document.getElementById('trouble').textContent.includes('cannot be read')")
        assert browser.run("document.getElementById('heat-section').hidden")
        browser.complaints.clear()  # the browser notes that an answer was 503
        choose(browser, "good")
        browser.wait("document.getElementById('trouble').hidden")
        browser.wait("document.querySelectorAll('#heat .label').length === 12")


def test_findings_and_the_step(browser, made, tmp_path):
    from view_reports import save_report

    shutil.copytree(made / "td3-walker", tmp_path / "run")
    save_report(tmp_path / "run")
    with shown_to(browser, tmp_path) as server:
        show(browser, server, "run")
        browser.wait("document.querySelector('.report.findings')?.shadowRoot.querySelector('article') != null")
        inside = "document.querySelector('.report.findings').shadowRoot"
        assert "gets no gradient" in browser.run(f"{inside}.querySelector('article').textContent")
        assert browser.run(f"{inside}.querySelector('mark.main').textContent") == "net(x).detach()"
        assert browser.run(f"{inside}.querySelectorAll('img, script, iframe').length") == 0
        step = "document.querySelector('.report.step').shadowRoot"
        widths = browser.run(
            f"[...{step}.querySelectorAll('.only-wide .flow')].map(p => Number(p.getAttribute('stroke-width')))"
        )
        assert widths
        assert max(widths) == pytest.approx(14.0)
        assert browser.run(f"{step}.querySelectorAll('.slashes').length") > 0
        browser.run(f"{inside}.querySelector('.more a').click()")
        browser.wait("document.getElementById('rule').open")
        assert "W102" in text(browser, "#rule")


def test_live(browser, tmp_path):
    """A process writes; the page follows, and keeps what was chosen and where it was scrolled to."""
    root = tmp_path / "runs"
    program = Path(made_runs.__file__)
    writer = subprocess.Popen([sys.executable, str(program), str(root), "live"])
    try:
        while not (root / "live" / "watch.db").exists():
            browser.listen(0.1)
        with shown_to(browser, root) as server:
            browser.size(1440, 600)
            show(browser, server, "live")
            browser.wait("document.getElementById('run-live').textContent === 'live'")
            browser.wait("document.querySelectorAll('#heat .label').length === 6")
            browser.click("#heat .labels [data-row='3']")
            browser.wait("document.getElementById('variable-title').textContent === 'actor.2.bias'")
            browser.run("window.scrollTo(0, 120)")
            browser.run("document.querySelector('#heat .grid').focus({preventScroll: true})")
            first = browser.run("document.querySelector('.run-facts').textContent")
            before = text(browser, "#charts .value")
            browser.wait(f"document.querySelector('.run-facts').textContent !== {json.dumps(first)}")
            browser.wait(f"document.querySelector('#charts .value').textContent !== {json.dumps(before)}")
            browser.wait("document.querySelectorAll('.event').length === 1", 30)
            assert text(browser, "#variable-title") == "actor.2.bias"
            assert browser.run("window.scrollY") == 120
            assert browser.run("document.activeElement.classList.contains('grid')")
            # A page that nobody sees asks for nothing.
            browser.run(
                "Object.defineProperty(document, 'hidden', {value: true, configurable: true});"
                "document.dispatchEvent(new Event('visibilitychange'))"
            )
            browser.listen(1.5)
            asked = len(browser.requests)
            browser.listen(2.5)
            assert len(browser.requests) == asked
            browser.run("delete document.hidden; document.dispatchEvent(new Event('visibilitychange'))")
            browser.wait("true")
            writer.terminate()
            writer.wait(timeout=20)
            browser.wait("document.getElementById('run-live').textContent === ''", 30)
    finally:
        writer.kill()
        writer.wait()


def test_a_hundred_layers_are_shown_and_shown_again(browser, big):
    with shown_to(browser, big) as server:
        browser.open(server.access.address)
        browser.wait(
            "document.querySelector('#heat canvas')?.width > 300 && !document.getElementById('variable-section').hidden"
        )
        browser.reload()
        browser.wait("performance.getEntriesByName('heat-shown').length > 0")
        assert browser.run("document.querySelectorAll('#heat canvas').length") >= 1


def test_a_server_that_is_gone_is_said(browser, made):
    with serving(made) as server:
        show(browser, server, "td3-walker")
    browser.wait("document.getElementById('run-live').textContent === 'server gone'")
    browser.complaints.clear()  # the browser says so, too


def small_game():
    """Three moves: the snake eats, turns, and runs into the wall."""
    snakes = [[[1, 1], [1, 0]], [[1, 2], [1, 1], [1, 0]], [[0, 2], [1, 2], [1, 1]], [[0, 2], [1, 2], [1, 1]]]
    headings = ["right", "right", "up", "up"]
    boards = [
        {
            "snake": snake, "fruits": [[2, 0] if at else [1, 2]], "heading": headings[at], "eaten": min(at, 1),
            "dead": at == 3,
        }
        for at, snake in enumerate(snakes)
    ]  # fmt: skip
    moves = [
        {"action": 0, "values": [3.0, -1.0, 0.5]},
        {"action": 1, "values": [0.1, 2.0, -4.0]},
        {"action": 0, "values": [1.0, 0, 0]},
    ]
    facts = {"kind": "q", "which": "last", "steps": 1200, "height": 3, "width": 3, "score": 1.0, "won": False}
    return {**facts, "boards": boards, "moves": moves}


@pytest.mark.parametrize("still", [True, False], ids=["still", "moving"])
def test_the_snake_plays_beside_its_values(browser, tmp_path, monkeypatch, still):
    made_runs.make_metrics_only(tmp_path / "snake", env="whygrad/Snake-v0")
    (tmp_path / "snake" / "checkpoints").mkdir()
    (tmp_path / "snake" / "checkpoints" / "last.npz").write_bytes(b"")
    code = f"print({json.dumps(small_game())!r})"
    monkeypatch.setattr("whygrad.view.snake_games._COMMAND", [sys.executable, "-c", code])
    browser.media(still=still)
    with shown_to(browser, tmp_path) as server:
        show(browser, server, "snake")
        browser.wait("!document.querySelector('.snake').hidden")
        facts = "document.querySelector('.snake > .quiet').textContent"
        if not still:  # it plays by itself, to the end
            browser.wait(f"{facts}.includes('move 3 of 3 · 1 eaten · died')")
            return
        browser.listen(0.5)
        assert browser.run(facts).startswith("move 0 of 3 · 0 eaten")  # who wants no motion gets none
        chosen_one = "document.querySelector('.choices dt.chosen').textContent"
        numbers = "[...document.querySelectorAll('.choices .number')].map(e => e.textContent)"
        assert browser.run(chosen_one) == "straight"
        assert browser.run(numbers) == ["−1", "3", "0.5"]
        browser.click("[aria-label='One step on']")
        assert browser.run(chosen_one) == "left"
        assert browser.run(facts).startswith("move 1 of 3 · 1 eaten")
        browser.click("[aria-label='One step back']")
        assert browser.run(chosen_one) == "straight"
        browser.run("document.querySelector('.controls input').focus()")
        browser.key("End")
        assert "died" in browser.run(facts)
        browser.click("#snake-play")
        browser.wait(f"{facts}.startsWith('move 3')")
        browser.wait("document.getElementById('snake-play').textContent === 'Play'")
