"""Addresses of a player's mistakes."""

from django.urls import path

from games.mistakes import views

urlpatterns = [
    path("game/<int:game_id>/mistakes/", views.mistakes, name="mistakes"),
]
