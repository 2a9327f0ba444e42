"""`pointsman replay`, measured: how fast it is, and how near to what really happens then."""
