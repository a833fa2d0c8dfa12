# The platform's programs: web, ledger, beat and arena, told apart by their commands.
ARG BASE_IMAGE=python:3.12-slim
FROM ${BASE_IMAGE} AS libraries

RUN python3 -m venv /opt/matchbox \
    && useradd --uid 10001 --user-group --no-create-home --home-dir /tmp matchbox \
    && install -d -o 65534 -g 65534 -m 0700 /data \
    && install -d -o 10001 -g 10001 -m 0700 /backups
ENV PATH=/opt/matchbox/bin:$PATH PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 HOME=/tmp
WORKDIR /app
# requirements-openid.lock has the same libraries, and those for logging in by OpenID Connect.
ARG LOCK=requirements.lock
COPY requirements.lock requirements-openid.lock ./
RUN pip install --quiet --no-cache-dir --no-deps --require-hashes -r "$LOCK"

# The hot path is compiled in a stage of its own, so that what runs holds no compiler. Where none can
# be had nothing is made, and the hot path stays plain Python.
FROM libraries AS compiler
RUN headers='import os, sysconfig; os.stat(sysconfig.get_path("include") + "/Python.h")'; \
    wanted="gcc libc6-dev"; \
    python -c "$headers" 2> /dev/null || wanted="$wanted python3-dev"; \
    { apt-get update -qq && apt-get install -qq -y --no-install-recommends $wanted; } > /dev/null \
    || echo "No C compiler: the hot path stays plain Python"
COPY pyproject.toml setup.py README.md LICENSE ./
COPY matchbox matchbox
RUN mkdir -p matchbox/compiled \
    && pip install --quiet --no-cache-dir --no-deps --no-build-isolation -e .

FROM libraries
COPY . ./
# The account of the programs reads what a strict umask kept from others in the checkout.
RUN chmod -R a+rX . \
    && CC=none pip install --quiet --no-cache-dir --no-deps --no-build-isolation -e . \
    && python -m compileall -q matchbox sandbox server worker laboratory dashboard cli
COPY --from=compiler /app/matchbox/compiled matchbox/compiled
USER 10001:10001
