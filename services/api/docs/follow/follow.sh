#!/bin/sh
# Save as follow.sh, and run it every minute, by cron: sh follow.sh
# Your webhook receiver runs it, too, once the signature is verified: sh follow.sh "$webhook_id" < body.json
# Needs curl, jq and flock.
set -eu
cd "$(dirname "$0")"
mkdir -p handled
exec 9> handled/lock
flock 9

handle() {
  if [ -e "handled/$1" ]; then return; fi
  # Your work, then its mark: after a crash, the event comes again.
  jq -r --arg id "$1" '"\(.event) \($id)"'
  : > "handled/$1"
}

if [ $# -gt 0 ]; then handle "$1"; exit; fi
while :; do
  after=$(if [ -e place ]; then cat place; fi)
  curl -sSf -m 15 "{base_url}/api-public/events?limit=200${after:+&after=$after}" \
    -H "Authorization: Bearer $TOKEN" > page.json
  for id in $(jq -r '.items[].id' page.json); do
    jq --arg id "$id" '.items[] | select(.id == $id).body' page.json | handle "$id"
  done
  # Keep the place only now: all of the page is handled.
  jq -r .next page.json > place.new
  mv place.new place
  if jq -e '.items == []' page.json > /dev/null; then break; fi
done
