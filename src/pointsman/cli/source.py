"""The options that name a config, shared by the verbs that need one."""

from __future__ import annotations

import argparse

from pointsman.cli.tongue import tongue_of
from pointsman.config.load import Loaded, load
from pointsman.config.paths import find_config


def declare_config(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "-c", "--config", metavar="FILE", help="pointsman.yaml; default: ./pointsman.yaml, else built-in defaults"
    )


def load_config(options: argparse.Namespace, flags: dict[str, object] | None = None) -> Loaded:
    """From here on the verb speaks the language of the config (`options.tongue`), where nothing else says which. Raises
    Problems."""
    loaded = load(find_config(options.config), flags)
    options.tongue = tongue_of(options, loaded.draft.server.language)
    return loaded
