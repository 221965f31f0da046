"""Addresses of the site: admin, languages, health, then each app's."""

from django.contrib import admin
from django.urls import include, path
from django.views.i18n import JavaScriptCatalog

from config import health, pages

urlpatterns = [
    path("", pages.home, name="home"),
    path("", include("games.urls")),
    path("", include("accounts.urls")),
    path("i18n/js/", JavaScriptCatalog.as_view(), name="js_catalog"),
    path("health/live", health.live, name="health_live"),
    path("health/ready", health.ready, name="health_ready"),
    path("admin/", admin.site.urls),
]
