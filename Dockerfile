# The platform's programs: web, ledger, beat and arena, told apart by their commands.
ARG BASE_IMAGE=python:3.12-slim
FROM ${BASE_IMAGE}

RUN python3 -m venv /opt/matchbox \
    && useradd --uid 10001 --user-group --no-create-home --home-dir /tmp matchbox \
    && install -d -o 65534 -g 65534 -m 0700 /data
ENV PATH=/opt/matchbox/bin:$PATH PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 HOME=/tmp
WORKDIR /app
COPY requirements.lock ./
RUN pip install --quiet --no-cache-dir --require-hashes -r requirements.lock
COPY . ./
RUN pip install --quiet --no-cache-dir --no-deps --no-build-isolation -e . \
    && python -m compileall -q matchbox sandbox server worker dashboard cli
USER 10001:10001
