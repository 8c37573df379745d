"""`python -m lecture` and the installed command: both are cli.run."""

from __future__ import annotations


def run() -> None:
    """The entry point of the installed command."""
    from cli import run as command

    command()


if __name__ == "__main__":
    run()
