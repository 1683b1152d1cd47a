"""Points and triangles out of the PLY files of a run, as numpy arrays.

Binary little endian, an element vertex with numbers, perhaps an element face with triangles:
what `phyxel surface` and `phyxel export --to ply` write. Nothing here knows Blender.
"""
import os

import numpy as np

TYPES = {
    "char": "i1", "int8": "i1", "uchar": "u1", "uint8": "u1",
    "short": "<i2", "int16": "<i2", "ushort": "<u2", "uint16": "<u2",
    "int": "<i4", "int32": "<i4", "uint": "<u4", "uint32": "<u4",
    "float": "<f4", "float32": "<f4", "double": "<f8", "float64": "<f8",
}

# Three properties that are one vector.
VECTORS = {
    "position": ("x", "y", "z"),
    "normal": ("nx", "ny", "nz"),
    "velocity": ("vx", "vy", "vz"),
    "colour": ("red", "green", "blue"),
}


BLOCK = 4096


class Damaged(Exception):
    """The file cannot be read; says which and why."""


class Points:
    """One file: `columns` by name, each of `count` rows, with 1 or 3 components."""

    def __init__(self):
        self.count = 0
        self.columns = {}
        self.triangles = None  # (n, 3), or None for points alone
        self.time = None       # s
        self.up = "y"


def read_header(file, path):
    """The elements, as [name, count, properties], and the comments."""
    if file.readline().strip() != b"ply":
        raise Damaged(f"{path} is no PLY file")
    elements, comments, layout = [], [], None
    while True:
        line = file.readline()
        if not line.endswith(b"\n"):
            raise Damaged(f"{path}: the header does not end")
        words = line.decode("latin-1").split()
        if not words:
            continue
        if words[0] == "end_header":
            break
        if words[0] == "comment":
            comments.append(" ".join(words[1:]))
        elif words[0] == "format":
            layout = words[1] if len(words) > 1 else None
        elif words[0] == "element" and len(words) == 3 and words[2].isdigit():
            elements.append([words[1], int(words[2]), []])
        elif words[0] == "property" and elements and len(words) in (3, 5):
            elements[-1][2].append(words[1:])
        else:
            raise Damaged(f"{path}: '{' '.join(words)[:60]}' in the header is not understood")
    if layout != "binary_little_endian":
        raise Damaged(f"{path} is of format {layout}, wanted binary_little_endian")
    return elements, comments


def read_rows(file, path, kind, count, dtype):
    rows = np.fromfile(file, dtype=dtype, count=count)
    if len(rows) != count:
        raise Damaged(f"{path} ends early: {len(rows)} of {count} {kind}")
    return rows


def vertex_dtype(path, properties):
    for words in properties:
        if len(words) != 2 or words[0] not in TYPES:
            raise Damaged(f"{path}: 'property {' '.join(words)}' of a vertex is not understood")
    names = [words[1] for words in properties]
    if len(set(names)) != len(names) or not {"x", "y", "z"} <= set(names):
        raise Damaged(f"{path}: vertices want x, y, z and every name once")
    return np.dtype([(name, TYPES[kind]) for kind, name in properties])


def keep_columns(points, rows):
    """Rows of numbers side by side become columns. In blocks that stay in the cache: over
    the whole file, each column would fetch all of it from memory."""
    names = list(rows.dtype.names)
    moves = []  # property, and the array it goes to
    for vector, parts in VECTORS.items():
        if not set(parts) <= set(names):
            continue
        kind = "u1" if vector == "colour" and rows.dtype[parts[0]] == "u1" else "<f4"
        column = points.columns[vector] = np.empty((len(rows), 3), dtype=kind)
        for k, part in enumerate(parts):
            moves.append((part, column[:, k]))
            names.remove(part)
    for name in names:
        points.columns[name] = np.empty(len(rows), dtype=rows.dtype[name])
        moves.append((name, points.columns[name]))
    for first in range(0, len(rows), BLOCK):
        block = slice(first, first + BLOCK)
        for name, column in moves:
            column[block] = rows[name][block]


def read_triangles(file, path, count, properties, vertices):
    if len(properties) != 1 or properties[0][0] != "list":
        raise Damaged(f"{path}: faces want one property list")
    _, length, corner, _ = properties[0]
    if TYPES.get(length) != "u1" or TYPES.get(corner) not in ("<i4", "<u4"):
        raise Damaged(f"{path}: faces want property list uchar int")
    rows = read_rows(file, path, "faces", count, np.dtype([("n", "u1"), ("v", "<i4", 3)]))
    triangles = np.ascontiguousarray(rows["v"])
    if count and (rows["n"] != 3).any():
        raise Damaged(f"{path}: faces that are no triangles")
    if count and (triangles.min() < 0 or triangles.max() >= vertices):
        raise Damaged(f"{path}: a face names a vertex that is not there")
    return triangles


def read_comments(points, comments):
    for comment in comments:
        if comment.startswith("time "):
            try:
                points.time = float(comment[5:])
            except ValueError:
                pass
        for up in "yz":
            if f"{up} up, SI units" in comment:
                points.up = up


def read(path):
    """All of a file. Damaged when it is not whole; OSError when it cannot be opened."""
    points = Points()
    with open(path, "rb") as file:
        elements, comments = read_header(file, path)
        read_comments(points, comments)
        if not elements or elements[0][0] != "vertex":
            raise Damaged(f"{path}: wanted element vertex first")
        for name, count, properties in elements:
            if count > os.fstat(file.fileno()).st_size:
                raise Damaged(f"{path} ends early: it cannot hold {count} of {name}")
            if name == "vertex":
                dtype = vertex_dtype(path, properties)
                points.count = count
                keep_columns(points, read_rows(file, path, "vertices", count, dtype))
            elif name == "face":
                points.triangles = read_triangles(file, path, count, properties, points.count)
            else:
                raise Damaged(f"{path}: element {name} is not understood")
    # A sum is quicker than a look at each, and what is wrong with one is wrong with it.
    if (not np.isfinite(points.columns["position"].sum())
            and not np.isfinite(points.columns["position"]).all()):
        row = int(np.argmin(np.isfinite(points.columns["position"]).all(axis=1)))
        raise Damaged(f"{path}: the position of vertex {row} is not finite")
    return points


def read_time(path):
    """When it is, from the header alone; None when it does not say."""
    points = Points()
    with open(path, "rb") as file:
        read_comments(points, read_header(file, path)[1])
    return points.time


def turn_to_z_up(points):
    """(x, y, z) becomes (x, -z, y), in all vectors, where y was up."""
    if points.up == "z":
        return
    for name in ("position", "normal", "velocity"):
        column = points.columns.get(name)
        if column is not None:
            y = column[:, 1].copy()
            column[:, 1] = -column[:, 2]
            column[:, 2] = y
    points.up = "z"
