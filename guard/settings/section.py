"""What every part of guard.yaml has in common."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class Section(BaseModel):
    """A part of guard.yaml: keys it does not know are errors, numbers are numbers."""

    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)
