"""Reading a request: tokens, language, conversation, task type. On the CPU, in microseconds, the same every time."""
