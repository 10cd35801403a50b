#!/usr/bin/python3
"""What the workflows may do, and what they run of others. The rules are those of zizmor
and Scorecard which need no network. zizmor itself is neither in Debian nor on npm, so
each rule must find a fault that is planted in a workflow here."""
# skip: /usr/lib/python3/dist-packages/yaml
import glob
import os
import re

import yaml

count = 0


def ok(passed, name):
    global count
    count += 1
    print("ok" if passed else "not ok", count, "-", name)


# Who may write, and what: everything else may read at most.
WRITES = {
    ("release.yml", "dist"): "attestations id-token",
    ("release.yml", "attach"): "contents",
    ("release.yml", "go"): "contents",
    ("release.yml", "npm"): "id-token",
    ("release.yml", "pypi"): "id-token",
    ("release.yml", "gem"): "id-token",
    ("release.yml", "crate"): "id-token",
    ("pages.yml", "deploy"): "id-token pages",
    ("scorecard.yml", "scorecard"): "id-token security-events",
    ("codeql.yml", "analyze"): "security-events",
}
# An action by its commit, and its version.
PINNED = re.compile(
    r" *(?:- )?uses: ([\w.-]+/[\w.-]+)(?:/[\w.-]+)*@([0-9a-f]{40}) # (v\d+\.\d+\.\d+)$"
)


def faults_of(name, text):
    """What is wrong in a workflow, by the names of zizmor's audits."""
    workflow = yaml.safe_load(text)
    triggers = workflow[True]  # YAML 1.1 reads `on` as true
    found = set()

    def check(passed, audit, where):
        if not passed:
            found.add(f"{audit}: {where}")

    for line in text.splitlines():
        if re.match(r" *(- )?uses:", line):
            check(PINNED.match(line), "unpinned-uses", line.strip())
    if isinstance(triggers, dict):
        dangerous = {"pull_request_target", "workflow_run"} & set(triggers)
        check(not dangerous, "dangerous-triggers", " ".join(dangerous))
    permissions = workflow.get("permissions")
    check(permissions in ({}, {"contents": "read"}), "excessive-permissions", name)
    limits = set(workflow.get("concurrency", {}))
    check(limits == {"group", "cancel-in-progress"}, "concurrency-limits", name)
    for grant in re.finditer(r"^ +[\w-]+: write(.*)$", text, re.M):
        check("#" in grant.group(1), "undocumented-permissions", grant.group().strip())
    for key, job in workflow["jobs"].items():
        where = f"{name}, {key}"
        granted = job.get("permissions", permissions)
        check(isinstance(granted, dict), "excessive-permissions", where)
        granted = granted if isinstance(granted, dict) else {}
        writes = " ".join(sorted(word for word in granted if granted[word] == "write"))
        check(writes == WRITES.get((name, key), ""), "excessive-permissions", where)
        check("secrets" not in job, "secrets-inherit", where)
        check("self-hosted" not in str(job["runs-on"]), "self-hosted-runner", where)
        # A registry trusts a job in the environment of its name.
        if "id-token" in granted and name == "release.yml" and key != "dist":
            check(job.get("environment") == key, "secrets-outside-env", where)
        for step in job["steps"]:
            uses, run, inputs = step.get("uses", ""), step.get("run", ""), step.get("with", {})
            adhoc = re.search(r"\b(npm|gem|pip|cargo) (i|install|add) (?!-r )", run)
            check(not adhoc, "adhoc-packages", where)
            check("${{" not in run, "template-injection", where)
            check(not re.search(r"GITHUB_(ENV|PATH)", run), "github-env", where)
            check(not uses.startswith("actions/cache"), "cache-poisoning", where)
            for action, name_of_input, audit in [
                ("actions/checkout", "persist-credentials", "artipacked"),
                ("actions/setup-node", "package-manager-cache", "cache-poisoning"),
                ("ruby/setup-ruby", "bundler-cache", "cache-poisoning"),
            ]:
                if uses.startswith(action + "@"):
                    check(inputs.get(name_of_input) is False, audit, where)
    check("secrets." not in text, "secrets-outside-env", name)
    return sorted(found)


workflows = {}
for file in sorted(glob.glob(".github/workflows/*.yml")):
    with open(file) as text:
        workflows[os.path.basename(file)] = text.read()
for name, text in workflows.items():
    found = faults_of(name, text)
    ok(not found, f"{name}: " + "; ".join(found))

versions = {}
for line in "\n".join(workflows.values()).splitlines():
    if match := PINNED.match(line):
        action, *version = match.groups()
        versions.setdefault(action, []).append(version)
for action, each in versions.items():
    ok(all(version == each[0] for version in each), f"{action}: {len(each)} times {each[0]}")

# A fault that is planted in a file is found, under its name.
for audit, text, fault in [
    ("unpinned-uses", r"@[0-9a-f]{40} # v[\d.]+", "@v4"),
    ("unpinned-uses", r" # v[\d.]+$", ""),
    ("unpinned-uses", r"@[0-9a-f]{40}", "@0123abc"),
    ("excessive-permissions", r"^permissions: \{\}", "permissions: write-all"),
    ("excessive-permissions", r"contents: read", "contents: write # why"),
    ("excessive-permissions", r"^permissions: \{\}\n", ""),
    ("undocumented-permissions", r"id-token: write #.*", "id-token: write"),
    ("dangerous-triggers", r"^  push:", "  pull_request_target:"),
    ("concurrency-limits", r"^concurrency:\n.*\n.*\n", ""),
    ("artipacked", r"persist-credentials: false", "persist-credentials: true"),
    ("artipacked", r"\n        with: \{ persist-credentials: false \}", ""),
    ("cache-poisoning", r", package-manager-cache: false", ""),
    ("cache-poisoning", r"bundler-cache: false", "bundler-cache: true"),
    ("template-injection", r'"\$GITHUB_REF_NAME"', "${{ github.ref_name }}"),
    ("adhoc-packages", r"pip install -r \S+", "pip install twine"),
    ("secrets-outside-env", r"\$\{\{ github.token \}\}", "${{ secrets.TOKEN }}"),
    ("secrets-outside-env", r"    environment: npm\n", ""),
    ("self-hosted-runner", r"runs-on: ubuntu-latest", "runs-on: self-hosted"),
    ("github-env", r"GITHUB_OUTPUT", "GITHUB_ENV"),
]:
    wrong, changed = re.subn(text, fault, workflows["release.yml"], count=1, flags=re.M)
    found = faults_of("release.yml", wrong)
    ok(changed and audit + ":" in " ".join(found), f"found, {audit}: {found}")

# Dependabot proposes each kind of version, from where the files are, after a week.
with open(".github/dependabot.yml") as file:
    updates = yaml.safe_load(file)["updates"]
manifest = {
    "github-actions": ".github/workflows",
    "npm": "package.json",
    "pip": "requirements.txt",
}
ok({update["package-ecosystem"] for update in updates} == set(manifest), "Dependabot: three kinds")
for update in updates:
    kind = update["package-ecosystem"]
    for folder in update.get("directories", [update.get("directory")]):
        ok(os.path.exists(f".{folder}/{manifest[kind]}"), f"Dependabot: {kind} in {folder}")
    ok(update["cooldown"]["default-days"] >= 7, f"Dependabot: {kind} waits a week")
with open(".github/requirements.txt") as file:
    lines = [line for line in file.read().splitlines() if not line.startswith("#")]
exact = all(re.match(r"[\w-]+==[\d.]+$", line) for line in lines)
ok(exact, "exact versions for pip: " + " ".join(lines))
print(f"1..{count}")
