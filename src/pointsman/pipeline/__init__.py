"""The only place that puts the stages in a row: decide (pure), then handle (serve, relay, record)."""
