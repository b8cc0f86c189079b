"""The rules of English grammar that rewriting needs."""
