"""Checking a hand-written gradient against differences of the loss."""

from tinytie.gradcheck.check import assert_gradients, check_gradients
from tinytie.gradcheck.diagnosis.causes import CAUSES
from tinytie.gradcheck.model import check_model
from tinytie.gradcheck.operation import check_operation
from tinytie.gradcheck.report import FAIL, PASS, UNCHECKED, Report, Row
from tinytie.gradcheck.vjp import check_vjp

__all__ = [
    "CAUSES",
    "FAIL",
    "PASS",
    "UNCHECKED",
    "Report",
    "Row",
    "assert_gradients",
    "check_gradients",
    "check_model",
    "check_operation",
    "check_vjp",
]
