"""How a model is brought into memory and taken out again, one file for each kind of engine (ports/model_driver.py):
processes that the gateway runs, and engines that it only steers. Deciding is residency/'s."""
