"""Clusters of `distributed`."""

import executor_tasks as tasks
import pytest
from waiting import TIMEOUT_S

from boardgames.errors import ClusterError
from boardgames.executors import open_executor


@pytest.mark.parametrize("address", ["", " ", "127.0.0.1:1", "nonsense", "tcp://"])
def test_unreachable_scheduler_is_reported(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("distributed")
    monkeypatch.setattr("boardgames.executors.cluster.CLUSTER_TIMEOUT_S", 0.2)
    with pytest.raises(ClusterError, match="scheduler"), open_executor(cluster=address):
        pass


@pytest.mark.slow
def test_local_cluster_behaves_like_a_pool() -> None:
    pytest.importorskip("distributed")
    with open_executor(2, cluster="local") as executor:
        assert list(executor.map(tasks.square, range(10))) == [number**2 for number in range(10)]
        with pytest.raises(ZeroDivisionError):
            executor.submit(tasks.divide, 7, by=0).result(TIMEOUT_S)
