"""What happens, told to an OpenTelemetry collector over OTLP/HTTP."""
