"""Themes: the choice applies to all boards, and is remembered."""

from collections.abc import Callable
from typing import Any

import pytest
from browsers import Visitor

Visit = Callable[..., Visitor]
PAINT = """selector => {
  const { fill, display } = getComputedStyle(document.querySelector(selector));
  return [fill, display];
}"""


def paint(page: Any, selector: str) -> list[str]:
    """Return how the first of these shapes is filled, and whether it is displayed."""
    return list(page.evaluate(PAINT, selector))


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_theme_is_remembered_and_applies_to_all_boards(visit: Visit, scheme: str) -> None:
    visitor = visit(color_scheme=scheme)
    page = visitor.page
    visitor.start("abalone", "here")
    wood = paint(page, ".board .hole")
    assert paint(page, ".board .emblem")[1] == "none"
    theme = page.get_by_label("Theme")
    theme.click()
    theme.select_option(label="High contrast")
    contrast = paint(page, ".board .hole")
    assert contrast == ["rgb(112, 112, 112)", "inline"] != wood
    assert paint(page, ".board .shine")[1] == "none"
    assert paint(page, ".board .emblem")[1] == "inline"
    page.reload()
    page.locator(".board .hole").first.wait_for()
    assert theme.input_value() == "contrast"
    assert paint(page, ".board .hole") == contrast
    visitor.open("#/analysis/hexifence")
    page.locator(".board .cell").first.wait_for()
    assert paint(page, ".board .cell") == contrast
    visitor.open("#/learn/abalone/rules")
    page.locator(".small-board").first.wait_for()
    assert paint(page, ".thumbnail-cell") == contrast
    page.get_by_label("Theme").select_option(label="Wood")
    visitor.start("abalone", "here")
    assert paint(page, ".board .hole") == wood
