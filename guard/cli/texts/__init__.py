"""Streams of texts: read from lines or JSONL, scored in order, written as JSONL."""
