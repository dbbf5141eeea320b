"""Networks that evaluate positions and moves: files, checks and evaluation, without PyTorch."""

from boardgames.networks.network import Network, load_network
from boardgames.networks.shape import NetworkShape
from boardgames.observation import HEXAGONAL, SQUARE

__all__ = ["HEXAGONAL", "SQUARE", "Network", "NetworkShape", "load_network"]
