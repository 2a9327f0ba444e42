"""The door: HTTP in, the gateway's own terms inside, each client's dialect out."""
