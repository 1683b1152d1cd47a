"""Blender finds in the sequences of store_sample what was put into them.

blender --background --factory-startup --python blender_reads.py -- DIR ADDON.zip
"""
import os
import shutil
import sys

import bpy
import numpy as np
from mathutils import Vector

run, addon = sys.argv[sys.argv.index("--") + 1:]
failures = []
checks = 0


def check(what, got, wanted):
    global checks
    checks += 1
    if got != wanted:
        failures.append(f"{what}: got {got}, wanted {wanted}")


def near(what, got, wanted, tolerance):
    global checks
    checks += 1
    if not np.allclose(got, wanted, rtol=0, atol=tolerance):
        failures.append(f"{what}: got {got}, wanted {wanted}")


def values(thing, name, field, components):
    attribute = thing.data.attributes.get(name)
    if attribute is None:
        failures.append(f"{thing.name}: no attribute {name}")
        return np.zeros((0, components))
    out = np.empty(len(attribute.data) * components, dtype=np.float32)
    attribute.data.foreach_get(field, out)
    return out.reshape(-1, components)


def places(thing):
    out = np.empty(3 * len(thing.data.vertices), dtype=np.float32)
    thing.data.vertices.foreach_get("co", out)
    return out.reshape(-1, 3)


def linear(byte):
    c = byte / 255
    return c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4


def check_particles(thing, number):
    where = f"particles, frame {number}"
    rows = 1000 * (number - 1)
    check(f"{where}: vertices", len(thing.data.vertices), rows)
    check(f"{where}: polygons", len(thing.data.polygons), 0)
    if rows == 0:
        return
    # random in [k, k + 1) for component k, and (x, -z, y) now
    place = places(thing)
    near(f"{where}: low", place.min(axis=0), (0, -3, 1), 0.02)
    near(f"{where}: high", place.max(axis=0), (1, -2, 2), 0.02)
    velocity = values(thing, "velocity", "vector", 3)
    near(f"{where}: low velocity", velocity.min(axis=0), (0, -3, 1), 0.02)
    # materials 0, 1, 2 of the palette in turn
    colour = values(thing, "colour", "color", 4)
    for row, byte in enumerate(((70, 130, 180), (218, 165, 32), (178, 34, 34))):
        near(f"{where}: colour {row}", colour[row], [linear(b) for b in byte] + [1], 1e-6)
    near(f"{where}: id", values(thing, "id_low", "value", 1)[-1], rows - 1, 0)
    near(f"{where}: id above", values(thing, "id_high", "value", 1)[-1], 2 ** 8, 0)
    near(f"{where}: charge", values(thing, "charge", "value", 1)[-1], 1 - rows, 0)
    density = values(thing, "density", "value", 1)
    check(f"{where}: density", bool((density >= 0).all() and (density < 1).all()), True)
    shown = thing.evaluated_get(bpy.context.evaluated_depsgraph_get())
    check(f"{where}: points are shown", "phyxel points" in shown.modifiers, True)


def check_surface(thing, number):
    where = f"surface, frame {number}"
    side = 10 * (number - 1)
    cells = max(side - 1, 0)
    check(f"{where}: vertices", len(thing.data.vertices), side * side)
    check(f"{where}: polygons", len(thing.data.polygons), 2 * cells * cells)
    check(f"{where}: valid", thing.data.validate(), False)
    if side == 0:
        return
    reach = (side - 1) / side
    place = places(thing)
    near(f"{where}: low", place.min(axis=0), (0, -reach, 0.1 * number), 1e-6)
    near(f"{where}: high", place.max(axis=0), (reach, 0, 0.1 * number), 1e-6)
    near(f"{where}: seen from above", thing.data.polygons[0].normal, (0, 0, 1), 1e-6)
    check(f"{where}: smooth", thing.data.polygons[0].use_smooth, True)
    i, j = 3, 5
    row = j * side + i
    near(f"{where}: velocity", values(thing, "velocity", "vector", 3)[row], (number, -j, i), 0)
    near(f"{where}: normal", values(thing, "phyxel_normal", "vector", 3)[row], (0, 0, 1), 0)
    near(f"{where}: colour", values(thing, "colour", "color", 4)[row],
         (linear(i), linear(j), linear(number), 1), 1e-6)
    near(f"{where}: temperature", values(thing, "temperature", "value", 1)[row], 20 + number, 0)


def picture(scene, number, path):
    """How much of the picture of a frame is covered."""
    scene.frame_set(number)
    scene.render.filepath = path
    bpy.ops.render.render(write_still=True)
    image = bpy.data.images.load(path)
    pixels = np.empty(len(image.pixels), dtype=np.float32)
    image.pixels.foreach_get(pixels)
    bpy.data.images.remove(image)
    return float((pixels[3::4] > 0.5).mean())


bpy.ops.wm.read_factory_settings(use_empty=True)
bpy.ops.preferences.addon_install(filepath=addon)
bpy.ops.preferences.addon_enable(module="phyxel_run")
scene = bpy.context.scene

# The triangles of solids lie in a folder of their own, and look like a surface
shutil.copytree(os.path.join(run, "surface"), os.path.join(run, "skin"))
check("skin", bpy.ops.import_scene.phyxel(directory=run, particles=False, surface=False), {"FINISHED"})
skins = list(scene.objects)
check("skins", [thing.name.split()[-1] for thing in skins], ["skin"])
scene.frame_set(3)
check_surface(skins[0], 3)
check("a skin is no points", len(skins[0].modifiers), 0)
bpy.data.objects.remove(skins[0])
shutil.rmtree(os.path.join(run, "skin"))

# The whole run
check("import", bpy.ops.import_scene.phyxel(directory=run), {"FINISHED"})
things = {thing.name.split()[-1]: thing for thing in scene.objects}
check("objects", sorted(things), ["particles", "surface"])
check("frames", (scene.frame_start, scene.frame_end), (1, 4))
near("frames a second", scene.render.fps / scene.render.fps_base, 30, 1e-4)
for number in (1, 2, 4, 3, 4, 1):
    scene.frame_set(number)
    check_particles(things["particles"], number)
    check_surface(things["surface"], number)
scene.frame_set(99)
check_surface(things["surface"], 4)
things["surface"].phyxel.start = 10
scene.frame_set(12)
check_surface(things["surface"], 2)
things["surface"].phyxel.start = 0

# Surfaces that were z up when they came arrive the same
check("import of what is turned", bpy.ops.import_scene.phyxel(
    directory=os.path.join(run, "turned"), particles=False), {"FINISHED"})
turned = next(thing for thing in scene.objects if thing.name == "turned surface")
scene.frame_set(3)
check_surface(turned, 3)
bpy.data.objects.remove(turned)

# Rendering reads the frame it renders
camera = bpy.data.objects.new("camera", bpy.data.cameras.new("camera"))
camera.data.type = "ORTHO"
camera.data.ortho_scale = 2
camera.location = (0.5, -0.5, 5)
scene.collection.objects.link(camera)
scene.camera = camera
scene.render.engine = "CYCLES"
scene.cycles.samples = 1
scene.cycles.use_denoising = False  # Debian builds without it
scene.render.film_transparent = True
scene.render.resolution_x = scene.render.resolution_y = 40
things["particles"].hide_render = True
near("an empty picture", picture(scene, 1, os.path.join(run, "empty.png")), 0, 0)
# 0.9^2 of 2 x 2, and 0.967^2
near("a picture", picture(scene, 2, os.path.join(run, "two.png")), 0.9 ** 2 / 4, 0.02)
near("another", picture(scene, 4, os.path.join(run, "four.png")), 0.967 ** 2 / 4, 0.02)

# 2000 balls of radius 0.01, since they say none, within 1 x 1 of 2 x 2: 1 - exp(-2000 pi 0.01^2) of
# a quarter is 0.117; 1600 pixels of one sample each are within 0.008
things["particles"].hide_render = False
things["surface"].hide_render = True
camera.location = (0.5, -2.5, 5)
near("a picture of balls", picture(scene, 3, os.path.join(run, "balls.png")), 0.117, 0.03)

# A file that is damaged, one that is missing
scene.frame_set(2)
path = os.path.join(run, "surface", "000003.ply")
shutil.copy(path, path + ".whole")
os.truncate(path, os.path.getsize(path) - 1)
scene.frame_set(3)
check("damage", "ends early: 721 of 722 faces" in things["surface"].phyxel.problem, True)
check("the frame before stays", len(things["surface"].data.vertices), 100)
os.remove(path)
scene.frame_set(3)
check("missing", "frame 3 is missing" in things["surface"].phyxel.problem, True)
os.rename(path + ".whole", path)
bpy.ops.object.phyxel_reload()
check_surface(things["surface"], 3)
check("no problem any more", things["surface"].phyxel.problem, "")

# A folder without anything
empty = os.path.join(run, "nothing")
os.mkdir(empty)
try:
    bpy.ops.import_scene.phyxel(directory=empty)
    failures.append("a folder without frames was imported")
except RuntimeError as error:
    check("advice", f"run 'phyxel export {empty} --to ply' first" in str(error), True)

# Rigid bodies and joints: in 0.5 s the box flies 0.5 m along x and turns by 90 degrees about y, which
# is Blender's z. Its corner (0.1, 0.05, 0.2) is then at (0.2, 0.05, -0.1), in Blender (0.2, 0.1, 0.05)
# from its middle; the thread's end follows.


def figure_at(number):
    """Where the cache has the eighth vertex of the figure, z up."""
    with open(os.path.join(run, "rigid", "poses", "body_3.pc2"), "rb") as file:
        points = int(np.frombuffer(file.read(32), dtype="<i4")[4])
        file.seek(32 + 12 * (points * number + 7))
        x, y, z = np.frombuffer(file.read(12), dtype="<f4")
    return x, -z, y


check("rigid bodies", bpy.ops.import_scene.phyxel(directory=os.path.join(run, "rigid")), {"FINISHED"})
box = bpy.data.objects['flying, "turning"']
door = bpy.data.objects["door"]
check("frames of bodies", (scene.frame_start, scene.frame_end), (0, 10))
near("rate of bodies", scene.render.fps / scene.render.fps_base, 10, 1e-4)
check("corners", len({tuple(round(c, 4) for c in v.co) for v in box.data.vertices}), 8)
near("colour of bodies", box.data.materials[0].diffuse_color, (1, linear(128), 0, 1), 1e-5)
for number in (0, 5, 10, 5):
    scene.frame_set(number)
    angle = np.pi * number / 10
    near(f"place, frame {number}", box.matrix_world.translation, (1 + 0.1 * number, -3, 2), 1e-6)
    corner = min(box.data.vertices, key=lambda v: (v.co - Vector((0.1, -0.2, 0.05))).length)
    cos, sin = np.cos(angle), np.sin(angle)
    near(f"corner, frame {number}", box.matrix_world @ corner.co,
         (1 + 0.1 * number + 0.1 * cos + 0.2 * sin, -3 + 0.1 * sin - 0.2 * cos, 2.05), 1e-5)
    near(f"thread, frame {number}", bpy.data.objects["thread"].matrix_world.translation,
         (1 + 0.1 * number + 0.1 * cos, -3 + 0.1 * sin, 2), 1e-5)
    near(f"its end, frame {number}", bpy.data.objects["thread end"].matrix_world.translation, (0, -3, 2), 1e-6)
    near(f"door, frame {number}", door.matrix_world.translation, (-1, 0, 0), 1e-6)
    near(f"wall, frame {number}", bpy.data.objects["lift"].matrix_world.translation, (5, -3, 2 + 0.1 * number), 1e-6)
    figure = bpy.data.objects["figure"].evaluated_get(bpy.context.evaluated_depsgraph_get())
    near(f"figure, frame {number}", figure.matrix_world @ figure.data.vertices[7].co, figure_at(number), 1e-6)
scene.frame_set(5)
hinge = bpy.data.objects["hinge"]
check("hinge", (hinge.parent, hinge["phyxel_joint"]), (door, "hinge"))
near("its place", hinge.matrix_world.translation, (-1.2, 0, 0), 1e-6)
near("its axis", hinge.matrix_world.to_3x3() @ Vector((0, 0, 1)), (0, -1, 0), 1e-6)
# The camera rises by 2.5 m in 0.5 s, and looks at the origin.
view = bpy.data.objects["rigid camera"]
near("camera", view.matrix_world.translation, (0, -5, 2.5), 1e-6)
near("its direction", view.matrix_world.to_3x3() @ Vector((0, 0, -1)), Vector((0, 5, -2.5)).normalized(), 1e-5)
near("its angle", view.data.angle_y, np.radians(40), 1e-5)
lamp = bpy.data.objects["rigid light 1"]
near("lamp", lamp.location, (1, -3, 2), 1e-6)
near("its energy", lamp.data.energy, 24 * np.pi, 1e-3)
near("its colour", lamp.data.color, (1, 1, 0), 1e-5)
os.rename(os.path.join(run, "rigid", "poses", "body_1.ply"), os.path.join(run, "rigid", "lost.ply"))
try:
    bpy.ops.import_scene.phyxel(directory=os.path.join(run, "rigid"))
    failures.append("bodies without a mesh were imported")
except RuntimeError as error:
    check("which mesh", "body_1.ply" in str(error), True)
shutil.rmtree(os.path.join(run, "rigid", "poses"))
try:
    bpy.ops.import_scene.phyxel(directory=os.path.join(run, "rigid"))
    failures.append("bodies without poses were imported")
except RuntimeError as error:
    check("advice for bodies", "--to poses' first" in str(error), True)

# It is still a sequence after saving and opening
bpy.ops.wm.save_as_mainfile(filepath=os.path.join(run, "saved.blend"))
bpy.ops.wm.open_mainfile(filepath=os.path.join(run, "saved.blend"))
scene = bpy.context.scene
scene.frame_set(2)
check_surface(next(t for t in scene.objects if t.name.endswith("surface")), 2)

# A cache is played without any script
bpy.ops.import_mesh.ply(filepath=os.path.join(run, "fixed", "pc2-surface", "base.ply"))
mesh = bpy.context.object
cache = mesh.modifiers.new("cache", "MESH_CACHE")
cache.cache_format = "PC2"
cache.filepath = os.path.join(run, "fixed", "pc2-surface", "frames.pc2")
cache.frame_start = 1
for number in (1, 2, 3):
    scene.frame_set(number)
    shown = mesh.evaluated_get(bpy.context.evaluated_depsgraph_get()).data
    near(f"cache, frame {number}", shown.vertices[13].co, (0.6, 0.1 * number, 0.4), 1e-6)

for failure in failures:
    print(failure)
print(f"checked {checks} things")
if failures:
    sys.exit(1)
