# SPDX-License-Identifier: Apache-2.0
"""A code host on 127.0.0.1 that keeps its state in memory: the parts of GitHub's REST API that pawl uses (and of
GitLab's and Forgejo's). Faults can be scripted. Every request is kept for the tests to look at."""

import copy
import http.server
import json
import re
import socket
import threading
import time
import urllib.parse

TOKEN = "t0ken-that-must-not-leak"
RECORD = None  # a file for each request and its answer: see compatible.py and gitlab_client.py
ABSENT = "(absent)"  # stands for a key that an answer lacks and the example of GitHub's description has: official/description.mjs
PAGE = 30  # items of a page, whatever the client asks for: so that lists have several


class Fault:
    """Happens to the next `times` requests whose "METHOD path" matches. kind: status, reset (before anything is done),
    reset_after (it is done, the answer is lost), slow, nonsense, limit."""

    def __init__(self, match, kind, times=1, status=502, headers=None, seconds=0.0, body=None):
        self.match, self.kind, self.times = re.compile(match), kind, times
        self.status, self.headers, self.seconds, self.body = status, headers or {}, seconds, body


class Forge:
    def __init__(self, forgejo=False):
        self.requests, self.faults = [], []
        self.comments, self.check_runs, self.statuses, self.pulls, self.notes = {}, {}, [], [], []
        self.issues = []
        self.jobs, self.repositories, self.organisations = {}, [], True  # {id: state}, each of a run of that id
        self.next_id, self.merge_base = 1000, None
        self.files = None  # names of the files that a pull request or a comparison changes; None: not known
        self.checks_forbidden, self.forgejo = False, forgejo
        self.login = "pawl-bot" if forgejo else "github-actions[bot]"  # the owner of TOKEN
        self.settings = {}
        self.lock = threading.Lock()
        forge = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def handle_one(self):
                forge.handle(self)

            do_GET = do_POST = do_PATCH = do_PUT = handle_one

        class Server(http.server.ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, *_):
                pass

        self.server = Server(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()

    def new_id(self):
        self.next_id += 1
        return self.next_id

    def comment(self, number, body, login="github-actions[bot]", kind="Bot", role="NONE"):
        item = {"id": self.new_id(), "body": body, "user": {"login": login}}
        if not self.forgejo:
            item.update(user={"login": login, "type": kind}, author_association=role)
        self.comments.setdefault(number, []).append(item)
        return item

    # --- one request ---

    def handle(self, handler):
        length = int(handler.headers.get("Content-Length") or 0)
        raw = handler.rfile.read(length)
        parts = urllib.parse.urlsplit(handler.path)
        record = {"method": handler.command, "path": parts.path, "query": urllib.parse.parse_qs(parts.query),
                  "headers": {k.lower(): v for k, v in handler.headers.items()},
                  "body": json.loads(raw) if raw else None, "time": time.monotonic()}
        with self.lock:
            self.requests.append(record)
            fault = self.find_fault(f"{handler.command} {parts.path}")
        if fault and fault.kind == "slow":
            time.sleep(fault.seconds)
        if fault and fault.kind == "reset":
            return self.reset(handler)
        if fault and fault.kind == "status":
            return self.answer(handler, fault.status, {"message": "made to fail"} if fault.body is None else fault.body, fault.headers)
        if fault and fault.kind == "nonsense":
            return self.answer(handler, 200, fault.body if fault.body is not None else b"<html>{[", {"X-Fault": "1"})
        if record["headers"].get("authorization") != f"Bearer {TOKEN}":
            return self.answer(handler, 401, {"message": "Bad credentials"}, {})
        with self.lock:
            status, body, headers = self.route({**record, "body": copy.deepcopy(record["body"])})
        if RECORD:
            line = {key: record[key] for key in ("method", "path", "query", "body")}
            with open(RECORD, "a") as file:
                file.write(json.dumps({**line, "status": status, "answer": body}) + "\n")
        if fault and fault.kind == "reset_after":
            return self.reset(handler)
        return self.answer(handler, status, body, headers)

    def find_fault(self, line):
        for fault in self.faults:
            if fault.times > 0 and fault.match.search(line):
                fault.times -= 1
                return fault
        return None

    @staticmethod
    def reset(handler):
        handler.close_connection = True
        linger = b"\x01\x00\x00\x00\x00\x00\x00\x00"  # closing sends RST
        handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        handler.connection.close()

    @staticmethod
    def answer(handler, status, body, headers):
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        try:
            handler.send_response(status)
            handler.send_header("Content-Type", "application/json; charset=utf-8")
            handler.send_header("Content-Length", str(len(data)))
            for name, value in headers.items():
                handler.send_header(name, value() if callable(value) else value)
            handler.end_headers()
            handler.wfile.write(data)
        except OSError:
            pass  # the client has gone

    # --- what it keeps ---

    def page(self, record, items):
        number = int(record["query"].get("page", ["1"])[0])
        shown = items[(number - 1) * PAGE:number * PAGE]
        headers = {}
        if number * PAGE < len(items):
            query = urllib.parse.urlencode({**{k: v[0] for k, v in record["query"].items()}, "page": number + 1})
            headers["Link"] = (f'<{self.url}{record["path"]}?page=1>; rel="first", '
                               f'<{self.url}{record["path"]}?{query}>; rel="next"')
        return 200, shown, headers

    def route(self, record):
        method, path, body = record["method"], record["path"], record["body"]
        for wanted, pattern, action in (
                ("GET", r"/user$", self.get_user),
                ("POST", r"/graphql$", self.get_viewer),
                ("GET", r"/repos/[^/]+/[^/]+$", self.get_setting),
                ("GET", r"/actions/(?:permissions/fork-pr-contributor-approval|variables|runners|runner-groups|workflows)$", self.get_setting),
                ("GET", r"/rules/branches/\w+$", self.get_setting),
                ("GET", r"/repos/[^/]+/[^/]+/compare/(\w+)\.\.\.(\w+)$", self.compare),
                ("GET", r"/orgs/[^/]+/repos$", self.list_repositories),
                ("GET", r"/user/repos$", self.list_repositories),
                ("GET", r"/actions/runs$", self.list_runs),
                ("GET", r"/actions/runs/(\d+)/jobs$", self.list_jobs),
                ("GET", r"/repos/[^/]+/[^/]+/issues/(\d+)/comments$", self.list_comments),
                ("POST", r"/repos/[^/]+/[^/]+/issues/(\d+)/comments$", self.add_comment),
                ("PATCH", r"/repos/[^/]+/[^/]+/issues/comments/(\d+)$", self.edit_comment),
                ("GET", r"/repos/[^/]+/[^/]+/commits/(\w+)/check-runs$", self.list_checks),
                ("POST", r"/repos/[^/]+/[^/]+/check-runs$", self.add_check),
                ("PATCH", r"/repos/[^/]+/[^/]+/check-runs/(\d+)$", self.edit_check),
                ("POST", r"/repos/[^/]+/[^/]+/statuses/(\w+)$", self.add_status),
                ("GET", r"/(?:repos/[^/]+/[^/]+|projects/\d+)/issues$", self.list_issues),
                ("POST", r"/(?:repos/[^/]+/[^/]+|projects/\d+)/issues$", self.add_issue),
                ("PATCH", r"/repos/[^/]+/[^/]+/issues/(\d+)$", self.edit_issue),
                ("PUT", r"/projects/\d+/issues/(\d+)$", self.edit_issue),
                ("GET", r"/repos/[^/]+/[^/]+/pulls$", self.list_pulls),
                ("GET", r"/repos/[^/]+/[^/]+/pulls/(\d+)/files$", self.list_files),
                ("GET", r"/repos/[^/]+/[^/]+/pulls/(\d+)$", self.get_pull),
                ("POST", r"/repos/[^/]+/[^/]+/pulls$", self.add_pull),
                ("PATCH", r"/repos/[^/]+/[^/]+/pulls/(\d+)$", self.edit_pull),
                ("GET", r"/projects/\d+/repository/commits/(\w+)/statuses$", self.list_gitlab_statuses),
                ("POST", r"/projects/\d+/statuses/(\w+)$", self.add_gitlab_status),
                ("GET", r"/projects/(\d+)/merge_requests/(\d+)/notes$", self.list_notes),
                ("POST", r"/projects/(\d+)/merge_requests/(\d+)/notes$", self.add_note),
                ("PUT", r"/projects/(\d+)/merge_requests/\d+/notes/(\d+)$", self.edit_note)):
            found = re.search(pattern, path)
            if method == wanted and found:
                return action(record, body, *found.groups())
        return 404, {"message": "Not Found"}, {}

    def compare(self, *_):
        if not self.merge_base:
            return 404, {"message": "Not Found"}, {}
        return 200, {"merge_base_commit": {"sha": self.merge_base}, "files": self.changed()}, {}

    def changed(self):
        return [{"filename": name, "status": "modified"} if isinstance(name, str) else name for name in self.files or []]

    def list_files(self, *_):
        return (200, self.changed(), {}) if self.files is not None else (404, {"message": "Not Found"}, {})

    def get_pull(self, _record, _body, number):
        found = [pull for pull in self.pulls if pull["number"] == int(number)]
        return (200, found[0], {}) if found else (404, {"message": "Not Found"}, {})

    def get_setting(self, record, *_):
        """The entry of `settings` under the last word of the path; 403: the token may not read it."""
        found = self.settings.get(record["path"].rsplit("/", 1)[1])
        return (200, found, {}) if found is not None else (403, {"message": "Resource not accessible"}, {})

    def get_viewer(self, *_):
        return 200, {"data": {"viewer": {"login": self.login}}}, {}

    def get_user(self, *_):
        if self.login.endswith("[bot]"):  # an app's token has no user
            return 403, {"message": "Resource not accessible by integration"}, {}
        return 200, {"login": self.login, **({} if self.forgejo else {"username": self.login})}, {}

    def list_repositories(self, record, *_):
        if "/orgs/" in record["path"] and not self.organisations:
            return 404, {"message": "Not Found"}, {}
        return self.page(record, [{"full_name": name, "archived": name.endswith("/old")} for name in self.repositories])

    def list_runs(self, record, *_):
        wanted = record["query"]["status"][0]
        _, shown, headers = self.page(record, [{"id": id_} for id_, state in self.jobs.items() if state == wanted])
        return 200, {"total_count": len(self.jobs), "workflow_runs": shown}, headers

    def list_jobs(self, record, _, run):
        state, now = self.jobs[int(run)], time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        row = {"id": int(run), "status": state, "labels": ["self-hosted", "gpu"], "created_at": now}
        return 200, {"total_count": 1, "jobs": [row]}, {}

    def list_comments(self, record, _, number):
        return self.page(record, self.comments.get(int(number), []))

    def add_comment(self, _, body, number):
        if len(body["body"]) > 65536:
            return 422, {"message": "Validation Failed: body is too long"}, {}
        return 201, self.comment(int(number), body["body"], self.login), {}

    def edit_comment(self, _, body, id_):
        for comments in self.comments.values():
            for item in comments:
                if item["id"] == int(id_):
                    item["body"] = body["body"]
                    return 200, item, {}
        return 404, {"message": "Not Found"}, {}

    def list_checks(self, record, _, sha):
        if self.checks_forbidden:
            return 403, {"message": "Resource not accessible by integration"}, {}
        wanted = record["query"].get("check_name", [None])[0]
        runs = [r for r in self.check_runs.values() if r["head_sha"] == sha and wanted in (None, r["name"])]
        return 200, {"total_count": len(runs), "check_runs": runs}, {}

    @staticmethod
    def take_output(run, body):
        output = body.pop("output", None) or {}
        annotations = output.pop("annotations", [])
        if len(annotations) > 50 or any(len(output.get(k) or "") > 65535 for k in ("summary", "text")):
            return False
        run["annotations"] += annotations
        run["output"] = {**run["output"], **output, "annotations_count": len(run["annotations"])}
        run.update(body)
        return True

    def add_check(self, _, body):
        if self.checks_forbidden:
            return 403, {"message": "Resource not accessible by integration"}, {}
        run = {"id": self.new_id(), "annotations": [], "output": {}}
        if not self.take_output(run, body):
            return 422, {"message": "Invalid request"}, {}
        self.check_runs[run["id"]] = run
        return 201, run, {}

    def edit_check(self, _, body, id_):
        run = self.check_runs.get(int(id_))
        if not run:
            return 404, {"message": "Not Found"}, {}
        return (200, run, {}) if self.take_output(run, body) else (422, {"message": "Invalid request"}, {})

    def add_status(self, _, body, sha):
        self.statuses.append({"sha": sha, **body})
        if self.forgejo:  # takes "state", and answers "status"
            return 201, {"id": self.new_id(), "status": body["state"], "context": body["context"]}, {}
        return 201, {"id": self.new_id(), **body}, {}

    def list_pulls(self, record, *_):
        if self.forgejo:  # without a filter by head
            return 200, [p for p in self.pulls if p["state"] == "open"], {}
        owner, _, branch = record["query"].get("head", [":"])[0].partition(":")
        return 200, [p for p in self.pulls if p["state"] == "open" and p["head"]["ref"] == branch
                     and p["head"]["repo"]["full_name"].startswith(owner + "/")], {}

    def add_pull(self, record, body):
        repository = "/".join(record["path"].split("/")[2:4])
        pull = {"number": len(self.pulls) + 1, "state": "open", "title": body["title"], "body": body["body"],
                "draft": body.get("draft", False), "base": {"ref": body["base"]},
                "head": {"ref": body["head"], "sha": "0" * 40, "repo": {"full_name": repository}}}
        self.pulls.append(pull)
        return 201, pull, {}

    def edit_pull(self, _, body, number):
        self.pulls[int(number) - 1].update(body)
        return 200, self.pulls[int(number) - 1], {}

    def issue(self, title, body, gitlab=False, login=None):
        login, number = login or self.login, len(self.issues) + 1
        if gitlab:
            item = {"id": self.new_id(), "iid": number, "title": title, "description": body, "state": "opened", "author": {"username": login}}
        else:
            item = {"id": self.new_id(), "number": number, "title": title, "body": body, "state": "open", "user": {"login": login}}
            if not self.forgejo:
                item["pull_request"] = ABSENT
        self.issues.append(item)
        return item

    def list_issues(self, record, *_):
        return self.page(record, self.issues[::-1])

    def add_issue(self, record, body):
        gitlab = record["path"].startswith("/projects/")
        return 201, self.issue(body["title"], body["description" if gitlab else "body"], gitlab), {}

    def edit_issue(self, _, body, number):
        issue = self.issues[int(number) - 1]
        if body.pop("state_event", None) == "close":
            body["state"] = "closed"
        issue.update(body)
        return 200, issue, {}

    def list_gitlab_statuses(self, record, _, sha):
        name = record["query"]["name"][0]
        return 200, [{"status": s["state"], **s} for s in self.statuses[::-1] if (s["sha"], s["name"]) == (sha, name)], {}

    def add_gitlab_status(self, _, body, sha):
        known = [s["state"] for s in self.statuses if (s["sha"], s["name"]) == (sha, body["name"])]
        if body["state"] not in ("pending", "running", "success", "failed", "canceled", "skipped"):
            return 400, {"message": "state does not have a valid value"}, {}
        if known and known[-1] == body["state"]:
            return 400, {"message": f"Cannot transition status via :{body['state']} from :{known[-1]}"}, {}
        self.statuses.append({"sha": sha, **body})
        return 201, {"id": self.new_id(), "status": body["state"]}, {}

    def list_notes(self, record, *_):
        return self.page(record, self.notes)

    def add_note(self, _, body, *__):
        note = {"id": self.new_id(), "body": body["body"], "author": {"username": "pawl-bot"}}
        self.notes.append(note)
        return 201, note, {}

    def edit_note(self, _, body, __, id_):
        for note in self.notes:
            if note["id"] == int(id_):
                note["body"] = body["body"]
                return 200, note, {}
        return 404, {"message": "Not Found"}, {}
