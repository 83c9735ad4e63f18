"""What config and labels say about cooking a package: the root set, and what is never cooked."""
import re


def glob_matches(pattern, name):
    regex = "".join(".*" if c == "*" else "." if c == "?" else re.escape(c) for c in pattern)
    return re.fullmatch(regex, name) is not None


UNKNOWN, NEVER, DEVELOPMENT, ALWAYS = range(4)
NAMES = {"Unknown": UNKNOWN, "NeverCook": NEVER, "DevelopmentCook": DEVELOPMENT,
         "AlwaysCook": ALWAYS}
LABEL = "/Script/Cook.PrimaryAssetLabel"


class Rules:
    def __init__(self, graph):
        self.graph = graph
        self.shipping = graph.config_values("Cook", "Shipping") == ("true",)
        self.missing = False
        self._said = {}  # package -> (rule, priority), each word about it
        for key in ("Map", "Startup"):
            for name in graph.config_values("Cook", key):
                self.missing |= name not in graph.packages
                self._say(name, ALWAYS, 0)
        for key, rule in (("AlwaysCook", ALWAYS), ("DevelopmentCook", DEVELOPMENT)):
            for glob in graph.config_values("Cook", key):
                self._say_glob(glob, rule, 0)
        for package in graph.packages:
            for item in graph.facts(package) or ():
                if item.class_name == LABEL:
                    self._say_label(item)

    def _say(self, package, rule, priority):
        if package in self.graph.packages:
            self._said.setdefault(package, []).append((rule, priority))

    def _say_glob(self, glob, rule, priority):
        for package in self.graph.packages:
            if glob_matches(glob, package):
                self._say(package, rule, priority)

    def _say_label(self, item):
        rule = NAMES[item.properties.get("Rule", "Unknown")]
        priority = item.properties.get("Priority", 0)
        for path in item.refs("Assets"):
            self._say(self.graph.resolve(path)[0], rule, priority)
        for folder in item.properties.get("Folders", ()):
            glob = folder if "*" in folder else folder.rstrip("/") + "/*"
            self._say_glob(glob, rule, priority)

    def _rule(self, package):
        """Never wins; then whoever has a word at all; then priority; then the stronger word."""
        said = self._said.get(package)
        if not said:
            return UNKNOWN
        return max(said, key=lambda word: (word[0] == NEVER, word[0] != UNKNOWN, word[1],
                                           word[0]))[0]

    def never_cook(self, package):
        rule = self._rule(package)
        return rule == NEVER or (rule == DEVELOPMENT and self.shipping) or any(
            glob_matches(glob, package)
            for glob in self.graph.config_values("Cook", "NeverCook"))

    def roots(self):
        """The packages that the search starts from, and whether a named one is missing."""
        roots = [package for package in self.graph.packages
                 if self._rule(package) in (DEVELOPMENT, ALWAYS) and
                 not self.never_cook(package)]
        return roots, self.missing
