"""Weights of features: files, names, and what they are to search."""

from boardgames.weights.finding import find_evaluation, find_weights
from boardgames.weights.weights import Weights

__all__ = ["Weights", "find_evaluation", "find_weights"]
