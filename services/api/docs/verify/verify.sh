#!/bin/sh
# Verifies a webhook that was saved to a file, by hand or in a script:
#   WEBHOOK_SECRET=whsec_… sh verify.sh "$webhook_id" "$webhook_timestamp" "$webhook_signature" body.json
# Exits with 0 for a genuine webhook, otherwise with 1 and the reason. Needs openssl.
set -eu
id=$1 timestamp=$2 signatures=$3 body=$4

case $timestamp in '' | *[!0-9]*) echo 'The timestamp is missing.' >&2; exit 1 ;; esac
age=$(($(date +%s) - timestamp))
if [ "$age" -gt 300 ] || [ "$age" -lt -300 ]; then
  echo 'The webhook is too old.' >&2
  exit 1
fi

key=$(printf %s "${WEBHOOK_SECRET#whsec_}" | openssl base64 -d -A | od -An -v -tx1 | tr -d ' \n')
# Anyone could sign with an empty key.
if [ -z "$key" ]; then echo 'The secret is missing.' >&2; exit 1; fi
expected=v1,$({ printf '%s.%s.' "$id" "$timestamp"; cat "$body"; } |
  openssl dgst -sha256 -mac HMAC -macopt "hexkey:$key" -binary | openssl base64 -A)

# Compares hashes, so that the time reveals nothing about the signature.
hash() { printf %s "$1" | openssl dgst -sha256; }
# While a secret is being rotated there are two signatures: either will do.
for given in $signatures; do
  if [ "$(hash "$given")" = "$(hash "$expected")" ]; then exit 0; fi
done
echo 'The signature is wrong.' >&2
exit 1
