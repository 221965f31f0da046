"""How static files are named and stored for browsers."""

from whitenoise.storage import CompressedManifestStaticFilesStorage


class HashedModulesStorage(CompressedManifestStaticFilesStorage):
    """Names every file after its content, those that JavaScript modules import as well.

    Without the latter a new entry module could meet old modules from a browser's cache.
    """

    support_js_module_import_aggregation = True
