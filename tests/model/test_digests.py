from hypothesis import given
from hypothesis import strategies as st

from webstrata.model.digests import digest


def test_a_digest_has_the_form_that_other_archives_read() -> None:
    assert digest() == digest(b"") == "sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ"


@given(st.lists(st.binary()))
def test_parts_have_the_digest_of_the_whole(parts: list[bytes]) -> None:
    assert digest(*parts) == digest(b"".join(parts))
