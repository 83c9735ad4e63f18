#!/usr/bin/env python3
"""Write small content files for tests; the same bytes on every run.

    content.py png PATH [WIDTH HEIGHT [RRGGBB]]
    content.py glb PATH [SIZE]          a triangle of that size, in one binary file
    content.py gltf PATH [IMAGE_URI]    a triangle, its buffer embedded, with a textured material
    content.py table PATH ROWS [SEED]   a DataTable asset
    content.py material PATH TEXTURE    a material asset that refers to a texture package
"""
import base64
import json
import os
import struct
import sys
import zlib


def png_of_rows(width, height, rows):
    """RGB rows, each after its filter byte."""

    def chunk(kind, body):
        return (struct.pack(">I", len(body)) + kind + body
                + struct.pack(">I", zlib.crc32(kind + body)))

    return (b"\x89PNG\r\n\x1a\n"
            + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
            + chunk(b"IDAT", zlib.compress(rows, 9)) + chunk(b"IEND", b""))


def png(width=4, height=4, color="ff0000"):
    """An opaque picture: the colour, with a darker pixel at the top left."""
    rgb = bytes.fromhex(color)
    rows = bytearray()
    for y in range(height):
        rows.append(0)
        for x in range(width):
            rows += bytes(c // 2 for c in rgb) if x == 0 and y == 0 else rgb
    return png_of_rows(width, height, bytes(rows))


def triangle(size):
    """The document of one triangle, and its buffer."""
    positions = [(0.0, 0.0, 0.0), (size, 0.0, 0.0), (0.0, size, 0.0)]
    blob = b"".join(struct.pack("<3f", *p) for p in positions) + struct.pack("<3H2x", 0, 1, 2)
    return {
        "asset": {"version": "2.0"},
        "scene": 0,
        "scenes": [{"name": "Scene", "nodes": [0]}],
        "nodes": [{"name": "Node", "mesh": 0}],
        "meshes": [{"name": "Mesh",
                    "primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3",
             "min": [0, 0, 0], "max": [size, size, 0]},
            {"bufferView": 1, "componentType": 5123, "count": 3, "type": "SCALAR"}],
        "bufferViews": [{"buffer": 0, "byteOffset": 0, "byteLength": 36},
                        {"buffer": 0, "byteOffset": 36, "byteLength": 6}],
        "buffers": [{"byteLength": len(blob)}],
    }, blob


def glb(size=1.0):
    document, blob = triangle(size)
    text = json.dumps(document).encode()
    text += b" " * (-len(text) % 4)
    return (struct.pack("<4sII", b"glTF", 2, 28 + len(text) + len(blob))
            + struct.pack("<I4s", len(text), b"JSON") + text
            + struct.pack("<I4s", len(blob), b"BIN\0") + blob)


def gltf(image=None):
    document, blob = triangle(1.0)
    document["buffers"][0]["uri"] = ("data:application/octet-stream;base64,"
                                     + base64.b64encode(blob).decode())
    if image:
        document["images"] = [{"uri": image}]
        document["textures"] = [{"source": 0}]
        document["materials"] = [{"name": "Paint", "pbrMetallicRoughness": {
            "baseColorTexture": {"index": 0}}}]
        document["meshes"][0]["primitives"][0]["material"] = 0
    return json.dumps(document, indent=1).encode()


def table(rows, seed=0):
    return json.dumps({"objects": [{
        "name": "Table", "class": "/Script/Cook.DataTable", "properties": {
            "Columns": [{"Name": "Amount", "Type": "Number"}, {"Name": "Label", "Type": "String"}],
            "Rows": {f"Row{i:04}": {"Cells": [str(i * 7 + seed), f"label {i} of {seed}"]}
                     for i in range(rows)}}}]}, indent=1).encode()


def material(texture):
    return json.dumps({"objects": [{
        "name": "Material", "class": "/Script/Cook.Material", "properties": {
            "Textures": [{"Slot": "BaseColor", "Texture": {"$ref": texture}}]}}]},
        indent=1).encode()


def write(path, data):
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    with open(path, "wb") as file:
        file.write(data)


def main(arguments):
    kind, path, rest = arguments[0], arguments[1], arguments[2:]
    if kind == "png":
        color = rest[2] if len(rest) > 2 else "ff0000"
        data = png(*(int(size) for size in rest[:2]), color=color)
    elif kind == "glb":
        data = glb(*(float(size) for size in rest))
    elif kind == "gltf":
        data = gltf(*rest)
    elif kind == "table":
        data = table(*(int(number) for number in rest))
    elif kind == "material":
        data = material(*rest)
    else:
        sys.exit(__doc__)
    write(path, data)


if __name__ == "__main__":
    main(sys.argv[1:])
