"""gunicorn for the process `web`: every function, streams included, and the dashboard's files.

    gunicorn -c infra/gunicorn.web.py 'functions.app:create_app()'

What it listens on and how many processes it has comes from Reprise's own settings.
"""

from functions import _serving
from runner.settings import load

_site = load()
globals().update(_serving.config(_site, workers=_site.web_workers, port=_site.port))
wsgi_app = "functions.app:create_app()"
