"""`guard demo`: a scripted model with a planted bias, guarded live."""
