"""Random edits of what is no content: config in each layer, the root set, the plugin, and how the
cook is started. A part of Editor, see edits.py."""
import generate
from generate import ENVIRONMENT, KEYS, TOKENS, VARIABLES, dump
from model import PROP, VARIANTS


class Settings:
    # ---- config ----

    def set_key(self, path, section, key, text):
        """The INI file with one key set, or without it."""
        lines = self.files.get(path, b"").decode().splitlines()
        if f"[{section}]" not in lines:
            lines.append(f"[{section}]")
        at = lines.index(f"[{section}]") + 1
        while at < len(lines) and not lines[at].startswith("["):
            if lines[at].startswith(key + "="):
                del lines[at]
            else:
                at += 1
        if text is not None:
            lines.insert(at, f"{key}={text}")
        return self.write(path, "\n".join(lines).encode())

    def some_value(self):
        return None if self.rng.random() < 0.25 else str(self.rng.randint(1, 99))

    def some_key(self):
        return self.rng.choice([("Prop", key) for key in KEYS] +
                               [("ConsoleVariables", key) for key in VARIABLES] +
                               [("Prop", "SchemaKey"), ("Prop", "FoldKey"),
                                ("Texture", "MaxSize")])

    def config_default(self):
        path = self.rng.choice(("Config/DefaultGame.ini", "Config/DefaultGame.ini",
                                "Config/DefaultZ.ini"))
        return self.set_key(path, *self.some_key(), self.some_value())

    def config_target(self):
        own = self.inputs.target
        target = self.rng.choice((own, own, *generate.TARGETS))
        section, key = self.rng.choice([self.some_key(), ("Shader", "+Define")])
        text = self.some_value()
        if text and section == "Shader":
            text = f"PROP_D={text}"
        return self.set_key(f"Config/{target}/{target}Game.ini", section, key, text)

    def config_project(self):
        return self.set_key("cook.ini", *self.some_key(), self.some_value())

    def config_override(self):
        """--ini: one more, another value, or one less."""
        overrides = dict(self.inputs.overrides)
        name = ".".join(self.some_key())
        if name in overrides and self.rng.random() < 0.5:
            del overrides[name]
        else:
            overrides[name] = str(self.rng.randint(1, 99))
        return [("overrides", tuple(sorted(overrides.items())))]

    def config_saved(self):
        """For whom objects are saved."""
        if self.rng.random() < 0.3:
            text = self.rng.choice(("true", "false", None))
            return self.set_key("cook.ini", "Cook", "KeepEditorOnly", text)
        text = self.rng.choice((*generate.CONFIGURATIONS, None))
        path = self.rng.choice(("cook.ini", "Config/Mobile/MobileGame.ini"))
        return self.set_key(path, "Cook", "Configuration", text)

    def config_comment(self):
        """Other lines, the same values."""
        path = self.choose(path for path in self.files if path.endswith(".ini"))
        return self.write(path, b"; " + self.new_name().encode() + b"\n" + self.files[path])

    def toggle(self, section, line):
        lines = self.files["cook.ini"].decode().splitlines()
        if line in lines:
            lines.remove(line)
        else:
            lines.insert(lines.index(section) + 1, line)
        return self.write("cook.ini", ("\n".join(lines) + "\n").encode())

    def config_never_skip(self):
        return self.toggle("[Incremental]", self.rng.choice((
            f"+ClassDenyList={PROP}Ring", f"+ClassDenyList={PROP}Denied",
            "+ClassScriptPackageAllowList=<ProjectRoot>")))

    def redirect(self):
        """A redirect of config, or one less."""
        path = "Config/DefaultGame.ini"
        lines = self.files[path].decode().splitlines()
        redirects = [line for line in lines if line.startswith("+Redirect=")]
        if redirects and self.rng.random() < 0.5:
            lines.remove(self.rng.choice(redirects))
        else:
            # The objects of a scene find each other by path: away from itself they would lead elsewhere,
            # which the model does not follow.
            names = [name for name in sorted(self.graph.packages) if not name.endswith(".gltf")]
            names += generate.dangling_names()
            old, new = self.rng.choice(names), self.rng.choice(sorted(self.graph.packages))
            if old == new:
                return None
            lines += ["[Redirects]", f"+Redirect={old} -> {new}"]
        return self.write(path, "\n".join(lines).encode())

    # ---- the root set ----

    def root(self):
        """Something joins the root set or leaves it, or is never cooked, or is again."""
        if self.rng.random() < 0.5:
            key = self.rng.choice(("Map", "Map", "Startup"))
            lines = [line for line in self.files["cook.ini"].decode().splitlines()
                     if line.startswith(f"+{key}=")]
            names = sorted(self.graph.packages) + ["/Game/A/Later0"]
            lines += [f"+{key}={self.rng.choice(names)}"] * (2 + len(lines))
            return self.toggle("[Cook]", self.rng.choice(lines))
        return self.toggle("[Cook]", self.rng.choice((
            "+AlwaysCook=/Game/B/*", "+AlwaysCook=/Pack/*", "+AlwaysCook=/Game/UI/*",
            "+NeverCook=/Game/Lib/*", "+NeverCook=/Game/Dev/*", "+Map=/Game/Maps/M1",
            "+DevelopmentCook=/Game/B/*", "+DevelopmentCook=/Game/A/*", "Shipping=true")))

    def label(self):
        """A label more, another one, or one less."""
        labels = [path for name, path in self.graph.packages.items()
                  for item in self.graph.facts(name) or () if item.kind == "PrimaryAssetLabel"]
        path = self.choose(labels)
        if path and self.rng.random() < 0.3:
            return self.removal(path)
        if not path or self.rng.random() < 0.4:
            folder = self.rng.choice(("Content/Labels", "Content/UI", "Packs/Base"))
            path = f"{folder}/{self.new_name()}.asset"
        return self.write(path, dump(self.assets().label()))

    def chunks(self):
        """What goes where; nothing is cooked differently."""
        section, line = self.rng.choice((
            ("[Chunks]", "+Rule=/Game/Maps/M1:1:5"), ("[Chunks]", "+Rule=/Game/Maps/M0:2:5"),
            ("[Chunks]", "+Rule=/Game/UI/*:3:0"), ("[Chunks]", "+Rule=/Game/B/*:1:-2"),
            ("[Chunks]", "+Parent=2:1"), ("[Chunks]", "+Single=/Game/Lib/*"),
            ("[AssetRegistry]", "+Tag=BankValue"), ("[AssetRegistry]", "+Tag=Width")))
        return self.toggle(section, line)

    # ---- the plugin ----

    def plugin_same_code(self):
        now = self.inputs.variant
        others = [name for name, versions in VARIANTS.items()
                  if name != now and versions == VARIANTS[now]]
        return [("plugin", self.rng.choice(others))] if others else None

    def plugin_version(self):
        others = [name for name, versions in VARIANTS.items()
                  if versions != VARIANTS[self.inputs.variant]]
        return [("plugin", self.rng.choice(others))]

    # ---- how the cook is started ----

    def environment(self):
        return [("environment", self.rng.choice(ENVIRONMENT), self.some_value())]

    def command_line(self):
        tokens = [f"-{name}" + self.rng.choice(("", "=1", "=2")) for name in TOKENS
                  if self.rng.random() < 0.7]
        return [("arguments", tuple(tokens + self.rng.choice(([], ["-Other=3"]))))]
