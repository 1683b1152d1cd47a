/// The panel "Hands" and its tools: drag, heat, cool, push, pour and place with the mouse or the
/// keyboard.
#include "window_parts.h"

#include "pick.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Acceleration by which matter in the brush is pushed from rest, m/s^2; it approaches the speed
 * that this would give it over the brush's radius. */
#define PUSH 60.0
/* Speed of poured liquid, m/s. */
#define POUR 1.0

static PxVec3 along(PxVec3 a, PxVec3 d, double t)
{
    return (PxVec3){a.x + t * d.x, a.y + t * d.y, a.z + t * d.z};
}

static PxVec3 ray_at(Window *w, double x, double y)
{
    double width = fmax(1, gtk_widget_get_width(w->area));
    double height = fmax(1, gtk_widget_get_height(w->area));
    return camera_ray(&w->camera, width / height, x / width, y / height);
}

/* The place under the mouse in the plane of what was picked. */
static PxVec3 place_at(Window *w, double x, double y)
{
    PxVec3 right, up, forward, ray = ray_at(w, x, y);
    camera_axes(&w->camera, &right, &up, &forward);
    double slant = ray.x * forward.x + ray.y * forward.y + ray.z * forward.z;
    return along(camera_eye(&w->camera), ray, w->depth / slant);
}

static double radius_of(const Window *w)
{
    return w->brush * px_scene_spacing(player_scene(w->player));
}

/* Name of the first liquid, or of the one that was hit. */
static const char *liquid(const Window *w, const Pick *hit)
{
    const PxDisplay *display = player_display(w->player);
    const PxDisplayMaterial *m = hit->particle ? px_display_material(display, hit->material) : NULL;
    for (size_t k = 0; m == NULL || m->solid; ++k) {
        m = px_display_material(display, k);
        if (m == NULL)
            return NULL;
    }
    return m->name;
}

/* Along the stroke, or into the picture where it begins. */
static void push_along(const Window *w, PxVec3 at, bool stroke, Act *act)
{
    PxVec3 right, up, way;
    double speed = sqrt(2 * PUSH * act->radius);
    camera_axes(&w->camera, &right, &up, &way);
    if (stroke)
        way = along(at, w->brushed, -1);
    double length = sqrt(way.x * way.x + way.y * way.y + way.z * way.z);
    act->kind = ACT_PUSH;
    act->value[0] = speed * way.x / length;
    act->value[1] = speed * way.y / length;
    act->value[2] = speed * way.z / length;
    act->values = 3;
    act->rate = PUSH / speed;
}

static void act_at(Window *w, const Pick *hit, PxVec3 at, bool stroke)
{
    Act act = {.at = at, .radius = radius_of(w), .values = 1};
    if (w->tool == TOOL_HEAT || w->tool == TOOL_COOL) {
        act.kind = ACT_HEAT;
        act.value[0] = w->tool == TOOL_HEAT ? w->hot : w->cold;
    } else if (w->tool == TOOL_PUSH) {
        push_along(w, at, stroke, &act);
    } else if (w->tool == TOOL_POUR || w->tool == TOOL_EMITTER) {
        const char *name = liquid(w, hit);
        bool z_up = w->camera.up == 'z';
        if (name == NULL) {
            window_say(w, "There is no liquid in this scene that could be poured");
            return;
        }
        act.kind = w->tool == TOOL_POUR ? ACT_POUR : ACT_EMIT;
        g_strlcpy(act.body, name, sizeof act.body);
        act.at = along(at, (PxVec3){0, !z_up, z_up}, 3 * act.radius);
        act.value[z_up ? 2 : 1] = -POUR;
        act.values = 3;
    }
    w->brushed = at;
    player_act(w->player, &act);
}

/* ---- placing ---- */

static void open_again(Window *w, const char *text)
{
    char *path = g_strdup(w->path);
    window_open_text(w, path, text);
    g_free(path);
}

/* A body stands on the place that was clicked, or hangs where nothing was, before the camera's
 * target. The scene starts anew with it. */
static void place(Window *w, const Pick *hit, PxVec3 at)
{
    guint shape = gtk_drop_down_get_selected(GTK_DROP_DOWN(w->shape_choice));
    guint number = gtk_drop_down_get_selected(GTK_DROP_DOWN(w->material_choice));
    const PxDisplayMaterial *material = px_display_material(player_display(w->player), number);
    double spacing = px_scene_spacing(player_scene(w->player));
    bool z_up = w->camera.up == 'z';
    if (material == NULL) {
        window_say(w, "The scene has no material to make a body of");
        return;
    }
    PlaceDef def = {.shape = (PlaceShape)shape,
                    .size = w->place_size * spacing,
                    .material = material->name,
                    .rigid = gtk_check_button_get_active(GTK_CHECK_BUTTON(w->rigid_check)),
                    .z_up = z_up,
                    .at = at};
    if (hit != NULL)
        def.at = along(at, (PxVec3){0, !z_up, z_up}, 0.5 * def.size + spacing);
    char *done = player_scene_text(w->player, w->text);
    char *folder = g_path_get_dirname(w->path);
    char *text = done != NULL ? place_body_freely(done, folder, &def) : NULL;
    g_free(folder);
    if (text == NULL) {
        window_say(w, px_error_message());
    } else {
        char *before = g_strdup(done);
        open_again(w, text);
        bool taken = w->text != NULL && strcmp(w->text, text) == 0;
        if (taken)
            g_ptr_array_add(w->before, before);
        else
            g_free(before);
    }
    free(text);
    free(done);
}

void tool_undo(Window *w)
{
    if (w->player == NULL || w->folder)
        return;
    if (player_undos(w->player) > 0 || w->before->len == 0) {
        player_undo(w->player);
        return;
    }
    char *text = g_ptr_array_steal_index(w->before, w->before->len - 1);
    open_again(w, text);
    g_free(text);
}

static bool grab(Window *w, const Pick *hit)
{
    Act act = {.kind = ACT_GRAB, .at = hit->at, .radius = radius_of(w)};
    const PxDisplay *display = player_display(w->player);
    if (hit->particle) {
        const PxDisplayMaterial *m = px_display_material(display, hit->material);
        if (m == NULL || !m->solid)
            return false; /* liquids cannot be held */
    } else {
        const PxDisplayBody *b = px_display_body(display, hit->index);
        if (!b->rigid)
            return false;
        act.rigid = true;
        g_strlcpy(act.body, b->name, sizeof act.body);
    }
    player_act(w->player, &act);
    return true;
}

bool tool_press(Window *w, double x, double y)
{
    Pick hit;
    if (w->player == NULL || w->shot == NULL)
        return false;
    if (w->folder) {
        window_say(w, "A stored run can only be watched: open its scene to act on it");
        return false;
    }
    PxVec3 eye = camera_eye(&w->camera), ray = ray_at(w, x, y), right, up, forward;
    bool met = pick(player_display(w->player), w->shot, eye, ray, &hit);
    if (w->tool == TOOL_BODY) {
        w->depth = w->camera.distance;
        place(w, met ? &hit : NULL, met ? hit.at : place_at(w, x, y));
        return true;
    }
    if (!met)
        return false;
    camera_axes(&w->camera, &right, &up, &forward);
    w->depth = hit.distance * (ray.x * forward.x + ray.y * forward.y + ray.z * forward.z);
    if (w->tool == TOOL_DRAG)
        return grab(w, &hit);
    act_at(w, &hit, hit.at, false);
    return true;
}

void tool_move(Window *w, double x, double y)
{
    PxVec3 at = place_at(w, x, y);
    if (w->tool == TOOL_DRAG) {
        Act act = {.kind = ACT_DRAG, .at = at};
        player_act(w->player, &act);
        return;
    }
    Pick hit;
    if (w->tool >= TOOL_POUR || w->shot == NULL ||
        !pick(player_display(w->player), w->shot, camera_eye(&w->camera), ray_at(w, x, y), &hit))
        return;
    PxVec3 d = along(hit.at, w->brushed, -1);
    if (d.x * d.x + d.y * d.y + d.z * d.z > 0.25 * radius_of(w) * radius_of(w))
        act_at(w, &hit, hit.at, true);
}

void tool_release(Window *w)
{
    Act act = {.kind = ACT_LEAVE};
    if (w->player != NULL && w->tool != TOOL_BODY && w->tool != TOOL_EMITTER)
        player_act(w->player, &act);
}

void tool_toggle(Window *w)
{
    if (w->by_key || w->tool == TOOL_LOOK) {
        if (w->by_key && w->acting)
            tool_release(w);
        w->by_key = w->acting = false;
        return;
    }
    w->key_x = 0.5 * gtk_widget_get_width(w->area);
    w->key_y = 0.5 * gtk_widget_get_height(w->area);
    bool lasts = w->tool < TOOL_BODY; /* placing is done at once */
    bool pressed = tool_press(w, w->key_x, w->key_y);
    w->by_key = w->acting = pressed && lasts;
}

bool tool_shift(Window *w, double x, double y)
{
    if (!w->by_key || !w->acting)
        return false;
    w->key_x += x;
    w->key_y += y;
    tool_move(w, w->key_x, w->key_y);
    return true;
}

/* ---- the panel ---- */

static void tool_changed(GtkDropDown *choice, GParamSpec *unused, Window *w)
{
    (void)unused;
    w->tool = (int)gtk_drop_down_get_selected(choice);
}

static void brush_changed(GtkRange *range, Window *w)
{
    w->brush = gtk_range_get_value(range);
}

static void hot_changed(GtkSpinButton *spin, Window *w)
{
    w->hot = gtk_spin_button_get_value(spin);
}

static void cold_changed(GtkSpinButton *spin, Window *w)
{
    w->cold = gtk_spin_button_get_value(spin);
}

static void undo_clicked(GtkButton *unused, Window *w)
{
    (void)unused;
    tool_undo(w);
}

static void place_size_changed(GtkRange *range, Window *w)
{
    w->place_size = gtk_range_get_value(range);
}

void panel_tools_fill(Window *w)
{
    GtkStringList *names = gtk_string_list_new(NULL);
    const PxDisplayMaterial *m;
    for (size_t k = 0;
         w->player != NULL && (m = px_display_material(player_display(w->player), k)) != NULL; ++k)
        gtk_string_list_append(names, m->name);
    guint chosen = gtk_drop_down_get_selected(GTK_DROP_DOWN(w->material_choice));
    gtk_drop_down_set_model(GTK_DROP_DOWN(w->material_choice), G_LIST_MODEL(names));
    if (chosen < g_list_model_get_n_items(G_LIST_MODEL(names)))
        gtk_drop_down_set_selected(GTK_DROP_DOWN(w->material_choice), chosen);
    g_object_unref(names);
}

static void add_placing(Window *w, GtkWidget *box)
{
    static const char *const shapes[PLACE_SHAPES + 1] = {"box", "sphere", "cylinder", "capsule"};
    w->shape_choice = gtk_drop_down_new_from_strings(shapes);
    gtk_box_append(GTK_BOX(box), control_row("Place a", w->shape_choice));
    w->material_choice = gtk_drop_down_new(NULL, NULL);
    gtk_box_append(GTK_BOX(box), control_row("of", w->material_choice));
    GtkWidget *size = gtk_scale_new_with_range(GTK_ORIENTATION_HORIZONTAL, 2, 40, 1);
    gtk_scale_set_draw_value(GTK_SCALE(size), TRUE);
    gtk_range_set_value(GTK_RANGE(size), w->place_size);
    g_signal_connect(size, "value-changed", G_CALLBACK(place_size_changed), w);
    gtk_box_append(GTK_BOX(box), control_row("as large as (spacings)", size));
    w->rigid_check = gtk_check_button_new_with_label("as a rigid body");
    control_name(w->rigid_check, "as a rigid body");
    gtk_box_append(GTK_BOX(box), w->rigid_check);
    /* the labels make sense only together */
    control_name(w->shape_choice, "Shape of the placed body");
    control_name(w->material_choice, "Material of the placed body");
    control_name(size, "Size of the placed body in spacings");
    control_name(w->rigid_check, "The placed body is rigid");
}

static void save_clicked(GtkButton *unused, Window *w)
{
    (void)unused;
    window_save(w);
}

static void record_clicked(GtkButton *unused, Window *w)
{
    (void)unused;
    window_record(w);
}

GtkWidget *panel_tools(Window *w)
{
    static const char *const names[] = {"turn the scene (1)",
                                        "drag (2)",
                                        "heat (3)",
                                        "cool (4)",
                                        "push (5)",
                                        "pour (6)",
                                        "place a body (7)",
                                        "place an emitter (8)",
                                        NULL};
    GtkWidget *box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 8);
    gtk_widget_set_margin_start(box, 10);
    gtk_widget_set_margin_end(box, 10);
    gtk_widget_set_margin_top(box, 10);
    w->tool_choice = gtk_drop_down_new_from_strings(names);
    g_signal_connect(w->tool_choice, "notify::selected", G_CALLBACK(tool_changed), w);
    gtk_box_append(GTK_BOX(box), control_row("The mouse can", w->tool_choice));
    GtkWidget *size = gtk_scale_new_with_range(GTK_ORIENTATION_HORIZONTAL, 1, 12, 0.5);
    gtk_scale_set_draw_value(GTK_SCALE(size), TRUE);
    gtk_range_set_value(GTK_RANGE(size), w->brush);
    g_signal_connect(size, "value-changed", G_CALLBACK(brush_changed), w);
    gtk_box_append(GTK_BOX(box), control_row("Size (spacings)", size));
    GtkWidget *hot = gtk_spin_button_new_with_range(-273, 5000, 5);
    gtk_spin_button_set_value(GTK_SPIN_BUTTON(hot), w->hot);
    g_signal_connect(hot, "value-changed", G_CALLBACK(hot_changed), w);
    gtk_box_append(GTK_BOX(box), control_row("Heat to (°C)", hot));
    GtkWidget *cold = gtk_spin_button_new_with_range(-273, 5000, 5);
    gtk_spin_button_set_value(GTK_SPIN_BUTTON(cold), w->cold);
    g_signal_connect(cold, "value-changed", G_CALLBACK(cold_changed), w);
    gtk_box_append(GTK_BOX(box), control_row("Cool to (°C)", cold));
    add_placing(w, box);
    GtkWidget *row = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 4);
    gtk_box_append(GTK_BOX(row), control_button("edit-undo-symbolic", "Undo (Ctrl+Z)",
                                                G_CALLBACK(undo_clicked), w));
    gtk_box_append(GTK_BOX(row),
                   control_button("document-save-symbolic", "Save the scene with all that was done",
                                  G_CALLBACK(save_clicked), w));
    gtk_box_append(
        GTK_BOX(row),
        control_button("media-record-symbolic",
                       "Record what was done so far to a run folder with a film, or stop (Ctrl+R)",
                       G_CALLBACK(record_clicked), w));
    gtk_box_append(GTK_BOX(box), row);
    w->record_label = gtk_label_new("");
    gtk_label_set_xalign(GTK_LABEL(w->record_label), 0);
    gtk_label_set_wrap(GTK_LABEL(w->record_label), TRUE);
    gtk_label_set_max_width_chars(GTK_LABEL(w->record_label), 30);
    control_name(w->record_label, "Recording");
    gtk_box_append(GTK_BOX(box), w->record_label);
    GtkWidget *note = gtk_label_new("What is done by hand becomes events of the scene: saved and "
                                    "run again, it gives the same bits.");
    gtk_label_set_wrap(GTK_LABEL(note), TRUE);
    gtk_label_set_max_width_chars(GTK_LABEL(note), 30);
    gtk_label_set_xalign(GTK_LABEL(note), 0);
    gtk_box_append(GTK_BOX(box), note);
    return box;
}
