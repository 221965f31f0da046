"""People in the admin: found, switched off and on. Other apps add what they know of them."""

from __future__ import annotations

from typing import Any, ClassVar

from django.contrib import admin
from django.contrib.admin.models import CHANGE, LogEntry
from django.contrib.auth.admin import UserAdmin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from accounts.models import User

#: What only a superuser may give to others, or take from them.
POWERS = ("is_staff", "is_superuser", "groups", "user_permissions")


@admin.register(User)
class PeopleAdmin(UserAdmin):
    """Users and guests. Nobody is deleted here: an account that is closed keeps its place in finished games."""

    list_display = ("display_name", "username", "email", "is_guest", "is_active", "date_joined")
    list_display_links = ("display_name", "username")
    list_filter = ("is_guest", "is_active", "is_staff")
    search_fields = ("username", "display_name", "email")
    ordering = ("-date_joined",)
    list_per_page = 50
    show_full_result_count = False
    readonly_fields: ClassVar[Any] = ("last_login", "date_joined", "is_guest")
    actions: Any = ("switch_off", "switch_on")
    fieldsets = (
        (None, {"fields": ("username", "display_name", "email", "locale", "is_guest", "is_active")}),
        (gettext_lazy("Password"), {"fields": ("password",)}),
        (gettext_lazy("Permissions"), {"fields": POWERS, "classes": ("collapse",)}),
        (gettext_lazy("Dates"), {"fields": ("last_login", "date_joined")}),
    )

    def get_fieldsets(self, request: HttpRequest, obj: Any = None) -> Any:
        found = super().get_fieldsets(request, obj)
        if obj is None or self.has_change_permission(request, obj):
            return found
        return [part for part in found if "password" not in part[1]["fields"]]

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        found = super().get_readonly_fields(request, obj)
        return found if _is_superuser(request) else (*found, *POWERS)

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        if obj is not None and obj.is_superuser and not _is_superuser(request):
            return False
        return super().has_change_permission(request, obj)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    @admin.action(description=gettext_lazy("Switch accounts off"), permissions=["change"])
    def switch_off(self, request: HttpRequest, queryset: QuerySet[User]) -> None:
        self._switch(request, queryset.exclude(username=request.user.get_username()), is_active=False)

    @admin.action(description=gettext_lazy("Switch accounts on"), permissions=["change"])
    def switch_on(self, request: HttpRequest, queryset: QuerySet[User]) -> None:
        self._switch(request, queryset, is_active=True)

    def _switch(self, request: HttpRequest, users: QuerySet[User], *, is_active: bool) -> None:
        """Switches accounts; one's own stays on, and a superuser's is for superusers."""
        found = users.exclude(is_active=is_active)
        changed = list(found if _is_superuser(request) else found.filter(is_superuser=False))
        User.objects.filter(pk__in=[user.pk for user in changed]).update(is_active=is_active)
        what = _("Switched on.") if is_active else _("Switched off.")
        for user in changed:
            LogEntry.objects.log_actions(_who(request), [user], CHANGE, what, single_object=True)
        text = ngettext("%(count)s account was changed.", "%(count)s accounts were changed.", len(changed))
        self.message_user(request, text % {"count": len(changed)})


def _who(request: HttpRequest) -> int:
    """The administrator; the admin lets nobody in who is not signed in."""
    assert isinstance(request.user, User)
    return request.user.pk


def _is_superuser(request: HttpRequest) -> bool:
    return bool(getattr(request.user, "is_superuser", False))
