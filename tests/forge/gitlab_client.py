#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares pawl's requests to GitLab with python-gitlab, a client that describes GitLab's calls as data: the path of each
list, which methods it has, which attributes a body must and may have, which filters a list takes. Each request of the
tests on the fake GitLab must be a call of the client. The values and the answers are not described. Without the package
this is skipped with the reason (exit status 77).

Usage: gitlab_client.py --build DIR | --home DIR"""

import argparse
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "support")]
import run  # noqa: E402
import staged  # noqa: E402

try:
    import gitlab
    from gitlab import mixins
    from gitlab.base import RESTManager
    import gitlab.v4.objects
except ImportError as missing:
    print(f"skipped: there is no python-gitlab: {missing}; install python3-gitlab")
    sys.exit(77)

WANTED = {"GET /user", "GET /projects/{project_id}/repository/commits/{commit_id}/statuses", "POST /projects/{project_id}/statuses/{commit_id}",
          "GET /projects/{project_id}/merge_requests/{mr_iid}/notes", "POST /projects/{project_id}/merge_requests/{mr_iid}/notes",
          "PUT /projects/{project_id}/merge_requests/{mr_iid}/notes/{id}",
          "GET /projects/{project_id}/issues", "POST /projects/{project_id}/issues", "PUT /projects/{project_id}/issues/{id}"}
PAGES = {"page", "per_page"}
# The client names no filters of this list. From https://docs.gitlab.com/api/commits/.
FILTERS = {"/projects/{project_id}/repository/commits/{commit_id}/statuses": {"name"}}


class Parent:
    """An object of the client whose every attribute is its own name in braces."""

    def __getattr__(self, name):
        return f"({name})"


def create_path(manager):
    """Where the client posts, which is not always the path of the list."""
    if "create" not in vars(manager):
        return manager._path
    sent = []
    server = gitlab.Gitlab("http://127.0.0.1:1")
    server.http_post = lambda path, **_: sent.append(path) or {}
    try:
        manager(server, Parent()).create(dict.fromkeys(manager._create_attrs.required, "x"))
    except Exception:  # it wants more than the required attributes: the path of the list then
        return manager._path
    path = sent[0].replace("%28", "(").replace("%29", ")")
    for ours, theirs in manager._from_parent_attrs.items():
        path = path.replace(f"({theirs})", f"{{{ours}}}", 1)
    return path


def calls():
    """(method, path, attributes of the body, filters) of every call."""
    found = []
    for manager in vars(gitlab.v4.objects).values():
        if not (isinstance(manager, type) and issubclass(manager, RESTManager) and manager._path):
            continue
        path, one = manager._path, manager._path + "/{id}"
        if issubclass(manager, mixins.ListMixin):
            found.append(("GET", path, None, PAGES | set(manager._list_filters) | FILTERS.get(path, set())))
        if issubclass(manager, mixins.GetMixin):
            found.append(("GET", one, None, set()))
        if issubclass(manager, mixins.GetWithoutIdMixin):
            found.append(("GET", path, None, set()))
        if issubclass(manager, mixins.CreateMixin):
            found.append(("POST", create_path(manager), manager._create_attrs, set()))
        if issubclass(manager, mixins.UpdateMixin):
            found.append(("PUT", one, manager._update_attrs, set()))
    assert len(found) > 300, f"only {len(found)} calls were found"
    # A call with a fixed word is the better fit: /runners/all is no runner.
    return sorted(found, key=lambda call: call[1].count("{"))


def fits(path, pattern):
    return re.fullmatch("[^/]+".join(re.escape(part) for part in re.split(r"\{\w+\}", pattern)), path)


def check(known, request):
    """The call, as words, and what is wrong with it."""
    what = f'{request["method"]} {request["path"]}'
    call = next((call for call in known if call[0] == request["method"] and fits(request["path"], call[1])), None)
    if not call:
        return None, [f"there is no call {what}"]
    method, path, attributes, filters = call
    given = set(request["body"] or {})
    faults = [f"{what}: the list takes no '{name}'" for name in sorted(set(request["query"]) - filters)]
    if attributes is None:
        faults += [f"{what}: has a body"] if given else []
    else:
        required = set(attributes.required)
        faults += [f"{what}: the body has no '{name}'" for name in sorted(required - given)]
        faults += [f"{what}: there is no attribute '{name}'" for name in sorted(given - required - {*attributes.optional, *attributes.exclusive})]
    return f"{method} {path}", faults


def notices_what_is_wrong(known):
    """The check itself: each of these must be a fault."""
    status = {"method": "POST", "path": "/projects/12/statuses/4f3a", "query": {}, "body": {"state": "success", "name": "pawl"}}
    notes = {"method": "GET", "path": "/projects/12/merge_requests/3/notes", "query": {"per_page": ["100"]}, "body": None}
    for good, changes in ((status, ({"method": "PUT"}, {"path": "/projects/12/status/4f3a"}, {"body": {"name": "pawl"}}, {"query": {"x": ["1"]}},
                                    {"body": {"state": "success", "target": "x"}}, {"path": "/projects/12/repository/commits/4f3a/statuses"})),
                          (notes, ({"query": {"pages": ["1"]}}, {"body": {"body": "x"}}, {"path": "/projects/12/merge_request/3/notes"},
                                   {"method": "PATCH"}))):
        if check(known, good)[1]:
            sys.exit(f"a good request is none: {check(known, good)[1]}")
        for change in changes:
            if not check(known, {**good, **change})[1]:
                sys.exit(f"the check does not notice {change}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    staged.add_home(parser)
    arguments = parser.parse_args()
    known = calls()
    notices_what_is_wrong(known)
    failed, requests = run.run_recorded(arguments, ("gitlab",))
    results = [check(known, request) for request in requests]
    seen = {call for call, _ in results if call}
    faults = {fault for _, found in results for fault in found} | {f"never made: {call}" for call in WANTED - seen}
    print(*sorted(faults), f"python-gitlab {gitlab.__version__}: {len(requests)} requests of {len(seen)} kinds, {len(faults)} faults", sep="\n")
    return 1 if failed or faults else 0


if __name__ == "__main__":
    sys.exit(main())
