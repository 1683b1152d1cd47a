/// The panel "Hands" and its tools: drag, heat, cool, push and pour with the mouse.
#include "window_parts.h"

#include "pick.h"

#include <math.h>

/* Acceleration by which matter in the brush is pushed, m/s^2. */
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

static void act_at(Window *w, const Pick *hit, PxVec3 at)
{
    Act act = {.at = at, .radius = radius_of(w), .values = 1};
    PxVec3 right, up, forward;
    camera_axes(&w->camera, &right, &up, &forward);
    w->brushed = at;
    if (w->tool == TOOL_HEAT || w->tool == TOOL_COOL) {
        act.kind = ACT_HEAT;
        act.value[0] = w->tool == TOOL_HEAT ? w->hot : w->cold;
    } else if (w->tool == TOOL_PUSH) {
        double mass = 1000 * 4.19 * act.radius * act.radius * act.radius;
        act.kind = ACT_PUSH;
        act.value[0] = forward.x * PUSH * mass;
        act.value[1] = forward.y * PUSH * mass;
        act.value[2] = forward.z * PUSH * mass;
        act.values = 3;
    } else if (w->tool == TOOL_POUR) {
        const char *name = liquid(w, hit);
        bool z_up = w->camera.up == 'z';
        if (name == NULL) {
            window_say(w, "There is no liquid in this scene that could be poured");
            return;
        }
        act.kind = ACT_POUR;
        g_strlcpy(act.body, name, sizeof act.body);
        act.at = along(at, (PxVec3){0, !z_up, z_up}, 3 * act.radius);
        act.value[z_up ? 2 : 1] = -POUR;
        act.values = 3;
    }
    player_act(w->player, &act);
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
    if (!pick(player_display(w->player), w->shot, eye, ray, &hit))
        return false;
    camera_axes(&w->camera, &right, &up, &forward);
    w->depth = hit.distance * (ray.x * forward.x + ray.y * forward.y + ray.z * forward.z);
    if (w->tool == TOOL_DRAG)
        return grab(w, &hit);
    act_at(w, &hit, hit.at);
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
    if (w->tool == TOOL_POUR || w->shot == NULL ||
        !pick(player_display(w->player), w->shot, camera_eye(&w->camera), ray_at(w, x, y), &hit))
        return;
    PxVec3 d = along(hit.at, w->brushed, -1);
    if (d.x * d.x + d.y * d.y + d.z * d.z > 0.25 * radius_of(w) * radius_of(w))
        act_at(w, &hit, hit.at);
}

void tool_release(Window *w)
{
    Act act = {.kind = ACT_LEAVE};
    if (w->player != NULL)
        player_act(w->player, &act);
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
    if (w->player != NULL)
        player_undo(w->player);
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
    static const char *const names[] = {
        "turn the scene (1)", "drag solids (2)", "heat (3)", "cool (4)",
        "push solids (5)",    "pour (6)",        NULL};
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
    GtkWidget *row = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 4);
    gtk_box_append(GTK_BOX(row), control_button("edit-undo-symbolic", "Undo (Ctrl+Z)",
                                                G_CALLBACK(undo_clicked), w));
    gtk_box_append(GTK_BOX(row),
                   control_button("document-save-symbolic", "Save the scene with all that was done",
                                  G_CALLBACK(save_clicked), w));
    gtk_box_append(GTK_BOX(row),
                   control_button("media-record-symbolic",
                                  "Record what was done so far to a run folder, or stop (Ctrl+R)",
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
