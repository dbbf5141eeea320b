"""Weights of features: storing them in files, finding them by name, and using them in search."""

from boardgames.weights.lookup import find_evaluation, find_weights
from boardgames.weights.weights import Weights

__all__ = ["Weights", "find_evaluation", "find_weights"]
