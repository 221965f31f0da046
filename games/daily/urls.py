"""Addresses of daily deals."""

from django.urls import path

from games.daily import views

urlpatterns = [
    path("daily/", views.index, name="daily"),
    path("daily/<str:day>/<str:kind>/", views.day, name="daily_day"),
    path("daily/<str:day>/<str:kind>/play/", views.play, name="daily_play"),
]
