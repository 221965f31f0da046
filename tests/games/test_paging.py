"""Pages that go on where the one before has ended."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from accounts.models import User
from games import paging
from tests import factories

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("order", "key"),
    [
        (("id",), lambda user: user.pk),
        (("-id",), lambda user: -user.pk),
        (("-is_guest", "id"), lambda user: (-user.is_guest, user.pk)),
        (("is_active", "-is_guest", "-id"), lambda user: (user.is_active, -user.is_guest, -user.pk)),
    ],
)
def test_a_walk_through_the_pages_meets_every_row_once_and_in_order(
    order: Sequence[str], key: Callable[[User], Any]
) -> None:
    for number in range(11):
        user = factories.user()
        User.objects.filter(pk=user.pk).update(is_guest=number % 2 == 0, is_active=number % 3 > 0)
    met: list[User] = []
    values = None
    for size in (1, 4, 6):
        page, last = paging.cut(paging.after(User.objects.all(), order, values), size)
        assert len(page) == size
        met += page
        assert last == (page[-1] if len(met) < 11 else None)
        values = [getattr(page[-1], name.removeprefix("-")) for name in order]
    assert met == sorted(User.objects.all(), key=key)
    assert paging.cut(paging.after(User.objects.all(), order, values), 5) == ([], None)
