"""Networks that value positions and moves: files, checks and evaluation, without PyTorch."""

from boardgames.networks.network import Network, load_network
from boardgames.networks.shape import HEXAGONAL, SQUARE, NetworkShape

__all__ = ["HEXAGONAL", "SQUARE", "Network", "NetworkShape", "load_network"]
