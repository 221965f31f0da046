"""The queue in the admin: who may look, who may take somebody out or lift a lock, and that it is noted."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Permission
from django.test import Client
from django.utils import timezone

from accounts.models import User
from ladder.models import QueueLock, Ticket
from ladder.queue import matchmaking
from tests import factories
from tests.ladder.queue.queueing import asked, join, seasoned

pytestmark = pytest.mark.django_db

TICKETS, LOCKS = "/admin/ladder/ticket/", "/admin/ladder/queuelock/"


def staff(*permissions: str) -> tuple[User, Client]:
    user = factories.user(is_staff=True, is_guest=False)
    user.user_permissions.set(Permission.objects.filter(codename__in=permissions))
    client = Client()
    client.force_login(user)
    return user, client


def do(client: Client, address: str, action: str, *rows: int) -> int:
    return client.post(address, {"action": action, "_selected_action": list(rows)}).status_code


def test_somebody_is_taken_out_of_the_queue_and_it_is_noted() -> None:
    users = seasoned()
    join(*users)
    matchmaking.tick()
    by, client = staff("view_ticket", "delete_ticket")
    page = client.get(TICKETS).content.decode()
    assert all(user.display_name in page for user in users)
    assert do(client, TICKETS, "take_out", users[0].pk) == 302
    assert not Ticket.objects.filter(user=users[0]).exists()
    assert (Ticket.objects.count(), asked()) == (3, set()), "the others keep their place"
    entry = LogEntry.objects.get()
    assert (entry.user_id, entry.object_id, entry.change_message) == (
        by.pk,
        str(users[0].pk),
        "Taken out of the queue.",
    )


def test_a_lock_is_lifted_and_it_is_noted() -> None:
    (user,) = seasoned(1)
    QueueLock.objects.create(user=user, until=timezone.now() + timedelta(hours=1))
    by, client = staff("view_queuelock", "delete_queuelock")
    assert user.display_name in client.get(LOCKS).content.decode()
    assert do(client, LOCKS, "lift", user.pk) == 302
    join(user)
    entry = LogEntry.objects.get()
    assert (entry.user_id, entry.object_id, entry.change_message) == (by.pk, str(user.pk), "Queue lock lifted.")


def test_whoever_may_only_look_changes_nothing_and_strangers_do_not_look() -> None:
    (user,) = seasoned(1)
    join(user)
    _, client = staff("view_ticket")
    assert "take_out" not in client.get(TICKETS).content.decode()
    do(client, TICKETS, "take_out", user.pk)
    assert Ticket.objects.count() == 1
    assert client.get(LOCKS).status_code == 403
    for act in ("add/", f"{user.pk}/delete/"):
        assert client.get(f"{TICKETS}{act}").status_code == 403
