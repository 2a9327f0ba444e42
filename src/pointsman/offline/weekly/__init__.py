"""The report of a week: what went wrong, what is out of balance, what nobody settles, and what each change would do."""
