"""Addresses of parties."""

from django.urls import path

from games.parties import views

urlpatterns = [
    path("party/", views.party_open, name="party_open"),
    path("party/new/", views.party_new, name="party_new"),
    path("party/find/", views.party_find, name="party_find"),
    path("party/<str:code>/", views.party, name="party"),
    path("party/<str:code>/now/", views.party_now, name="party_now"),
    path("party/<str:code>/sit/", views.sit, name="party_sit"),
    path("party/<str:code>/leave/", views.leave, name="party_leave"),
    path("party/<str:code>/send-away/", views.send_away, name="party_send_away"),
    path("party/<str:code>/shuffle/", views.shuffle, name="party_shuffle"),
    path("party/<str:code>/change/", views.change, name="party_change"),
    path("party/<str:code>/start/", views.start, name="party_start"),
    path("party/<str:code>/agree/", views.agree, name="party_agree"),
]
