"""What the servers of this package share: listening sockets and a bounded HTTP connection."""
