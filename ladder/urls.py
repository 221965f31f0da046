"""Addresses of the ladder."""

from django.urls import path

from ladder.boards import views
from ladder.guide import views as guide_views
from ladder.rating import receipt_views

urlpatterns = [
    path("ladder/receipt/<int:game_id>/", receipt_views.receipt, name="receipt"),
    path("player/<int:user_id>/", views.player, name="player"),
    path("player/<int:user_id>/games/", views.changes, name="player_games"),
]

#: Pages for search engines, too: each language has an address of its own.
in_each_language = [
    path("ladder/", views.index, name="ladders"),
    path("ladder/how/", guide_views.how_it_works, name="ladder_how"),
    path("ladder/<slug:slug>/", views.board, name="ladder"),
]
