# The gateway as one image: `web` by default, the worker with another command (see compose.yaml).
FROM python:3.13-slim AS packages
COPY requirements.lock .
RUN python -m venv /venv && /venv/bin/pip install --no-cache-dir --no-deps --require-hashes -r requirements.lock

FROM python:3.13-slim
RUN useradd --system --create-home --home-dir /srv/elaichi elaichi && install --directory --owner=elaichi /files
WORKDIR /srv/elaichi
COPY --from=packages /venv /venv
COPY manage.py ./
COPY accesscontrol accesscontrol
COPY connectors connectors
COPY search search
COPY elaichi elaichi
COPY templates templates
ENV PATH=/venv/bin:$PATH PYTHONUNBUFFERED=1 DEBUG=0 DATABASE_POOL=1
# Collecting files needs settings that load, not the deployment's secrets.
RUN SECRET_KEY=unused CREDENTIAL_KEYS=unused python manage.py collectstatic --noinput && chown -R elaichi: var
USER elaichi
EXPOSE 8000
CMD ["gunicorn", "--config=python:elaichi.gunicorn", "--bind=0.0.0.0:8000", "elaichi.wsgi"]
