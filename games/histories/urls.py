"""Addresses of games that are over."""

from django.urls import path

from games.histories import code_views, fork_views, record_views, replay_views, verify_views, views

urlpatterns = [
    path("code/", code_views.code, name="code"),
    path("game/<int:game_id>/replay/", replay_views.replay, name="replay"),
    path("game/<int:game_id>/play-on/", fork_views.play_on, name="play_on"),
    path("game/<int:game_id>/record.json", replay_views.record_json, name="record_json"),
    path("game/<int:game_id>/record.txt", replay_views.record_text, name="record_text"),
    path("game/<int:game_id>/again/", code_views.again, name="again"),
    path("game/<int:game_id>/others/", code_views.others, name="others"),
    path("verify.py", verify_views.verify_file, name="verify_file"),
    path("record.schema.json", replay_views.schema, name="record_schema"),
    path("record/", record_views.open_record, name="open_record"),
    path("record/<str:code>/", record_views.opened, name="opened"),
    path("record/<str:code>/record.json", record_views.opened_json, name="opened_json"),
    path("record/<str:code>/record.txt", record_views.opened_text, name="opened_text"),
    path("history/", views.history, name="history"),
    path("history/games.jsonl", views.games_file, {"form": "jsonl"}, name="games_jsonl"),
    path("history/games.txt", views.games_file, {"form": "txt"}, name="games_text"),
    path("history/<int:user_id>/", views.history_of, name="history_of"),
]
