"""Survey research with LLM digital twins: a client of Digital Twin Lab."""

from .client import Client
from .connection import TwinlabError
from .plan import Plan
from .run import Run, RunPaused
from .study import Study

__all__ = ["Client", "Plan", "Run", "RunPaused", "Study", "TwinlabError"]
