# SPDX-License-Identifier: Apache-2.0
"""Runs a GitHub workflow's jobs and steps in order on this machine: checkout from a local remote, artifacts as folders,
expressions evaluated. Only what the templates use; anything else is an error, not a guess."""

import json
import pathlib
import re
import shutil
import subprocess

import yaml

TOKENS = re.compile(r"\s*('(?:[^']|'')*'|!=|==|&&|\|\||!|\(|\)|,|\d+|[A-Za-z_][\w.*-]*)")


class Expressions:
    def __init__(self, contexts, work):
        self.contexts, self.work = contexts, work

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
                "hashFiles": files, "cancelled": lambda: False, "L": self.look}

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
        if whole:
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
        self.jobs = yaml.safe_load(pathlib.Path(path).read_text())["jobs"]
        self.folder, self.remote, self.environment = pathlib.Path(folder), remote, environment
        self.token, self.variables = token, variables or {}
        self.log, self.commands = [], []  # commands: (job, step, environment)

    def run(self, event_name, event, ref, sha, run_id, artifacts):
        """{job: success | failure | skipped}"""
        self.artifacts = pathlib.Path(artifacts)
        github = {"event_name": event_name, "event": event, "ref": ref, "sha": sha, "token": self.token,
                  "ref_name": ref.split("/", 2)[-1],
                  "repository": self.environment["GITHUB_REPOSITORY"]}
        contexts = {"github": github, "vars": self.variables, "needs": {},
                    "runner": {"temp": str(self.folder / "temp")}}
        event_path = self.folder / "event.json"
        event_path.parent.mkdir(parents=True, exist_ok=True)
        event_path.write_text(json.dumps(event))
        environment = {**self.environment, "GITHUB_EVENT_NAME": event_name, "GITHUB_EVENT_PATH": str(event_path),
                       "GITHUB_REF": ref, "GITHUB_SHA": sha, "GITHUB_RUN_ID": str(run_id), "GITHUB_RUN_ATTEMPT": "1",
                       "RUNNER_TEMP": str(self.folder / "temp")}
        if event_name == "pull_request":
            environment["GITHUB_BASE_REF"] = "main"
        results = {}
        for name, job in self.jobs.items():
            needs = [job["needs"]] if isinstance(job.get("needs"), str) else job.get("needs", [])
            before = all(results[need] == "success" for need in needs)
            expressions = Expressions(contexts, self.folder)
            if not expressions.holds(job.get("if"), before):
                results[name], outputs = "skipped", {}
            else:
                results[name], outputs = self.run_matrix(name, job, contexts, environment, sha)
            contexts["needs"] = {**contexts["needs"], name: {"result": results[name], "outputs": outputs}}
        return results

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
        contexts.update(steps={})
        expressions = Expressions(contexts, work)
        for key, text in job.get("env", {}).items():
            environment[key] = str(expressions.fill(text))
        good = True
        for step in job["steps"]:
            if not expressions.holds(step.get("if"), good):
                continue
            status = self.run_step(name, step, expressions, dict(environment), work, sha)
            good = good and status == 0
        outputs = {key: expressions.fill(text) for key, text in job.get("outputs", {}).items()}
        return "success" if good else "failure", outputs

    def run_step(self, job, step, expressions, environment, work, sha):
        given = {key: expressions.fill(text) for key, text in step.get("with", {}).items()}
        uses = step.get("uses", "")
        if uses.startswith("actions/checkout@"):
            commands = [["git", "clone", "-q", self.remote, str(work)],
                        ["git", "checkout", "-q", "--detach", given.get("ref") or sha]]
            return max(subprocess.run(c, cwd=work, env=environment).returncode for c in commands)
        if uses.startswith("actions/upload-artifact@"):
            return self.copy(work / given["path"], self.artifacts / given["name"])
        if uses.startswith("actions/download-artifact@"):
            if "pattern" in given:  # each in a folder of its own
                found = sorted(p for p in self.artifacts.glob(given["pattern"]) if p.is_dir())
                return max([1] if not found else [self.copy(p, work / given["path"] / p.name) for p in found])
            return self.copy(self.artifacts / given["name"], work / given["path"])
        if uses == "./.github/actions/pawl":
            return 0 if (work / uses / "action.yml").exists() else 1
        if uses:
            raise ValueError(f"step uses {uses}")
        output = self.folder / "output"
        output.write_text("")
        environment.update(GITHUB_OUTPUT=str(output), GITHUB_STEP_SUMMARY=str(self.folder / f"summary-{job}.md"))
        for key, text in step.get("env", {}).items():
            value = expressions.fill(text)
            environment[key] = str(value).lower() if isinstance(value, bool) else str(value)
        self.commands.append((job, step.get("name"), environment))
        done = subprocess.run(["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]], cwd=work,
                              env=environment, capture_output=True, text=True)
        self.log.append(f"--- {job}: {step.get('name')} ({done.returncode})\n{done.stdout}{done.stderr}")
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
