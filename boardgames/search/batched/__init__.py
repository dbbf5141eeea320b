"""Monte Carlo tree search from many positions at once, with leaves that are evaluated in batches.

Read `simulate` first: the kernels of a simulation in the order in which they run. `roots` has what
is special at the root: noise, the Gumbel root, and what the search makes of its moves. `options`
has the settings and the layout of the trees, and `searcher` the interface for Python.
"""

from boardgames.search.batched.options import BatchSearchOptions
from boardgames.search.batched.searcher import BatchSearch, Evaluator, Found, Leaves

__all__ = ["BatchSearch", "BatchSearchOptions", "Evaluator", "Found", "Leaves"]
