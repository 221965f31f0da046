"""Addresses of the statistics of deals."""

from django.urls import path

from games.statistics import views

urlpatterns = [
    path("statistics/", views.statistics, name="statistics"),
]
