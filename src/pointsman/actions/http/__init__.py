"""A call to a service, from an OpenAPI document or written by hand: values go where they belong and nowhere else."""
