from django.urls import path

from games import people_views, views

urlpatterns = [
    path("play/<str:kind>/", views.play, name="play"),
    path("game/<int:game_id>/", views.table, name="table"),
    path("game/<int:game_id>/report/<int:seat>/", people_views.report, name="report"),
    path("people/", people_views.people_page, name="people"),
    path("people/block/", people_views.set_block, name="set_block"),
]
