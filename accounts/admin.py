from allauth.account.decorators import secure_admin_login
from django.contrib import admin
from django.contrib.auth.admin import UserAdmin

from accounts.models import User

admin.site.register(User, UserAdmin)
# One door for all: limits on tries and second factors hold for administrators too.
admin.site.login = secure_admin_login(admin.site.login)  # type: ignore[method-assign]
