# Save as follow.py, and run it every minute, by cron: python3 follow.py
import json
import os
import sqlite3
import urllib.request

file = os.path.join(os.path.dirname(os.path.abspath(__file__)), "events.db")
with sqlite3.connect(file) as db:
    db.execute("create table if not exists handled (id text primary key)")
    db.execute("create table if not exists place (one integer primary key, next text)")


# Your webhook receiver calls this, too, with the webhook-id, once the signature is verified.
def handle(id, event):
    with sqlite3.connect(file) as db:
        is_new = db.execute("insert or ignore into handled values (?)", [id]).rowcount == 1
        # Your work, in the same transaction: after a crash, the event comes again.
        if is_new:
            print(event["event"], id)


def follow():
    with sqlite3.connect(file) as db:
        place = db.execute("select next from place").fetchone()
    url = "{base_url}/api-public/events?limit=200" + (f"&after={place[0]}" if place else "")
    request = urllib.request.Request(url, headers={"Authorization": f"Bearer {os.environ['TOKEN']}"})
    with urllib.request.urlopen(request, timeout=15) as response:
        page = json.load(response)
    for item in page["items"]:
        handle(item["id"], item["body"])
    # Keep the place only now: all of the page is handled.
    with sqlite3.connect(file) as db:
        db.execute("insert or replace into place values (1, ?)", [page["next"]])
    return len(page["items"]) > 0


if __name__ == "__main__":
    while follow():
        pass
