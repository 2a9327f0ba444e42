"""Which target serves a request that no rule took. Pure: features, policy and snapshot in, an ordered choice out."""
