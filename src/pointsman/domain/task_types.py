"""The kinds of work that clients declare, rules steer by and routes match."""

TASK_TYPES = (
    *("greeting", "faq", "open_qa", "classification", "extraction", "summarization", "translation", "rewriting"),
    *(
        "creative",
        "code_completion",
        "code_review",
        "math",
        "analysis",
        "multi_step",
        "long_context",
        "vision",
        "other",
    ),
)
