"""Rigid bodies, walls and joints of a run, from what `phyxel export DIR --to poses` wrote.

A point x of a body as the scene places it is at turn (x - pivot) + pivot + move, so an object whose
mesh is relative to the pivot has the location pivot + move and the rotation turn. The vertices of a
wall that deforms are in a PC2 cache, in the axes of the scene. Nothing here knows Blender.
"""
import csv
import os

import numpy as np

from . import ply


class Body:
    """One rigid body or wall: its mesh about the pivot, and its motion, in axes with z up. The mesh
    of one that deforms is as in the file."""

    def __init__(self, number, name, colour):
        self.number = number
        self.name = name
        self.colour = colour   # sRGB, 0 to 1
        self.points = None     # ply.Points, relative to the pivot
        self.pivot = None
        self.frames = []       # ascending
        self.location = None   # (frames, 3)
        self.rotation = None   # (frames, 4): w x y z, without jumps of the sign
        self.up = "y"
        self.inside = False    # a wall around matter
        self.cache = None      # PC2 file of one that deforms


class Joint:
    """A joint at its place at the start; `body` and `to` are numbers, None for the world."""

    def __init__(self, row, up):
        self.name, self.kind = row["name"], row["kind"]
        self.body = int(row["body"])
        self.to = int(row["to"]) if row["to"] else None
        self.at, self.anchor, self.axis = (
            turned([float(row[f"{key}_{c}"]) for c in "xyz"], up) for key in ("at", "anchor", "axis"))


class Camera:
    """The camera in each frame, in axes with z up."""

    def __init__(self, rows, up):
        self.frames = [int(row["frame"]) for row in rows]
        self.location, self.target = (
            np.array([turned([float(row[f"{key}_{c}"]) for c in "xyz"], up) for row in rows])
            for key in ("from", "to"))
        self.fov = np.radians([float(row["fov"]) for row in rows])  # vertical


class Light:
    """A spherical lamp, in axes with z up; `power` is its light at 1 m relative to that of the sun."""

    def __init__(self, row, up):
        self.at = turned([float(row[f"at_{c}"]) for c in "xyz"], up)
        self.colour = [float(row[c]) for c in ("red", "green", "blue")]  # sRGB, 0 to 1
        self.radius, self.power = float(row["radius"]), float(row["power"])


def turned(vector, up):
    """(x, y, z) becomes (x, -z, y) where y was up; of quaternions, the part that is a vector."""
    x, y, z = vector
    return np.array((x, y, z) if up == "z" else (x, -z, y), dtype=float)


def find(run):
    """The folder of the poses, or None."""
    path = os.path.join(run, "poses")
    return path if os.path.exists(os.path.join(path, "poses.csv")) else None


def read_rows(path):
    try:
        with open(path, encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))
    except (OSError, UnicodeDecodeError, csv.Error) as problem:
        raise ply.Damaged(f"{path}: {problem}") from None


def read_bodies(path):
    """All bodies of the folder by number. Damaged when a file is missing or not understood."""
    bodies = {}
    for row in read_rows(os.path.join(path, "bodies.csv")):
        try:
            body = Body(int(row["body"]), row["name"], [float(row[c]) for c in ("red", "green", "blue")])
            file = os.path.join(path, os.path.basename(row["mesh"]))
            body.inside = row.get("inside") == "1"
            if row.get("kind") == "deforms":
                body.cache = file[:-len(".ply")] + ".pc2"
        except (KeyError, TypeError, ValueError):
            raise ply.Damaged(f"{path}/bodies.csv is damaged") from None
        body.points = ply.read(file)
        body.up = body.points.up
        if body.cache is None:
            ply.turn_to_z_up(body.points)
        elif not os.path.exists(body.cache):
            raise ply.Damaged(f"{body.cache} is missing")
        bodies[body.number] = body
    return bodies


def read(path):
    """Bodies by number, with their motion, and joints."""
    bodies = read_bodies(path)
    poses = {number: [] for number in bodies}
    try:
        for row in read_rows(os.path.join(path, "poses.csv")):
            if int(row["body"]) in poses:
                poses[int(row["body"])].append(row)
        for number, rows in poses.items():
            move(bodies[number], rows)
        joints = [Joint(row, bodies[int(row["body"])].up)
                  for row in read_rows(os.path.join(path, "joints.csv"))]
    except (KeyError, TypeError, ValueError) as problem:
        raise ply.Damaged(f"the poses in {path} are damaged: {problem}") from None
    return {number: body for number, body in bodies.items() if body.frames}, joints


def read_view(path, up):
    """The camera, or None, and the lights that are in the folder."""
    camera, lights = os.path.join(path, "camera.csv"), os.path.join(path, "lights.csv")
    try:
        rows = read_rows(camera) if os.path.exists(camera) else []
        lamps = read_rows(lights) if os.path.exists(lights) else []
        return Camera(rows, up) if rows else None, [Light(row, up) for row in lamps]
    except (KeyError, TypeError, ValueError) as problem:
        raise ply.Damaged(f"camera or lights in {path} are damaged: {problem}") from None


def move(body, rows):
    """Location and rotation in all frames, and the mesh about the pivot."""
    if not rows:
        return

    def vector(row, name):
        return turned([float(row[f"{name}_{c}"]) for c in "xyz"], body.up)

    body.frames = [int(row["frame"]) for row in rows]
    if body.cache is not None:
        return
    body.pivot = vector(rows[0], "pivot")
    body.location = np.array([vector(row, "pivot") + vector(row, "move") for row in rows])
    body.rotation = np.array([[float(row["turn_w"]), *vector(row, "turn")] for row in rows])
    # q and -q are the same turn; between frames the shorter way is wanted.
    for k in range(1, len(rows)):
        if body.rotation[k] @ body.rotation[k - 1] < 0:
            body.rotation[k] *= -1
    body.points.columns["position"] -= body.pivot.astype(np.float32)
