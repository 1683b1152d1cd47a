"""From the arrays of a frame to a Blender mesh, in place; materials and points that render."""
import bpy
import numpy as np

POINTS_GROUP = "phyxel points"


def linear_from_bytes():
    """What each byte of an sRGB colour is in linear light (IEC 61966-2-1)."""
    c = np.arange(256) / 255.0
    return np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4).astype(np.float32)


LINEAR = linear_from_bytes()


def new_attribute(mesh, name, kind):
    """Blender keeps some names, `normal` among them, to itself: those get a prefix."""
    try:
        made = mesh.attributes.new(name, kind, "POINT")
    except RuntimeError:
        made = None
    return made or mesh.attributes.new("phyxel_" + name, kind, "POINT")


def set_attribute(mesh, name, column):
    """One attribute of the points, of the type that keeps the numbers."""
    if name == "colour":
        rgba = np.ones((len(column), 4), dtype=np.float32)
        rgba[:, :3] = LINEAR[column] if column.dtype == np.uint8 else column
        attribute = new_attribute(mesh, name, "FLOAT_COLOR")
        attribute.data.foreach_set("color", rgba.ravel())
    elif column.ndim == 2:
        attribute = new_attribute(mesh, name, "FLOAT_VECTOR")
        attribute.data.foreach_set("vector", np.ascontiguousarray(column, np.float32).ravel())
    elif column.dtype.kind in "iu":
        # Blender's integers are signed and have 32 bits: the same bits, as halves of ids are.
        attribute = new_attribute(mesh, name, "INT")
        values = column.view(np.int32) if column.dtype.itemsize == 4 else column.astype(np.int32)
        attribute.data.foreach_set("value", values)
    else:
        attribute = new_attribute(mesh, name, "FLOAT")
        attribute.data.foreach_set("value", column.astype(np.float32))


def set_texture_places(mesh, points):
    """Columns s and t, texture coordinates of the vertices, become a UV map."""
    if points.triangles is None or not {"s", "t"} <= set(points.columns):
        return
    corners = points.triangles.ravel()
    layer = mesh.uv_layers.new(name="UVMap")
    if layer is not None and len(corners):
        uv = np.stack((points.columns["s"][corners], points.columns["t"][corners]), axis=1)
        layer.data.foreach_set("uv", np.ascontiguousarray(uv, np.float32).ravel())


def set_inside(mesh, points):
    """Faces of cracks have the second material of the mesh."""
    if points.triangles is None or "inside" not in points.columns or len(mesh.materials) < 2:
        return
    slot = (points.columns["inside"][points.triangles[:, 0]] > 0.5).astype(np.int32)
    if len(slot):
        mesh.polygons.foreach_set("material_index", slot)


def fill_mesh(mesh, points):
    """Replaces all geometry; materials stay. `velocity` is what Cycles blurs motion by."""
    mesh.clear_geometry()
    mesh.vertices.add(points.count)
    if points.count:
        mesh.vertices.foreach_set("co", points.columns["position"].ravel())
    if points.triangles is not None and len(points.triangles):
        count = len(points.triangles)
        mesh.loops.add(3 * count)
        mesh.loops.foreach_set("vertex_index", points.triangles.ravel())
        mesh.polygons.add(count)
        mesh.polygons.foreach_set("loop_start", np.arange(0, 3 * count, 3, dtype=np.int32))
        mesh.polygons.foreach_set("loop_total", np.full(count, 3, dtype=np.int32))
        mesh.polygons.foreach_set("use_smooth", np.ones(count, dtype=bool))
        mesh.update(calc_edges=True)
    else:
        mesh.update()
    set_texture_places(mesh, points)
    set_inside(mesh, points)
    for name, column in points.columns.items():
        if name not in ("position", "s", "t"):
            set_attribute(mesh, name, column)


def material(name, surface):
    """Coloured by `colour`; made once, so that changes to it stay."""
    found = bpy.data.materials.get(name)
    if found is not None:
        return found
    made = bpy.data.materials.new(name)
    made.use_nodes = True
    nodes, links = made.node_tree.nodes, made.node_tree.links
    colour = nodes.new("ShaderNodeAttribute")
    colour.attribute_name = "colour"
    colour.location = (-300, 300)
    shader = nodes["Principled BSDF"]
    shader.inputs["Roughness"].default_value = 0.15 if surface else 0.5
    links.new(colour.outputs["Color"], shader.inputs["Base Color"])
    return made


def white(name):
    """Of spray, foam and bubbles, which have no colours; made once."""
    found = bpy.data.materials.get(name)
    if found is not None:
        return found
    made = bpy.data.materials.new(name)
    made.use_nodes = True
    shader = made.node_tree.nodes["Principled BSDF"]
    shader.inputs["Base Color"].default_value = (0.9, 0.93, 0.95, 1.0)
    shader.inputs["Roughness"].default_value = 0.6
    return made


def points_group():
    """Geometry nodes that make balls of points: of their `radius`, or of one that is given where
    they have none, times a scale."""
    found = bpy.data.node_groups.get(POINTS_GROUP)
    if found is not None:
        return found
    group = bpy.data.node_groups.new(POINTS_GROUP, "GeometryNodeTree")
    group.inputs.new("NodeSocketGeometry", "Geometry")
    scale = group.inputs.new("NodeSocketFloat", "Scale")
    scale.default_value, scale.min_value = 1.0, 0.0
    given = group.inputs.new("NodeSocketFloat", "Radius")
    given.default_value, given.min_value = 0.01, 0.0
    group.inputs.new("NodeSocketMaterial", "Material")
    group.outputs.new("NodeSocketGeometry", "Geometry")
    nodes, links = group.nodes, group.links
    first = nodes.new("NodeGroupInput")
    radius = nodes.new("GeometryNodeInputNamedAttribute")
    radius.data_type = "FLOAT"
    radius.inputs["Name"].default_value = "radius"
    # What is not there reads as 0: radius + (radius < tiny) * given
    lacking = nodes.new("ShaderNodeMath")
    lacking.operation = "LESS_THAN"
    lacking.inputs[1].default_value = 1e-9
    either = nodes.new("ShaderNodeMath")
    either.operation = "MULTIPLY_ADD"
    times = nodes.new("ShaderNodeMath")
    times.operation = "MULTIPLY"
    to_points = nodes.new("GeometryNodeMeshToPoints")
    paint = nodes.new("GeometryNodeSetMaterial")
    last = nodes.new("NodeGroupOutput")
    for k, node in enumerate((first, radius, lacking, either, times, to_points, paint, last)):
        node.location = (200 * k, 0)
    value = next(socket for socket in radius.outputs if socket.enabled)  # one for each type
    links.new(value, lacking.inputs[0])
    links.new(lacking.outputs[0], either.inputs[0])
    links.new(first.outputs["Radius"], either.inputs[1])
    links.new(value, either.inputs[2])
    links.new(either.outputs[0], times.inputs[0])
    links.new(first.outputs["Scale"], times.inputs[1])
    links.new(first.outputs["Geometry"], to_points.inputs["Mesh"])
    links.new(times.outputs[0], to_points.inputs["Radius"])
    links.new(to_points.outputs["Points"], paint.inputs["Geometry"])
    links.new(first.outputs["Material"], paint.inputs["Material"])
    links.new(paint.outputs["Geometry"], last.inputs["Geometry"])
    return group


def show_as_points(thing, paint):
    modifier = thing.modifiers.new(POINTS_GROUP, "NODES")
    modifier.node_group = points_group()
    for socket in modifier.node_group.inputs:
        if socket.name == "Material":
            modifier[socket.identifier] = paint
