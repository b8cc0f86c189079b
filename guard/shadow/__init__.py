"""The shadow path: the same question about another group, off the request path."""
