"""Files that people wrote, changed by the console: only the lines that are meant, nothing lost, and all of it to be
taken back.

`splice.py` finds and replaces one item of a list in a YAML text and keeps every other byte; `writing.py` reads and
replaces files, refuses where they changed meanwhile; `history.py` keeps what was there before, by whom and when;
`drafts.py` what somebody is writing."""
