"""The pages of rules: what each is worth, and a new or changed one tried, proved and published.

`told.py` is what the process beside the gateway that tries rules out is asked, and says; `books.py` what the pages
ask of the gateway; `shelf.py` rules in their files; `list_page.py`, `rule_page.py` and `editor.py` are the pages."""
