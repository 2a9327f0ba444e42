"""Files that outlive the request that made them, in a folder or in a store that speaks S3."""
