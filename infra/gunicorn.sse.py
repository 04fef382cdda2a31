"""gunicorn for the process `sse`: run logs alone, behind a proxy that sends `/api/paperbench/run/<id>/logs` here.

    gunicorn -c infra/gunicorn.sse.py 'functions.app:create_app(only=["runs.logs"])'

It listens one port above `web`, which then runs with REPRISE_STREAMS=off.
"""

from functions import _serving
from runner.settings import load

_site = load()
globals().update(_serving.config(_site, workers=1, port=_site.port + 1))
wsgi_app = 'functions.app:create_app(only=["runs.logs"])'
