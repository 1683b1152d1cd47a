"""What a result folder holds: which frames, of what, at how many frames a second."""
import json
import os
import re

from . import ply

# Where each kind lies, and what makes it.
KINDS = {
    "particles": (("ply",), "phyxel export {} --to ply"),
    "surface": (("surface", "ply-surface"), "phyxel surface {}"),
    "surfels": (("surfels", "ply-surfels"), "phyxel surface {} --surfels"),
    "skin": (("ply-skin", "skin"), "phyxel run {}"),  # exported ones may be smoother
    "skin-surfels": (("skin-surfels",), "phyxel run {}"),
    "contact": (("contact",), "phyxel surface {} --contact"),
    "coat": (("coat",), "phyxel run {}"),
    "foam": (("foam",), "phyxel foam {}"),
}
# Shown as triangles; the others as points.
TRIANGLES = ("surface", "skin")
# Not every run has them: where they are not there, nothing is amiss.
OPTIONAL = ("skin", "skin-surfels", "contact", "coat", "foam")

NUMBERED = re.compile(r"^(\d{6,})\.ply$")


def frames(path):
    """Number to file of all frames in a folder of PLY files, {} when there is none."""
    try:
        names = os.listdir(path)
    except OSError:
        return {}
    found = {}
    for name in names:
        match = NUMBERED.match(name)
        if match:
            found[int(match.group(1))] = os.path.join(path, name)
    return dict(sorted(found.items()))


def find(run, kind):
    """The folder with the frames of that kind, or None."""
    for name in KINDS[kind][0]:
        path = os.path.join(run, name)
        if frames(path):
            return path
    return None


def how_to_make(run, kind):
    return KINDS[kind][1].format(run)


def stated_bodies(run):
    """(rigid, matter): has the scene in run.json rigid bodies, and particles?"""
    try:
        with open(os.path.join(run, "run.json"), encoding="utf-8") as file:
            scene = json.load(file)["scene"]
        rigid = [bool(body.get("rigid")) for body in scene["bodies"] if not body.get("wall")]
        return any(rigid), not all(rigid) or bool(scene.get("emitters"))
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return False, True


def stated_up(run):
    """The axis that points up as run.json has it, "y" where it does not say."""
    try:
        with open(os.path.join(run, "run.json"), encoding="utf-8") as file:
            return "z" if json.load(file)["scene"].get("up") == "z" else "y"
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return "y"


def stated_rate(run):
    """Frames a second as run.json has them, or None."""
    try:
        with open(os.path.join(run, "run.json"), encoding="utf-8") as file:
            rate = float(json.load(file)["scene"]["time"]["fps"])
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return rate if rate > 0 else None


def frame_rate(path):
    """From the times of the first two frames, where there is no run.json."""
    numbers = frames(path)
    if len(numbers) < 2:
        return None
    (first, one), (second, two) = list(numbers.items())[:2]
    try:
        times = ply.read_time(one), ply.read_time(two)
    except (OSError, ply.Damaged):
        return None
    if None in times or times[1] <= times[0]:
        return None
    return (second - first) / (times[1] - times[0])
