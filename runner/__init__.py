"""The engine of Reprise: knows no HTTP."""

__version__ = "0.1.0"
