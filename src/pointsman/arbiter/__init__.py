"""From a query's features to scores of intents, and from scores to a confidence: pure."""
