"""Who does work that fans out: this process, worker processes that are replaced when they die, a cluster.

All three are executors of `concurrent.futures`, so that arena and learners are
written once. A task is a function of a module and arguments that can be
pickled: names, texts and numbers, never kernels. Its result must depend on
nothing else, since it may be done again, anywhere.
"""

from boardgames.executors.cluster import LOCAL
from boardgames.executors.opening import InProcess, core_count, open_executor, width_of
from boardgames.executors.pool import ProcessPool

__all__ = ["LOCAL", "InProcess", "ProcessPool", "core_count", "open_executor", "width_of"]
