/// The panel "Values": sliders of gravity and of the materials' values, which act at once.
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
    g_snprintf(text, sizeof text, "%.4g %s", x, s->value.unit);
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

static void add_slider(Window *w, const PxWorldValue *value, int component, const char *name)
{
    double x = value->value[component < 0 ? 0 : component];
    double low = value->least, high = value->most;
    Slider *s = g_new0(Slider, 1);
    *s = (Slider){.w = w, .value = *value, .component = component};
    if (component >= 0) { /* gravity */
        low = -20;
        high = 20;
    } else if (high - low > 10) {
        s->log = x > 0;
        low = s->log ? log10(x) - 2 : 0;
        high = s->log ? log10(x) + 2 : strcmp(value->unit, "Pa s") == 0 ? 10 : 1;
        if (s->log && pow(10, high) > value->most)
            high = log10(value->most);
    }
    double at = s->log ? log10(x) : x;
    GtkWidget *scale = gtk_scale_new_with_range(GTK_ORIENTATION_HORIZONTAL, low,
                                                fmax(high, low + 1e-9), (high - low) / 100);
    gtk_scale_set_draw_value(GTK_SCALE(scale), FALSE);
    gtk_range_set_value(GTK_RANGE(scale), at);
    gtk_widget_set_tooltip_text(scale, value->help);
    control_name(scale, name);
    s->shown = gtk_label_new("");
    gtk_label_set_xalign(GTK_LABEL(s->shown), 1);
    show_number(s, x);
    g_signal_connect_data(scale, "value-changed", G_CALLBACK(slid), s,
                          (GClosureNotify)(void (*)(void))g_free, (GConnectFlags)0);
    GtkWidget *line = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 6);
    GtkWidget *label = gtk_label_new(name);
    gtk_label_set_xalign(GTK_LABEL(label), 0);
    gtk_widget_set_hexpand(label, TRUE);
    gtk_box_append(GTK_BOX(line), label);
    gtk_box_append(GTK_BOX(line), s->shown);
    gtk_box_append(GTK_BOX(w->values), line);
    gtk_box_append(GTK_BOX(w->values), scale);
}

static void add_heading(Window *w, const char *text)
{
    GtkWidget *label = gtk_label_new(text);
    gtk_label_set_xalign(GTK_LABEL(label), 0);
    gtk_widget_add_css_class(label, "heading");
    gtk_widget_set_margin_top(label, 8);
    gtk_box_append(GTK_BOX(w->values), label);
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
        add_slider(w, &value[k], 0, "gravity x");
        add_slider(w, &value[k], 1, "gravity y");
        add_slider(w, &value[k], 2, "gravity z");
    }
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
