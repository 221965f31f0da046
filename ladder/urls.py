"""Addresses of the ladder."""

from django.urls import path

from ladder import receipt_views

urlpatterns = [
    path("receipt/<int:game_id>/", receipt_views.receipt, name="receipt"),
]
