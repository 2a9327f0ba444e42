"""Text and tables of files, read on the CPU in a process apart."""
