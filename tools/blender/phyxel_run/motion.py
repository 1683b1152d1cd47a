"""Rigid bodies and walls as objects with keyframes, walls that deform with a Mesh Cache, joints as
empties that are carried along."""
import bpy
import numpy as np
from mathutils import Matrix, Quaternion, Vector

from . import geometry

# How joints of each kind are drawn.
EMPTIES = {"ball": "SPHERE", "hinge": "SINGLE_ARROW", "slider": "SINGLE_ARROW", "weld": "CUBE",
           "spring": "PLAIN_AXES"}


def set_curves(action, path, frames, values):
    """One curve for each component of a property, straight between the frames."""
    for component in range(values.shape[1]):
        curve = action.fcurves.new(path, index=component)
        curve.keyframe_points.add(len(frames))
        points = np.column_stack((frames, values[:, component])).astype(np.float32)
        curve.keyframe_points.foreach_set("co", points.ravel())
        linear = bpy.types.Keyframe.bl_rna.properties["interpolation"].enum_items["LINEAR"].value
        curve.keyframe_points.foreach_set("interpolation", [linear] * len(frames))
        curve.update()


def material(name, colour):
    """Made once, so that changes to it stay."""
    found = bpy.data.materials.get(name)
    if found is not None:
        return found
    made = bpy.data.materials.new(name)
    made.use_nodes = True
    linear = [geometry.LINEAR[min(max(round(255 * c), 0), 255)] for c in colour] + [1.0]
    shader = made.node_tree.nodes["Principled BSDF"]
    shader.inputs["Base Color"].default_value = linear
    shader.inputs["Roughness"].default_value = 0.3
    made.diffuse_color = linear
    return made


def add_body(collection, body):
    mesh = bpy.data.meshes.new(body.name)
    geometry.fill_mesh(mesh, body.points)
    mesh.use_auto_smooth = True
    mesh.auto_smooth_angle = 0.6
    mesh.materials.append(material(f"phyxel {body.name}", body.colour))
    thing = bpy.data.objects.new(body.name, mesh)
    collection.objects.link(thing)
    thing.rotation_mode = "QUATERNION"
    if body.inside:  # one looks at what it holds
        thing.display_type = "WIRE"
        thing.hide_render = True
    if body.cache is not None:
        play_cache(thing, body)
    elif moves(body):
        action = thing.animation_data_create().action = bpy.data.actions.new(body.name)
        set_curves(action, "location", body.frames, body.location)
        set_curves(action, "rotation_quaternion", body.frames, body.rotation)
    if body.cache is None:
        thing.location, thing.rotation_quaternion = body.location[0], body.rotation[0]
    return thing


def moves(body):
    return bool(np.ptp(body.location, axis=0).any() or np.ptp(body.rotation, axis=0).any())


def play_cache(thing, body):
    """Its vertices come from the PC2 file, in the axes of the scene; the object turns them."""
    cache = thing.modifiers.new("phyxel", "MESH_CACHE")
    cache.cache_format = "PC2"
    cache.filepath = body.cache
    cache.frame_start = body.frames[0]
    if body.up != "z":
        thing.rotation_quaternion = Quaternion((1, 0, 0), np.pi / 2)


def size_of(body):
    place = body.points.columns["position"]
    return float((place.max(axis=0) - place.min(axis=0)).max()) if body.points.count else 1.0


def add_empty(collection, name, kind, at, axis, carrier, size):
    """An empty at a place of the start, its z along the axis, carried by a body or the world.
    `carrier` is the body and its object, or None."""
    empty = bpy.data.objects.new(name, None)
    empty.empty_display_type = EMPTIES.get(kind, "PLAIN_AXES")
    empty.empty_display_size = size
    collection.objects.link(empty)
    place = at - carrier[0].pivot if carrier else at
    turn = Vector(axis).to_track_quat("Z", "Y").to_matrix().to_4x4()
    if carrier:
        empty.parent = carrier[1]
    empty.matrix_basis = Matrix.Translation(Vector(place)) @ turn
    empty["phyxel_joint"] = kind
    return empty


def add_camera(context, collection, name, camera):
    """A camera with the place, the direction and the angle of view of each frame. It becomes the
    scene's if that has none."""
    data = bpy.data.cameras.new(name)
    data.sensor_fit = "VERTICAL"
    thing = bpy.data.objects.new(name, data)
    collection.objects.link(thing)
    thing.rotation_mode = "QUATERNION"
    turns = np.array([Vector(ahead).to_track_quat("-Z", "Y")
                      for ahead in camera.target - camera.location])
    for k in range(1, len(turns)):  # q and -q are the same turn
        if turns[k] @ turns[k - 1] < 0:
            turns[k] *= -1
    lens = (0.5 * data.sensor_height / np.tan(0.5 * camera.fov))[:, np.newaxis]
    thing.location, thing.rotation_quaternion, data.lens = camera.location[0], turns[0], lens[0, 0]
    if np.ptp(camera.location, axis=0).any() or np.ptp(turns, axis=0).any():
        action = thing.animation_data_create().action = bpy.data.actions.new(name)
        set_curves(action, "location", camera.frames, camera.location)
        set_curves(action, "rotation_quaternion", camera.frames, turns)
    if np.ptp(lens) > 0:
        action = data.animation_data_create().action = bpy.data.actions.new(f"{name} lens")
        set_curves(action, "lens", camera.frames, lens)
    if context.scene.camera is None:
        context.scene.camera = thing
    return thing


# Irradiance of the sun in phyxel's pictures; a point light of P watts has P / (4 pi) at 1 m.
SUN = 3.0


def add_light(collection, name, light):
    data = bpy.data.lights.new(name, "POINT")
    data.shadow_soft_size = light.radius
    data.energy = 4 * np.pi * SUN * light.power
    data.color = [geometry.LINEAR[min(max(round(255 * c), 0), 255)] for c in light.colour]
    thing = bpy.data.objects.new(name, data)
    collection.objects.link(thing)
    thing.location = light.at
    return thing


def add_view(context, name, camera, lights):
    """A collection with the camera and the lights; returns their objects."""
    collection = bpy.data.collections.new(f"{name} view")
    context.collection.children.link(collection)
    made = [add_camera(context, collection, f"{name} camera", camera)] if camera else []
    return made + [add_light(collection, f"{name} light {k + 1}", light)
                   for k, light in enumerate(lights)]


def add_bodies(context, name, bodies, joints):
    """A collection with all bodies and joints; returns the objects of the bodies."""
    collection = bpy.data.collections.new(name)
    context.collection.children.link(collection)
    carriers = {number: (body, add_body(collection, body)) for number, body in bodies.items()}
    for joint in joints:
        if joint.body not in carriers:
            continue
        size = 0.3 * size_of(bodies[joint.body])
        add_empty(collection, joint.name, joint.kind, joint.at, joint.axis, carriers[joint.body], size)
        if joint.kind == "spring":
            add_empty(collection, f"{joint.name} end", joint.kind, joint.anchor, joint.axis,
                      carriers.get(joint.to), size)
    context.scene.frame_set(context.scene.frame_current)
    return [thing for _, thing in carriers.values()]
