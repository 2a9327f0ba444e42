"""How true what the gateway believes is: confidences of arbiters, and what models are worth beside what they cost."""
