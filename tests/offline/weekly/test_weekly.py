"""The report of a week: what it finds in a log that has everything, and what it says where there is little or nothing."""

from __future__ import annotations

import datetime
import re
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from msgspec.structs import replace

from offline.weekly.week_log import IDLE, LARGE, NOW, SECRET, SMALL, Writing, policy, write
from pointsman.domain.said import told
from pointsman.offline.replay.run import ALL, Asked, replay
from pointsman.offline.weekly.html import as_html
from pointsman.offline.weekly.markdown import as_markdown
from pointsman.offline.weekly.report import page
from pointsman.offline.weekly.weekly import Wanted, Weekly, weekly
from pointsman.pipeline.policy import Policy
from pointsman.store.log_reader import LogReader

DAY = 86_400.0
ZONE = ZoneInfo("Asia/Shanghai")
HAN = re.compile(r"[\u4e00-\u9fff]")


def made(folder: Path, current: Policy, span: float = 7 * DAY, **wanted: object) -> Weekly:
    return weekly(folder, Wanted(NOW, span, ZONE, current, **wanted))  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Policy]:
    folder = tmp_path_factory.mktemp("week")
    current = policy(folder)
    write(folder / "data", current, 1000)
    return folder / "data", current


@pytest.fixture(scope="module")
def found(house: tuple[Path, Policy]) -> Weekly:
    return made(*house)


class TestAWeekWithEverything:
    def test_sums_of_both_weeks_are_those_of_the_requests(self, house: tuple[Path, Policy], found: Weekly) -> None:
        reader = LogReader(house[0])
        heads = [logged.head for logged in reader.scan(None)]
        reader.close()
        week = [head for head in heads if head.received >= found.week.start]
        before = [head for head in heads if found.before.start <= head.received < found.week.start]
        assert found.week.requests == len(week) == found.looked.requests > 400
        assert found.before.requests == len(before) > 200
        assert found.week.spared == sum(head.stage == "l0" for head in week)
        assert sum(day.requests for day in found.days) == len(week)
        by_day: dict[str, int] = {}
        for head in week:
            day = f"{datetime.datetime.fromtimestamp(head.received, ZONE):%m-%d}"
            by_day[day] = by_day.get(day, 0) + 1
        assert {day.name: day.requests for day in found.days if day.requests} == by_day

    def test_the_model_that_is_bad_at_code_is_doubted_there_and_nowhere_else(self, found: Weekly) -> None:
        doubted = {(each.model, each.task) for each in found.misroutes if each.standing == "doubted"}
        assert doubted and all(model == "qwen2.5:3b" and task and "code" in task for model, task in doubted)
        faq = next(each for each in found.misroutes if each.task == "faq" and each.model == "qwen2.5:3b")
        assert faq.standing == "fine" and faq.replies > 100

    def test_targets_that_wait_idle_and_come_and_go(self, found: Weekly) -> None:
        troubles = {each.target: set(each.troubles) for each in found.balances}
        assert "crowded" in troubles[SMALL] and "idle" in troubles[IDLE] and "comes_and_goes" in troubles[LARGE]

    def test_rules_dead_doubted_and_in_shadow(self, found: Weekly) -> None:
        told_of = {each.rule: each.what for each in found.rules.advice}
        assert {"xylophone": "drop", "printer": "narrow", "canteen": "raise"}.items() <= told_of.items()

    def test_each_suggestion_is_the_replay_of_its_own_policy(self, house: tuple[Path, Policy], found: Weekly) -> None:
        folder, _ = house
        assert len(found.tried) >= 5
        for each in found.tried[:4]:
            assert each.replay is not None
            reader = LogReader(folder)
            asked = Asked(now=NOW, since=found.week.start, shown=0, every=ALL)
            again = replay(reader, Policy(each.suggestion.document), asked)
            reader.close()
            assert (again.moved, again.compared) == (each.replay.moved, each.replay.compared)
            assert again.unread == {}

    def test_a_rule_for_a_cluster_takes_exactly_its_questions(self, found: Weekly) -> None:
        tried = [each for each in found.tried if each.suggestion.document.rules[-1].id.startswith("weekly_cluster")]
        assert tried
        for each, heap in zip(tried, found.unsettled.heaps, strict=False):
            assert each.replay is not None and each.replay.moved == heap.gap.questions

    def test_what_moves_nothing_is_not_suggested(self, found: Weekly) -> None:
        for each in found.tried:
            assert each.replay is not None
            assert each.replay.moved > 0 or each.suggestion.idle

    def test_words_of_prompts_stand_in_it_only_when_asked_for(self, found: Weekly) -> None:
        for tongue in ("en", "zh"):
            for shown in (as_markdown, as_html):
                assert SECRET not in shown(page(found, ZONE, text=False), tongue)  # type: ignore[arg-type]
                assert SECRET in shown(page(found, ZONE, text=True), tongue)  # type: ignore[arg-type]

    def test_both_languages_say_all(self, found: Weekly) -> None:
        made = page(found, ZONE, text=False)
        english, chinese = as_markdown(made, "en"), as_markdown(made, "zh")
        assert not HAN.search(english)
        assert english.count("\n") == chinese.count("\n")
        assert [len(line.split("|")) for line in english.splitlines()] == [
            len(line.split("|")) for line in chinese.splitlines()
        ]
        for part in made.parts:
            texts = [part.title, *part.lines, *part.heads, *part.after]
            assert all(HAN.search(told(text, "zh")) or not re.search("[a-z]{4}", text) for text in texts), texts
        figures = r"\d+\.\d+%|\d,\d{3}"
        assert sorted(re.findall(figures, english)) == sorted(re.findall(figures, chinese))

    def test_another_config_is_replayed_beside_them(self, house: tuple[Path, Policy]) -> None:
        folder, current = house
        with_it = made(folder, current, against=("new.yaml", current))
        assert with_it.against is not None and with_it.against[1].moved == 0
        assert "new.yaml" in as_markdown(page(with_it, ZONE, text=False), "en")


class TestLittle:
    def test_an_empty_period(self, tmp_path: Path) -> None:
        current = policy(tmp_path)
        writing = Writing(tmp_path / "data", current)
        writing.ask("long ago", NOW - 90 * DAY)
        writing.close()
        shown = page(made(tmp_path / "data", current), ZONE, text=False)
        english = as_markdown(shown, "en")
        assert "No request came in this period." in english and "nothing is judged" in english
        assert "时间没有请求" in as_html(shown, "zh")

    def test_one_request(self, tmp_path: Path) -> None:
        current = policy(tmp_path)
        writing = Writing(tmp_path / "data", current)
        writing.ask("hello there", NOW - 60)
        writing.close()
        found = made(tmp_path / "data", current)
        english = as_markdown(page(found, ZONE, text=False), "en")
        assert found.looked.requests == found.week.requests == 1
        assert not found.tried and [each.standing for each in found.misroutes] == ["few"]
        assert "So few requests (1) make nothing sure" in english
        assert "There are no sums of the period before." in english

    def test_prompts_that_were_not_kept(self, tmp_path: Path) -> None:
        current = policy(tmp_path)
        write(tmp_path / "data", current, 300, prompts="off")
        found = made(tmp_path / "data", current)
        english = as_markdown(page(found, ZONE, text=False), "en")
        assert found.looked.unread == found.looked.requests
        assert f"Of {found.looked.unread} of {found.looked.requests} requests the prompt was not kept" in english
        assert any(each.standing == "doubted" for each in found.misroutes)

    def test_a_month(self, tmp_path: Path) -> None:
        current = policy(tmp_path)
        write(tmp_path / "data", current, 400, days=60)
        found = made(tmp_path / "data", current, span=30 * DAY)
        assert len(found.days) in (31, 32) and found.before.requests > 0

    def test_a_long_log_is_replayed_and_clustered_in_part(
        self, house: tuple[Path, Policy], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("pointsman.offline.weekly.weekly.REQUESTS", 100)
        monkeypatch.setattr("pointsman.offline.weekly.unsettled.MOST", 100)
        part = made(*house)
        assert part.replayed > part.week.start and part.unsettled.since > part.week.start
        counts = {each.replay.requests for each in part.tried if each.replay is not None}
        assert len(counts) == 1 and 100 <= counts.pop() < part.week.requests
        english = as_markdown(page(part, ZONE, text=False), "en")
        assert "days were replayed: more requests" in english and "days were looked at: more requests" in english

    def test_policies_that_changed_in_the_week(self, tmp_path: Path) -> None:
        """What the newest one would do to the week is told apart from what suggestions do."""
        first = policy(tmp_path)
        writing = Writing(tmp_path / "data", first)
        for number in range(60):
            writing.ask(f"xylophone {number}", NOW - 3 * DAY + number)
        rules = tuple(rule for rule in first.document.rules if rule.id != "xylophone")
        second = Policy(replace(first.document, rules=rules))
        writing.policy = second
        for number in range(60):
            writing.ask(f"how do I book a room {number}", NOW - 2 * DAY + number)
        writing.close()
        found = made(tmp_path / "data", second)
        assert found.as_it_is is not None and found.as_it_is.moved == 60

    def test_of_few_replies_no_model_is_doubted_however_bad_they_are(self, tmp_path: Path) -> None:
        current = policy(tmp_path)
        for count, standing in ((29, "few"), (30, "doubted")):
            writing = Writing(tmp_path / str(count), current)
            for number in range(count):
                writing.complain(writing.ask(f"how do I book a room {number}", NOW - 6000 + number))
            writing.close()
            found = made(tmp_path / str(count), current)
            assert [each.standing for each in found.misroutes] == [standing]
            assert found.looked.feedback == count


class TestShown:
    def test_the_page_needs_nothing_from_elsewhere(self, found: Weekly) -> None:
        html = as_html(page(found, ZONE, text=True), "en")
        assert "<script" not in html and "http://" not in html and "https://" not in html and "url(" not in html
        assert "default-src 'none'" in html and "@page" in html

    def test_words_of_others_are_no_markup(self, tmp_path: Path) -> None:
        current = policy(tmp_path)
        writing = Writing(tmp_path / "data", current)
        for number in range(12):
            writing.ask(f"<script>alert(1)</script> | *book* [a](b) `room` \u202e number {number}", NOW - 600 + number)
        writing.close()
        shown = page(made(tmp_path / "data", current), ZONE, text=True)
        assert "<script" not in as_html(shown, "en") and "\u202e" not in as_html(shown, "en") + as_markdown(shown, "zh")
        assert "&lt;script&gt;" in as_html(shown, "en")
        assert r"\<script\>alert(1)\</script\> \| \*book\*" in as_markdown(shown, "en")
