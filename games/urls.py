from django.urls import path

from games import views

urlpatterns = [
    path("play/<str:kind>/", views.play, name="play"),
    path("game/<int:game_id>/", views.table, name="table"),
]
