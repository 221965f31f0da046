from django.urls import path

from games.daily import views as daily_views
from games.histories import code_views, fork_views, record_views, replay_views
from games.histories import views as history_views
from games.mistakes import views as review_views
from games.parties import views as party_views
from games.people import views as people_views
from games.presets import views as rules_views
from games.statistics import views as statistics_views
from games.tables import views

urlpatterns = [
    path("play/<str:kind>/", views.play, name="play"),
    path("play/preset/<slug:slug>/<int:number>/", views.play_preset, name="play_preset"),
    path("code/", code_views.code, name="code"),
    path("game/<int:game_id>/", views.table, name="table"),
    path("game/<int:game_id>/rules/", views.table_rules, name="table_rules"),
    path("party/", party_views.party_open, name="party_open"),
    path("party/new/", party_views.party_new, name="party_new"),
    path("party/find/", party_views.party_find, name="party_find"),
    path("party/<str:code>/", party_views.party, name="party"),
    path("party/<str:code>/now/", party_views.party_now, name="party_now"),
    path("party/<str:code>/sit/", party_views.sit, name="party_sit"),
    path("party/<str:code>/leave/", party_views.leave, name="party_leave"),
    path("party/<str:code>/send-away/", party_views.send_away, name="party_send_away"),
    path("party/<str:code>/shuffle/", party_views.shuffle, name="party_shuffle"),
    path("party/<str:code>/change/", party_views.change, name="party_change"),
    path("party/<str:code>/start/", party_views.start, name="party_start"),
    path("party/<str:code>/agree/", party_views.agree, name="party_agree"),
    path("game/<int:game_id>/report/<int:seat>/", people_views.report, name="report"),
    path("game/<int:game_id>/replay/", replay_views.replay, name="replay"),
    path("game/<int:game_id>/play-on/", fork_views.play_on, name="play_on"),
    path("game/<int:game_id>/mistakes/", review_views.mistakes, name="mistakes"),
    path("game/<int:game_id>/record.json", replay_views.record_json, name="record_json"),
    path("game/<int:game_id>/record.txt", replay_views.record_text, name="record_text"),
    path("game/<int:game_id>/again/", code_views.again, name="again"),
    path("game/<int:game_id>/others/", code_views.others, name="others"),
    path("record.schema.json", replay_views.schema, name="record_schema"),
    path("record/", record_views.open_record, name="open_record"),
    path("record/<str:code>/", record_views.opened, name="opened"),
    path("record/<str:code>/record.json", record_views.opened_json, name="opened_json"),
    path("record/<str:code>/record.txt", record_views.opened_text, name="opened_text"),
    path("history/", history_views.history, name="history"),
    path("history/games.jsonl", history_views.games_file, {"form": "jsonl"}, name="games_jsonl"),
    path("history/games.txt", history_views.games_file, {"form": "txt"}, name="games_text"),
    path("history/<int:user_id>/", history_views.history_of, name="history_of"),
    path("daily/", daily_views.index, name="daily"),
    path("daily/<str:day>/<str:kind>/", daily_views.day, name="daily_day"),
    path("daily/<str:day>/<str:kind>/play/", daily_views.play, name="daily_play"),
    path("statistics/", statistics_views.statistics, name="statistics"),
    path("people/", people_views.people_page, name="people"),
    path("people/block/", people_views.set_block, name="set_block"),
    path("robots.txt", rules_views.robots, name="robots"),
]

#: Pages for search engines, too: each language has an address of its own.
in_each_language = [
    path("rules/", rules_views.index, name="rules_index"),
    path("rules/<slug:slug>/", rules_views.rules, name="rules"),
    path("rules/<slug:slug>/<int:number>/", rules_views.rules, name="rules_version"),
    path("guide/<slug:name>/", rules_views.guide, name="guide"),
]
