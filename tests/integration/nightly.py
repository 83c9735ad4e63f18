#!/usr/bin/env python3
"""cook nightly, shards and their merge, and validations that run out of time.

    nightly.py BUILD/bin FOLDER_OF_PLUGINS
"""
import json
import os
import sys
import unittest

import kinds
from kinds import probe


class Nightly(kinds.Project):
    def setUp(self):
        super().setUp()
        for i in range(9):
            self.asset(f"Root/P{i}", probe(save=["config S K"]))
        self.start()

    def validate(self, *options, name="v.json"):
        path = self.path(name)
        done = self.run_verb("incremental-validate", *options, "--json", path)
        self.assertLessEqual(done.returncode, 1, done.stderr)
        with open(path, encoding="utf-8") as file:
            return json.load(file)

    # ---- shards ----

    def shards(self, count):
        for i in range(1, count + 1):
            self.validate("--shard", f"{i}/{count}", name=f"s{i}.json")
        return [self.path(f"s{i}.json") for i in range(1, count + 1)]

    def merge(self, paths, status=0):
        done = self.run_verb("report", "merge", *paths)
        self.assertEqual(done.returncode, status, done.stderr)
        return json.loads(done.stdout) if status == 0 else done.stderr.decode()

    def test_shards_make_a_whole(self):
        whole = self.validate()
        merged = self.merge(self.shards(3)[::-1])
        for key in ("packages", "skippable", "validated", "false_skips", "modified"):
            self.assertEqual(merged["summary"][key], whole["summary"][key], key)
        self.assertEqual(merged["classes"], whole["classes"])
        self.assertEqual(merged["summary"]["validated"], 10)

    def test_gaps_overlaps_and_strangers_are_refused(self):
        paths = self.shards(3)
        self.assertIn("shard 2 of 3 is missing", self.merge([paths[0], paths[2]], 2))
        self.assertIn("shard 3 of 3 is missing", self.merge(paths[:2], 2))
        self.assertIn("are both shard 1", self.merge([paths[0], *paths], 2))
        self.asset("Root/P0", probe())
        self.cook()
        self.validate("--shard", "3/3", name="s3.json")
        self.assertIn("different validations", self.merge(paths, 2))
        self.validate(name="s3.json")
        self.assertIn("without --shard", self.merge(paths, 2))

    def test_wrong_shards(self):
        for text in ("0/3", "4/3", "a", "1", "1/", "/2", "1/2/3", "1/99999"):
            self.assertEqual(self.run_verb("incremental-validate", "--shard", text).returncode, 2, text)

    # ---- time ----

    def test_out_of_time_goes_on_around_all_packages(self):
        seen, after, rounds = 0, [], 0
        while rounds < 20:
            document = self.validate("--time-limit", "0.000001", *after)
            self.assertEqual(document["summary"]["validated"], 1)  # one at least
            seen += 1
            rounds += 1
            after = ["--after", document["next"]]
            if document["next"] == "/Game/Root/P8":
                break
        self.assertEqual(seen, 10)
        self.assertEqual(self.validate("--time-limit", "1000")["next"], None)

    # ---- the night ----

    def nightly(self, *options, status=0):
        done = self.run_verb("nightly", *options, "--json", self.path("n.json"))
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        with open(self.path("n.json"), encoding="utf-8") as file:
            self.document = json.load(file)
        return done.stdout.decode()

    def test_a_night(self):
        self.run_verb("gate init", "--policy", self.path("gate.ini"))
        out = self.nightly("--policy", self.path("gate.ini"))
        self.assertEqual(self.document["steps"],
                         {"incremental": 0, "incremental-validate": 0, "report": 0, "gate": 0})
        self.assertTrue(os.path.getsize(self.path("Saved/Nightly/Desktop.html")) > 100000)
        self.assertIn("gate passed", out)
        self.assertIn("report: ", out.splitlines()[-1])
        self.assertNotIn("done before", self.nightly())

    def test_a_night_that_was_cut_short_goes_on(self):
        self.nightly()
        self.write("Saved/Nightly/Desktop.json", json.dumps(
            {"open": True, "statuses": {"incremental": 0, "incremental-validate": 1}}))
        out = self.nightly(status=1)
        self.assertIn("cut short", out)
        self.assertEqual(out.count("done before"), 2)
        self.write("Saved/Nightly/Desktop.json", "{ broken")
        self.assertNotIn("done before", self.nightly())

    def test_a_gate_decides_about_findings(self):
        self.write("gate.ini", "[Rules]\nFailedPackages = error 0\n")
        self.asset("Root/P0", "{")
        self.nightly("--policy", self.path("gate.ini"), status=3)
        self.assertEqual(self.document["steps"]["gate"], 1)

    def test_what_cannot_be_run_ends_the_night(self):
        self.write("cook.ini", "[Project")
        self.assertEqual(self.run_verb("nightly").returncode, 2)


if __name__ == "__main__":
    kinds.BIN, kinds.PLUGINS = sys.argv[1:3]
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
