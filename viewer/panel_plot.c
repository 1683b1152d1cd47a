/// The panel "Plot": a column of the statistics over time, while the simulation runs.
#include "window_parts.h"

#include <math.h>
#include <string.h>

/* Columns that are offered; the others are in stats.csv. */
static const char *const offered[] = {"kinetic",       "potential",     "elastic", "speed_max",
                                      "density_error", "heat",          "dt",      "iterations",
                                      "particles",     "rigid_kinetic", "leaked",  NULL};

static const PxStatsColumn *column_of(const Window *w)
{
    const char *name = offered[gtk_drop_down_get_selected(GTK_DROP_DOWN(w->plot_choice))];
    for (size_t k = 0; px_stats_column(k) != NULL; ++k)
        if (strcmp(px_stats_column(k)->name, name) == 0)
            return px_stats_column(k);
    return NULL;
}

void panel_plot_clear(Window *w)
{
    w->series_count = 0;
    gtk_widget_queue_draw(w->plot);
}

void panel_plot_take(Window *w)
{
    const PxStatsColumn *column = column_of(w);
    if (w->shot == NULL || !w->shot->has_stats || column == NULL)
        return;
    while (w->series_count > 0 && w->series[2 * w->series_count - 2] >= w->shot->time)
        --w->series_count; /* restarted or undone */
    if (w->series_count == w->series_room) {
        w->series_room = 2 * w->series_room + 256;
        w->series = g_renew(double, w->series, 2 * w->series_room);
    }
    w->series[2 * w->series_count] = w->shot->time;
    w->series[2 * w->series_count + 1] = px_stats_value(&w->shot->stats, column);
    ++w->series_count;
    gtk_widget_queue_draw(w->plot);
}

static void draw(GtkDrawingArea *unused, cairo_t *cr, int width, int height, gpointer user)
{
    (void)unused;
    Window *w = user;
    enum { LEFT = 10, TOP = 24, BOTTOM = 22 };
    double low = INFINITY, high = -INFINITY;
    const PxStatsColumn *column = column_of(w);
    for (size_t k = 0; k < w->series_count; ++k) {
        low = fmin(low, w->series[2 * k + 1]);
        high = fmax(high, w->series[2 * k + 1]);
    }
    GdkRGBA ink;
    gtk_style_context_get_color(gtk_widget_get_style_context(w->plot), &ink);
    gdk_cairo_set_source_rgba(cr, &ink);
    cairo_set_font_size(cr, 12);
    if (w->series_count < 2 || column == NULL) {
        cairo_move_to(cr, LEFT, TOP);
        cairo_show_text(cr, "appears while the simulation runs");
        return;
    }
    if (!(high > low))
        high = low + 1;
    double first = w->series[0], last = w->series[2 * w->series_count - 2];
    char text[96];
    g_snprintf(text, sizeof text, "%.4g %s", high, column->unit);
    cairo_move_to(cr, LEFT, 14);
    cairo_show_text(cr, text);
    g_snprintf(text, sizeof text, "%.4g %s", low, column->unit);
    cairo_move_to(cr, LEFT, height - 6);
    cairo_show_text(cr, text);
    g_snprintf(text, sizeof text, "%.2f s", last);
    cairo_move_to(cr, width - 60, height - 6);
    cairo_show_text(cr, text);
    cairo_set_line_width(cr, 1);
    cairo_rectangle(cr, LEFT, TOP, width - 2 * LEFT, height - TOP - BOTTOM);
    cairo_stroke(cr);
    cairo_set_source_rgb(cr, 0.13, 0.47, 0.85);
    cairo_set_line_width(cr, 2);
    for (size_t k = 0; k < w->series_count; ++k) {
        double x = LEFT + (w->series[2 * k] - first) / (last - first) * (width - 2 * LEFT);
        double y = TOP + (high - w->series[2 * k + 1]) / (high - low) * (height - TOP - BOTTOM);
        cairo_line_to(cr, x, y);
    }
    cairo_stroke(cr);
}

static void choice_changed(GtkDropDown *unused, GParamSpec *spec, Window *w)
{
    (void)unused;
    (void)spec;
    panel_plot_clear(w);
}

GtkWidget *panel_plot(Window *w)
{
    GtkWidget *box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 8);
    gtk_widget_set_margin_start(box, 10);
    gtk_widget_set_margin_end(box, 10);
    gtk_widget_set_margin_top(box, 10);
    w->plot_choice = gtk_drop_down_new_from_strings(offered);
    g_signal_connect(w->plot_choice, "notify::selected", G_CALLBACK(choice_changed), w);
    gtk_box_append(GTK_BOX(box), control_row("Plot", w->plot_choice));
    w->plot = gtk_drawing_area_new();
    gtk_widget_set_size_request(w->plot, -1, 200);
    gtk_drawing_area_set_draw_func(GTK_DRAWING_AREA(w->plot), draw, w, NULL);
    control_name(w->plot, "Plot of the statistics");
    gtk_box_append(GTK_BOX(box), w->plot);
    return box;
}
