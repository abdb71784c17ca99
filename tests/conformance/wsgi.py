"""The gateway with the conformance suite's fixtures."""

from elaichi.wsgi import application
from tests.conformance.fixtures import register

register()

__all__ = ["application"]
