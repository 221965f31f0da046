"""Addresses of the site: admin, languages, health, then each app's."""

from django.conf.urls.i18n import i18n_patterns
from django.contrib import admin
from django.urls import include, path
from django.views.i18n import JavaScriptCatalog

from config import health, pages
from games.urls import in_each_language

urlpatterns = [
    path("", pages.home, name="home"),
    path("", include("games.urls")),
    path("", include("accounts.urls")),
    path("ladder/", include("ladder.urls")),
    path("i18n/js/", JavaScriptCatalog.as_view(), name="js_catalog"),
    path("health/live", health.live, name="health_live"),
    path("health/ready", health.ready, name="health_ready"),
    path("admin/", admin.site.urls),
    *i18n_patterns(*in_each_language),  # /en/rules/, /ja/rules/; without a language they lead to the reader's
]
