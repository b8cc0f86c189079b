"""The entry point: which commands there are, and how every command ends.

A command's module is imported when the command is used, so that `guard --version` stays fast.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any, Final

import click

from guard import __version__
from guard.cli.exits import exit_codes

COMMANDS: Final = {
    "assess": ("guard.cli.assess:assess", "Assess a use case from prompts and responses, offline."),
    "config": ("guard.cli.config:config", "Check a guard.yaml."),
    "demo": ("guard.cli.demo:demo", "Watch the guard on scripted traffic, live."),
    "exporter": ("guard.cli.services:exporter", "Serve the readings of a store to Prometheus."),
    "init": ("guard.cli.init:init", "Write a guard.yaml to start from, in mode observe."),
    "models": ("guard.cli.models:models", "List, verify, time, import and use classifiers."),
    "review": ("guard.cli.review:review", "Flagged cases: who judges them, and what came of it."),
    "serve": ("guard.cli.services:serve", "Serve the OpenAI API in front of your models."),
    "shadow": ("guard.cli.services:shadow", "Ask models about other groups, beside the guards."),
    "score": ("guard.cli.score:score", "Score texts: lines or JSONL in, JSONL out."),
    "status": ("guard.cli.status:status", "What is known of differences between groups."),
}
CONTEXT: Final = {"help_option_names": ["-h", "--help"], "show_default": True}


class Commands(click.Group):
    """A group that knows names and summaries of its commands without importing them."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - the interface is click's
        """All names, sorted."""
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """Import the command called `cmd_name`."""
        if cmd_name not in COMMANDS:
            return None
        module, _, attribute = COMMANDS[cmd_name][0].partition(":")
        command: click.Command = getattr(import_module(module), attribute)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The list in `guard --help`."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, COMMANDS[name][1]) for name in self.list_commands(ctx)])

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the options; `--version` and `--help` print here."""
        with exit_codes():
            return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; whatever ends it, ends it with one clear line at most."""
        with exit_codes():
            return super().invoke(ctx)


@click.group(cls=Commands, context_settings=CONTEXT)
@click.version_option(__version__, prog_name="evenguard", message="%(prog)s %(version)s")
def main() -> None:
    """evenguard: a guard around live LLM calls that measures fairness while it guards."""
