/// The panel "Values": sliders of gravity, of inlets, outlets and of the materials' values, which
/// act at once.
#include "window_parts.h"

#include <math.h>
#include <string.h>

enum { MOST = 200 };

/* What a slider sets. */
typedef struct Slider {
    Window *w;
    PxWorldValue value;
    int component; /* of a vector; -1: a number */
    bool log;      /* its position is the logarithm to base 10 */
    GtkWidget *shown;
} Slider;

/* Keys of materials, in the order of the panel. */
static const char *const keys[] = {"young",    "poisson",  "yield",      "creep",
                                   "damping",  "friction", "viscosity",  "tension",
                                   "cohesion", "density",  "diffusivity"};

static void show_number(Slider *s, double x)
{
    char text[64];
    g_snprintf(text, sizeof text, "%.4g %s", x == 0 ? 0 : x, s->value.unit); /* not -0 */
    gtk_label_set_text(GTK_LABEL(s->shown), text);
}

static void slid(GtkRange *range, Slider *s)
{
    double at = gtk_range_get_value(range), x = s->log ? pow(10, at) : at;
    Act act = {.kind = ACT_SET, .value = {x}, .values = 1};
    g_strlcpy(act.path, s->value.path, sizeof act.path);
    if (s->component >= 0) {
        static const char *const axis[] = {".x", ".y", ".z"};
        g_strlcat(act.path, axis[s->component], sizeof act.path);
    }
    show_number(s, x);
    if (s->w->player != NULL)
        player_act(s->w->player, &act);
}

/* A scale below its name and the number that it shows. */
static GtkWidget *add_scale(Window *w, const char *name, double low, double high, double at,
                            GtkWidget **shown)
{
    GtkWidget *scale = gtk_scale_new_with_range(GTK_ORIENTATION_HORIZONTAL, low,
                                                fmax(high, low + 1e-9), (high - low) / 100);
    gtk_scale_set_draw_value(GTK_SCALE(scale), FALSE);
    gtk_range_set_value(GTK_RANGE(scale), at);
    control_name(scale, name);
    *shown = gtk_label_new("");
    gtk_label_set_xalign(GTK_LABEL(*shown), 1);
    GtkWidget *line = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 6), *label = gtk_label_new(name);
    gtk_label_set_xalign(GTK_LABEL(label), 0);
    gtk_widget_set_hexpand(label, TRUE);
    gtk_box_append(GTK_BOX(line), label);
    gtk_box_append(GTK_BOX(line), *shown);
    gtk_box_append(GTK_BOX(w->values), line);
    gtk_box_append(GTK_BOX(w->values), scale);
    return scale;
}

static GtkWidget *add_slider(Window *w, const PxWorldValue *value, int component, const char *name)
{
    double x = value->value[component < 0 ? 0 : component];
    double low = value->least, high = value->most;
    Slider *s = g_new0(Slider, 1);
    *s = (Slider){.w = w, .value = *value, .component = component};
    if (component >= 0) { /* gravity */
        low = -20;
        high = 20;
    } else if (strncmp(value->path, "emitters.", 9) == 0) { /* down to 0, which is shut */
        low = 0;
        high = x > 0 ? 3 * x : 2;
    } else if (high - low > 10) {
        s->log = x > 0;
        low = s->log ? log10(x) - 2 : 0;
        high = s->log ? log10(x) + 2 : strcmp(value->unit, "Pa s") == 0 ? 10 : 1;
        if (s->log && pow(10, high) > value->most)
            high = log10(value->most);
    }
    double at = s->log ? log10(x) : x;
    GtkWidget *scale = add_scale(w, name, low, high, at, &s->shown);
    gtk_widget_set_tooltip_text(scale, value->help);
    show_number(s, x);
    g_signal_connect_data(scale, "value-changed", G_CALLBACK(slid), s,
                          (GClosureNotify)(void (*)(void))g_free, (GConnectFlags)0);
    return scale;
}

static void add_heading(Window *w, const char *text)
{
    GtkWidget *label = gtk_label_new(text);
    gtk_label_set_xalign(GTK_LABEL(label), 0);
    gtk_widget_add_css_class(label, "heading");
    gtk_widget_set_margin_top(label, 8);
    gtk_box_append(GTK_BOX(w->values), label);
}

/* ---- the table ------------------------------------------------------------------- */

/* Gravity as it is for one who lies on a table that turns about x, and then about z. */
typedef struct Table {
    Window *w;
    double gravity[3];     /* of the flat table */
    GtkWidget *tilt[2];    /* about x and z, degrees */
    GtkWidget *shown[2];   /* their numbers */
    GtkWidget *sliders[3]; /* of gravity */
} Table;

static void tilted(GtkRange *range, Table *t)
{
    (void)range;
    double angle[2], g[3];
    for (int k = 0; k < 2; ++k) {
        char text[32];
        double at = gtk_range_get_value(GTK_RANGE(t->tilt[k]));
        angle[k] = at * G_PI / 180;
        g_snprintf(text, sizeof text, "%.0f degrees", at == 0 ? 0 : at);
        gtk_label_set_text(GTK_LABEL(t->shown[k]), text);
    }
    double cx = cos(angle[0]), sx = sin(angle[0]), cz = cos(angle[1]), sz = sin(angle[1]);
    double y = cx * t->gravity[1] - sx * t->gravity[2];
    g[0] = cz * t->gravity[0] - sz * y;
    g[1] = sz * t->gravity[0] + cz * y;
    g[2] = sx * t->gravity[1] + cx * t->gravity[2];
    Act act = {.kind = ACT_SET, .path = "gravity", .value = {g[0], g[1], g[2]}, .values = 3};
    Player *player = t->w->player;
    t->w->player = NULL; /* the sliders follow, but act no more */
    for (int k = 0; k < 3; ++k)
        gtk_range_set_value(GTK_RANGE(t->sliders[k]), g[k]);
    t->w->player = player;
    if (player != NULL)
        player_act(player, &act);
}

static void add_table(Window *w, const PxWorldValue *gravity)
{
    static const char *const axis[] = {"gravity x", "gravity y", "gravity z"};
    static const char *const tilt[] = {"tilt about x", "tilt about z"};
    Table *t = g_new0(Table, 1);
    t->w = w;
    memcpy(t->gravity, gravity->value, sizeof t->gravity);
    for (int k = 0; k < 3; ++k)
        t->sliders[k] = add_slider(w, gravity, k, axis[k]);
    for (int k = 0; k < 2; ++k) {
        t->tilt[k] = add_scale(w, tilt[k], -180, 180, 0, &t->shown[k]);
        gtk_label_set_text(GTK_LABEL(t->shown[k]), "0 degrees");
        gtk_widget_set_tooltip_text(t->tilt[k],
                                    "Turns gravity, as for a patient on a table that is tilted.");
    }
    g_signal_connect(t->tilt[0], "value-changed", G_CALLBACK(tilted), t);
    g_signal_connect_data(t->tilt[1], "value-changed", G_CALLBACK(tilted), t,
                          (GClosureNotify)(void (*)(void))g_free, (GConnectFlags)0);
}

/* ---- inlets and outlets ------------------------------------------------------------ */

static void shut_or_opened(GtkCheckButton *button, Slider *s)
{
    Act act = {.kind = ACT_SET, .value = {gtk_check_button_get_active(button)}, .values = 1};
    g_strlcpy(act.path, s->value.path, sizeof act.path);
    if (s->w->player != NULL)
        player_act(s->w->player, &act);
}

/* The name and the key in "list.NAME.key". */
static bool split(const PxWorldValue *value, const char *list, char name[128], const char **key)
{
    size_t size = strlen(list);
    const char *last = strrchr(value->path, '.');
    if (strncmp(value->path, list, size) != 0 || value->path[size] != '.' ||
        last <= value->path + size)
        return false;
    const char *from = value->path + size + 1;
    g_strlcpy(name, from, MIN(128, (size_t)(last - from) + 1));
    *key = last + 1;
    return true;
}

/* An emitter has a speed, a rate or a pressure: the one that is not 0; the speed if all are. */
static bool drives(const PxWorldValue *value, size_t count, size_t k, const char *key)
{
    static const char *const way[] = {"speed", "rate", "pressure"};
    size_t size = (size_t)(key - value[k].path);
    bool of_flow = false, other = false;
    for (size_t n = 0; n < G_N_ELEMENTS(way); ++n) {
        of_flow = of_flow || strcmp(key, way[n]) == 0;
        for (size_t j = 0; j < count; ++j)
            other = other || (j != k && strncmp(value[j].path, value[k].path, size) == 0 &&
                              strcmp(value[j].path + size, way[n]) == 0 && value[j].value[0] > 0);
    }
    return of_flow && (value[k].value[0] > 0 || (!other && strcmp(key, "speed") == 0));
}

static void add_flows(Window *w, const PxWorldValue *value, size_t count)
{
    bool headed = false;
    for (size_t k = 0; k < count; ++k) {
        char name[128], text[160];
        const char *key;
        bool inlet = split(&value[k], "emitters", name, &key) && drives(value, count, k, key);
        bool outlet = !inlet && split(&value[k], "sinks", name, &key) && strcmp(key, "shut") == 0;
        if (!inlet && !outlet)
            continue;
        if (!headed)
            add_heading(w, "inlets and outlets");
        headed = true;
        if (inlet) {
            g_snprintf(text, sizeof text, "%s of %s", key, name);
            add_slider(w, &value[k], -1, text);
            continue;
        }
        g_snprintf(text, sizeof text, "%s is shut", name);
        Slider *s = g_new0(Slider, 1);
        *s = (Slider){.w = w, .value = value[k], .component = -1};
        GtkWidget *button = gtk_check_button_new_with_label(text);
        gtk_check_button_set_active(GTK_CHECK_BUTTON(button), value[k].value[0] > 0);
        gtk_widget_set_tooltip_text(button, value[k].help);
        control_name(button, text);
        g_signal_connect_data(button, "toggled", G_CALLBACK(shut_or_opened), s,
                              (GClosureNotify)(void (*)(void))g_free, (GConnectFlags)0);
        gtk_box_append(GTK_BOX(w->values), button);
    }
}

/* Whether a material has use for a value: those of solids only if it is one. */
static bool is_of_use(const PxDisplayMaterial *m, const char *key)
{
    static const char *const solid[] = {"young", "poisson", "yield",
                                        "creep", "damping", "friction"};
    for (size_t k = 0; k < G_N_ELEMENTS(solid); ++k)
        if (strcmp(key, solid[k]) == 0)
            return m->solid;
    return !m->solid || strcmp(key, "viscosity") != 0;
}

static gboolean fill(gpointer user)
{
    Window *w = user;
    static PxWorldValue value[MOST];
    size_t count = w->player != NULL ? player_values(w->player, value, MOST) : 0;
    if (w->player != NULL && count == 0 && !w->folder && !player_status(w->player).failed)
        return G_SOURCE_CONTINUE; /* the world is being made */
    for (size_t k = 0; k < count && k < MOST; ++k) {
        if (strcmp(value[k].path, "gravity") != 0)
            continue;
        add_heading(w, "gravity");
        add_table(w, &value[k]);
    }
    add_flows(w, value, MIN(count, MOST));
    for (size_t m = 0;; ++m) {
        const PxDisplayMaterial *material = w->player != NULL && count > 0
                                                ? px_display_material(player_display(w->player), m)
                                                : NULL;
        if (material == NULL)
            break;
        add_heading(w, material->name);
        for (size_t n = 0; n < G_N_ELEMENTS(keys); ++n) {
            char path[160], name[128];
            g_snprintf(path, sizeof path, "materials.%s.%s", material->name, keys[n]);
            g_snprintf(name, sizeof name, "%s of %s", keys[n], material->name);
            for (size_t k = 0; k < count && k < MOST; ++k)
                if (strcmp(value[k].path, path) == 0 && is_of_use(material, keys[n]))
                    add_slider(w, &value[k], -1, name);
        }
    }
    return G_SOURCE_REMOVE;
}

void panel_values_fill(Window *w)
{
    for (GtkWidget *child; (child = gtk_widget_get_first_child(w->values)) != NULL;)
        gtk_box_remove(GTK_BOX(w->values), child);
    if (fill(w) == G_SOURCE_CONTINUE)
        g_timeout_add(50, fill, w);
}

GtkWidget *panel_values(Window *w)
{
    w->values = gtk_box_new(GTK_ORIENTATION_VERTICAL, 2);
    gtk_widget_set_margin_start(w->values, 10);
    gtk_widget_set_margin_end(w->values, 10);
    control_name(w->values, "Values");
    return w->values;
}
