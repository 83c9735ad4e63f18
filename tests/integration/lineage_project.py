"""A project of the lineage plugin, for the tests of findings over time."""
import json
import os
import shutil
import subprocess
import sys


class Project:
    def __init__(self, bin_folder, plugins, folder):
        self.bin_folder, self.plugins = bin_folder, plugins
        self.folder = os.path.realpath(folder)
        self.environment = {**os.environ, "MOOD": "1"}
        os.makedirs(f"{self.folder}/Content", exist_ok=True)
        os.makedirs(f"{self.folder}/Plugins", exist_ok=True)
        for name, kind in (("Clean", 0), ("File", 1), ("Mood", 2), ("Number", 3)):
            asset = {"objects": [{"name": "I", "class": "/Script/Lineage.Item",
                                  "properties": {"Kind": kind}}]}
            self.write(f"Content/{name}.asset", json.dumps(asset))
        self.write("cook.ini", "[Project]\nName=Lineage\n+ContentRoot=/Game=Content\n"
                               "+Plugin=Plugins/lineage.so\n[Cook]\n+AlwaysCook=/Game/*\n"
                               "[Incremental]\n+ClassScriptPackageAllowList=<ProjectRoot>\n")
        self.write("level.txt", "1\n")
        self.build("hidden")
        self.wrong = []

    def write(self, path, text):
        with open(f"{self.folder}/{path}", "w", encoding="utf-8") as file:
            file.write(text)

    def build(self, variant):
        new = f"{self.folder}/Plugins/new.so"
        shutil.copyfile(f"{self.plugins}/lineage_{variant}.so", new)
        os.replace(new, f"{self.folder}/Plugins/lineage.so")

    def cook(self, *arguments, ok=(0, 1), folder=None):
        result = subprocess.run([f"{self.bin_folder}/cook", *arguments], text=True,
                                capture_output=True, check=False, env=self.environment,
                                cwd=folder or self.folder)
        if result.returncode not in ok:
            sys.exit(f"cook {arguments}: exit {result.returncode}\n{result.stdout}{result.stderr}")
        return result

    def validate(self, *arguments):
        """{package: finding}, and the summary."""
        self.text = self.cook("incremental-validate", "--json", "v.json", *arguments).stdout
        with open(f"{self.folder}/v.json", encoding="utf-8") as file:
            document = json.load(file)
        return {f["package"].rsplit("/", 1)[1]: f for f in document["findings"]}, \
            document["summary"]

    def check(self, what, got, wanted):
        if got != wanted:
            self.wrong.append(f"{what}: expected {wanted}, got {got}")

    def finish(self):
        for line in self.wrong:
            print(line)
        print("failed" if self.wrong else "passed")
        return 1 if self.wrong else 0
