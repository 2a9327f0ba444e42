"""JSON Schema, applied to what comes from others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import jsonschema_rs


def validator_of(schema: dict[str, Any], *, formats: bool = False) -> jsonschema_rs.Draft202012Validator:
    """A schema may come from a third party, a value from anyone: patterns take linear time, and no URL and no file that a
    schema refers to is looked at. With `formats`, those that JSON Schema knows (date, email, …) are checked, too. Raises
    ValueError for one that is none."""
    import jsonschema_rs  # 7 MB, which a gateway without a schema does not need

    try:
        return jsonschema_rs.Draft202012Validator(
            schema, pattern_options=jsonschema_rs.RegexOptions(), retriever=_nowhere, validate_formats=formats
        )
    except jsonschema_rs.ValidationError as error:
        raise ValueError(str(error)) from None


def _nowhere(uri: str) -> Any:
    raise ValueError("a schema cannot refer to something outside of it")
