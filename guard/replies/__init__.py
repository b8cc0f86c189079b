"""The formats of replies: bytes and values in, text with its places in it out. Pure."""
