"""Addresses of tables, and of what opens a game against CPUs."""

from django.urls import path

from games.tables import views

urlpatterns = [
    path("play/<str:kind>/", views.play, name="play"),
    path("play/preset/<slug:slug>/<int:number>/", views.play_preset, name="play_preset"),
    path("game/<int:game_id>/", views.table, name="table"),
    path("game/<int:game_id>/rules/", views.table_rules, name="table_rules"),
]
