"""Calculations by SymPy: a tree that was read purely is computed in a child process, with steps and a picture."""
