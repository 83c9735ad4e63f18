"""What a sequence will do, made from its seed alone: the project, and steps of edits and of
disturbances. Each item has a number, so that a sequence can be repeated with some of them."""
import collections
import random

import generate
from edits import WEIGHTS, Editor
from world import Impossible, Inputs

DISTURBANCES = {"forget": 4, "lose_index": 3, "kill": 3, "edit_meanwhile": 5}  # percent
# A mutant stands for all variants of the plugin; and what it does shows in these edits.
MUTANT_EDITS = ("edit_value", "add", "file_change", "file_appear", "file_vanish",
                "config_default", "config_target", "config_project", "config_override")

# One edit, or a disturbance: `operations` are those of edits; `choice` from 0 to 1 is what else
# is left to chance.
Item = collections.namedtuple("Item", "number kind operations choice")


class Step:
    """A few edits, perhaps a disturbance, and cooks."""

    def __init__(self):
        self.edits = []
        self.disturbance = None
        self.dry = False      # preceded by a dry run
        self.verb = "incremental"
        self.together = True  # all targets in one go

    def items(self):
        return self.edits + ([self.disturbance] if self.disturbance else [])

    def only(self, numbers):
        step = Step()
        step.__dict__.update(self.__dict__)
        step.edits = [item for item in self.edits if item.number in numbers]
        if self.disturbance and self.disturbance.number not in numbers:
            step.disturbance = None
        return step


class Script:
    def __init__(self, seed, options):
        self.rng = random.Random(f"property {seed}")
        self.without = WEIGHTS.keys() - MUTANT_EDITS if options.mutant else ()
        self.targets = self.rng.sample(generate.TARGETS, 2 if self.rng.random() < 0.25 else 1)
        self.workers = self.rng.randint(1, 3)
        low, high = options.packages
        count = low + int((high - low) * self.rng.random() ** options.small_bias)
        self.inputs = Inputs(self.targets[0],
                             generate.generate(self.rng, count, self.targets[0]))
        self.first_verb = self.rng.choice(("full", "incremental"))
        self.steps = []
        self._count = 0
        editor = Editor(self.rng, self.inputs)
        edit_count = self.rng.randint(*options.edits)
        while sum(len(step.edits) for step in self.steps) < edit_count:
            self.steps.append(self._step(editor))

    def _item(self, kind, operations=()):
        self._count += 1
        return Item(self._count, kind, operations, self.rng.random())

    def _step(self, editor):
        rng, step = self.rng, Step()
        for _ in range(1 if rng.random() < 0.75 else rng.randint(2, 4)):
            step.edits.append(self._item(*editor.random_edit(self.without)))
        kind = rng.choices((None, *DISTURBANCES), (100 - sum(DISTURBANCES.values()),
                                                   *DISTURBANCES.values()))[0]
        if kind == "edit_meanwhile" and len(self.targets) == 1:
            step.disturbance = self._item(kind, editor.random_edit(self.without)[1])
        elif kind in ("forget", "lose_index") or (kind == "kill" and len(self.targets) == 1):
            step.disturbance = self._item(kind)
        step.dry = rng.random() < 0.15
        step.verb = "full" if rng.random() < 0.02 else "incremental"
        step.together = rng.random() < 0.5
        return step

    # ---- less of it ----

    def numbers(self):
        return [item.number for step in self.steps for item in step.items()]

    def keep(self, numbers):
        """Leave the other items out, and steps that have none; the first cook stays."""
        steps = [step.only(numbers) for step in self.steps]
        self.steps = [step for step in steps if step.items()]

    def is_possible(self):
        """Whether the edits still fit one another, and the project is deterministic."""
        inputs = self.inputs
        for step in self.steps:
            for item in step.items():
                try:
                    inputs = inputs.after(item.operations)
                except Impossible:
                    return False
                if generate.order_dependent(generate.Graph(inputs)):
                    return False
        return True


def describe(item):
    """One line for people."""
    words = []
    for kind, *values in item.operations:
        texts = [f"({len(value)} bytes)" if isinstance(value, bytes) else str(value)
                 for value in values]
        words.append(" ".join([kind, *texts]))
    return f"{item.number}: {item.kind}" + (f": {'; '.join(words)}" if words else "")
