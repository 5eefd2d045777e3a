#!/bin/sh
# Starts Loci, PostgreSQL and Ollama with Docker Compose: docs/deploy.md.
set -eu
umask 077

usage() {
  cat <<'END'
Usage: deploy/install.sh [OPTIONS]

Starts Loci with PostgreSQL and a model for embeddings in Docker containers. Run it again to upgrade, or to change an option;
an option that is not given stays as it was.

  --no-embeddings   use the model that is part of Loci, and no Ollama
  --embeddings      use nomic-embed-text in Ollama (the default)
  --address A:P     where Loci listens (default 127.0.0.1:8737)
  --uninstall       stop and remove the containers; data, secrets and settings stay
  --delete-data     with --uninstall: delete data, secrets and settings too
  --dry-run         print what would be done, and change nothing
  --help            print this
END
}

fail() {
  printf 'install.sh: %s\n' "$1" >&2
  exit 1
}

embeddings='' address='' uninstall=false delete=false dry=false
while [ $# -gt 0 ]; do
  case $1 in
    --no-embeddings) embeddings=no ;;
    --embeddings) embeddings=yes ;;
    --address)
      [ $# -gt 1 ] || fail '--address needs a value, such as 127.0.0.1:8737'
      shift
      address=$1
      ;;
    --uninstall) uninstall=true ;;
    --delete-data) delete=true ;;
    --dry-run) dry=true ;;
    --help | -h)
      usage
      exit 0
      ;;
    *) fail "unknown option $1; --help lists all" ;;
  esac
  shift
done
$uninstall || ! $delete || fail '--delete-data needs --uninstall'
case $address in
  *[!0-9a-fA-F.:\[\]]*) valid=false ;;
  '' | *[0-9]:[0-9]* | *]:[0-9]*) valid=true ;;
  *) valid=false ;;
esac
$valid || fail '--address must be an address and a port, such as 127.0.0.1:8737'

cd "$(dirname "$0")"

# run COMMAND...
run() {
  if $dry; then printf 'would run: %s\n' "$*"; else "$@"; fi
}

# write FILE: its text is on standard input, and is never printed.
write() {
  if $dry; then
    printf 'would write: deploy/%s\n' "$1"
    cat > /dev/null
  else
    cat > "$1.new"
    mv "$1.new" "$1"
  fi
}

# setting NAME: its value in .env, if there is one.
setting() {
  [ ! -f .env ] || sed -n "s/^$1=//p" .env
}

# Says everything that is missing, then stops.
check() {
  missing=''
  need() { missing="$missing
  - $1"; }
  if ! command -v docker > /dev/null; then
    need 'docker: https://docs.docker.com/engine/install/'
  else
    compose=$(docker compose version --short 2> /dev/null) || compose=0
    printf '2.20\n%s\n' "${compose#v}" | sort -VC ||
      need "the Compose plugin of docker, 2.20 or newer: https://docs.docker.com/compose/install/"
    if ! docker info > /dev/null 2>&1; then
      need "a running Docker engine that $(id -un) may use: \`docker info\` says what is wrong"
    elif ! $uninstall; then
      # The images take 1 GB without Ollama, and 6 GB with it; the build takes 2 GB more.
      gigabytes=3
      [ "$embeddings" = no ] || gigabytes=8
      folder=$(docker info --format '{{.DockerRootDir}}')
      # The folder of an engine in a virtual machine is not on this one.
      free=$(df -Pk "$folder" 2> /dev/null | awk 'NR == 2 { print int($4 / 1048576) }')
      [ -z "$free" ] || [ "$free" -ge "$gigabytes" ] || need "$gigabytes GB of free disk space in $folder; it has $free GB"
    fi
  fi
  [ -z "$missing" ] || fail "these are missing:$missing"
}

# Who runs Loci: the owner of its secrets, who is not root.
find_user() {
  if docker info --format '{{.SecurityOptions}}' | grep -q rootless; then
    # The user 0 of a container is the one who runs the engine.
    uid=0 gid=0
  elif [ "$(id -u)" -eq 0 ]; then
    uid=65532 gid=65532
  else
    uid=$(id -u) gid=$(id -g)
  fi
}

# connection_string FILE ROLE
connection_string() {
  if [ ! -s "secrets/$1" ]; then
    { printf 'postgres://%s:' "$2" && cat secrets/postgres-password 2> /dev/null && printf '@postgres:5432/loci'; } |
      write "secrets/$1"
  fi
  [ "$(id -u)" -ne 0 ] || run chown "$uid:$gid" "secrets/$1"
}

make_secrets() {
  [ -d secrets ] || run mkdir secrets
  if [ ! -s secrets/postgres-password ]; then
    if docker volume inspect loci_database > /dev/null 2>&1; then
      fail 'there is a database (the volume loci_database), but deploy/secrets/postgres-password is gone: restore it from a backup'
    fi
    od -An -N32 -tx1 /dev/urandom | tr -d ' \n' | write secrets/postgres-password
  fi
  connection_string connection-string loci_server
  connection_string direct-connection-string loci
  # The user postgres of the container reads it.
  run chmod a+r postgres.sql
}

write_settings() {
  files=compose.yml
  [ "$embeddings" = no ] || files=$files:compose.embeddings.yml
  [ ! -f compose.override.yml ] || files=$files:compose.override.yml
  write .env << END
# Written by install.sh. Settings of Loci are in loci.env.
COMPOSE_FILE=$files
LOCI_UID=$uid
LOCI_GID=$gid
LOCI_ADDRESS=$address
END
  [ -f loci.env ] || write loci.env << 'END'
# Settings of Loci, as variables: docs/configuration.md. Run install.sh after a change.
# Names by which clients address the server.
LOCI_SERVER_HOSTS=[loci]
# Tokens with the scope write may write records, and not only facts.
LOCI_WRITES_ENABLED=true
LOCI_LOG_LEVEL=info
END
}

case $(setting COMPOSE_FILE) in
  '') before='' ;;
  *compose.embeddings.yml*) before=yes ;;
  *) before=no ;;
esac
embeddings=${embeddings:-${before:-yes}}
[ -n "$address" ] || address=$(setting LOCI_ADDRESS)
address=${address:-127.0.0.1:8737}

check
find_user

if $uninstall; then
  [ -f .env ] || fail 'nothing is installed: there is no deploy/.env'
  if $delete; then
    run docker compose down --remove-orphans --volumes
    run rm -rf secrets .env loci.env
  else
    run docker compose down --remove-orphans
    echo 'The data are in the volumes loci_database and loci_models, the secrets in deploy/secrets. install.sh starts Loci again.'
  fi
  exit 0
fi

make_secrets
write_settings
run docker compose build --pull loci
run docker compose pull --ignore-buildable
run docker compose up --detach --remove-orphans
run docker compose up --detach --wait --wait-timeout 180 loci
cat << END

Loci listens at http://$address. To make a token, run this in deploy/:
  docker compose exec loci loci serve token create --subject alice --scope write
END
if [ -n "$before" ] && [ "$before" != "$embeddings" ]; then
  cat << 'END'
The embedding model has changed. Searches and writes fail until you have run this in deploy/:
  docker compose exec loci loci embed backfill
  docker compose restart loci
END
fi
