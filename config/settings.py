"""The only settings module, and the only reader of the environment. README.md lists the variables."""

from __future__ import annotations

import os
import tomllib
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from celery.schedules import crontab, schedule
from django.core.exceptions import ImproperlyConfigured

BASE_DIR = Path(__file__).resolve().parent.parent
#: Everything that this machine keeps, ignored by git.
DATA_DIR = BASE_DIR / ".data"
#: As pyproject.toml has it; the site is never installed as a package, so nothing else could say it.
VERSION: str = tomllib.loads((BASE_DIR / "pyproject.toml").read_text("utf-8"))["project"]["version"]


def _flag(name: str, default: str) -> bool:
    return os.environ.get(name, default).lower() in ("1", "true", "yes", "on")


def _list(name: str) -> list[str]:
    return [item.strip() for item in os.environ.get(name, "").split(",") if item.strip()]


def _number(name: str, default: str) -> float:
    text = os.environ.get(name) or default
    try:
        return float(text)
    except ValueError:
        raise ImproperlyConfigured(f"{name} must be a number; it is {text!r}.") from None


# --- who and where ----------------------------------------------------------------------------------------------------

DEBUG = _flag("DEBUG", "no")
SECRET_KEY = os.environ.get("SECRET_KEY", "")
if not SECRET_KEY and DEBUG:
    SECRET_KEY = "only-for-debugging-on-this-machine"  # never reached without DEBUG
ALLOWED_HOSTS = _list("ALLOWED_HOSTS") or ["localhost", "127.0.0.1", "[::1]"]
CSRF_TRUSTED_ORIGINS = _list("CSRF_TRUSTED_ORIGINS")
HTTPS = _flag("HTTPS", "no")
#: Where the page "Contact" sends people; empty where nobody has said.
CONTACT_EMAIL = os.environ.get("CONTACT_EMAIL", "")
#: Where `make play` listens: an IPv4 address or a name that has one.
HOST = os.environ.get("HOST") or "127.0.0.1"
PORT = int(_number("PORT", "8000"))

INSTALLED_APPS = [
    "daphne",  # first, so that runserver speaks WebSocket
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django.contrib.humanize",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "allauth.usersessions",
    "ninja",  # for the files of the page that describes the read API
    "accounts",
    "games",
    "ladder",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "accounts.middleware.AccountPagesMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "config.too_many.TooManyMiddleware",
    "config.api.FaultsAsJson",
    "config.addresses.NoNuls",
]

ROOT_URLCONF = "config.urls"
ASGI_APPLICATION = "config.asgi.application"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.template.context_processors.i18n",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    },
]

# --- Postgres and Redis -----------------------------------------------------------------------------------------------


def _database(url: str) -> dict[str, Any]:
    """Django's form of a postgresql:// URL; a socket folder may come as the query's `host`."""
    parts = urlsplit(url)
    query = {name: values[-1] for name, values in parse_qs(parts.query).items()}
    return {
        "ENGINE": "config.postgres",
        "NAME": unquote(parts.path.lstrip("/")),
        "USER": unquote(parts.username or ""),
        "PASSWORD": unquote(parts.password or ""),
        "HOST": query.pop("host", None) or parts.hostname or "",
        "PORT": query.pop("port", None) or parts.port or "",
        # A connection kept by a thread leaks under ASGI, where each request may have a thread of its own.
        "CONN_MAX_AGE": 0,
        "CONN_HEALTH_CHECKS": True,  # without, each connection that a restart of Postgres cut fails one request
        "OPTIONS": {"pool": {"min_size": 1, "max_size": 8, "timeout": 10}, **query},
    }


DATABASE_URL = os.environ.get("DATABASE_URL", "")
REDIS_URL = os.environ.get("REDIS_URL", "")
DATABASES = {"default": _database(DATABASE_URL)} if DATABASE_URL else {}
CACHES = {
    # Counts what is limited, for all web processes together.
    "default": {
        "BACKEND": "django.core.cache.backends.redis.RedisCache",
        "LOCATION": REDIS_URL,
        "KEY_PREFIX": "moonshot",
        "OPTIONS": {"socket_connect_timeout": 2, "socket_timeout": 2},
    },
}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

CHANNEL_LAYERS: dict[str, Any] = {
    "default": {
        "BACKEND": "channels_redis.pubsub.RedisPubSubChannelLayer",
        "CONFIG": {
            # A listener that waits is not a dead one: redis-py closes idle connections after five seconds otherwise.
            "hosts": [{"address": REDIS_URL, "socket_timeout": None}],
        },
    },
}

CELERY_BROKER_URL = (
    REDIS_URL.replace("unix://", "redis+socket://").replace("?db=", "?virtual_host=")
    if REDIS_URL.startswith("unix://")
    else REDIS_URL
)
CELERY_BROKER_TRANSPORT_OPTIONS = {"socket_connect_timeout": 2, "visibility_timeout": 60}
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_CONNECTION_MAX_RETRIES = None
CELERY_WORKER_CANCEL_LONG_RUNNING_TASKS_ON_CONNECTION_LOSS = True  # tasks may run twice: whoever returns takes them
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_DEFAULT_QUEUE = "turns"
CELERY_TASK_ROUTES = {
    "games.sweep": {"queue": "clock"},
    "games.expire_turn": {"queue": "clock"},
    "games.expire_opening": {"queue": "clock"},
    "games.sweep_parties": {"queue": "clock"},
    "games.forget_records": {"queue": "clock"},
    "games.settle_dailies": {"queue": "clock"},
    "games.count_deals": {"queue": "ladder"},
    "games.sweep_reviews": {"queue": "clock"},
    "games.review": {"queue": "reviews"},
    "ladder.*": {"queue": "ladder"},
}
CELERY_TASK_SOFT_TIME_LIMIT = 5  # then the default action is played
CELERY_TASK_TIME_LIMIT = 10  # then the process is replaced, and the sweep finds the turn
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_TIMEZONE = "UTC"
CELERY_BEAT_SCHEDULE = {
    # Runs that were missed are not made up for: each looks at all that is overdue.
    "sweep": {"task": "games.sweep", "schedule": schedule(1.0), "options": {"expires": 2}},
    "sweep_parties": {"task": "games.sweep_parties", "schedule": schedule(20.0), "options": {"expires": 20}},
    "match": {"task": "ladder.match", "schedule": schedule(1.0), "options": {"expires": 2}},
    "settle_dailies": {"task": "games.settle_dailies", "schedule": schedule(60.0), "options": {"expires": 60}},
    "count_deals": {"task": "games.count_deals", "schedule": schedule(60.0), "options": {"expires": 60}},
    "sweep_reviews": {"task": "games.sweep_reviews", "schedule": schedule(20.0), "options": {"expires": 20}},
    "rate_missed": {"task": "ladder.rate_missed", "schedule": schedule(60.0), "options": {"expires": 60}},
    "forget_records": {
        "task": "games.forget_records",
        "schedule": crontab(hour=18, minute=10),
        "options": {"expires": 3600},
    },
    # At half past three in Tokyo.
    "check_drift": {
        "task": "ladder.check_drift",
        "schedule": crontab(hour=18, minute=30),
        "options": {"expires": 3600},
    },
}

# --- people -----------------------------------------------------------------------------------------------------------

AUTH_USER_MODEL = "accounts.User"
AUTHENTICATION_BACKENDS = [
    "allauth.account.auth_backends.AuthenticationBackend",
    "django.contrib.auth.backends.ModelBackend",  # of guests' sessions
]
PASSWORD_HASHERS = [
    "django.contrib.auth.hashers.Argon2PasswordHasher",
    "django.contrib.auth.hashers.PBKDF2PasswordHasher",
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in (
        "UserAttributeSimilarityValidator",
        "MinimumLengthValidator",
        "CommonPasswordValidator",
        "NumericPasswordValidator",
    )
]
LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL = LOGOUT_REDIRECT_URL = "home"

ACCOUNT_ADAPTER = "accounts.adapter.AccountAdapter"
ACCOUNT_FORMS = {"signup": "accounts.forms.SignupForm"}
ACCOUNT_SIGNUP_FIELDS = ["email*", "password1*"]
ACCOUNT_LOGIN_METHODS = {"email"}  # with user names too, a known address would cost more hashing than an unknown one
ACCOUNT_EMAIL_VERIFICATION = "optional"  # play goes on at once; second factors want a confirmed address
ACCOUNT_PREVENT_ENUMERATION = "strict"  # no page tells whether an address has an account
ACCOUNT_EMAIL_NOTIFICATIONS = True
ACCOUNT_EMAIL_SUBJECT_PREFIX = "Moonshot: "
ACCOUNT_MAX_EMAIL_ADDRESSES = 3
ACCOUNT_REAUTHENTICATION_REQUIRED = True
ACCOUNT_SESSION_REMEMBER = True
ACCOUNT_DEFAULT_HTTP_PROTOCOL = "https" if HTTPS else "http"
ACCOUNT_USER_DISPLAY = str
MFA_FORMS = {"add_webauthn": "accounts.forms.AddPasskeyForm"}
MFA_SUPPORTED_TYPES = ["totp", "webauthn", "recovery_codes"]
MFA_PASSKEY_LOGIN_ENABLED = True
MFA_TOTP_ISSUER = "Moonshot"
MFA_WEBAUTHN_ALLOW_INSECURE_ORIGIN = False
USERSESSIONS_TRACK_ACTIVITY = False

SESSION_COOKIE_AGE = 60 * 60 * 24 * 365  # a guest's seat is tied to the browser
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = HTTPS
SESSION_COOKIE_SAMESITE = CSRF_COOKIE_SAMESITE = "Lax"
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if HTTPS else None
X_FRAME_OPTIONS = "DENY"

# --- mail -------------------------------------------------------------------------------------------------------------


def _mail(url: str) -> dict[str, Any]:
    """Django's settings for a mail server's URL; without one, mails are printed by the web process."""
    if not url:
        return {"EMAIL_BACKEND": "django.core.mail.backends.console.EmailBackend"}
    parts = urlsplit(url)
    if parts.scheme not in ("smtp", "smtps", "smtp+plain") or not parts.hostname:
        raise ImproperlyConfigured("EMAIL_URL must be like smtp://user:password@host:587; smtps is TLS from the start.")
    ports = {"smtp": 587, "smtps": 465, "smtp+plain": 25}
    return {
        "EMAIL_BACKEND": "django.core.mail.backends.smtp.EmailBackend",
        "EMAIL_HOST": parts.hostname,
        "EMAIL_PORT": parts.port or ports[parts.scheme],
        "EMAIL_HOST_USER": unquote(parts.username or ""),
        "EMAIL_HOST_PASSWORD": unquote(parts.password or ""),
        "EMAIL_USE_TLS": parts.scheme == "smtp",
        "EMAIL_USE_SSL": parts.scheme == "smtps",
    }


_MAIL = _mail(os.environ.get("EMAIL_URL", ""))
EMAIL_BACKEND: str = _MAIL["EMAIL_BACKEND"]
EMAIL_HOST: str = _MAIL.get("EMAIL_HOST", "localhost")
EMAIL_PORT: int = _MAIL.get("EMAIL_PORT", 25)
EMAIL_HOST_USER: str = _MAIL.get("EMAIL_HOST_USER", "")
EMAIL_HOST_PASSWORD: str = _MAIL.get("EMAIL_HOST_PASSWORD", "")
EMAIL_USE_TLS: bool = _MAIL.get("EMAIL_USE_TLS", False)
EMAIL_USE_SSL: bool = _MAIL.get("EMAIL_USE_SSL", False)
EMAIL_TIMEOUT = 10
DEFAULT_FROM_EMAIL = SERVER_EMAIL = os.environ.get("EMAIL_FROM") or "Moonshot <moonshot@localhost>"

# --- languages and files ----------------------------------------------------------------------------------------------

LANGUAGE_CODE = "en"
LANGUAGES = [("ja", "日本語"), ("en", "English")]
LOCALE_PATHS = [BASE_DIR / "config" / "locale"]
LANGUAGE_COOKIE_AGE = SESSION_COOKIE_AGE
USE_I18N = True
USE_TZ = True
TIME_ZONE = "UTC"

STATIC_URL = "static/"
STATIC_ROOT = DATA_DIR / "static"
STATICFILES_DIRS = [BASE_DIR / "config" / "static"]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {
        "BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"
        if DEBUG
        else "config.static_files.HashedModulesStorage"
    },
}
WHITENOISE_USE_FINDERS = DEBUG

# --- play -------------------------------------------------------------------------------------------------------------

#: Multiplies the time that CPU players seem to think; 0 in tests.
CPU_PACE = _number("CPU_PACE", "1")
#: Whether workers load the experts' compiled search when they start, rather than with an expert's first turn.
CPU_WARM = _flag("CPU_WARM", "yes")
#: Every duration of the game clock is divided by it; tests of long waits raise it.
TIME_SCALE = _number("TIME_SCALE", "1")

#: Games that somebody may open in a minute; that he may have unfinished, of those that moved in the last day; sockets
#: that he may have open at one web process; guests that may come in a minute from one address (a school may share it).
GAMES_A_MINUTE = int(_number("GAMES_A_MINUTE", "20"))
RUNNING_GAMES = int(_number("RUNNING_GAMES", "100"))
SOCKETS_PER_USER = int(_number("SOCKETS_PER_USER", "20"))
GUESTS_A_MINUTE = int(_number("GUESTS_A_MINUTE", "120"))
#: Requests to the read API that may come from one address in a minute.
API_A_MINUTE = int(_number("API_A_MINUTE", "120"))
#: Games that somebody may have searched for mistakes in a day: each is a few seconds of a processor.
REVIEWS_A_DAY = int(_number("REVIEWS_A_DAY", "20"))

# --- logs -------------------------------------------------------------------------------------------------------------

LOG_LEVEL = (os.environ.get("LOG_LEVEL") or "INFO").upper()
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"format": "{levelname} {name}: {message}", "style": "{"}},
    "filters": {"one_line": {"()": "config.logs.OneLine"}},
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "line", "filters": ["one_line"]}},
    "root": {"handlers": ["console"], "level": LOG_LEVEL},
    "loggers": {
        "django.channels.server": {"level": "WARNING"},
        "daphne": {"level": "WARNING"},
        "celery.worker": {"level": "WARNING"},
        "celery.app.trace": {"level": "WARNING"},
        "celery.beat": {"level": "WARNING"},
        "psycopg.pool": {"level": "ERROR"},  # one line for each connection it tries; whoever needs one says so as well
    },
}
