# Postgres, Redis and nginx from Debian's packages, where no image of theirs can be pulled.
ARG BASE_IMAGE
FROM ${BASE_IMAGE}
RUN apt-get update -qq \
    && apt-get install -qq -y --no-install-recommends curl nginx-light postgresql redis-server \
    && ln -s /usr/lib/postgresql/*/bin/* /usr/local/bin/ \
    && install -d -o postgres -g postgres /var/lib/postgresql/data /var/run/postgresql \
    && install -d -o redis -g redis /data
COPY postgres.sh /
WORKDIR /data
