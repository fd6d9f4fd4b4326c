"""The command line: thin, parse, call, print. One file per command."""
