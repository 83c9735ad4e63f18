#!/usr/bin/env python3
"""Make the content of the Arena sample: the same bytes on every run.

    generate.py [FOLDER]     writes FOLDER/Content (default: beside this file)

Only the standard library is used. A file whose bytes are the same already is left alone, so that
its times stay and an incremental cook has nothing to look at.
"""
import base64
import json
import math
import os
import struct
import sys
import zlib

# ---- files ----------------------------------------------------------------------------------


def write(root, name, data):
    path = os.path.join(root, name)
    if isinstance(data, str):
        data = data.encode()
    try:
        with open(path, "rb") as old:
            if old.read() == data:
                return
    except FileNotFoundError:
        os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as new:
        new.write(data)


# ---- images: a picture is (width, height, channels, bytes) ----------------------------------


def png(picture):
    width, height, channels, pixels = picture
    stride = width * channels
    rows = b"".join(b"\0" + pixels[y * stride:(y + 1) * stride] for y in range(height))

    def chunk(kind, body):
        return struct.pack(">I", len(body)) + kind + body + struct.pack(
            ">I", zlib.crc32(kind + body))

    header = struct.pack(">IIBBBBB", width, height, 8, {1: 0, 3: 2, 4: 6}[channels], 0, 0, 0)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows, 9))
            + chunk(b"IEND", b""))


def tga(picture, run_length=False):
    """Top-left origin, BGR or BGRA; `run_length` packs each row."""
    width, height, channels, pixels = picture
    header = struct.pack("<BBBHHBHHHHBB", 0, 0, 10 if run_length else 2, 0, 0, 0, 0, 0, width,
                         height, channels * 8, 0x20 | (8 if channels == 4 else 0))
    cells = []
    for i in range(0, len(pixels), channels):
        red, green, blue = pixels[i:i + 3]
        cells.append(bytes((blue, green, red)) + pixels[i + 3:i + channels])
    if not run_length:
        return header + b"".join(cells)
    body = bytearray()
    for y in range(height):
        row, x = cells[y * width:(y + 1) * width], 0
        while x < width:
            run = 1
            while x + run < width and run < 128 and row[x + run] == row[x]:
                run += 1
            if run > 1:
                body += bytes((127 + run,)) + row[x]
                x += run
                continue
            raw = 1
            while (x + raw < width and raw < 128
                   and (x + raw + 1 >= width or row[x + raw] != row[x + raw + 1])):
                raw += 1
            body += bytes((raw - 1,)) + b"".join(row[x:x + raw])
            x += raw
    return header + bytes(body)


def lattice(x, y, seed):
    value = (x * 374761393 + y * 668265263 + seed * 974634527) & 0xFFFFFFFF
    value = ((value ^ (value >> 13)) * 1274126177) & 0xFFFFFFFF
    return (value ^ (value >> 16)) / 4294967296.0


def noise(size, cells, seed):
    """Tileable value noise: `size` squared heights from 0 to 1, three octaves."""
    heights = [0.0] * (size * size)
    for octave in range(3):
        period = cells << octave
        share = 0.5 ** (octave + 1) / 0.875
        for y in range(size):
            fy = y * period / size
            y0 = int(fy)
            ty = fy - y0
            ty = ty * ty * (3 - 2 * ty)
            y1 = (y0 + 1) % period
            for x in range(size):
                fx = x * period / size
                x0 = int(fx)
                tx = fx - x0
                tx = tx * tx * (3 - 2 * tx)
                x1 = (x0 + 1) % period
                top = lattice(x0, y0, seed + octave) * (1 - tx) + lattice(
                    x1, y0, seed + octave) * tx
                low = lattice(x0, y1, seed + octave) * (1 - tx) + lattice(
                    x1, y1, seed + octave) * tx
                heights[y * size + x] += share * (top * (1 - ty) + low * ty)
    return heights


def color_map(size, heights, dark, light):
    pixels = bytearray()
    for height in heights:
        for channel in range(3):
            pixels.append(int(dark[channel] + (light[channel] - dark[channel]) * height))
    return size, size, 3, bytes(pixels)


def height_map(size, heights):
    return size, size, 1, bytes(int(height * 255) for height in heights)


def normal_map(size, heights, strength):
    pixels = bytearray()
    for y in range(size):
        for x in range(size):
            dx = heights[y * size + (x + 1) % size] - heights[y * size + (x - 1) % size]
            dy = heights[(y + 1) % size * size + x] - heights[(y - 1) % size * size + x]
            nx, ny = -dx * strength, -dy * strength
            length = math.sqrt(nx * nx + ny * ny + 1)
            pixels += bytes(int(127.5 + 127.5 * value / length) for value in (nx, ny, 1.0))
    return size, size, 3, bytes(pixels)


def icon(size, color, inside):
    """A shape with a soft edge over nothing: `inside(x, y)` > 0 within, x and y from -1 to 1."""
    pixels = bytearray()
    for y in range(size):
        for x in range(size):
            value = inside((2 * x + 1) / size - 1, (2 * y + 1) / size - 1)
            alpha = min(max(value * size / 4, 0.0), 1.0)
            pixels += bytes(color) + bytes((int(alpha * 255),))
    return size, size, 4, bytes(pixels)


def checker(size, cell):
    pixels = bytearray()
    for y in range(size):
        for x in range(size):
            pixels += b"\xe0\xe0\xe0" if (x // cell + y // cell) % 2 else b"\x40\x40\x48"
    return size, size, 3, bytes(pixels)


def make_textures(root):
    surfaces = {  # name: (size, cells, seed, dark, light)
        "Floor": (128, 8, 1, (70, 60, 50), (170, 150, 120)),
        "Wall": (128, 4, 2, (60, 62, 70), (150, 155, 165)),
        "Crate": (64, 4, 3, (80, 50, 25), (190, 130, 70)),
        "Steel": (64, 8, 4, (110, 115, 125), (215, 220, 230)),
    }
    for name, (size, cells, seed, dark, light) in surfaces.items():
        heights = noise(size, cells, seed)
        write(root, f"Textures/{name}.png", png(color_map(size, heights, dark, light)))
        write(root, f"Textures/{name}_n.png", png(normal_map(size, heights, 4.0)))
        if name == "Floor":
            write(root, "Textures/Floor_h.png", png(height_map(size, heights)))
            # A side file: options of a foreign file, part of its package.
            write(root, "Textures/Floor_h.png.cook", '{ "Usage": "Data", "SRGB": false }\n')
    write(root, "Textures/Sand.tga",
          tga(color_map(64, noise(64, 8, 5), (180, 150, 90), (235, 210, 150))))
    write(root, "Textures/Banner.tga", tga(
        icon(64, (170, 20, 30), lambda x, y: min(0.8 - abs(x), 0.5 - y + 0.4 * abs(x))), True))

    def blade(x, y):
        return min(0.16 - abs(x + y) / 2, 0.9 - abs(x - y) / 2)

    def bow(x, y):
        return 0.12 - abs(math.hypot(x - 0.5, y) - 0.8)

    def staff(x, y):
        return max(0.1 - abs(x), 0.3 - math.hypot(x, y + 0.6))

    write(root, "UI/Icon_Sword.png", png(icon(64, (220, 220, 235), blade)))
    write(root, "UI/Icon_Bow.png", png(icon(64, (200, 150, 90), bow)))
    write(root, "UI/Icon_Staff.png", png(icon(64, (120, 160, 255), staff)))
    write(root, "UI/Cursor.tga", tga(icon(32, (255, 255, 255), lambda x, y: 0.4 - abs(x) - abs(y))))
    write(root, "Dev/Checker.png", png(checker(64, 8)))


# ---- meshes: lists of (position, normal, uv) and a triangle list ------------------------------


def box(sx, sy, sz, base=0.0):
    vertices, indices = [], []
    for axis in range(3):
        for sign in (1, -1):
            normal = [0, 0, 0]
            normal[axis] = sign
            first = len(vertices)
            for u, v in ((0, 0), (1, 0), (1, 1), (0, 1)):
                corner = [0, 0, 0]
                corner[axis] = sign
                corner[(axis + 1) % 3] = (2 * u - 1) * sign
                corner[(axis + 2) % 3] = 2 * v - 1
                position = (corner[0] * sx / 2, base + (corner[1] + 1) * sy / 2, corner[2] * sz / 2)
                vertices.append((position, tuple(normal), (u, 1 - v)))
            indices += [first, first + 1, first + 2, first, first + 2, first + 3]
    return vertices, indices


def tube(profile, sides):
    """A surface of revolution: `profile` is a list of (radius, height)."""
    vertices, indices = [], []
    for row, (radius, height) in enumerate(profile):
        before = profile[max(row - 1, 0)]
        after = profile[min(row + 1, len(profile) - 1)]
        rise, run = after[1] - before[1], after[0] - before[0]
        length = math.hypot(rise, run) or 1.0
        for side in range(sides + 1):
            angle = 2 * math.pi * side / sides
            c, s = math.cos(angle), math.sin(angle)
            normal = (c * rise / length, -run / length, s * rise / length)
            vertices.append(((c * radius, height, s * radius), normal,
                             (side / sides, row / (len(profile) - 1))))
    for row in range(len(profile) - 1):
        for side in range(sides):
            a = row * (sides + 1) + side
            b = a + sides + 1
            # A row at a pole would give triangles without area.
            if profile[row][0] > 0:
                indices += [a, b, a + 1]
            if profile[row + 1][0] > 0:
                indices += [a + 1, b, b + 1]
    return vertices, indices


def ball(radius, rows, bumps=0.0, seed=0):
    profile = [(radius * math.sin(math.pi * i / rows) if 0 < i < rows else 0.0,
                radius * (1 - math.cos(math.pi * i / rows))) for i in range(rows + 1)]
    vertices, indices = tube(profile, rows * 2)
    if bumps:
        moved = []
        for (x, y, z), normal, uv in vertices:
            key = (round(x * 512), round(y * 512), round(z * 512))
            factor = 1 + bumps * (lattice(key[0] + 7 * key[1], key[2], seed) - 0.5)
            moved.append(((x * factor, y * factor, z * factor), normal, uv))
        vertices = moved
    return vertices, indices


def plane(size, cells):
    vertices, indices = [], []
    for z in range(cells + 1):
        for x in range(cells + 1):
            position = (size * (x / cells - 0.5), 0.0, size * (z / cells - 0.5))
            vertices.append((position, (0.0, 1.0, 0.0), (x / 2, z / 2)))
    for z in range(cells):
        for x in range(cells):
            a = z * (cells + 1) + x
            b = a + cells + 1
            indices += [a, b, a + 1, a + 1, b, b + 1]
    return vertices, indices


def gltf(name, parts, images, nodes=None):
    """A glTF document and its buffer. `parts`: (mesh, material). A material is (name, colour
    image, normal image, colour factor) with indices into `images`: ("uri", text) or
    ("embed", PNG bytes)."""
    blob = bytearray()
    views, accessors, primitives = [], [], []

    def add_view(data, target=None):
        while len(blob) % 4:
            blob.append(0)
        view = {"buffer": 0, "byteOffset": len(blob), "byteLength": len(data)}
        if target:
            view["target"] = target
        views.append(view)
        blob.extend(data)
        return len(views) - 1

    def add_accessor(data, kind, component, count, target, low=None, high=None):
        accessor = {"bufferView": add_view(data, target), "componentType": component,
                    "count": count, "type": kind}
        if low is not None:
            accessor["min"], accessor["max"] = low, high
        accessors.append(accessor)
        return len(accessors) - 1

    materials = []
    for (vertices, indices), material in parts:
        if material not in materials:
            materials.append(material)
        packed = b"".join(struct.pack("<3f", *v[0]) for v in vertices)
        rounded = [struct.unpack_from("<3f", packed, 12 * i) for i in range(len(vertices))]
        low = [min(p[axis] for p in rounded) for axis in range(3)]
        high = [max(p[axis] for p in rounded) for axis in range(3)]
        count = len(vertices)
        primitives.append({
            "attributes": {
                "POSITION": add_accessor(packed, "VEC3", 5126, count, 34962, low, high),
                "NORMAL": add_accessor(b"".join(struct.pack("<3f", *v[1]) for v in vertices),
                                       "VEC3", 5126, count, 34962),
                "TEXCOORD_0": add_accessor(b"".join(struct.pack("<2f", *v[2]) for v in vertices),
                                           "VEC2", 5126, count, 34962),
            },
            "indices": add_accessor(struct.pack(f"<{len(indices)}H", *indices), "SCALAR", 5123,
                                    len(indices), 34963),
            "material": materials.index(material),
        })
    document = {
        "asset": {"version": "2.0", "generator": "arena sample"},
        "scene": 0,
        "scenes": [{"name": name + "Scene", "nodes": [0]}],
        "nodes": nodes or [{"name": name, "mesh": 0}],
        "meshes": [{"name": name, "primitives": primitives}],
        "materials": [], "accessors": accessors, "bufferViews": views,
    }
    for label, color, normal, factor in materials:
        entry = {"name": label, "pbrMetallicRoughness": {
            "baseColorFactor": list(factor), "metallicFactor": 0.1, "roughnessFactor": 0.8}}
        if color is not None:
            entry["pbrMetallicRoughness"]["baseColorTexture"] = {"index": color}
        if normal is not None:
            entry["normalTexture"] = {"index": normal}
        document["materials"].append(entry)
    if images:
        document["samplers"] = [{"wrapS": 10497, "wrapT": 10497}]
        document["textures"] = [{"source": i, "sampler": 0} for i in range(len(images))]
        document["images"] = []
        for i, (kind, content) in enumerate(images):
            if kind == "uri":
                document["images"].append({"uri": content})
            else:
                document["images"].append({"name": f"{name}_Image{i}", "mimeType": "image/png",
                                           "bufferView": add_view(content)})
    while len(blob) % 4:
        blob.append(0)
    document["buffers"] = [{"byteLength": len(blob)}]
    return document, bytes(blob)


def glb(document, blob):
    text = json.dumps(document, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 4)
    body = (struct.pack("<II", len(text), 0x4E4F534A) + text
            + struct.pack("<II", len(blob), 0x004E4942) + blob)
    return struct.pack("<III", 0x46546C67, 2, 12 + len(body)) + body


def write_gltf(root, name, document, blob, how):
    """`how`: "bin" (a file beside it), "data" (inside the text), "glb"."""
    if how == "glb":
        write(root, name + ".glb", glb(document, blob))
        return
    if how == "bin":
        document["buffers"][0]["uri"] = os.path.basename(name) + ".bin"
        write(root, name + ".bin", blob)
    else:
        document["buffers"][0]["uri"] = ("data:application/octet-stream;base64,"
                                         + base64.b64encode(blob).decode())
    write(root, name + ".gltf", json.dumps(document, indent=1) + "\n")


def make_meshes(root):
    white = (1.0, 1.0, 1.0, 1.0)
    crate = ("CrateWood", 0, 1, white)
    write_gltf(root, "Props/Crate", *gltf("Crate", [(box(1, 1, 1), crate)], [
        ("uri", "../Textures/Crate.png"), ("uri", "../Textures/Crate_n.png")]), "bin")
    barrel = [(0.0, 0.0), (0.35, 0.0), (0.45, 0.3), (0.48, 0.6), (0.45, 0.9), (0.35, 1.2),
              (0.0, 1.2)]
    write_gltf(root, "Props/Barrel", *gltf("Barrel", [(tube(barrel, 24), crate)], [
        ("uri", "../Textures/Crate.png"), ("uri", "../Textures/Crate_n.png")]), "bin")
    write_gltf(root, "Props/Rock", *gltf("Rock", [(ball(0.8, 14, 0.12, 9), (
        "RockStone", 0, None, white))], [
        ("embed", png(color_map(32, noise(32, 4, 11), (70, 70, 72), (150, 150, 148))))]), "glb")
    pillar = [(0.6, 0.0), (0.6, 0.2), (0.45, 0.3), (0.4, 2.0), (0.45, 3.6), (0.6, 3.8), (0.6, 4.0)]
    write_gltf(root, "Environment/Pillar", *gltf("Pillar", [(tube(pillar, 20), (
        "PillarStone", 0, 1, white))], [
        ("embed", png(color_map(32, noise(32, 4, 12), (90, 88, 80), (200, 195, 180)))),
        ("uri", "../Textures/Wall_n.png")]), "glb")
    write_gltf(root, "Environment/Floor", *gltf("Floor", [(plane(20, 16), (
        "FloorStone", 0, 1, white))], [
        ("uri", "../Textures/Floor.png"), ("uri", "../Textures/Floor_n.png")]), "bin")
    write_gltf(root, "Environment/Wall", *gltf("Wall", [(box(4, 3, 0.4), (
        "WallStone", 0, 1, white))], [
        ("uri", "../Textures/Wall.png"), ("uri", "../Textures/Wall_n.png")]), "bin")
    # Two materials: two sections of one mesh.
    steel, leather = ("Steel", 0, 1, white), ("Leather", None, None, (0.3, 0.15, 0.08, 1.0))
    images = [("uri", "../Textures/Steel.png"), ("uri", "../Textures/Steel_n.png")]
    write_gltf(root, "Weapons/SM_Sword", *gltf("Sword", [
        (box(0.08, 1.0, 0.02, 0.25), steel), (box(0.05, 0.25, 0.05), leather)], images), "bin")
    write_gltf(root, "Weapons/SM_Bow", *gltf("Bow", [(tube(
        [(0.01, 0), (0.02, 0.2), (0.03, 0.6), (0.02, 1.0), (0.01, 1.2)], 10), leather)], []), "glb")
    write_gltf(root, "Weapons/SM_Staff", *gltf("Staff", [
        (tube([(0.03, 0), (0.04, 0.8), (0.03, 1.6)], 10), leather),
        (ball(0.12, 8), ("Orb", None, None, (0.3, 0.5, 1.0, 0.8)))], []), "data")
    body = [(0.0, 0.0), (0.25, 0.0), (0.3, 0.5), (0.35, 1.2), (0.2, 1.5), (0.18, 1.6), (0.0, 1.8)]
    write_gltf(root, "Characters/SM_Guard", *gltf("Guard", [
        (tube(body, 24), ("GuardCloth", None, None, (0.5, 0.1, 0.1, 1.0)))], [],
        [{"name": "Guard", "mesh": 0, "children": [1]},
         {"name": "HandSocket", "translation": [0.4, 1.1, 0.0]}]), "glb")


# ---- shaders --------------------------------------------------------------------------------

SHADERS = {
    "Common.glsl": """\
// Shared by every stage.
#ifndef ARENA_LIGHTS
#define ARENA_LIGHTS 1
#endif
layout(set = 0, binding = 0) uniform Frame {
    mat4 view_projection;
    vec4 eye;
    vec4 light_position[ARENA_LIGHTS];
    vec4 light_color[ARENA_LIGHTS];
} frame;
""",
    "Lighting.glsl": """\
#include "Common.glsl"

vec3 arena_light(vec3 position, vec3 normal, vec3 albedo)
{
    vec3 sum = albedo * 0.05;
    for (int i = 0; i < ARENA_LIGHTS; i++) {
        vec3 way = frame.light_position[i].xyz - position;
        float falloff = 1.0 / (1.0 + dot(way, way));
        sum += albedo * frame.light_color[i].rgb * max(dot(normal, normalize(way)), 0.0) * falloff;
    }
    return sum;
}
""",
    "Standard.vert": """\
#version 450
#extension GL_GOOGLE_include_directive : enable
#include "Common.glsl"

layout(location = 0) in vec3 in_position;
layout(location = 1) in vec3 in_normal;
layout(location = 2) in vec2 in_uv;
layout(location = 0) out vec3 out_position;
layout(location = 1) out vec3 out_normal;
layout(location = 2) out vec2 out_uv;
layout(push_constant) uniform Draw { mat4 world; } draw;

void main()
{
    vec4 position = draw.world * vec4(in_position, 1.0);
    out_position = position.xyz;
    out_normal = mat3(draw.world) * in_normal;
    out_uv = in_uv;
    gl_Position = frame.view_projection * position;
}
""",
    "Standard.frag": """\
#version 450
#extension GL_GOOGLE_include_directive : enable
#include "Lighting.glsl"

layout(location = 0) in vec3 in_position;
layout(location = 1) in vec3 in_normal;
layout(location = 2) in vec2 in_uv;
layout(location = 0) out vec4 out_color;
layout(set = 1, binding = 0) uniform sampler2D base_color;

void main()
{
    vec4 albedo = texture(base_color, in_uv);
    vec3 color = arena_light(in_position, normalize(in_normal), albedo.rgb);
#ifdef ARENA_SHADOWS
    color *= 0.5 + 0.5 * smoothstep(0.0, 0.2, in_position.y);
#endif
    out_color = vec4(color, albedo.a);
}
""",
    "Unlit.frag": """\
#version 450
layout(location = 2) in vec2 in_uv;
layout(location = 0) out vec4 out_color;
layout(set = 1, binding = 0) uniform sampler2D base_color;

void main()
{
    out_color = texture(base_color, in_uv);
}
""",
    "Sparks.comp": """\
#version 450
#extension GL_GOOGLE_include_directive : enable
#include "Common.glsl"

layout(local_size_x = 64) in;
struct Spark { vec4 position_life; vec4 velocity; };
layout(set = 1, binding = 0) buffer Sparks { Spark items[]; } sparks;
layout(push_constant) uniform Step { float seconds; uint count; } tick;

void main()
{
    uint i = gl_GlobalInvocationID.x;
    if (i >= tick.count)
        return;
    sparks.items[i].velocity.y -= 9.81 * tick.seconds;
    sparks.items[i].position_life.xyz += sparks.items[i].velocity.xyz * tick.seconds;
    sparks.items[i].position_life.w -= tick.seconds;
}
""",
}

# ---- assets ---------------------------------------------------------------------------------


def ref(path):
    return {"$ref": path} if path else None


def soft(path):
    return {"$soft": path} if path else None


def obj(name, class_name, properties, **more):
    return {"name": name, "class": "/Script/" + class_name, **more, "properties": properties}


def asset(root, name, *objects):
    write(root, name + ".asset", json.dumps({"objects": list(objects)}, indent=2) + "\n")


def vec(x, y, z):
    return {"X": x, "Y": y, "Z": z}


def actor(name, mesh=None, thing=None, at=(0.0, 0.0, 0.0), parent=-1):
    return {"Name": name, "Mesh": ref(mesh), "Object": ref(thing), "Parent": parent,
            "Location": vec(*at)}


WEAPONS = {  # name: (kind, min, max, rate, crit chance, crit multiplier, mesh, icon, combo)
    "Sword": ("Blade", 12.0, 18.5, 1.6, 0.1, 2.0, "SM_Sword.gltf.Sword", "Icon_Sword", [220, 180]),
    "Dagger": ("Blade", 6.0, 9.0, 2.8, 0.25, 2.5, "SM_Sword.gltf.Sword", "Icon_Sword", [90, 90, 120]),
    "Bow": ("Bow", 20.0, 26.0, 0.8, 0.15, 2.0, "SM_Bow.glb.Bow", "Icon_Bow", []),
    "Staff": ("Staff", 14.0, 30.0, 0.7, 0.05, 3.0, "SM_Staff.gltf.Staff", "Icon_Staff", [400]),
    # No critical hits: what is said about those never shows in its bytes.
    "TrainingSword": ("Blade", 1.0, 2.0, 1.5, 0.0, 1.0, "SM_Sword.gltf.Sword", "Icon_Sword", [250]),
}


def make_weapons(root):
    for name, (kind, low, high, rate, chance, factor, mesh, picture, combo) in WEAPONS.items():
        properties = {
            "Kind": kind, "Damage": {"Min": low, "Max": high}, "Rate": rate,
            "CritChance": chance, "CritMultiplier": factor, "Tags": ["Arena", kind],
            "Mesh": ref("/Game/Weapons/" + mesh), "Icon": soft(f"/Game/UI/{picture}.png"),
            "Upgrades": [soft("/Game/Weapons/Sword")] if name == "TrainingSword" else [],
            "DesignerNotes": f"{name}: see the balance table before you change the damage",
            "Combo": combo,
        }
        objects = [obj(name, "Arena.Weapon", properties)]
        if name == "Staff":  # an object inside another one
            charged = dict(properties, Damage={"Min": 40.0, "Max": 60.0}, Rate=0.25, Combo=[])
            objects.append(obj("Charged", "Arena.Weapon", charged, outer="Staff"))
        asset(root, "Weapons/" + name, *objects)


def make_characters(root):
    characters = {  # name: (health, speed, brain, weapons, strength, agility)
        "Guard": (120, 3.5, "Guard", ["Sword"], 12, 8),
        "Archer": (80, 4.5, "Ranged", ["Bow", "Dagger"], 8, 14),
        "Mage": (60, 3.0, "Ranged", ["Staff"], 5, 9),
        "Champion": (300, 4.0, "Guard", ["Sword", "Bow", "Staff"], 20, 16),
    }
    for name, (health, speed, brain, weapons, strength, agility) in characters.items():
        asset(root, "Characters/" + name, obj(name, "Arena.Character", {
            "Health": health, "Speed": speed, "Brain": brain,
            "Mesh": ref("/Game/Characters/SM_Guard.glb.Guard"),
            "DisplayName": "The " + name,
            "Inventory": [ref("/Game/Weapons/" + weapon) for weapon in weapons],
            "Stats": {"Strength": strength, "Agility": agility, "Luck": 10}}))
    for brain, rows in {"Guard": (8, 2, 0.2), "Ranged": (20, 12, 0.5)}.items():
        # Nothing refers to these: a pawn's hook adds them by its brain's name.
        names = ("SightRange", "KeepDistance", "FleeBelow")
        asset(root, "AI/Brain_" + brain, obj("Brain_" + brain, "Cook.DataTable", {
            "Columns": [{"Name": "Value", "Type": "Number"}],
            "Rows": {key: {"Cells": [str(value)]} for key, value in zip(names, rows)}}))


def make_spawners(root):
    write(root, "Data/waves.csv", "# start s, count, weapon\n"
          "0,4,Sword\n20,6,Sword\n45,5,Bow\n70,3,Staff\n100,12,Dagger\n")
    write(root, "Data/waves_boss.csv", "# start s, count, weapon\n0,2,Bow\n10,1,Staff\n30,8,Sword\n")
    write(root, "Data/difficulty.txt", "1.5\n")
    weapons = [ref("/Game/Weapons/" + name) for name in ("Sword", "Dagger", "Bow", "Staff")]
    for name, schedule in (("North", "waves.csv"), ("South", "waves.csv"), ("Boss", "waves_boss.csv")):
        asset(root, "Spawners/Waves_" + name, obj("Waves_" + name, "Arena.WaveSpawner", {
            "Schedule": "Content/Data/" + schedule, "Weapons": weapons,
            "Marker": ref("/Game/Environment/Pillar.glb.Pillar")}))


def make_loot(root):
    tables = {
        "Common": {"Dagger": 60.0, "TrainingSword": 40.0},
        "Rare": {"Sword": 30.0, "Bow": 25.0, "Dagger": 10.0},
        "Boss": {"Staff": 5.0, "Sword": 2.0},
    }
    for name, entries in tables.items():
        asset(root, "Loot/" + name, obj(name, "Arena.LootTable", {"Entries": {
            key: {"Item": soft("/Game/Weapons/" + key), "Weight": weight, "MinLevel": level}
            for level, (key, weight) in enumerate(entries.items(), 1)}}))


def make_nav(root):
    size = 24
    rows = []
    for y in range(size):
        row = ""
        for x in range(size):
            wall = x in (0, size - 1) or y in (0, size - 1)
            pillar = x % 6 in (2, 3) and y % 6 in (2, 3) and 4 < x < size - 4
            row += "#" if wall or pillar else "."
        rows.append(row)
    asset(root, "Maps/Arena_Nav", obj("Arena_Nav", "Arena.NavGrid", {"Rows": rows, "CellSize": 1.0}))
    asset(root, "Maps/Basement_Nav", obj("Basement_Nav", "Arena.NavGrid", {
        "Rows": ["########", "#......#", "#.####.#", "#......#", "########"], "CellSize": 2.0}))
    # A format that the plugin brings along: one point a line.
    write(root, "Patrols/Outer.route", "# metres\n-8 0 -8\n8 0 -8\n8 0 8\n-8 0 8\n")
    write(root, "Patrols/Inner.route", "-3 0 0\n0 0 3\n3 0 0\n0 0 -3\n")


def make_dialogues(root):
    def line(key, speaker, text, *following):
        return {"Key": key, "Speaker": speaker, "Text": text, "Next": list(following)}

    asset(root, "Dialogues/Intro", obj("Intro", "Arena.DialogueGraph", {"Start": "hello", "Lines": [
        line("hello", "Guard", "Who goes there?", "friend", "foe"),
        line("friend", "Player", "A friend of the arena.", "pass"),
        line("foe", "Player", "Your end.", "fight"),
        line("pass", "Guard", "Then enter and be welcome."),
        line("fight", "Guard", "We shall see!")]}))
    asset(root, "Dialogues/Merchant", obj("Merchant", "Arena.DialogueGraph", {
        "Start": "offer", "Lines": [
            line("offer", "Merchant", "Fine blades, hardly used.", "buy", "leave"),
            line("buy", "Player", "I take the sword.", "offer"),
            line("leave", "Player", "Not today.")]}))


def make_materials(root):
    for name, color, normal in (("Floor", "Floor.png", "Floor_n.png"), ("Sand", "Sand.tga", None),
                                ("Banner", "Banner.tga", None)):
        textures = [{"Slot": "BaseColor", "Texture": ref("/Game/Textures/" + color)}]
        if normal:
            textures.append({"Slot": "Normal", "Texture": ref("/Game/Textures/" + normal)})
        if name == "Sand":
            textures.append({"Slot": "Occlusion", "Texture": ref("/Game/Textures/Floor_h.png")})
        asset(root, "Materials/M_" + name, obj("M_" + name, "Cook.Material", {
            "Shader": ref("/Game/Shaders/Standard.frag"), "Textures": textures,
            "Metallic": 0.0, "Roughness": 0.9, "Blend": "Mask" if name == "Banner" else "Opaque",
            "TwoSided": name == "Banner"}))


def make_maps(root):
    props = [actor(f"Crate{i}", "/Game/Props/Crate.gltf.Crate", at=(2.0 * i - 4, 0.0, 6.0))
             for i in range(4)]
    props += [actor(f"Pillar{i}", "/Game/Environment/Pillar.glb.Pillar",
                    at=(6.0 * (i % 2) - 3, 0.0, 6.0 * (i // 2) - 3)) for i in range(4)]
    asset(root, "Maps/Arena", obj("Arena", "Cook.World", {
        "Actors": [
            actor("Floor", "/Game/Environment/Floor.gltf.Floor"),
            actor("WallNorth", "/Game/Environment/Wall.gltf.Wall", at=(0.0, 0.0, -10.0)),
            *props,
            actor("Nav", thing="/Game/Maps/Arena_Nav"),
            actor("North", thing="/Game/Spawners/Waves_North", at=(0.0, 0.0, -9.0)),
            actor("South", thing="/Game/Spawners/Waves_South", at=(0.0, 0.0, 9.0)),
            actor("Archer", thing="/Game/Characters/Archer", at=(3.0, 0.0, 3.0)),
            actor("Mage", thing="/Game/Characters/Mage", at=(-3.0, 0.0, 3.0)),
            actor("Outer", thing="/Game/Patrols/Outer.route"),
            actor("Merchant", thing="/Game/Dialogues/Merchant", at=(9.0, 0.0, 0.0)),
            actor("Sand", thing="/Game/Materials/M_Sand"),
            actor("Banner", thing="/Game/Materials/M_Banner"),
        ],
        "SubLevels": [soft("/Game/Maps/Arena_Basement")]}))
    asset(root, "Maps/Arena_Basement", obj("Arena_Basement", "Cook.World", {
        "Actors": [
            actor("Barrel", "/Game/Props/Barrel.gltf.Barrel"),
            actor("Rock", "/Game/Props/Rock.glb.Rock", at=(2.0, 0.0, 1.0)),
            actor("RockOnRock", "/Game/Props/Rock.glb.Rock", at=(0.0, 1.5, 0.0), parent=1),
            actor("Nav", thing="/Game/Maps/Basement_Nav"),
            actor("Boss", thing="/Game/Spawners/Waves_Boss"),
            actor("Champion", thing="/Game/Characters/Champion"),
            actor("Inner", thing="/Game/Patrols/Inner.route"),
            actor("Floor", thing="/Game/Materials/M_Floor"),
        ], "SubLevels": []}))


def make_core(root):
    asset(root, "Core/Defaults", obj("Defaults", "Arena.GameDefaults", {
        "Player": ref("/Game/Characters/Guard"), "FirstMap": soft("/Game/Maps/Arena"),
        "Intro": ref("/Game/Dialogues/Intro"), "Shaders": [
            ref("/Game/Shaders/Standard.vert"), ref("/Game/Shaders/Unlit.frag"),
            ref("/Game/Shaders/Sparks.comp")],
        "Loot": {"Common": ref("/Game/Loot/Common"), "Rare": ref("/Game/Loot/Rare"),
                 "Boss": ref("/Game/Loot/Boss")},
        "StartGold": 25}))
    asset(root, "UI/Texts", obj("Texts", "Cook.DataTable", {
        "Columns": [{"Name": "English", "Type": "String"}, {"Name": "Length", "Type": "Number"},
                    {"Name": "Icon", "Type": "SoftRef"}],
        "Rows": {key: {"Cells": [text, str(len(text)), icon_path]} for key, text, icon_path in (
            ("Start", "Enter the arena", "/Game/UI/Icon_Sword.png"),
            ("Options", "Options", ""), ("Quit", "Leave", ""))}}))
    asset(root, "Dev/Scratch", obj("Scratch", "Arena.Character", {
        "Health": 1, "Speed": 99.0, "DisplayName": "Never shipped", "Inventory": []}))


def main():
    folder = sys.argv[1] if len(sys.argv) > 1 else os.path.dirname(os.path.abspath(__file__))
    root = os.path.join(folder, "Content")
    for name, text in SHADERS.items():
        write(root, "Shaders/" + name, text)
    for make in (make_textures, make_meshes, make_weapons, make_characters, make_spawners,
                 make_loot, make_nav, make_dialogues, make_materials, make_maps, make_core):
        make(root)


if __name__ == "__main__":
    main()
