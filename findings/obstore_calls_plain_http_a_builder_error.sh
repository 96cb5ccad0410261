#!/usr/bin/env bash
# obstore 0.12.1 (object_store in Rust), S3 at an endpoint of plain http.
#
# Expected: the store says that plain http is not allowed, when it is made or when it is first used.
# Behavior: the store is made without a word; every request fails with "HTTP error: builder error", which names neither http nor
#           the setting AWS_ALLOW_HTTP=true that allows it. With the setting the same request reaches the socket.
# Seen:     Generic S3 error: Error performing PUT http://127.0.0.1:9/bucket/name in 21.18us - HTTP error: builder error
#
# Exits with 0 while this is so, with 1 when it has changed, with 77 where the package cannot be installed.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv env
env/bin/pip install -q --disable-pip-version-check obstore==0.12.1 || exit 77
cat >put.py <<'END'
import os
import sys

import obstore
from obstore import store

os.environ.update(AWS_ENDPOINT_URL="http://127.0.0.1:9", AWS_ACCESS_KEY_ID="id", AWS_SECRET_ACCESS_KEY="key", AWS_REGION="us-east-1")
os.environ.pop("AWS_ALLOW_HTTP", None)
words = []
for allowed in (False, True):
    if allowed:
        os.environ["AWS_ALLOW_HTTP"] = "true"
    bucket = store.from_url("s3://bucket", retry_config={"max_retries": 0})
    try:
        obstore.put(bucket, "name", b"content", use_multipart=False)
    except obstore.exceptions.BaseError as error:
        words.append(str(error).split("\n")[0])
        print(words[-1])
same = "builder error" in words[0] and "ALLOW_HTTP" not in words[0] and "error sending request" in words[1]
sys.exit(0 if same else 1)
END
env/bin/python put.py
