from django.urls import include, path

from accounts import views

urlpatterns = [
    path("account/", views.overview, name="account"),
    path("account/export.json", views.download, {"form": "json"}, name="account_export_json"),
    path("account/export.txt", views.download, {"form": "txt"}, name="account_export_text"),
    path("account/close/", views.close, name="account_close"),
    path("account/closed/", views.closed, name="account_closed"),
    path("account/", include("allauth.urls")),
    path("table-settings/", views.table_settings, name="table_settings"),
    path("i18n/setlang/", views.set_language, name="set_language"),
]
