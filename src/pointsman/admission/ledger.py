"""The accounts of all keys, and what other processes say of the same keys: pure, so that several of them can be simulated.

Each process counts for itself and hears, a few times a second, what the others let in. Until it has heard of it, it lets in
as if there were none of it; what was too much is a debt that is paid before more goes in. So over a longer time the quota
holds, and it is passed by no more than what the others let in between two hearings."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from pointsman.admission.quota import MINUTE, NO_QUOTA, Account, Quota, Used


class Ledger:
    """`quota_of` says what a key may, by its name."""

    def __init__(self) -> None:
        self._quota_of: Callable[[str], Quota] = _unlimited
        self._accounts: dict[str, Account] = {}
        self._heard: dict[str, dict[str, Used]] = {}

    def install(self, quota_of: Callable[[str], Quota]) -> None:
        """From here on these hold. An account whose quota stays goes on; another begins full, with who is inside."""
        self._quota_of = quota_of

    def account(self, name: str, now: float) -> Account | None:
        """None where nothing limits that key."""
        quota, account = self._quota_of(name), self._accounts.get(name)
        if quota == NO_QUOTA:
            return None
        if account is None or account.quota != quota:
            before, account = account, Account(quota, now)
            if before is not None:
                account.inside, account.elsewhere = before.inside, before.elsewhere
            self._accounts[name] = account
        return account

    @property
    def inside(self) -> int:
        """Requests under way here."""
        return sum(account.inside for account in self._accounts.values())

    def told(self, now: float) -> dict[str, Used]:
        """For other processes: the accounts that were in use lately."""
        return {
            name: account.used(now)
            for name, account in self._accounts.items()
            if account.inside or now - account.touched <= 2 * MINUTE
        }

    def hear(self, others: Mapping[str, Mapping[str, Used]], now: float) -> None:
        """What each other process that is alive says; one that is missing has nothing under way any more."""
        elsewhere: dict[str, int] = {}
        for process, accounts in others.items():
            first = process not in self._heard
            known = self._heard.setdefault(process, {})
            for name, used in accounts.items():
                elsewhere[name] = elsewhere.get(name, 0) + used.inside
                account = self.account(name, now)
                if account is not None:
                    account.also(None if first else known.get(name, _NOTHING), used, now)
                known[name] = used
        for name, account in self._accounts.items():
            account.elsewhere = elsewhere.get(name, 0)
        for process in [process for process in self._heard if process not in others][:-_REMEMBERED]:
            del self._heard[process]


_NOTHING = Used()
_REMEMBERED = 64
"""Processes that say nothing now and may again."""


def _unlimited(name: str) -> Quota:
    return NO_QUOTA
