"""What the traffic of the log would have met on other machines: a simulation of queues, engines and models in memory."""
