"""The command line: thin, parse, call, print. One file a command."""
