#!/usr/bin/env python3
"""cook gate: each rule passing, failing, waived, with an expired waiver, and with its input missing.

    gate.py BUILD/bin FOLDER_OF_PLUGINS

The inputs are what real cooks and validations recorded, changed in the history's database where a case needs
another figure.
"""
import datetime
import json
import os
import shutil
import sys
import unittest

import kinds
from kinds import probe

ID = "0123456789abcdef"
TODAY = datetime.datetime.now(datetime.timezone.utc)


def day(offset):
    return (TODAY + datetime.timedelta(days=offset)).strftime("%Y-%m-%d")


class Gate(kinds.Project):
    def setUp(self):
        super().setUp()
        self.asset("Root/A", probe(save=["exists Data/x.txt"]))
        self.write("Data/x.txt", "0")
        self.start()
        self.write("Data/x.txt", "1")
        self.cook()

    def validate(self, **changes):
        """A real validation, its document changed; the gate judges that document."""
        path = self.path("validation.json")
        done = self.run_verb("incremental-validate", "--json", path)
        self.assertLessEqual(done.returncode, 1, done.stderr)
        with open(path, encoding="utf-8") as file:
            document = json.load(file)
        document.update(changes)
        self.write("validation.json", json.dumps(document))
        return document

    def finding(self, verdict, state, package="/Game/Root/A"):
        return {"id": ID, "rule": verdict, "package": package, "classes": ["/Script/Kinds.Probe"],
                "verdict": verdict, "state": state, "differences": []}

    def gate(self, rule, setting, *waivers, status=None, at=None, validation=True):
        """The result of one rule; the others are off."""
        rules = "\n".join(f"{name} = off" for name in RULES if name != rule)
        self.write("gate.ini", f"[Rules]\n{rule} = {setting}\n{rules}\n" + "".join(waivers))
        options = ["--validation", self.path("validation.json")] if validation else []
        options += ["--at", at] if at else []
        done = self.run_verb("gate", "--policy", self.path("gate.ini"), "--json", "-", *options)
        self.assertIn(done.returncode, (0, 1), done.stderr)
        document = json.loads(done.stdout)
        result = [r for r in document["rules"] if r["rule"] == rule][0]
        bad = result["outcome"] in ("failed", "missing")
        self.assertEqual(done.returncode, int(bad and setting.startswith("error")), done.stdout)
        self.document = document
        return result["outcome"]

    def waiver(self, name=ID, expires=None, **patterns):
        lines = [f"[Waiver {name}]", *(f"{key} = {value}" for key, value in patterns.items()),
                 "Reason = it is known", "Owner = @qa", f"Expires = {expires or day(1)}"]
        return "\n".join(lines) + "\n"

    # ---- rules that count findings ----

    def check_findings(self, rule, bad, good):
        """`bad` and `good` are (verdict, state) of a finding that the rule counts, and one that it does not."""
        self.validate()
        self.assertEqual(self.gate(rule, "error 0"), "passed")
        self.validate(findings=[self.finding(*good)])
        self.assertEqual(self.gate(rule, "error 0"), "passed")
        self.validate(findings=[self.finding(*bad)])
        self.assertEqual(self.gate(rule, "error 0"), "failed")
        self.assertEqual(self.gate(rule, "warning 0"), "failed")
        self.assertEqual(self.gate(rule, "error 1"), "passed")
        self.assertEqual(self.gate(rule, "error 0", self.waiver()), "waived")
        for patterns in ({"Package": "/Game/Root/*"}, {"Class": "/Script/Kinds.*"},
                         {"Package": "/Game/*", "Verdict": bad[0]}):
            self.assertEqual(self.gate(rule, "error 0", self.waiver("all", **patterns)), "waived")
        for patterns in ({"Package": "/Game/Other"}, {"Class": "/Script/Other.X"},
                         {"Package": "/Game/*", "Verdict": "no_such_verdict"}):
            self.assertEqual(self.gate(rule, "error 0", self.waiver("all", **patterns)), "failed")
            self.assertEqual(self.document["waivers"][0]["state"], "unused")
        self.assertEqual(self.gate(rule, "error 0", self.waiver(expires=day(0))), "waived")
        self.assertEqual(self.gate(rule, "error 0", self.waiver(expires=day(-1))), "failed")
        self.assertEqual(self.document["waivers"][0]["state"], "expired")
        shutil.rmtree(self.path("Saved/History"))
        self.assertEqual(self.gate(rule, "error 0", validation=False), "missing")
        self.assertEqual(self.gate(rule, "warning 0", validation=False), "missing")

    def test_false_skips(self):
        self.check_findings("FalseSkips", ("false_skip", "new"), ("indeterminate", "new"))

    def test_both_is_a_false_skip_too(self):
        self.check_findings("FalseSkips", ("both", "known"), ("false_skip", "gone"))

    def test_new_indeterminism(self):
        self.check_findings("NewIndeterminism", ("indeterminate", "new"), ("indeterminate", "known"))

    def test_known_findings(self):
        self.check_findings("KnownFindings", ("vanished_replay", "known"), ("false_skip", "new"))

    def test_masked_findings(self):
        self.check_findings("MaskedFindings", ("false_skip", "masked"), ("false_skip", "gone"))

    # ---- rules of cooks ----

    def test_false_recook_share(self):
        self.validate()
        self.assertEqual(self.gate("FalseRecookShare", "error 99%"), "failed")  # x.txt changed nothing
        self.assertEqual(self.gate("FalseRecookShare", "error 100%"), "passed")
        shutil.rmtree(self.path("Saved/Cook"))
        self.cook("full")
        self.assertEqual(self.gate("FalseRecookShare", "error 100%"), "missing")

    def test_failed_packages(self):
        self.validate()
        self.assertEqual(self.gate("FailedPackages", "error 0"), "passed")
        self.asset("Root/B", "{")
        self.cook()
        self.assertEqual(self.gate("FailedPackages", "error 0"), "failed")
        self.assertEqual(self.gate("FailedPackages", "error 1"), "passed")
        shutil.rmtree(self.path("Saved/History"))
        self.assertEqual(self.gate("FailedPackages", "error 1"), "missing")

    def test_replayed_errors(self):
        self.validate()
        self.assertEqual(self.gate("ReplayedErrors", "error 0"), "passed")
        shutil.rmtree(self.path("Saved/Cook"))
        self.assertEqual(self.gate("ReplayedErrors", "error 0"), "missing")

    def test_full_cook_age(self):
        self.validate()
        self.assertEqual(self.gate("FullCookAge", "error 7d"), "passed")
        self.assertEqual(self.gate("FullCookAge", "error 7d", at=day(9)), "failed")
        self.assertEqual(self.gate("FullCookAge", "error 2w", at=day(9)), "passed")
        self.assertEqual(self.gate("FullCookAge", "error 7d", at=day(-9)), "missing")  # ahead of the clock
        shutil.rmtree(self.path("Saved/Cook"))
        self.cook()  # an incremental one
        self.assertEqual(self.gate("FullCookAge", "error 7d"), "missing")

    def test_release_is_full_cook(self):
        self.validate()
        self.assertEqual(self.gate("ReleaseIsFullCook", "error yes"), "failed")
        self.cook("full")
        self.assertEqual(self.gate("ReleaseIsFullCook", "error yes"), "passed")
        shutil.rmtree(self.path("Saved/Cook"))
        self.assertEqual(self.gate("ReleaseIsFullCook", "error yes"), "missing")

    def test_validation_age(self):
        self.validate()
        self.assertEqual(self.gate("ValidationAge", "error 24h", validation=False), "passed")
        self.assertEqual(self.gate("ValidationAge", "error 24h", at=day(3), validation=False), "failed")
        self.cook()
        self.assertEqual(self.gate("ValidationAge", "error 24h", validation=False), "missing")
        shutil.rmtree(self.path("Saved/History"))
        self.assertEqual(self.gate("ValidationAge", "error 24h", validation=False), "missing")

    def test_validation_coverage(self):
        document = self.validate()
        self.assertEqual(document["classes"],
                         [{"name": "/Script/Kinds.Probe", "skippable": 2, "validated": 2}])
        self.assertEqual(self.gate("ValidationCoverage", "error 100%"), "passed")
        self.run_verb("incremental-validate", "--package", "/Game/Root/A")
        self.assertEqual(self.gate("ValidationCoverage", "error 100%", validation=False), "failed")
        self.assertEqual(self.gate("ValidationCoverage", "error 50%", validation=False), "passed")
        del document["classes"]
        self.write("validation.json", json.dumps(document))
        self.assertEqual(self.gate("ValidationCoverage", "error 1%"), "missing")

    def test_unlisted_opt_outs(self):
        self.validate()
        self.assertEqual(self.gate("UnlistedOptOuts", "error 0"), "passed")
        self.write("Config/DefaultGame.ini",
                   "[Incremental]\n+ClassDenyList=/Script/Kinds.Probe\n")
        self.cook()
        self.assertEqual(self.gate("UnlistedOptOuts", "error 0"), "failed")
        self.assertEqual(self.gate("UnlistedOptOuts", "error 0",
                                   "[OptOuts]\n+Class = /Script/Kinds.*\n"), "passed")
        shutil.rmtree(self.path("Saved/History"))
        self.assertEqual(self.gate("UnlistedOptOuts", "error 0"), "missing")

    # ---- the policy ----

    def test_mistakes_name_file_and_line(self):
        for text, reason in (("[Rules]\nNoSuchRule = error 1\n", ":2: no rule is named: NoSuchRule"),
                             ("[Rules]\nFalseSkips = loud 1\n", ":2: a rule begins with"),
                             ("[Rules]\nFullCookAge = error 7\n", ":2: a limit in m, h, d or w"),
                             ("[Rules]\nFalseRecookShare = error 120%\n", ":2: a limit in percent"),
                             (f"[Waiver {ID}]\nReason = x\nExpires = {day(1)}\n", "a Reason and an Owner"),
                             (f"[Waiver {ID}]\nReason = x\nOwner = y\n", "Expires=YYYY-MM-DD"),
                             ("[Waiver some]\nReason = x\nOwner = y\nExpires = 2027-01-01\n",
                              "a Finding, a Package or a Class"),
                             ("[Other]\nA = b\n", "no section [Other]")):
            self.write("gate.ini", text)
            done = self.run_verb("gate", "--policy", self.path("gate.ini"))
            self.assertEqual(done.returncode, 2, text)
            self.assertIn(reason, done.stderr.decode())

    def test_init_and_waive(self):
        policy = self.path("new.ini")
        self.assertEqual(self.run_verb("gate init", "--policy", policy).returncode, 0)
        self.assertEqual(self.run_verb("gate init", "--policy", policy).returncode, 2)
        self.validate(findings=[self.finding("false_skip", "new")])
        options = ["--policy", policy, "--validation", self.path("validation.json")]
        self.assertEqual(self.run_verb("gate", *options).returncode, 1)
        with open(policy, encoding="utf-8") as file:
            before = file.read()
        words = ["waive", ID, "--policy", policy, "--reason", "fixed next week", "--owner", "@qa"]
        self.assertEqual(self.run_verb("gate", *words, "--expires", "soon").returncode, 2)
        self.assertEqual(self.run_verb("gate", *words, "--expires", day(2)).returncode, 0)
        self.assertEqual(self.run_verb("gate", *words, "--expires", day(2)).returncode, 2)
        with open(policy, encoding="utf-8") as file:
            self.assertTrue(file.read().startswith(before))
        self.assertNotIn("failed   FalseSkips", self.run_verb("gate", *options).stdout.decode())

    # ---- builds ----

    def test_which_cook_made_a_build(self):
        for loose in ([], ["--loose"]):
            staged = self.path("staged" + "".join(loose))
            self.asset("Root/A", probe(save=["config S K", *loose]) if not loose else probe())
            self.cook("full")
            self.assertEqual(self.run_verb("stage", staged, *loose).returncode, 0)
            self.assertIn("no validation covered", self.check_build(staged, 1))
            self.run_verb("incremental-validate")
            self.assertIn("made exactly these", self.check_build(staged, 0))
            self.asset("Root/A", probe(save=["config S New"]))
            self.cook()
            self.assertIn("made exactly these", self.check_build(staged, 0))  # the older cook did

    def test_a_tampered_build_is_of_no_cook(self):
        staged = self.path("staged")
        self.run_verb("stage", staged, "--loose")
        self.run_verb("incremental-validate")
        name = f"{staged}/chunk0/Game/Root/A.cooked"
        with open(name, "r+b") as file:
            file.seek(20)
            file.write(b"!")
        self.assertIn("A.cooked has other bytes", self.check_build(staged, 1))
        os.remove(name)
        self.assertIn("A.cooked is missing", self.check_build(staged, 1))
        self.run_verb("stage", staged, "--loose")
        self.write("staged/chunk0/extra", "x")
        self.assertIn("extra is not of that cook", self.check_build(staged, 1))

    def check_build(self, staged, status):
        self.write("gate.ini", "[Rules]\n" + "".join(f"{name} = off\n" for name in RULES))
        done = self.run_verb("gate", "--policy", self.path("gate.ini"), "--build", staged)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done.stdout.decode()


RULES = ["FalseSkips", "NewIndeterminism", "KnownFindings", "MaskedFindings", "FalseRecookShare",
         "FailedPackages", "ReplayedErrors", "FullCookAge", "ReleaseIsFullCook", "ValidationAge",
         "ValidationCoverage", "UnlistedOptOuts"]

if __name__ == "__main__":
    kinds.BIN, kinds.PLUGINS = sys.argv[1:3]
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
