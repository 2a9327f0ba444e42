"""The pages of rules over real files and a real policy: listed, tried, published, refused, taken back."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from console.house import House, place_of, text_of
from console.test_entrance import ADMIN, READER
from console.test_rules_trials import RULES
from pointsman.app.build import build
from pointsman.app.console_rules import ConsoleBooks
from pointsman.config.load import load
from pointsman.console.rules.books import Hits
from pointsman.console.rules.pages import rule_routes
from pointsman.console.rules.shelf import mode_of, with_mode
from pointsman.console.rules.told import Answer, Asked, Health, Job, Reviewed, both
from pointsman.console.templates import Templates
from pointsman.console.visit import Reply, Route
from pointsman.domain.errors import PointsmanError
from pointsman.offline.drafting.child import Bench

FILE = f"# kept\n{RULES}# the end\n"
NEW = """- id: wifi
  when: {all: [{any: [wifi]}, {any: [password]}]}
  answer: On the card.
  examples: [wifi password]
  counter_examples: [wifi]
  boundary: [{text: the wifipassword, takes: false}]
"""


class Trials:
    """As the process beside the gateway, in this one."""

    def __init__(self, desk: Desk) -> None:
        self.desk, self.bench = desk, Bench()
        self.review_failed = None

    async def ask(self, job: Job) -> Answer:
        policy = self.desk.setup.policy
        asked = Asked(1, policy.hash, str(self.desk.folder / "data"), job, policy.document.encode())
        answer = self.bench.answer(asked, lambda: False)
        assert answer is not None
        return answer

    def review(self, span: float) -> Reviewed | None:
        return self.desk.reviewed


class Books(ConsoleBooks):
    took: Mapping[str, Hits] = {}

    def hits(self, since: float, until: float) -> Mapping[str, Hits]:
        return self.took


class Desk:
    """A folder with a config, and a console over it."""

    def __init__(self, folder: Path, *, text: str = FILE, here: bool = True) -> None:
        self.folder = folder
        self.file = folder / "rules.yaml"
        self.file.write_text(text, encoding="utf-8")
        self.config = folder / "pointsman.yaml"
        self.config.write_text("rules: {packs: [builtin:smalltalk], files: [./rules.yaml]}\n", encoding="utf-8")
        self.reviewed: Reviewed | None = None
        self.refuses = False
        self.setup = self.built()
        self.books = Books(lambda: self.setup, self.reload, Trials(self), folder / "data")  # type: ignore[arg-type]
        self.house = House(self.pages, here=here)

    def built(self) -> Any:
        return build(load(self.config, None, {}))

    async def reload(self) -> dict[str, Any]:
        if self.refuses:
            raise PointsmanError("no room", status=400)
        before, self.setup = self.setup.policy.hash, self.built()
        return {"policy": self.setup.policy.hash, "before": before, "notes": []}

    def pages(self, templates: Templates) -> Iterable[Route]:
        return rule_routes(templates, self.books)

    def begin(self, address: str) -> dict[str, str]:
        """The form of an editor that is opened there."""
        page = text_of(self.house.get(place_of(self.house.get(address))))
        found = {
            name: html.unescape(value) for name, value in re.findall(r'name="(draft|base|file)" value="([^"]*)"', page)
        }
        area = re.search(r"<textarea.*?>\n(.*?)</textarea>", page, re.DOTALL)
        assert area
        return {**found, "text": html.unescape(area.group(1))}

    @property
    def ids(self) -> Sequence[str]:
        return [rule.id for rule in self.setup.policy.document.rules if rule.pack == "rules"]


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


def refused(reply: Reply, status: int, says: str) -> str:
    assert reply.status == status, text_of(reply)
    page = html.unescape(text_of(reply))
    assert says in page
    return page


def test_the_list_tells_what_each_rule_did(desk: Desk) -> None:
    page = text_of(desk.house.get("/ui/rules"))
    assert "is being reviewed" in page and 'hx-trigger="every 3s"' in page and 'href="/ui/rules/hours"' in page
    desk.books.took = {"hours": Hits(41, 1_796_000_000.0, [(1_795_900_000.0, 1), (1_796_000_000.0, 40)])}
    health = Health("hours", 41, 0.5, 12.5, 9, 40, 0.12, 0.38, doubted=True, advice="narrow", why=both("too wide"))
    desk.reviewed = Reviewed(1_796_000_000.0, 80, 80, 0, {"hours": health})
    desk.house = House(desk.pages)
    page = text_of(desk.house.get("/ui/rules"))
    for part in ('href="/ui/requests?rule=hours">41<', "78 %", "62 %–88 %", "12.5 s", "narrow it", "doubtful"):
        assert part in page, part
    assert "every 3s" not in page
    only = text_of(desk.house.get("/ui/rules?show=doubtful", hx_request="true"))
    assert "<html" not in only and ">hours<" in only and "smalltalk_thanks_en" not in only
    assert "No rule is like that" in text_of(desk.house.get("/ui/rules?text=nonsense"))
    page = text_of(desk.house.get("/ui/rules/hours", "zh"))
    assert (
        "/ui/requests?rule=hours&amp;since=1796000000&amp;until=1796086400" in page
        and "too wide" in page
        and '<a href="/ui/requests?rule=hours">40</a> 个中有 ' in page
    )


@pytest.mark.parametrize("tongue", ["en", "zh"])
def test_a_rules_page_has_its_text_and_its_cases(desk: Desk, tongue: str) -> None:
    page = html.unescape(text_of(desk.house.get("/ui/rules/hours", tongue)))  # type: ignore[arg-type]
    for part in ("- id: hours", "closing time", "opening hour", "/ui/rules/hours/edit", "rules/rules.yaml"):
        assert part in page, part
    page = text_of(desk.house.get("/ui/rules/smalltalk_thanks_en", tongue))  # type: ignore[arg-type]
    assert "/edit" not in page and "/ui/rules/new?copy=smalltalk_thanks_en" in page
    refused(desk.house.get("/ui/rules/hous"), 404, 'did you mean "hours"')


def test_a_change_is_published_and_keeps_every_other_byte(desk: Desk) -> None:
    form = desk.begin("/ui/rules/hours/edit")
    assert form["text"] == form["base"] == RULES
    text = form["text"].replace("From 9 to 6.", "From 9 to 5.   # since May")
    checked = text_of(desk.house.post("/ui/rules/hours/check", {**form, "text": text}))
    assert "all 3 cases hold" in checked and "+  answer: From 9 to 5." in checked
    place = place_of(desk.house.post("/ui/rules/hours/publish", {**form, "text": text.replace("\n", "\r\n")}))
    assert desk.file.read_text(encoding="utf-8") == FILE.replace("From 9 to 6.", "From 9 to 5.   # since May")
    page = text_of(desk.house.get(place))
    assert "Published" in page and desk.setup.policy.hash in page and "this machine" in page
    assert text_of(desk.house.get("/ui/rules")).count("Your drafts") == 0


def test_a_change_is_taken_back(desk: Desk) -> None:
    form = desk.begin("/ui/rules/hours/edit")
    place = place_of(desk.house.post("/ui/rules/hours/publish", {**form, "text": form["text"].replace("6", "5")}))
    change = re.search(r'name="change" value="([^"]+)"', text_of(desk.house.get(place)))
    assert change
    back = place_of(desk.house.post("/ui/rules/hours/undo", {"change": change.group(1)}))
    assert desk.file.read_text(encoding="utf-8") == FILE
    assert "Taken back" in text_of(desk.house.get(back))
    refused(desk.house.post("/ui/rules/hours/undo", {"change": "x"}), 404, "not known")


def test_a_new_rule_and_none_of_it_again(desk: Desk) -> None:
    form = desk.begin("/ui/rules/new")
    assert "mode: shadow" in form["text"]
    place = place_of(desk.house.post("/ui/rules/new/publish", {**form, "text": NEW, "as": "share", "share": "20"}))
    assert place.startswith("/ui/rules/wifi?done=") and desk.ids == ["hours", "wifi"]
    assert desk.file.read_text(encoding="utf-8") == FILE.replace(
        "# the end\n", NEW.replace("- id: wifi\n", "- id: wifi\n  share: 20\n") + "# the end\n"
    )
    change = re.search(r'name="change" value="([^"]+)"', text_of(desk.house.get(place)))
    assert change and place_of(desk.house.post("/ui/rules/wifi/undo", {"change": change.group(1)})) == "/ui/rules"
    assert desk.file.read_text(encoding="utf-8") == FILE and desk.ids == ["hours"]


@pytest.mark.parametrize("tongue", ["en", "zh"])
def test_what_a_new_rule_begins_with_is_sound(desk: Desk, tongue: str) -> None:
    page = place_of(desk.house.get("/ui/rules/new", tongue))  # type: ignore[arg-type]
    area = re.search(r"<textarea.*?>\n(.*?)</textarea>", text_of(desk.house.get(page)), re.DOTALL)
    assert area
    form = {"draft": page.rpartition("=")[2], "base": "", "file": "", "text": html.unescape(area.group(1))}
    assert "all 3 cases hold" in text_of(desk.house.post("/ui/rules/new/check", form))


def test_nothing_is_published_whose_cases_fail(desk: Desk) -> None:
    form = desk.begin("/ui/rules/new")
    bad = {**form, "text": NEW.replace("examples: [wifi password]", "examples: [password]", 1)}
    page = refused(desk.house.post("/ui/rules/new/publish", bad), 422, "Nothing was published")
    assert "taken by no rule" in page and desk.file.read_text(encoding="utf-8") == FILE
    two = {**form, "text": NEW + NEW.replace("id: wifi", "id: other")}
    refused(desk.house.post("/ui/rules/new/publish", two), 400, "exactly one rule")
    assert "exactly one rule" in text_of(desk.house.post("/ui/rules/new/check", two))
    assert desk.file.read_text(encoding="utf-8") == FILE


def test_what_the_gateway_refuses_leaves_the_file_as_it_was(desk: Desk) -> None:
    form = desk.begin("/ui/rules/hours/edit")
    desk.refuses = True
    reply = desk.house.post("/ui/rules/hours/publish", {**form, "text": form["text"].replace("6", "5")})
    assert "5" in refused(reply, 409, "no room") and desk.file.read_text(encoding="utf-8") == FILE


def test_two_tabs_lose_nothing(desk: Desk) -> None:
    one, two = desk.begin("/ui/rules/hours/edit"), desk.begin("/ui/rules/hours/edit")
    assert one["draft"] != two["draft"]
    mine = one["text"].replace("From 9 to 6.", "Mine.")
    desk.house.post("/ui/rules/hours/check", {**one, "text": mine})
    desk.house.post("/ui/rules/hours/publish", {**two, "text": two["text"].replace("From 9 to 6.", "Theirs.")})
    assert "changed elsewhere" in text_of(desk.house.post("/ui/rules/hours/check", {**one, "text": mine}))
    page = refused(desk.house.post("/ui/rules/hours/publish", {**one, "text": mine}), 409, "changed meanwhile")
    assert "Theirs." in page and "Mine." in page and "Theirs." in desk.file.read_text(encoding="utf-8")
    again = text_of(desk.house.get(f"/ui/rules/hours/edit?draft={one['draft']}"))
    assert "Mine." in again and "Theirs." in again
    theirs = two["text"].replace("From 9 to 6.", "Theirs.")
    place_of(desk.house.post("/ui/rules/hours/publish", {**one, "base": theirs, "text": mine}))
    assert "Mine." in desk.file.read_text(encoding="utf-8")


def test_another_rule_of_the_file_may_change_meanwhile(desk: Desk) -> None:
    form = desk.begin("/ui/rules/hours/edit")
    desk.file.write_text(FILE + NEW, encoding="utf-8")
    place_of(desk.house.post("/ui/rules/hours/publish", {**form, "text": form["text"].replace("6", "5")}))
    assert desk.file.read_text(encoding="utf-8") == FILE.replace("From 9 to 6.", "From 9 to 5.") + NEW


def test_a_page_that_is_loaded_again_has_what_was_typed(desk: Desk) -> None:
    form = desk.begin("/ui/rules/hours/edit")
    desk.house.post("/ui/rules/hours/check", {**form, "text": "half a rul"})
    assert "half a rul\n</textarea>" in text_of(desk.house.get(f"/ui/rules/hours/edit?draft={form['draft']}"))
    assert "Your drafts" in text_of(desk.house.get("/ui/rules"))
    assert place_of(desk.house.post("/ui/rules/hours/discard", form)) == "/ui/rules/hours"
    assert "Your drafts" not in text_of(desk.house.get("/ui/rules"))


def test_a_file_that_may_only_be_read_gives_the_difference(desk: Desk) -> None:
    desk.file.chmod(0o444)
    form = desk.begin("/ui/rules/hours/edit")
    page = text_of(desk.house.get(f"/ui/rules/hours/edit?draft={form['draft']}"))
    assert "Copy the difference" in page and "may only be read" in page and 'name="as"' not in page
    changed = {**form, "text": form["text"].replace("6", "5")}
    assert "-  answer: From 9 to 6." in text_of(desk.house.post("/ui/rules/hours/check", changed))
    refused(desk.house.post("/ui/rules/hours/publish", changed), 409, "may not be written")
    assert desk.file.read_text(encoding="utf-8") == FILE


def test_what_ships_is_copied(desk: Desk) -> None:
    place = place_of(desk.house.get("/ui/rules/smalltalk_thanks_en/edit"))
    form = desk.begin(place)
    assert "id: my_smalltalk_thanks_en" in form["text"] and form["file"] == "rules/rules.yaml"
    refused(desk.house.post("/ui/rules/smalltalk_thanks_en/publish", form), 409, "ships with the gateway")


def test_what_it_would_take_is_asked_of_the_log(desk: Desk) -> None:
    form = desk.begin("/ui/rules/hours/edit")
    assert "no requests yet" in text_of(desk.house.post("/ui/rules/hours/effect", form))
    assert "As soon as" in text_of(desk.house.post("/ui/rules/hours/effect", {**form, "text": "- id: x"}))


def test_a_reader_sees_and_changes_nothing(tmp_path: Path) -> None:
    desk = Desk(tmp_path, here=False)
    desk.house.sign_in(READER)
    for page in ("/ui/rules", "/ui/rules/hours"):
        shown = text_of(desk.house.get(page))
        assert "hours" in shown and "/edit" not in shown and "/ui/rules/new" not in shown
    for page in ("/ui/rules/new", "/ui/rules/hours/edit"):
        assert desk.house.get(page).status == 403
    for page in ("check", "effect", "publish", "discard", "undo"):
        assert desk.house.post(f"/ui/rules/hours/{page}", {"text": NEW}).status == 403
    assert desk.file.read_text(encoding="utf-8") == FILE and not (tmp_path / "data" / "drafts").exists()
    desk.house.sign_in(ADMIN)
    assert "/ui/rules/hours/edit" in text_of(desk.house.get("/ui/rules/hours"))


def test_without_a_file_of_ones_own_it_says_how_to_have_one(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    desk.config.write_text("rules: {packs: [builtin:smalltalk]}\n", encoding="utf-8")
    desk.setup = desk.built()
    refused(desk.house.get("/ui/rules/new"), 409, "rules.files")


def test_modes_are_set_in_the_text() -> None:
    text = "- id: a   # note\n  answer: x\n"
    shadow = with_mode(text, "shadow", None)
    assert shadow == "- id: a   # note\n  mode: shadow\n  answer: x\n" and mode_of(shadow) == ("shadow", None)
    assert with_mode(shadow.replace("shadow", "shadow  # for now"), "off", None) == shadow.replace(
        "shadow", "off  # for now"
    )
    assert with_mode(shadow, "enforce", None) == text and with_mode(text, "enforce", None) == text
    assert mode_of(with_mode(shadow, "enforce", 20)) == ("enforce", 20)
    with pytest.raises(PointsmanError, match="line of its own"):
        with_mode("- {id: a, answer: x}\n", "shadow", None)
