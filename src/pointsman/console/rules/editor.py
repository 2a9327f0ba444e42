"""The editor: a rule tried while it is written, and published when all its cases hold. What is written is kept as a
draft of whoever writes it, one for each page that is open."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from datetime import date
from urllib.parse import quote

from pointsman.console.edits.drafts import Draft, Drafts
from pointsman.console.edits.history import difference
from pointsman.console.rules.books import Books
from pointsman.console.rules.publishing import Conflict, Publishing, Unsound, no_file
from pointsman.console.rules.rule_page import address_of, no_rule
from pointsman.console.rules.shelf import Shelf, Shelved, mode_of, shelved_in, with_mode
from pointsman.console.rules.told import Checked, Effect, Effects, Failed, Sketch, Sketched
from pointsman.console.templates import Templates
from pointsman.console.visit import Reply, Route, Visit, see_other
from pointsman.domain.errors import PointsmanError
from pointsman.domain.rule import Mode
from pointsman.domain.said import Said

NEW = "new"
_LONGEST = 200_000  # characters of a rule


class Editor:
    def __init__(
        self, templates: Templates, books: Books, shelf: Shelf, publishing: Publishing, drafts: Drafts
    ) -> None:
        self._templates = templates
        self._books = books
        self._shelf = shelf
        self._publishing = publishing
        self._drafts = drafts

    def routes(self) -> Iterator[Route]:
        yield Route("GET", f"/ui/rules/{NEW}", self.new)
        yield Route("GET", "/ui/rules/{id}/edit", self.edit)
        yield Route("POST", "/ui/rules/{id}/check", self.check)
        yield Route("POST", "/ui/rules/{id}/effect", self.effect)
        yield Route("POST", "/ui/rules/{id}/publish", self.publish)
        yield Route("POST", "/ui/rules/{id}/discard", self.discard)

    async def new(self, visit: Visit) -> Reply:
        """Without a draft one is begun: empty, of a request of the log, or a copy of a rule."""
        visit.must_change()
        draft = await self._draft(visit, NEW)
        if draft is not None:
            return await self._page(visit, draft, None)
        shelved = await asyncio.to_thread(self._shelf.new_in, visit.query.get("file", ""))
        if shelved is None:
            raise no_file()
        text = await self._first_text(visit)
        return await self._begin(visit, NEW, text, "", shelved.place.label, f"/ui/rules/{NEW}")

    async def edit(self, visit: Visit) -> Reply:
        visit.must_change()
        draft = await self._draft(visit, visit.named)
        if draft is not None:
            return await self._page(visit, draft, None)
        shelved = await asyncio.to_thread(self._shelf.find, visit.named)
        if shelved is None:
            raise no_rule(visit.named, [rule.id for rule in self._books.policy[0].rules])
        if shelved.place.ships:
            return see_other(f"/ui/rules/{NEW}?copy={quote(visit.named, safe='')}")
        place = f"{address_of(visit.named)}/edit"
        return await self._begin(visit, visit.named, shelved.text, shelved.text, shelved.place.label, place)

    async def check(self, visit: Visit) -> Reply:
        """While somebody types: the draft is kept, and what is wrong with it is told."""
        visit.must_change()
        draft = await self._kept(visit)
        shelved = await asyncio.to_thread(self._where, draft)
        theirs = shelved.text if draft.about != NEW and shelved.text != draft.base else None
        try:
            checked = await self._publishing.check(shelved, draft.text)
        except PointsmanError as error:
            return self._part("parts/rule_checked.html", visit, checked=None, error=error, diff="", theirs=theirs)
        diff = difference(draft.base, draft.text, draft.file)
        return self._part("parts/rule_checked.html", visit, checked=checked, error=None, diff=diff, theirs=theirs)

    async def effect(self, visit: Visit) -> Reply:
        """What it would take of the newest requests. Given up once the browser asks anew."""
        visit.must_change()
        draft = await self._kept(visit)
        shelved = await asyncio.to_thread(self._where, draft)
        try:
            candidate = await asyncio.to_thread(self._shelf.candidate, shelved, draft.text)
            answer = await self._books.ask(Effect(candidate))
        except PointsmanError:
            answer = None  # the check beside it tells
        if isinstance(answer, Failed):
            raise PointsmanError(answer.message.said, status=answer.status, code=answer.code)
        effects = answer if isinstance(answer, Effects) and answer.sound else None
        return self._part(
            "parts/rule_effect.html", visit, effects=effects, rule=None if draft.about == NEW else draft.about
        )

    async def publish(self, visit: Visit) -> Reply:
        visit.must_change()
        draft = await self._kept(visit)
        about = None if draft.about == NEW else draft.about
        try:
            text = self._as_meant(visit, draft.text)
            done = await self._publishing.publish(about, draft.base, text, draft.file, visit.who.name)
        except Conflict as conflict:
            return await self._page(visit, draft, conflict.theirs, status=409)
        except Unsound as unsound:
            return await self._page(visit, draft, None, checked=unsound.checked, status=422)
        except PointsmanError as error:
            return await self._page(visit, draft, None, error=error, status=error.status)
        await asyncio.to_thread(self._drafts.drop, visit.who.name, draft.id)
        assert done.rule is not None
        return see_other(f"{address_of(done.rule)}?done={done.change.id}")

    async def discard(self, visit: Visit) -> Reply:
        visit.must_change()
        await asyncio.to_thread(self._drafts.drop, visit.who.name, visit.form.get("draft", ""))
        return see_other("/ui/rules" if visit.named == NEW else address_of(visit.named))

    async def _first_text(self, visit: Visit) -> str:
        request, copied = visit.query.get("request"), visit.query.get("copy")
        if request:
            job = Sketch(request, visit.who.name, date.today().isoformat(), visit.tongue == "zh")
            answer = await self._books.ask(job)
            if isinstance(answer, Failed):
                raise PointsmanError(answer.message.said, status=answer.status, code=answer.code)
            assert isinstance(answer, Sketched)
            return answer.text
        if copied:
            shelved = await asyncio.to_thread(self._shelf.find, copied)
            if shelved is None:
                raise no_rule(copied, [rule.id for rule in self._books.policy[0].rules])
            return shelved.text.replace(f"id: {copied}", f"id: my_{copied}", 1)
        return _TEMPLATE[visit.tongue].format(owner=visit.who.name.replace('"', ""), since=date.today().isoformat())

    async def _begin(self, visit: Visit, about: str, text: str, base: str, label: str, place: str) -> Reply:
        draft = Draft(self._drafts.name(), about, text, base, label, time.time())
        await asyncio.to_thread(self._drafts.keep, visit.who.name, draft)
        return see_other(f"{place}?draft={draft.id}")

    async def _draft(self, visit: Visit, about: str) -> Draft | None:
        draft = await asyncio.to_thread(self._drafts.find, visit.who.name, visit.query.get("draft", ""))
        return draft if draft is not None and draft.about == about else None

    async def _kept(self, visit: Visit) -> Draft:
        """The draft with what the page sends. One that is gone, since it was published elsewhere, is there again."""
        form = visit.form
        text = form.get("text", "").replace("\r\n", "\n")
        if len(text) > _LONGEST:
            raise PointsmanError(Said("this is too long for a rule", "规则过长"), status=413, code="rule_too_long")
        if text and not text.endswith("\n"):
            text += "\n"
        name, person = form.get("draft", ""), visit.who.name
        known = await asyncio.to_thread(self._drafts.find, person, name)
        base = form.get("base", "").replace("\r\n", "\n")
        draft = Draft(name, visit.named, text, base, form.get("file", known.file if known else ""), time.time())
        await asyncio.to_thread(self._drafts.keep, person, draft)
        return draft

    def _where(self, draft: Draft) -> Shelved:
        if draft.about == NEW:
            shelved = self._shelf.new_in(draft.file)
        else:
            shelved = self._shelf.find(draft.about)
            if shelved is None:
                place = next((each for each in self._shelf.own() if each.label == draft.file), None)
                shelved = None if place is None else shelved_in(place, draft.about)
        if shelved is None:
            raise no_file()
        return shelved

    @staticmethod
    def _as_meant(visit: Visit, text: str) -> str:
        """With the mode that was chosen beside the button; `as` it is written where none was."""
        chosen = visit.form.get("as", "")
        if chosen == "share":
            share = visit.form.get("share", "")
            if not share.isdigit() or not 1 <= int(share) <= 99:
                raise PointsmanError(Said("a share is 1 to 99 percent", "份额是 1 到 99 的百分数"), code="bad_share")
            return with_mode(text, "enforce", int(share))
        modes: dict[str, Mode] = {"shadow": "shadow", "enforce": "enforce", "off": "off"}
        return with_mode(text, modes[chosen], None) if chosen in modes else text

    async def _page(
        self,
        visit: Visit,
        draft: Draft,
        theirs: str | None,
        *,
        checked: Checked | None = None,
        error: PointsmanError | None = None,
        status: int = 200,
    ) -> Reply:
        """`theirs` is the rule as it is in the file now, where it changed since this draft began."""
        try:
            shelved = await asyncio.to_thread(self._where, draft)
        except PointsmanError as gone:
            shelved, error = None, error or gone
        files = await asyncio.to_thread(self._shelf.own)
        if theirs is None and shelved is not None and draft.about != NEW and shelved.text != draft.base:
            theirs = shelved.text
        others = await asyncio.to_thread(self._others, visit, draft)
        mode, share = mode_of(draft.text)
        return self._templates.page(
            "rule_edit.html",
            visit,
            place="rules",
            status=status,
            draft=draft,
            new=draft.about == NEW,
            address=f"/ui/rules/{quote(draft.about, safe='')}",
            shelved=shelved,
            files=files,
            theirs=theirs,
            theirs_diff="" if theirs is None else difference(theirs, draft.text, draft.file),
            checked=checked,
            error=error,
            others=others,
            mode=mode,
            share=share,
            rows=min(40, max(14, draft.text.count("\n") + 3)),
        )

    def _others(self, visit: Visit, draft: Draft) -> list[Draft]:
        """What else they have begun of the same rule."""
        return [
            each
            for each in self._drafts.all(visit.who.name)
            if each.about == draft.about and each.id != draft.id and each.text != each.base
        ]

    def _part(self, template: str, visit: Visit, **values: object) -> Reply:
        return Reply(self._templates.part(template, visit, **values))


_TEMPLATE = {
    "en": """- id: guest_wifi
  mode: shadow
  owner: "{owner}"
  since: {since}
  when:
    all:
      - any: [wifi, wi-fi]
      - any: [password]
    none: [change]
    tokens: {{max: 40}}
    asked: false
    tools: false
    images: false
    structured: false
  answer: The guest password is on the card at the reception desk.
  examples: ["What is the WiFi password?"]
  counter_examples: [how do I change the wifi password]
  boundary:
    - {{text: the wifipassword file, takes: false, why: one word}}
""",
    "zh": """- id: guest_wifi
  mode: shadow
  owner: "{owner}"
  since: {since}
  when:
    all:
      - any: [wifi, 无线网]
      - any: [密码]
    none: [修改]
    tokens: {{max: 40}}
    asked: false
    tools: false
    images: false
    structured: false
  answer: 访客网络的密码在前台的立牌上。
  examples: [无线网密码是多少]
  counter_examples: [怎么修改wifi密码]
  boundary:
    - {{text: 无线网怎么连, takes: false, why: 没有问密码}}
""",
}
"""What a new rule begins with."""
