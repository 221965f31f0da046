"""Addresses of the games app, gathered from its rooms."""

from games.daily.urls import urlpatterns as daily
from games.histories.urls import urlpatterns as histories
from games.mistakes.urls import urlpatterns as mistakes
from games.parties.urls import urlpatterns as parties
from games.people.urls import urlpatterns as people
from games.presets.urls import in_each_language
from games.presets.urls import urlpatterns as presets
from games.statistics.urls import urlpatterns as statistics
from games.tables.urls import urlpatterns as tables

__all__ = ["in_each_language", "urlpatterns"]

urlpatterns = [*tables, *parties, *people, *histories, *mistakes, *daily, *statistics, *presets]
