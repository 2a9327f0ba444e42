"""From labelled texts, or the log's own decisions, to a calibration of the arbiter."""
