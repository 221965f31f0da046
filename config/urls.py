"""Addresses of the site: admin, languages, health, then each app's."""

from django.conf.urls.i18n import i18n_patterns
from django.contrib import admin
from django.urls import include, path
from django.views.i18n import JavaScriptCatalog

from config import health, pages
from config.api import api
from games import urls as games_urls
from games.presets import views as rules_views
from ladder import urls as ladder_urls
from ladder.boards import selectors as ladders

urlpatterns = [
    path("", pages.home, name="home"),
    path("", include("games.urls")),
    path("", include("accounts.urls")),
    path("", include("ladder.urls")),
    path("sitemap.xml", rules_views.sitemap, {"more": ladders.addresses}, name="sitemap"),
    path("i18n/js/", JavaScriptCatalog.as_view(), name="js_catalog"),
    path("api/", api.urls),
    path("health/live", health.live, name="health_live"),
    path("health/ready", health.ready, name="health_ready"),
    path("admin/", admin.site.urls),
    # /en/rules/, /ja/rules/; without a language they lead to the reader's.
    *i18n_patterns(*games_urls.in_each_language, *ladder_urls.in_each_language),
]
