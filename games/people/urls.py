"""Addresses of what people think of each other."""

from django.urls import path

from games.people import views

urlpatterns = [
    path("game/<int:game_id>/report/<int:seat>/", views.report, name="report"),
    path("people/", views.people_page, name="people"),
    path("people/block/", views.set_block, name="set_block"),
]
