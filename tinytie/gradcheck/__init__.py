"""Checking a hand-written gradient against differences of the loss."""

from tinytie.gradcheck.causes import CAUSES
from tinytie.gradcheck.check import check_gradients
from tinytie.gradcheck.model import check_model
from tinytie.gradcheck.operation import check_operation
from tinytie.gradcheck.report import FAIL, PASS, UNCHECKED, Report, Row

__all__ = [
    "CAUSES",
    "FAIL",
    "PASS",
    "UNCHECKED",
    "Report",
    "Row",
    "check_gradients",
    "check_model",
    "check_operation",
]
