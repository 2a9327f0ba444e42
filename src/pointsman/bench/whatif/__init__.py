"""`bench whatif`: what `report scale` foretold of other nodes and slots, beside what came."""
