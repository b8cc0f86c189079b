"""`python -m guard`: the command, where its script is not on the path."""

from guard.cli.main import main

if __name__ == "__main__":
    main(prog_name="python -m guard")
