"""What actions work with, the same for all kinds."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import msgspec

from pointsman.actions.child import Children
from pointsman.actions.report.settings import SourceSettings
from pointsman.actions.residents import Residents
from pointsman.config.schema import Config
from pointsman.domain.hosts import AllowedHosts
from pointsman.domain.links import Linked, Links
from pointsman.ports.action import Action, AskModel, MadeFile, Occasion, Uploaded
from pointsman.ports.embed import Embed
from pointsman.ports.file_store import FileStore
from pointsman.ports.outbound import Outbound

MADE = "made/"
"""How keys of files begin that actions made."""


class Tools(msgspec.Struct, frozen=True, kw_only=True):
    """`base` is the folder of the config file, `data` the data folder. `outbound` makes calls that may go to public
    addresses and to those allowed, which are listed under the setting it is given; `find` gives another action by its name;
    `wall` is seconds since the epoch; `keep` is how many of them files and their links live. `residents` are processes and
    connections that are kept from run to run."""

    config: Config
    base: Path
    data: Path
    files: FileStore
    children: Children
    outbound: Callable[[AllowedHosts, str], Outbound]
    links: Links
    ask_model: AskModel
    embed: Embed
    uploaded: Uploaded
    sources: Mapping[str, SourceSettings]
    find: Callable[[str], Action]
    wall: Callable[[], float]
    keep: float
    residents: Residents = msgspec.field(default_factory=Residents)

    def link(self, file: MadeFile, occasion: Occasion) -> str:
        """The URL under which the file can be fetched, by anyone who has it."""
        token = self.links.sign(Linked(file.key, file.name, int(self.wall() + self.keep)))
        return f"{(self.config.server.public_url or occasion.base_url).rstrip('/')}/files/{token}"
