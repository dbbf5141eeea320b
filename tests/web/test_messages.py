"""The types of the messages between the page and the server, as declared for the page's modules."""

from message_types import PATH, message_types


def test_types_on_the_page_match_the_messages() -> None:
    assert PATH.read_text("utf-8") == message_types(), "run `python tests/message_types.py`"
