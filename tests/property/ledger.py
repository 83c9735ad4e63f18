"""What earlier cooks left behind, and so what the next one must do."""


class Kept:
    """A result in the store: what it was made of, and where it leads."""

    def __init__(self, graph, package):
        deps = graph.deps(package)
        self.values = {dep: graph.value(dep) for dep in deps if dep[0] != "whole"}
        self.wholes = {dep[1]: None for dep in deps if dep[0] == "whole"}  # package -> its key
        self.edges = [("hard", *edge) for edge in graph.hard_edges(package)]
        self.edges += [("soft", *edge) for edge in graph.soft_edges(package)]
        self.omitted = graph.is_omitted(package)  # nothing of it is for this target

    def key_now(self, graph, kept):
        """What its dependencies are worth now, as one value."""
        values = {(dep, graph.value(dep)) for dep in self.values}
        wholes = {(name, whole_key(graph, kept, name)) for name in self.wholes}
        return frozenset(values | wholes)

    def is_current(self, graph, kept):
        return (all(graph.value(dep) == value for dep, value in self.values.items()) and
                all(whole_key(graph, kept, name) == key for name, key in self.wholes.items()))

    def finish(self, graph, kept):
        """Whole keys are known when the cook has ended."""
        self.wholes = {name: whole_key(graph, kept, name) for name in self.wholes}

    def targets(self, graph):
        return [graph.resolve(path)[0] for _, path, _ in self.edges]

    def guessed_targets(self, graph):
        """For a dry run, of a package that would be cooked: where it led, if that is there."""
        for kind, path, package in self.edges:
            stands = package in graph.packages and (kind == "hard" or path == package)
            yield package if stands else graph.resolve(path)[0]


def whole_key(graph, kept, package):
    """The key of another package's kept result, or None. Never in rings, see generate.py."""
    result = kept.get(package)
    return result and result.key_now(graph, kept)


class Ledger:
    def __init__(self):
        self.kept = {}
        self.failed = set()
        self.forced = set()
        self._cooked = set()  # by the cook that is being predicted

    def restart(self, graph, results):
        """Take the results of a cook as they are: all that was not failed is up to date."""
        for package, result in results.items():
            self.failed.discard(package)
            if result == "failed":
                self.failed.add(package)
                continue
            self.kept[package] = Kept(graph, package)
            self.forced.discard(package)
        for package in results:
            if package not in self.failed:
                self.kept[package].finish(graph, self.kept)

    def has_plain_key(self, package, good):
        """Whether a fresh cook that comes to the results `good` has the same key: one that
        includes another package's may know that one from a cook which reached it."""
        wholes = self.kept[package].wholes
        return all(name in good and self.has_plain_key(name, good) for name in wholes)

    def _must_cook(self, graph, package, kept):
        if package in self.failed or package in self.forced or package not in kept:
            return True
        return graph.opted_out(package) or not kept[package].is_current(graph, kept)

    def _cook(self, graph, package):
        if graph.is_broken(package) or not graph.save(package).ok:
            self.failed.add(package)
            return "failed"
        result = "recooked" if package in self.kept else "new"
        self.kept[package] = Kept(graph, package)
        self.failed.discard(package)
        self.forced.discard(package)
        self._cooked.add(package)
        return "omitted" if self.kept[package].omitted else result

    def _search(self, graph, queue, results, must_cook, dry):
        while queue:
            package = queue.pop()
            if package is None or package in results or graph.rules.never_cook(package):
                continue
            if not must_cook(package):
                results[package] = "omitted" if self.kept[package].omitted else "skipped"
            else:
                results[package] = "would cook" if dry else self._cook(graph, package)
            if results[package] == "would cook" and package in self.kept:
                queue.extend(self.kept[package].guessed_targets(graph))
            elif results[package] not in ("would cook", "failed"):
                queue.extend(self.kept[package].targets(graph))

    def predict(self, graph, full=False, dry=False):
        """Result by package, and the exit status; the ledger moves on unless `dry`."""
        before = dict(self.kept)
        roots, missing = graph.rules.roots()
        results = {}
        self._cooked = set()

        def must_cook(package):
            return full or graph.is_broken(package) or self._must_cook(graph, package, before)
        self._search(graph, list(roots), results, must_cook, dry)
        if not dry:
            self._finish(graph, results)
        failed = "failed" in results.values()
        return results, 3 if failed else 2 if missing else 0

    def _finish(self, graph, results):
        """Cook also what depends on the whole key of a package that had none before."""
        while True:
            for package, result in results.items():
                if package in self._cooked:
                    self.kept[package].finish(graph, self.kept)
            late = [package for package, result in results.items() if result != "failed" and
                    package not in self._cooked and
                    not self.kept[package].is_current(graph, self.kept)]
            if not late:
                return
            for package in late:
                del results[package]
            self._search(graph, late, results, lambda package: True, False)
