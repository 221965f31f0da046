"""The site as a whole: settings, urls, servers. It imports the apps; no app imports it."""

from config.celery import app as celery_app  # shared tasks bind to it

__all__ = ["celery_app"]
