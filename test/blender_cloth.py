"""Blender finds the cloth of client_cloth.sh, subdivided once.

blender --background --factory-startup --python blender_cloth.py -- DIR ADDON.zip
"""
import os
import sys

import bpy
import numpy as np

run, addon = sys.argv[sys.argv.index("--") + 1:]
failures = []
checks = 0


def check(what, good, got):
    global checks
    checks += 1
    if not good:
        failures.append(f"{what}: got {got}")


def places(mesh):
    out = np.empty(3 * len(mesh.vertices), dtype=np.float32)
    mesh.vertices.foreach_get("co", out)
    return out.reshape(-1, 3)


def obj_places(number):
    with open(os.path.join(run, "obj-skin", f"{number:06}.obj")) as file:
        rows = [line.split() for line in file]
    return (np.array([row[1:4] for row in rows if row[0] == "v"], dtype=np.float32),
            np.array([row[1:3] for row in rows if row[0] == "vt"], dtype=np.float32))


bpy.ops.wm.read_factory_settings(use_empty=True)
bpy.ops.preferences.addon_install(filepath=addon)
bpy.ops.preferences.addon_enable(module="phyxel_run")
scene = bpy.context.scene

bpy.ops.import_scene.phyxel(directory=run, particles=False)
cloth = scene.objects[0]
for number in (0, 3):
    scene.frame_set(number)
    wanted, uv = obj_places(number)
    check(f"frame {number}: triangles", len(cloth.data.polygons) == 4 * 32, len(cloth.data.polygons))
    got = places(cloth.data)
    check(f"frame {number}: vertices", got.shape == wanted.shape and np.allclose(got, wanted, atol=1e-6), got[:3])
    layer = cloth.data.uv_layers.get("UVMap")
    check("there is a UV map", layer is not None, None)
    corners = np.empty(len(cloth.data.loops), dtype=np.int32)
    cloth.data.loops.foreach_get("vertex_index", corners)
    flat = np.empty(2 * len(corners), dtype=np.float32)
    layer.data.foreach_get("uv", flat)
    check(f"frame {number}: UV", np.allclose(flat.reshape(-1, 2), uv[corners], atol=1e-6), flat[:4])
check("UV in metres", np.allclose(uv.max(axis=0), (2, 1), atol=1e-6), uv.max(axis=0))
check("it hangs", got[:, 2].min() < -0.1, got[:, 2].min())
bend = np.empty(len(got), dtype=np.float32)
cloth.data.attributes["bend"].data.foreach_get("value", bend)
check("it is bent", bend.max() > 0.05, bend.max())
wet = np.full(len(got), -1, dtype=np.float32)
cloth.data.attributes["saturation"].data.foreach_get("value", wet)
check("it is dry", np.all(wet == 0), wet.max())

# The cache is played by Blender itself
bpy.ops.import_mesh.ply(filepath=os.path.join(run, "pc2-skin", "base.ply"))
mesh = bpy.context.object
cache = mesh.modifiers.new("cache", "MESH_CACHE")
cache.cache_format = "PC2"
cache.filepath = os.path.join(run, "pc2-skin", "frames.pc2")
cache.frame_start = 0
for number in (0, 1, 3):
    scene.frame_set(number)
    shown = mesh.evaluated_get(bpy.context.evaluated_depsgraph_get()).data
    check(f"cache, frame {number}", np.allclose(places(shown), obj_places(number)[0], atol=1e-6), None)

# OBJ files carry the same mesh
bpy.ops.wm.obj_import(filepath=os.path.join(run, "obj-skin", "000003.obj"), forward_axis="Y", up_axis="Z")
plain = bpy.context.object
check("obj", np.allclose(places(plain.data), wanted, atol=1e-6), len(plain.data.vertices))
check("obj has a UV map", len(plain.data.uv_layers) == 1, len(plain.data.uv_layers))

for failure in failures:
    print(failure)
print(f"checked {checks} things")
if failures:
    sys.exit(1)
