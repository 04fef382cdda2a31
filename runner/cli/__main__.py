"""`python -m runner.cli`: the same as `reprise`."""

from runner.cli import main

main(prog_name="reprise")
