"""From a request for a report to a plan that can be carried out, or to one short question. Pure, never guessing."""
