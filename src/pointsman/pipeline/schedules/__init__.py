"""What is done at set times: when that is, which of it is due, and the jobs that it becomes."""
