"""What is tried out before anybody's request needs it."""

from __future__ import annotations

import msgspec

from pointsman.app.build import Built
from pointsman.app.report_templates import unusable_templates
from pointsman.config.paths import data_dir
from pointsman.domain.errors import Problems


def proven(built: Built) -> Built:
    """With the templates of reports tried out, so that nobody's report is the first to find a mistake in one. Raises
    Problems. Takes about a second each; nothing where there are none."""
    wrong, notes = unusable_templates(built.config, built.policy.document.reports, data_dir(built.config))
    if wrong:
        raise Problems(built.loaded.places.place_all(wrong))
    return msgspec.structs.replace(built, notes=(*built.notes, *notes)) if notes else built
