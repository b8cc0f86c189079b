"""The processes of the gateway: one supervisor, and the workers that answer."""
