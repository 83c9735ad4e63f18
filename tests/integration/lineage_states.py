#!/usr/bin/env python3
"""States of findings over many validations: new, known, masked, gone, and why.

    lineage_states.py BIN_FOLDER PLUGIN_FOLDER
"""
import os
import sys
import tempfile

from lineage_project import Project


def states(project, *arguments):
    findings, summary = project.validate(*arguments)
    got = {name: f["state"] for name, f in findings.items()}
    counts = {state: summary[state] for state in ("new", "known", "masked", "gone")}
    for state, count in counts.items():
        project.check(f"summary {state}", count, list(got.values()).count(state))
    return got, findings


def variable(project):
    """An undeclared variable: healed, then declared."""
    project.environment["MOOD"] = "2"
    got, findings = states(project)
    project.check("variable, first", got, {"Mood": "new"})
    project.check("cause", findings["Mood"]["causes"][0]["inputs"], [{"kind": "env", "key": "MOOD"}])
    project.check("again", states(project)[0], {"Mood": "known"})
    project.environment["MOOD"] = "1"
    got, findings = states(project)
    project.check("turned back", got, {"Mood": "masked"})
    project.check("turned back", "back to what it was" in findings["Mood"]["reason"], True)
    project.environment["MOOD"] = "2"
    project.check("once more", states(project, "--allow-write")[0], {"Mood": "known"})
    got, findings = states(project)
    project.check("healed", got, {"Mood": "masked"})
    project.check("healed", "healed by cook 2" in findings["Mood"]["reason"], True)
    project.check("text", "masked: /Game/Mood" in project.text, True)
    project.cook("full")
    got, findings = states(project)
    project.check("a full cook proves nothing", got, {"Mood": "masked"})
    project.check("a full cook", "recooked by cook 3 (full)" in findings["Mood"]["reason"], True)


def number(project):
    """Code changed without a version, and the version later."""
    project.build("changed")
    got, findings = states(project)
    project.check("code", got, {"Mood": "masked", "Number": "new"})
    project.check("code", findings["Number"]["causes"][0]["kind"], "code_changed")
    project.build("versioned")
    got, findings = states(project)
    project.check("not judged", got, {"Mood": "masked", "Number": "known"})
    project.check("not judged", "next incremental cook" in findings["Number"]["reason"], True)
    project.cook("incremental")
    got, findings = states(project)
    project.check("versioned", got, {"Mood": "masked", "Number": "gone"})
    project.check("versioned", "another schema" in findings["Number"]["reason"], True)
    project.check("gone is said once", states(project)[0], {"Mood": "masked"})


def declared(project):
    project.build("declared")
    project.cook("incremental")
    got, findings = states(project)
    project.check("declared", got, {"Mood": "gone"})
    project.check("declared", "records env MOOD" in findings["Mood"]["reason"], True)
    project.check("nothing is left", states(project)[0], {})


def back(project):
    """The old code again: what was gone is new, and says so."""
    project.build("hidden")
    project.cook("full")
    project.environment["MOOD"] = "3"
    got, findings = states(project)
    project.check("back", got, {"Mood": "new"})
    project.check("back", "it was gone at run" in findings["Mood"]["reason"], True)


def shards(project):
    """Each finding is judged by the shard that has its package, and by no other."""
    one, two = (states(project, "--shard", f"{i}/2")[0] for i in (1, 2))
    project.check("shards", {**one, **two}, {"Mood": "known"})
    project.check("shards", len(one) + len(two), 1)


def scope(project):
    project.check("another package says nothing of it",
                  states(project, "--package", "/Game/Clean")[0], {})
    os.remove(f"{project.folder}/Content/Mood.asset")
    got, findings = states(project)
    project.check("removed", got, {"Mood": "masked"})
    project.check("removed", "not part of the cook" in findings["Mood"]["reason"], True)


def main():
    with tempfile.TemporaryDirectory() as folder:
        project = Project(*(os.path.realpath(a) for a in sys.argv[1:3]), folder)
        project.cook("full")
        for step in (variable, number, declared, back, shards, scope):
            step(project)
        return project.finish()


if __name__ == "__main__":
    sys.exit(main())
