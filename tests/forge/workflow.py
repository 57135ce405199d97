# SPDX-License-Identifier: Apache-2.0
"""Runs a GitHub workflow's jobs and steps in order on this machine: checkout from a local remote, artifacts as folders,
expressions evaluated. Only what the templates use; anything else is an error, not a guess."""

import json
import pathlib
import re
import shutil
import subprocess

import yaml

def pattern(text):
    """A filter of GitHub as a regular expression."""
    out, i = "", 0
    while i < len(text):
        if text[i] == "\\":
            out, i = out + re.escape(text[i + 1]), i + 1
        elif text.startswith("**", i):
            out, i = out + ".*", i + 1
        elif text[i] in "*?+[]":
            raise ValueError(f"not used by the templates: {text}")
        else:
            out += re.escape(text[i])
        i += 1
    return out


def starts(filters, changed):
    hit = False
    for text in filters:
        if re.fullmatch(pattern(text.removeprefix("!")), changed):
            hit = not text.startswith("!")
    return hit


TOKENS = re.compile(r"\s*('(?:[^']|'')*'|!=|==|&&|\|\||!|\(|\)|,|\d+|[A-Za-z_][\w.*-]*)")


class Expressions:
    def __init__(self, contexts, work):
        self.contexts, self.work, self.is_cancelled = contexts, work, False

    def look(self, path):
        at = self.contexts
        names = path.split(".")
        for i, name in enumerate(names):
            if name == "*":
                return [one.get(names[i + 1]) for one in at or []]
            at = at.get(name, "") if isinstance(at, dict) else ""
        return "" if at is None else at

    def functions(self):
        def files(pattern):
            return "found" if any(self.work.glob(pattern)) else ""
        return {"fromJSON": json.loads, "contains": lambda items, item: item in (items or []),
                "hashFiles": files, "cancelled": lambda: self.is_cancelled, "L": self.look}

    def value(self, text):
        text, python, at = text.strip(), [], 0
        while at < len(text):
            found = TOKENS.match(text, at)
            if not found:
                raise ValueError(f"expression: {text[at:]}")
            token, at = found[1], found.end()
            if token[0] == "'":
                python.append(repr(token[1:-1].replace("''", "'")))
            elif token in ("&&", "||", "!"):
                python.append({"&&": " and ", "||": " or ", "!": " not "}[token])
            elif token in ("true", "false"):
                python.append(token.capitalize())
            elif token[0].isalpha() and not text[at:].startswith("("):
                python.append(f"L({token!r})")
            else:
                python.append(token)
        return eval("".join(python).strip(), {"__builtins__": {}}, self.functions())  # the templates' own text

    def fill(self, text):
        """A string with ${{ }} in it; a whole expression keeps its type."""
        if not isinstance(text, str):
            return text
        whole = re.fullmatch(r"\s*\$\{\{(.*?)\}\}\s*", text, re.S)
        if whole and "}}" not in whole[1]:
            return self.value(whole[1])
        return re.sub(r"\$\{\{(.*?)\}\}", lambda m: str(self.value(m[1])), text)

    def holds(self, text, before):
        if text is None:
            return before
        text = str(text)
        inner = re.fullmatch(r"\s*\$\{\{(.*?)\}\}\s*", text, re.S)
        held = bool(self.value(inner[1] if inner else text))
        return held and (before or "cancelled()" in text)


class Workflow:
    """`environment`: of every step; `token`: what github.token is; `variables`: vars."""

    def __init__(self, path, folder, remote, environment, token, variables=None):
        document = yaml.safe_load(pathlib.Path(path).read_text())
        self.on, self.concurrency = document[True], document.get("concurrency", {})  # `on` is true in YAML 1.1
        self.jobs, self.given = document["jobs"], document.get("env", {})
        self.below = document.get("defaults", {}).get("run", {}).get("working-directory", ".")
        self.folder, self.remote, self.environment = pathlib.Path(folder), remote, environment
        self.token, self.variables, self.called = token, variables or {}, {}  # called: the results of a called workflow's jobs
        self.log, self.commands = [], []  # commands: (job, step, environment)

    def starts(self, event_name, event, changed):
        """Whether the event starts a run: by its type, and by the changed files and the branch."""
        if event_name not in self.on:
            return False
        given = self.on[event_name] or {}
        types = given.get("types", ["opened", "synchronize", "reopened"] if event_name == "pull_request" else [])
        branch = event.get("ref", "").removeprefix("refs/heads/")
        return ((not types or event["action"] in types) and branch in given.get("branches", [branch]) and
                ("paths" not in given or any(starts(given["paths"], name) for name in changed)))

    def contexts(self, event_name, event, ref, sha, run_id, attempt=1):
        github = {"event_name": event_name, "event": event, "ref": ref, "sha": sha, "token": self.token,
                  "ref_name": ref.split("/", 2)[-1], "run_id": str(run_id), "run_attempt": str(attempt),
                  "repository": self.environment["GITHUB_REPOSITORY"]}
        return {"github": github, "vars": self.variables, "needs": {}, "runner": {"temp": str(self.folder / "temp")}}

    def group(self, event_name, event, ref, sha, run_id):
        """The concurrency group of the run, and whether it cancels what runs there."""
        fill = Expressions(self.contexts(event_name, event, ref, sha, run_id), self.folder).fill
        return str(fill(self.concurrency["group"])), bool(fill(self.concurrency.get("cancel-in-progress", False)))

    def run(self, event_name, event, ref, sha, run_id, artifacts, attempt=1, cancelled_after=None, lost=()):
        """{job: success | failure | skipped | cancelled}. `cancelled_after`: the run is cancelled when this job has
        ended; `lost`: jobs whose machine dies."""
        self.artifacts = pathlib.Path(artifacts)
        contexts = self.contexts(event_name, event, ref, sha, run_id, attempt)
        event_path = self.folder / "event.json"
        event_path.parent.mkdir(parents=True, exist_ok=True)
        event_path.write_text(json.dumps(event))
        environment = {**self.environment, "GITHUB_EVENT_NAME": event_name, "GITHUB_EVENT_PATH": str(event_path),
                       "GITHUB_REF": ref, "GITHUB_SHA": sha, "GITHUB_RUN_ID": str(run_id), "GITHUB_RUN_ATTEMPT": str(attempt),
                       "RUNNER_TEMP": str(self.folder / "temp")}
        if event_name == "pull_request":
            environment["GITHUB_BASE_REF"] = event["pull_request"]["base"]["ref"]
        for key, text in self.given.items():
            environment[key] = str(Expressions(contexts, self.folder).fill(text))
        return self.run_jobs(self.jobs, contexts, environment, sha, cancelled_after, lost)

    def run_jobs(self, jobs, contexts, environment, sha, cancelled_after=None, lost=()):
        results = {}
        for name, job in jobs.items():
            needs = [job["needs"]] if isinstance(job.get("needs"), str) else job.get("needs", [])
            before = all(results[need] == "success" for need in needs)
            expressions = Expressions(contexts, self.folder)
            expressions.is_cancelled = cancelled_after in results
            if not expressions.holds(job.get("if"), before and not expressions.is_cancelled):
                results[name], outputs = "cancelled" if expressions.is_cancelled else "skipped", {}
            elif name in lost:
                results[name], outputs = "failure", {}
            elif "uses" in job:
                results[name], outputs = self.call(name, job, contexts, environment, sha, lost)
            else:
                results[name], outputs = self.run_matrix(name, job, contexts, environment, sha)
            contexts["needs"] = {**contexts["needs"], name: {"result": results[name], "outputs": outputs}}
        return results

    def at_ref(self, use):
        """The text of OWNER/NAME/PATH@BRANCH, out of the remote: whatever the change says of that file."""
        path, branch = use.removeprefix(self.environment["GITHUB_REPOSITORY"] + "/").split("@")
        done = subprocess.run(["git", f"--git-dir={self.remote}", "show", f"{branch}:{path}"], capture_output=True, text=True,
                              check=True)
        return done.stdout

    def call(self, name, job, contexts, environment, sha, lost):
        """A job that is a workflow of its own, which gets its inputs and nothing of the caller's `env`."""
        called = yaml.safe_load(self.at_ref(job["uses"]))
        fill = Expressions(contexts, self.folder).fill
        wanted = called[True]["workflow_call"]["inputs"]
        given = {key: fill(text) for key, text in job.get("with", {}).items()}
        if set(given) != set(wanted):
            raise ValueError(f"inputs {set(given)}, not {set(wanted)}")
        own = {key: text for key, text in environment.items() if key not in self.given}
        own.update({key: str(fill(text)) for key, text in called.get("env", {}).items()})
        results = self.run_jobs(called["jobs"], {**contexts, "inputs": given, "needs": {}}, own, sha, lost=lost)
        self.called[name] = results
        return "failure" if "failure" in results.values() else "success", {}

    def run_matrix(self, name, job, contexts, environment, sha):
        """The job once for each shard of its matrix, in order."""
        wanted = job.get("strategy", {}).get("matrix", {}).get("shard")
        shards = Expressions(contexts, self.folder).fill(wanted) if wanted else [1]
        good, outputs = True, {}
        for shard in shards:
            place = {"matrix": {"shard": shard}, "strategy": {"job-total": len(shards)}}
            result, outputs = self.run_job(name, job, {**contexts, **place}, dict(environment), sha)
            good = good and result == "success"
        return "success" if good else "failure", outputs

    def run_job(self, name, job, contexts, environment, sha):
        work = self.folder / f"work-{name}"
        for place in (work, self.folder / "temp"):
            shutil.rmtree(place, ignore_errors=True)
            place.mkdir(parents=True)
        environment["GITHUB_WORKSPACE"] = str(work)
        contexts.update(steps={})
        expressions = Expressions(contexts, work)
        for key, text in job.get("env", {}).items():
            environment[key] = str(expressions.fill(text))
        good = True
        for step in job["steps"]:
            if not expressions.holds(step.get("if"), good):
                continue
            status = self.run_step(name, step, expressions, environment, work, sha)
            good = good and status == 0
        outputs = {key: expressions.fill(text) for key, text in job.get("outputs", {}).items()}
        return "success" if good else "failure", outputs

    def run_step(self, job, step, expressions, environment, work, sha):
        given = {key: expressions.fill(text) for key, text in step.get("with", {}).items()}
        uses = step.get("uses", "").removeprefix("https://data.forgejo.org/forgejo/")
        if uses.startswith("actions/checkout@"):
            commands = [["git", "clone", "-q", self.remote, str(work)],
                        ["git", "checkout", "-q", "--detach", given.get("ref") or sha]]
            return max(subprocess.run(c, cwd=work, env=environment).returncode for c in commands)
        uses = uses.removeprefix("actions/")
        if uses.startswith("upload-artifact@"):
            return self.copy(work / given["path"], self.artifacts / given["name"])
        if uses.startswith("download-artifact@"):
            if "pattern" in given:  # each in a folder of its own
                found = sorted(p for p in self.artifacts.glob(given["pattern"]) if p.is_dir())
                return max([0, *(self.copy(p, work / given["path"] / p.name) for p in found)])
            return self.copy(self.artifacts / given["name"], work / given["path"])
        if "@" in uses and uses.startswith(self.environment["GITHUB_REPOSITORY"] + "/.github/actions/pawl@"):
            place = self.folder / f"action-{job}"
            place.mkdir(exist_ok=True)
            for name in ("action.yml", "install.sh"):
                (place / name).write_text(self.at_ref(uses.replace("@", f"/{name}@")))
            return self.run_action(job, place, given, expressions, environment, work)
        if uses in ("./.github/actions/pawl", "./.forgejo/actions/pawl"):
            return self.run_action(job, work / uses, given, expressions, environment, work)
        if uses:
            raise ValueError(f"step uses {uses}")
        return self.run_shell(job, step, expressions, environment, work / self.below)

    def run_action(self, job, place, given, expressions, environment, work):
        """The steps of a composite action."""
        action = yaml.safe_load((place / "action.yml").read_text())
        if not set(given) <= set(action["inputs"]):
            raise ValueError(f"inputs {set(given)}, not {set(action['inputs'])}")
        inputs = {name: given.get(name) or one["default"] for name, one in action["inputs"].items()}
        inner = Expressions({**expressions.contexts, "inputs": inputs}, work)
        environment["GITHUB_ACTION_PATH"] = str(place)
        return next((status for step in action["runs"]["steps"]
                     if (status := self.run_shell(job, step, inner, environment, work)) != 0), 0)

    def run_shell(self, job, step, expressions, of_job, folder):
        """Runs a step with `run`. The folders that it writes to GITHUB_PATH are on the path of the job's later steps."""
        output, path = self.folder / "output", self.folder / "path"
        output.write_text("")
        path.write_text("")
        environment = {**of_job, "GITHUB_OUTPUT": str(output), "GITHUB_PATH": str(path), "GITHUB_ACTIONS": "true",
                       "GITHUB_STEP_SUMMARY": str(self.folder / f"summary-{job}.md")}
        for key, text in step.get("env", {}).items():
            value = expressions.fill(text)
            environment[key] = str(value).lower() if isinstance(value, bool) else str(value)
        self.commands.append((job, step.get("name"), environment))
        done = subprocess.run(["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]], cwd=folder,
                              env=environment, capture_output=True, text=True)
        self.log.append(f"--- {job}: {step.get('name')} ({done.returncode})\n{done.stdout}{done.stderr}")
        of_job["PATH"] = ":".join([*path.read_text().splitlines(), of_job["PATH"]])
        pairs = dict(line.split("=", 1) for line in output.read_text().splitlines())
        if "id" in step:
            expressions.contexts["steps"][step["id"]] = {"outputs": pairs}
        return done.returncode

    @staticmethod
    def copy(source, target):
        if not source.exists():
            return 1
        target.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, target, dirs_exist_ok=True)
        else:
            shutil.copy(source, target)
        return 0
