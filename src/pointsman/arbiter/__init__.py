"""From a query's features to scores of intents, and from scores to a confidence: pure."""

import os

os.environ.setdefault(
    "OPENBLAS_NUM_THREADS", "1"
)  # before numpy is there: its products here are small, its threads spin
