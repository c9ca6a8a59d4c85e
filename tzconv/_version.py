"""The version of tzconv, in one place: the build and the release row both read it."""

__version__ = "0.1.0"
