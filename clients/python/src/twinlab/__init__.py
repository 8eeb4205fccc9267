"""Survey research with LLM digital twins: a client of Digital Twin Lab."""

from importlib.metadata import PackageNotFoundError, version

from .client import Client
from .connection import TwinlabError, Unreachable
from .plan import Plan
from .run import Run, RunPaused
from .study import Study

try:
    __version__ = version("twinlab")
except PackageNotFoundError:
    # The sources are used without being installed.
    __version__ = "0+unknown"

__all__ = ["Client", "Plan", "Run", "RunPaused", "Study", "TwinlabError", "Unreachable", "__version__"]
