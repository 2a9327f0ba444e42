"""Who gets in, who does not, and what is taken for a form of ours."""

from __future__ import annotations

import hashlib
import time
from pathlib import Path

import pytest

from pointsman.console.ended import EndedSessions
from pointsman.console.entrance import Asked, Entrance, KeyHolder, Terms
from pointsman.console.sessions import COOKIE, Session, Sessions
from pointsman.console.visit import Who
from pointsman.domain.errors import PointsmanError

ADMIN, READER = "pm-admin", "pm-reader"


def hashed(key: str) -> str:
    return f"sha256:{hashlib.sha256(key.encode()).hexdigest()}"


KEYS = (KeyHolder("ops", hashed(ADMIN), True), KeyHolder("desk", hashed(READER), False))
TERMS = Terms(keys=KEYS, here=True, public=True, session=3600)


class Noted:
    """Sessions that were ended, without a folder."""

    def __init__(self) -> None:
        self._ended: list[Session] = []
        self.broken = False

    def end(self, session: Session) -> None:
        if self.broken:
            raise PermissionError
        self._ended.append(session)

    def has(self, session: Session) -> bool:
        return session in self._ended


class House:
    """An entrance whose terms and clock a test sets."""

    def __init__(self, terms: Terms = TERMS) -> None:
        self.terms = terms
        self.now = 1000.0
        self.ended = Noted()
        self.entrance = Entrance(Sessions(b"s" * 32), self.ended, lambda: self.terms, lambda: self.now)


def asked(address: str = "127.0.0.1", *, loopback: bool = True, **fields: str) -> Asked:
    named = {name.replace("_", "-").encode(): value.encode() for name, value in fields.items()}
    return Asked({b"host": b"127.0.0.1:8900", **named}, loopback, address)


def from_afar(**fields: str) -> Asked:
    return asked("192.0.2.7", loopback=False, **fields)


def cookie_of(header: str) -> str:
    return header.partition(";")[0]


@pytest.mark.parametrize("host", ["127.0.0.1:8900", "localhost", "localhost:8900", "[::1]:8900", "box.localhost"])
def test_this_machine_needs_no_key(host: str) -> None:
    who = House().entrance.who(asked(host=host))
    assert isinstance(who, Who) and who.may_change and not who.by_key


@pytest.mark.parametrize("host", ["evil.example:8900", "127.0.0.1.evil.example", "localhost.evil.example", ""])
def test_a_name_that_was_made_to_point_here_does(host: str) -> None:
    assert House().entrance.who(asked(host=host)) == "host"


def test_so_does_a_proxy_on_this_machine_and_whoever_comes_from_afar() -> None:
    house = House()
    assert house.entrance.who(asked(x_forwarded_for="192.0.2.7")) == "key"
    assert house.entrance.who(from_afar()) == "key"
    house.terms = Terms(keys=KEYS, here=False, public=True, session=3600)
    assert house.entrance.who(asked()) == "key"


def test_a_console_that_is_not_public_opens_here_alone() -> None:
    house = House(Terms(keys=KEYS, here=True, public=False, session=3600))
    cookie = cookie_of(house.entrance.begin(ADMIN, asked()))
    assert house.entrance.who(from_afar(cookie=cookie)) == "public"
    assert house.entrance.who(asked(x_forwarded_for="192.0.2.7", cookie=cookie)) == "public"
    assert isinstance(house.entrance.who(asked()), Who)


@pytest.mark.parametrize(("key", "name", "may"), [(ADMIN, "ops", True), (READER, "desk", False)])
def test_a_key_signs_in(key: str, name: str, may: bool) -> None:
    house = House()
    cookie = cookie_of(house.entrance.begin(key, from_afar()))
    assert house.entrance.who(from_afar(cookie=cookie)) == Who(name=name, may_change=may, by_key=True)


def test_a_session_ends_with_its_time_and_with_its_key() -> None:
    house = House()
    cookie = cookie_of(house.entrance.begin(ADMIN, from_afar()))
    house.now += 3599
    assert isinstance(house.entrance.who(from_afar(cookie=cookie)), Who)
    house.now += 1
    assert house.entrance.who(from_afar(cookie=cookie)) == "key"
    house.now -= 1
    house.terms = Terms(keys=KEYS[1:], here=True, public=True, session=3600)
    assert house.entrance.who(from_afar(cookie=cookie)) == "key"


def test_who_signs_out_ends_the_session_for_whoever_has_its_cookie() -> None:
    house = House()
    cookie, other = (cookie_of(house.entrance.begin(ADMIN, from_afar())) for _ in range(2))
    house.entrance.end(from_afar(cookie=cookie))
    assert house.entrance.who(from_afar(cookie=cookie)) == "key"
    assert isinstance(house.entrance.who(from_afar(cookie=other)), Who)
    house.ended.broken = True
    with pytest.raises(PointsmanError) as wrong:
        house.entrance.end(from_afar(cookie=other))
    assert wrong.value.status == 503 and isinstance(house.entrance.who(from_afar(cookie=other)), Who)


def test_ended_sessions_are_known_to_all_workers_until_they_are_over(tmp_path: Path) -> None:
    one, other = EndedSessions(tmp_path / "ended"), EndedSessions(tmp_path / "ended")
    now = int(time.time())
    session, old = Session("key", now + 60, "mark"), Session("key", now - 60, "old")
    assert not other.has(session)
    one.end(old)
    one.end(session)
    one.end(session)
    assert other.has(session) and not other.has(Session("key", now + 60, "another"))
    assert [path.name.partition("-")[0] for path in (tmp_path / "ended").iterdir()] == [str(now + 60)]
    assert not any("mark" in path.name for path in (tmp_path / "ended").iterdir())


def test_nobody_else_can_make_a_session() -> None:
    house = House()
    cookie = cookie_of(house.entrance.begin(READER, from_afar()))
    name, _, value = cookie.partition("=")
    key, until, mark, seal = value.split(".")
    admin = hashed(ADMIN).removeprefix("sha256:")[: len(key)]
    for forged in (
        f"{admin}.{until}.{mark}.{seal}",
        f"{key}.{int(until) + 9999}.{mark}.{seal}",
        f"{key}.{until}.{mark}.",
        "",
        "....",
        "é.1.2.3",
    ):
        assert house.entrance.who(from_afar(cookie=f"{name}={forged}")) == "key"
    other = Entrance(Sessions(b"t" * 32), Noted(), lambda: TERMS, lambda: 1000.0)
    assert other.who(from_afar(cookie=cookie)) == "key"


def test_odd_cookies_of_others_do_not_hide_ours() -> None:
    house = House()
    cookie = cookie_of(house.entrance.begin(ADMIN, from_afar()))
    for odd in (f'a={{"b": 1}}; {cookie}', f"{cookie}; x; =; a=b=c", f'{cookie}; t="'):
        assert isinstance(house.entrance.who(from_afar(cookie=odd)), Who)


def test_the_cookie_is_for_this_site_only() -> None:
    house = House()
    plain = house.entrance.begin(ADMIN, from_afar())
    assert "HttpOnly" in plain and "SameSite=Strict" in plain and "Path=/ui" in plain and "Secure" not in plain
    assert "Secure" in house.entrance.begin(ADMIN, from_afar(x_forwarded_proto="https"))
    assert "Max-Age=0" in house.entrance.end(from_afar())


def test_a_key_can_be_tried_only_so_often() -> None:
    house = House()
    for _ in range(8):
        with pytest.raises(PointsmanError) as wrong:
            house.entrance.begin("guess", from_afar())
        assert wrong.value.status == 401
    with pytest.raises(PointsmanError) as wrong:
        house.entrance.begin(ADMIN, from_afar())
    assert wrong.value.status == 429 and wrong.value.retry_after
    house.entrance.begin(ADMIN, asked())  # another address
    house.now += wrong.value.retry_after
    house.entrance.begin(ADMIN, from_afar())
    house.entrance.begin(ADMIN, from_afar())


def test_a_key_without_the_right_does_not_sign_in() -> None:
    with pytest.raises(PointsmanError) as wrong:
        House().entrance.begin("", from_afar())
    assert wrong.value.status == 401


def test_only_a_form_of_ours_is_taken() -> None:
    entrance = House().entrance
    token = entrance.token(asked())
    for sound in (
        asked(),
        asked(origin="http://127.0.0.1:8900"),
        asked(origin="http://127.0.0.1:8900", sec_fetch_site="same-origin"),
        asked(origin="https://gate.example", x_forwarded_host="gate.example"),
    ):
        entrance.check(sound, token)
    for foreign in (
        asked(origin="http://127.0.0.1:3000"),
        asked(origin="https://evil.example"),
        asked(origin="null"),
        asked(sec_fetch_site="cross-site"),
        asked(sec_fetch_site="same-site"),
    ):
        with pytest.raises(PointsmanError) as wrong:
            entrance.check(foreign, token)
        assert wrong.value.status == 403
    for wrong_token in ("", "x", token[:-1], token + "x"):
        with pytest.raises(PointsmanError):
            entrance.check(asked(origin="http://127.0.0.1:8900"), wrong_token)


def test_a_token_is_of_one_session() -> None:
    entrance = House().entrance
    cookie = cookie_of(entrance.begin(ADMIN, from_afar()))
    assert cookie.startswith(COOKIE)
    with pytest.raises(PointsmanError):
        entrance.check(from_afar(cookie=cookie), entrance.token(from_afar()))
    entrance.check(from_afar(cookie=cookie), entrance.token(from_afar(cookie=cookie)))
