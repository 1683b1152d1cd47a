"""phyxel runs in Blender: particles and surfaces as sequences that scrub and render.

File > Import > phyxel run takes the folder that `phyxel run` left. Every object it makes knows its
folder of PLY files; when the frame changes, the file of that frame is read into the object's
mesh, with everything that belongs to a point as an attribute. The .blend file holds one frame,
not all of them. Rigid bodies and walls are objects with keyframes, joints are empties on them.
"""
import os

import bpy
from bpy.app.handlers import persistent

from . import bodies, folder, geometry, motion, ply

bl_info = {
    "name": "phyxel runs",
    "description": "Particles and surfaces of a phyxel run as sequences, rigid bodies and walls as objects",
    "author": "the phyxel authors",
    "version": (0, 1, 0),
    "blender": (3, 4, 0),
    "location": "File > Import > phyxel run",
    "category": "Import-Export",
}

# Object name to (file, its time and size): what its mesh holds, so that nothing is read twice.
loaded = {}


class PhyxelSequence(bpy.types.PropertyGroup):
    """What an object needs to find its frames."""

    folder: bpy.props.StringProperty(name="Folder", subtype="DIR_PATH",
                                     description="Where 000001.ply and the others are",
                                     update=lambda self, context: load_all(context.scene, True))
    start: bpy.props.IntProperty(name="Start", default=0,
                                 description="Frame of the scene that shows frame 0 of the run",
                                 update=lambda self, context: load_all(context.scene, True))
    problem: bpy.props.StringProperty(description="Why the frame could not be read")


def load(thing, frame, force=False):
    """Reads the frame into the object's mesh. Before the first and after the last frame these
    stay. What goes wrong is kept in `problem`, and the mesh as it was."""
    sequence = thing.phyxel
    path = bpy.path.abspath(sequence.folder)
    files = folder.frames(path)
    if not files:
        sequence.problem = f"there are no frames in {path}"
        return
    numbers = list(files)
    number = min(max(frame - sequence.start, numbers[0]), numbers[-1])
    if number not in files:
        sequence.problem = f"frame {number} is missing in {path}"
        return
    try:
        info = os.stat(files[number])
        stamp = (files[number], info.st_mtime_ns, info.st_size)
        if not force and loaded.get(thing.name) == stamp:
            return
        points = ply.read(files[number])
    except (OSError, ply.Damaged) as problem:
        sequence.problem = str(problem)
        print("phyxel:", problem)
        return
    ply.turn_to_z_up(points)
    geometry.fill_mesh(thing.data, points)
    loaded[thing.name] = stamp
    sequence.problem = ""


def load_all(scene, force=False):
    for thing in scene.objects:
        if thing.type == "MESH" and thing.phyxel.folder:
            load(thing, scene.frame_current, force)


@persistent
def frame_changed(scene, _=None):
    load_all(scene)


@persistent
def meshes_changed(*_):
    """Another file, or a step back: meshes hold what they held then."""
    loaded.clear()


def add_sequence(context, path, name, kind):
    """An object for one kind of a run, showing the scene's frame."""
    mesh = bpy.data.meshes.new(name)
    thing = bpy.data.objects.new(name, mesh)
    context.collection.objects.link(thing)
    triangles = kind in folder.TRIANGLES
    paint = geometry.white(name) if kind == "foam" else geometry.material(name, triangles)
    mesh.materials.append(paint)
    if kind == "skin":
        mesh.materials.append(geometry.material(f"{name} inside", triangles))
    if not triangles:
        geometry.show_as_points(thing, paint)
    thing.phyxel.folder = path
    return thing


def set_range(scene, first, last, rate):
    """Start, end and rate of the scene become those of the run."""
    scene.frame_start, scene.frame_end = first, last
    scene.frame_set(first)
    if rate:
        scene.render.fps = max(1, round(rate))
        scene.render.fps_base = scene.render.fps / rate
    # Meshes change under the render otherwise.
    scene.render.use_lock_interface = True


def import_run(context, run, kinds, rigid=True):
    """Adds what is there of `kinds`, and rigid bodies, walls and joints; returns the objects, and what is
    missing in words."""
    run = os.path.abspath(bpy.path.abspath(run))
    name = os.path.basename(run)[:40]
    rate = folder.stated_rate(run)
    made, missing = [], []
    scene = context.scene
    for kind in kinds:
        path = folder.find(run, kind)
        if path is None and kind in folder.OPTIONAL:
            continue
        if path is None:
            missing.append(f"no {kind} there, run '{folder.how_to_make(run, kind)}' first")
            continue
        numbers = list(folder.frames(path))
        if not made:
            set_range(scene, numbers[0], numbers[-1], rate or folder.frame_rate(path))
        made.append(add_sequence(context, path, f"{name} {kind}", kind))
    poses = bodies.find(run) if rigid else None
    if poses is not None:
        try:
            found, joints = bodies.read(poses)
        except (OSError, ply.Damaged) as problem:
            missing.append(str(problem))
            return made, missing
        if found and not made:
            frames = [frame for body in found.values() for frame in body.frames]
            set_range(scene, min(frames), max(frames), rate)
        if found and not folder.stated_bodies(run)[1]:
            missing.clear()  # a run of rigid bodies alone lacks nothing
        made += motion.add_bodies(context, f"{name} bodies", found, joints)
        try:
            camera, lights = bodies.read_view(poses, folder.stated_up(run))
            if camera is not None or lights:
                made += motion.add_view(context, name, camera, lights)
        except ply.Damaged as problem:
            missing.append(str(problem))
    elif rigid and folder.stated_bodies(run)[0]:
        missing.append(f"no rigid bodies there, run 'phyxel export {run} --to poses' first")
    return made, missing


class PHYXEL_OT_import(bpy.types.Operator):
    """Import the particles, surfaces, rigid bodies and walls of a phyxel run"""

    bl_idname = "import_scene.phyxel"
    bl_label = "Import phyxel run"
    bl_options = {"REGISTER", "UNDO"}

    directory: bpy.props.StringProperty(subtype="DIR_PATH")
    filter_folder: bpy.props.BoolProperty(default=True, options={"HIDDEN"})
    particles: bpy.props.BoolProperty(name="Particles", default=True)
    surface: bpy.props.BoolProperty(name="Surface", default=True)
    surfels: bpy.props.BoolProperty(name="Surfels", default=False)
    skin: bpy.props.BoolProperty(name="Skin of solids", default=True)
    skin_surfels: bpy.props.BoolProperty(name="Surfels of solids", default=False)
    contact: bpy.props.BoolProperty(name="Contact surfaces", default=False)
    coat: bpy.props.BoolProperty(name="Coats", default=False)
    foam: bpy.props.BoolProperty(name="Spray, foam and bubbles", default=True)
    bodies: bpy.props.BoolProperty(name="Rigid bodies, walls, joints, camera and lights", default=True)

    def invoke(self, context, _):
        context.window_manager.fileselect_add(self)
        return {"RUNNING_MODAL"}

    def execute(self, context):
        kinds = [kind for kind in folder.KINDS if getattr(self, kind.replace("-", "_"))]
        made, missing = import_run(context, self.directory, kinds, self.bodies)
        for thing in made:
            if thing.phyxel.problem:
                missing.append(thing.phyxel.problem)
        for words in missing:
            self.report({"WARNING" if made else "ERROR"}, words)
        return {"FINISHED"} if made else {"CANCELLED"}


class PHYXEL_OT_reload(bpy.types.Operator):
    """Read the frame once more"""

    bl_idname = "object.phyxel_reload"
    bl_label = "Reload"

    def execute(self, context):
        load_all(context.scene, True)
        return {"FINISHED"}


class PHYXEL_PT_sequence(bpy.types.Panel):
    bl_label = "phyxel"
    bl_space_type = "PROPERTIES"
    bl_region_type = "WINDOW"
    bl_context = "object"

    @classmethod
    def poll(cls, context):
        return context.object is not None and context.object.type == "MESH"

    def draw(self, context):
        sequence = context.object.phyxel
        self.layout.prop(sequence, "folder")
        self.layout.prop(sequence, "start")
        self.layout.operator(PHYXEL_OT_reload.bl_idname)
        if sequence.problem:
            self.layout.label(text=sequence.problem, icon="ERROR")


def menu(self, _):
    self.layout.operator(PHYXEL_OT_import.bl_idname, text="phyxel run (folder)")


CLASSES = (PhyxelSequence, PHYXEL_OT_import, PHYXEL_OT_reload, PHYXEL_PT_sequence)
HANDLERS = ((bpy.app.handlers.frame_change_pre, frame_changed),
            (bpy.app.handlers.load_post, meshes_changed),
            (bpy.app.handlers.undo_post, meshes_changed),
            (bpy.app.handlers.redo_post, meshes_changed))


def register():
    for cls in CLASSES:
        bpy.utils.register_class(cls)
    bpy.types.Object.phyxel = bpy.props.PointerProperty(type=PhyxelSequence)
    bpy.types.TOPBAR_MT_file_import.append(menu)
    for handlers, function in HANDLERS:
        handlers.append(function)


def unregister():
    for handlers, function in HANDLERS:
        handlers.remove(function)
    bpy.types.TOPBAR_MT_file_import.remove(menu)
    del bpy.types.Object.phyxel
    for cls in reversed(CLASSES):
        bpy.utils.unregister_class(cls)
