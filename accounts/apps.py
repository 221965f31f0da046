from importlib import import_module

from django.apps import AppConfig
from django.utils.translation import gettext_lazy


class AccountsConfig(AppConfig):
    name = "accounts"
    verbose_name = gettext_lazy("People")

    def ready(self) -> None:
        import_module("accounts.receivers")
