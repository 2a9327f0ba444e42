"""Cyrillic and Greek letters that look like Latin ones, and the Latin letter of each.

Capitals and small letters are told apart, because Η looks like H and η like n. Only letters that pass for Latin ones in
most fonts are here, and no small one whose capital does not (ω of kΩ). They count as Latin in a word that has Latin
letters too, see `mixed.py`.
"""

from __future__ import annotations

_CYRILLIC = "АВЕКМНОРСТУХЅІЈаеорсухѕіјҺһԀԁԚԛԜԝѴѵвкмнт"
_CYRILLIC_AS = "abekmhopctyxsijaeopcyxsijhhddqqwwvvbkmht"
_GREEK = "ΑΒΕΖΗΙΚΜΝΟΡΤΥΧαβεηικνορτυχ"
_GREEK_AS = "abezhikmnoptyxabenikvoptux"
LATIN = str.maketrans(_CYRILLIC + _GREEK, _CYRILLIC_AS + _GREEK_AS)
"""Code point of the look-alike → code point of the small Latin letter."""
