"""Addresses of rules pages, and what search engines ask for."""

from django.urls import path

from games.presets import views

urlpatterns = [
    path("robots.txt", views.robots, name="robots"),
]

#: Pages for search engines, too: each language has an address of its own.
in_each_language = [
    path("rules/", views.index, name="rules_index"),
    path("rules/<slug:slug>/", views.rules, name="rules"),
    path("rules/<slug:slug>/<int:number>/", views.rules, name="rules_version"),
    path("guide/<slug:name>/", views.guide, name="guide"),
]
