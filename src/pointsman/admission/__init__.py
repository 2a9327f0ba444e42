"""Who may go on: today the limits that need no waiting; queues and budgets by KV cells follow."""
