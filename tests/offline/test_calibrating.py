"""What rules took, as labels; an arbiter's figures made true by them."""

from __future__ import annotations

from pathlib import Path

from offline.small_log import NOW, Log, policy
from pointsman.domain.intent import OPEN_ENDED, Calibration, Heard, Query
from pointsman.offline.calibrating.run import calibrated
from pointsman.offline.calibrating.weak import intents_by_action, weak_labels
from pointsman.offline.question import Question


def test_labels_from_the_log(tmp_path: Path) -> None:
    log = Log(policy(tmp_path / "rules"))
    log.ask("a", 1, "vpn broken")
    log.ask("b", 2, "whose salary")
    log.ask("c", 3, "nobody knows this one")
    log.ask("d", 4, "prove it")
    log.ask("e", 5, "VPN 坏了", outcome="failed")
    folder = log.write(tmp_path / "data")
    actions = {record.decision.action for record, _ in log.records if record.decision and record.decision.stage == "l0"}
    assert actions == {"answer", "refuse"}
    found = weak_labels(folder, None, {"vpn": "answer"})
    assert {(question.text, question.label) for question in found} == {("vpn broken", "vpn"), ("whose salary", "oos")}
    assert weak_labels(folder, NOW + 100, {"vpn": "answer"}) == ()
    assert {question.label for question in weak_labels(folder, None, {"a": "answer", "b": "answer"})} == {"oos"}


def test_reports_are_one_action() -> None:
    assert intents_by_action({"r": "export_pdf"}) == {"report": "r"}
    assert intents_by_action({"r": "export_report", "q": "export_excel", "m": "sum"}) == {"report": None, "sum": "m"}


class Sure:
    """Always sure, right in two of three; says nothing of an empty text."""

    name = "sure"

    async def hear(self, query: Query) -> Heard:
        if not query.text:
            return Heard(arbiter="sure", model="m", failure="timeout")
        scores = (("a", 0.99), ("b", 0.01))
        return Heard(arbiter="sure", model="m", scores=scores, outside=0.9 if "out" in query.text else 0.1)

    async def ready(self) -> bool:
        return True

    async def aclose(self) -> None: ...


async def test_any_arbiter() -> None:
    texts = [Question(f"text {n}", label="b" if n % 3 == 0 else "a") for n in range(300)]
    texts += [Question(f"out {n}", label=OPEN_ENDED) for n in range(30)] + [Question("", label="a")]
    done = await calibrated(Sure(), "m", Calibration(), texts)
    assert done is not None and done.unheard == 1 and done.calibration.model == "m"
    confused = dict(zip(done.confusion, done.confused, strict=True))
    assert sum(many for _, _, many in done.confusion) == 330
    assert confused["b", "a", 100][:2] == ("1", "4"), "texts without an id are named by their place"
    assert [min(each.texts, 50) for each in done.after.reliability] == [len(names) for names in done.binned]
    assert done.before.ece > 0.3 and done.after.ece < 0.05 and done.after.recall == 1.0
    assert await calibrated(Sure(), "m", Calibration(), texts[:10]) is None
    assert await calibrated(Sure(), "m", Calibration(), texts[-31:]) is None
