"""Jobs: one port (ports/job_store.py), several stores."""
