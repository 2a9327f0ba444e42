"""Requests that are jobs: kept, done later, looked at, called off."""
