"""What can be said of an SQL statement without running it: syntax, risk, indexes, a better form, the database's own plan."""
