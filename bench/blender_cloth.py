"""Times Blender's cloth on the set-up of `phyxel bench cloth`: a sheet of 2 m in 100 x 100 quads over
a ball of 0.5 m, quality 5, 24 frames a second, a second of it.

    blender --background --factory-startup --python bench/blender_cloth.py -- [self]

Prints seconds a frame, vertices inside the ball, how deep vertices and middles of edges reach into
it, and pairs of triangles that cross each other in the last frame.
"""
import sys
import time

import bmesh
import bpy
from mathutils.bvhtree import BVHTree

CELLS, SIDE, RADIUS, FRAMES = 100, 2.0, 0.5, 24
own = "self" in sys.argv[sys.argv.index("--") + 1:] if "--" in sys.argv else False

bpy.ops.wm.read_factory_settings(use_empty=True)
scene = bpy.context.scene
scene.render.fps = 24
scene.frame_end = FRAMES
bpy.ops.mesh.primitive_uv_sphere_add(segments=64, ring_count=32, radius=RADIUS)
ball = bpy.context.object
ball.modifiers.new("collision", "COLLISION")
ball.collision.thickness_outer = 0.005
bpy.ops.mesh.primitive_grid_add(x_subdivisions=CELLS, y_subdivisions=CELLS, size=SIDE,
                                location=(0, 0, RADIUS + 0.01))
sheet = bpy.context.object
cloth = sheet.modifiers.new("cloth", "CLOTH")
cloth.settings.quality = 5
cloth.settings.mass = 0.3 * SIDE * SIDE / (CELLS + 1) ** 2
cloth.collision_settings.distance_min = 0.005
cloth.collision_settings.use_self_collision = own
cloth.collision_settings.self_distance_min = 0.005
cloth.point_cache.frame_end = FRAMES

began = time.time()
for frame in range(1, FRAMES + 1):
    scene.frame_set(frame)
    mesh = sheet.evaluated_get(bpy.context.evaluated_depsgraph_get()).to_mesh()
took = (time.time() - began) / (FRAMES - 1)

place = [sheet.matrix_world @ v.co for v in mesh.vertices]
depth = [RADIUS - p.length for p in place]
middles = [RADIUS - (0.5 * (place[e.vertices[0]] + place[e.vertices[1]])).length for e in mesh.edges]
built = bmesh.new()
built.from_mesh(mesh)
bmesh.ops.triangulate(built, faces=built.faces)
tree = BVHTree.FromBMesh(built, epsilon=0)
faces = [{v.index for v in face.verts} for face in built.faces]
crossings = sum(1 for a, b in tree.overlap(tree) if a < b and not faces[a] & faces[b])
print(f"Blender {bpy.app.version_string}, self-collision {'on' if own else 'off'}: {took:.3f} s a frame, "
      f"{sum(d > 0 for d in depth)} vertices inside, {1e3 * max(depth):.2f} mm deep, "
      f"edges {1e3 * max(middles):.2f} mm, {crossings} pairs of triangles cross")
