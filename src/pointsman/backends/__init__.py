"""The inference servers that the gateway calls: one adapter per engine over one HTTP client, differences only.

Callers use `make.make_backend` and know the result as `ports.Backend`; `external.is_external` judges an address."""
