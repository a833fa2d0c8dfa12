#!/bin/sh
# Starts nginx for docker-compose.yml: puts what the environment says into its configuration.
#   WEB           where the web server listens
#   LISTEN        the port to listen on
#   TLS_NAME      speak TLS, as this name, with /certificates/fullchain.pem and privkey.pem
#   FRONT_PROXY   addresses of a proxy in front of this one, which may name the visitor
set -eu
here=$(dirname "$0")
folder=${FOLDER:-/tmp}
certificates=${CERTIFICATES:-/certificates}
port=${LISTEN:-8000}
umask 022

if [ -n "${TLS_NAME:-}" ]; then
    cat > "$folder/listen.conf" << END
listen $port ssl;
server_name $TLS_NAME;
ssl_certificate $certificates/fullchain.pem;
ssl_certificate_key $certificates/privkey.pem;
ssl_protocols TLSv1.2 TLSv1.3;
ssl_session_cache shared:tls:2m;
END
else
    echo "listen $port;" > "$folder/listen.conf"
fi

# The names of the deployment are looked up again and again: a new container has a new address.
resolver=$(sed -n 's/^nameserver  *\([0-9.]*\)$/\1/p' /etc/resolv.conf | head -n 1)
: > "$folder/site.conf"
[ -z "$resolver" ] || echo "resolver $resolver valid=5s ipv6=off;" >> "$folder/site.conf"
echo "real_ip_header X-Forwarded-For;" >> "$folder/site.conf"
for range in ${FRONT_PROXY:-}; do
    echo "set_real_ip_from $range;" >> "$folder/site.conf"
done

sed -e "s|@FOLDER@|$folder|g" -e "s|@WEB@|${WEB:-web:8000}|g" -e "s|@WATCHED@|${WATCHED:-8001}|g" \
    "$here/nginx.conf" > "$folder/nginx.conf"
exec nginx -p "$folder" -c "$folder/nginx.conf" -e stderr
