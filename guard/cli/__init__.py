"""The command `guard`. Nothing below imports it; only here are click and rich used."""
