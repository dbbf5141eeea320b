"""Monte Carlo tree search from many positions at once, with leaves that are evaluated in batches.

Read `simulate` first: it has the kernels of a simulation in the order in which they run. `roots` has what
is special at the root: noise, the Gumbel root, and the results of a search. `options`
has the settings and the layout of the trees, `searcher` the interface for Python, and `cache` an evaluator
that remembers positions.
"""

from boardgames.search.batched.cache import EvaluationCache
from boardgames.search.batched.options import BatchSearchOptions
from boardgames.search.batched.searcher import BatchSearch, Evaluator, Found, Leaves

__all__ = ["BatchSearch", "BatchSearchOptions", "EvaluationCache", "Evaluator", "Found", "Leaves"]
