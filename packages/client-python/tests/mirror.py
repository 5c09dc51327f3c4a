"""Keeps the trees in a file, which is always whole: python3 -m tests.mirror FILE. It may be killed at any time."""

from __future__ import annotations

import json
import os
import re
import sys
import time
from pathlib import Path
from typing import Any

from wts_client import Client, CursorExpired, Event, TooManyRequests, Unavailable

NAMES = ("Tree ID", "Name", "Risk", "Stage")
TYPES = ("task.created", "task.updated", "task.deleted", "definition.applied")


def mirror(client: Client, file: Path) -> None:
    kept: dict[str, Any] = json.loads(file.read_text()) if file.exists() else {"cursor": None, "tasks": {}}

    def save_at(cursor: str | None) -> None:
        kept["cursor"] = cursor
        new = file.with_suffix(".new")
        new.write_text(json.dumps(kept))
        os.replace(new, file)

    while True:
        try:
            if kept["cursor"] is None:
                cursor = client.events.now()
                kept["tasks"] = listed(client)
                save_at(cursor)
            for event, cursor in client.events.follow(after=kept["cursor"], types=TYPES, limit=5):
                if event["type"] == "definition.applied":
                    save_at(None)
                    break
                apply(kept["tasks"], event)
                save_at(cursor)
        except CursorExpired:
            save_at(None)
        except (Unavailable, TooManyRequests):
            time.sleep(1)


def listed(client: Client) -> dict[str, Any]:
    tasks = client.workflow("trees").list(fields=[*NAMES, "Task URL", "_version"], page_size=10)
    return {
        task["Task URL"].rpartition("/")[2]: {
            "version": int(re.findall(r"\d+", task["_version"])[0]),
            "values": {name: task[name] for name in NAMES},
        }
        for task in tasks
    }


def apply(tasks: dict[str, Any], event: Event) -> None:
    data = event["data"]
    if data["workflow"] != "trees":
        return
    task, known = data["task"], tasks.get(data["task"]["id"])
    # It was told before, or is of a task that was gone when all were listed.
    if known["version"] >= task["version"] if known else event["type"] != "task.created":
        return
    if event["type"] == "task.deleted":
        del tasks[task["id"]]
        return
    changed = {name: change["to"] for name, change in data["changes"].items() if name in NAMES}
    before = known["values"] if known else dict.fromkeys(NAMES)
    tasks[task["id"]] = {"version": task["version"], "values": {**before, **changed}}


if __name__ == "__main__":
    with Client(os.environ["WTS_URL"], os.environ["WTS_KEY"]) as client:
        mirror(client, Path(sys.argv[1]))
