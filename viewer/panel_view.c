/// The panel "View": how the scene is shown.
#include "window_parts.h"

#include <string.h>

static void show_changed(GtkDropDown *choice, GParamSpec *unused, Window *w)
{
    (void)unused;
    w->draw.mode = (DrawMode)gtk_drop_down_get_selected(choice);
    window_redraw(w);
}

static void colour_changed(GtkDropDown *choice, GParamSpec *unused, Window *w)
{
    (void)unused;
    guint k = gtk_drop_down_get_selected(choice);
    if (w->player == NULL)
        return;
    player_colour(w->player, k == 0 ? NULL : player_columns(w->player)[k - 1]);
}

static void arrows_changed(GtkDropDown *choice, GParamSpec *unused, Window *w)
{
    (void)unused;
    w->draw.arrows = (ArrowKind)gtk_drop_down_get_selected(choice);
    if (w->player != NULL)
        player_arrows(w->player, w->draw.arrows);
}

static void set_flag(Window *w, bool *flag, GtkCheckButton *check)
{
    *flag = gtk_check_button_get_active(check);
    window_redraw(w);
}

static void walls_toggled(GtkCheckButton *check, Window *w)
{
    set_flag(w, &w->draw.walls, check);
}

static void ground_toggled(GtkCheckButton *check, Window *w)
{
    set_flag(w, &w->draw.ground, check);
}

static void dark_toggled(GtkCheckButton *check, Window *w)
{
    set_flag(w, &w->draw.dark, check);
    g_object_set(gtk_settings_get_default(), "gtk-application-prefer-dark-theme",
                 (gboolean)w->draw.dark, NULL);
}

static void fast_toggled(GtkCheckButton *check, Window *w)
{
    if (w->player != NULL)
        player_unpaced(w->player, gtk_check_button_get_active(check));
}

static void fit_clicked(GtkButton *unused, Window *w)
{
    (void)unused;
    window_fit(w);
}

static void zoom_in(GtkButton *unused, Window *w)
{
    (void)unused;
    camera_zoom(&w->camera, 1 / 1.2);
    window_redraw(w);
}

static void zoom_out(GtkButton *unused, Window *w)
{
    (void)unused;
    camera_zoom(&w->camera, 1.2);
    window_redraw(w);
}

void panel_view_columns(Window *w)
{
    const char *names[64] = {"natural"};
    size_t count = 1, chosen = 0;
    const char *const *columns = w->player != NULL ? player_columns(w->player) : NULL;
    for (; columns != NULL && columns[count - 1] != NULL && count < 63; ++count) {
        names[count] = columns[count - 1];
        if (w->def->colour != NULL && strcmp(w->def->colour, names[count]) == 0)
            chosen = count;
    }
    g_signal_handler_block(w->colour_choice, w->colour_signal);
    GtkStringList *list = gtk_string_list_new(names);
    gtk_drop_down_set_model(GTK_DROP_DOWN(w->colour_choice), G_LIST_MODEL(list));
    g_object_unref(list);
    g_signal_handler_unblock(w->colour_choice, w->colour_signal);
    gtk_drop_down_set_selected(GTK_DROP_DOWN(w->colour_choice), (guint)chosen);
}

GtkWidget *panel_view(Window *w)
{
    static const char *const modes[] = {"surfaces and liquid", "particles", "x-ray", NULL};
    static const char *const none[] = {"natural", NULL};
    GtkWidget *box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 8);
    gtk_widget_set_margin_start(box, 10);
    gtk_widget_set_margin_end(box, 10);
    gtk_widget_set_margin_top(box, 10);
    w->show_choice = gtk_drop_down_new_from_strings(modes);
    gtk_drop_down_set_selected(GTK_DROP_DOWN(w->show_choice), (guint)w->draw.mode);
    g_signal_connect(w->show_choice, "notify::selected", G_CALLBACK(show_changed), w);
    gtk_box_append(GTK_BOX(box), control_row("Show", w->show_choice));
    w->colour_choice = gtk_drop_down_new_from_strings(none);
    w->colour_signal =
        g_signal_connect(w->colour_choice, "notify::selected", G_CALLBACK(colour_changed), w);
    gtk_box_append(GTK_BOX(box), control_row("Colour by", w->colour_choice));
    static const char *const arrows[ARROW_KINDS + 1] = {"none", "velocity", "principal stress",
                                                        "forces on walls"};
    w->arrow_choice = gtk_drop_down_new_from_strings(arrows);
    gtk_drop_down_set_selected(GTK_DROP_DOWN(w->arrow_choice), (guint)w->draw.arrows);
    g_signal_connect(w->arrow_choice, "notify::selected", G_CALLBACK(arrows_changed), w);
    gtk_box_append(GTK_BOX(box), control_row("Arrows", w->arrow_choice));
    gtk_box_append(GTK_BOX(box),
                   control_check("Walls", w->draw.walls, G_CALLBACK(walls_toggled), w));
    gtk_box_append(GTK_BOX(box),
                   control_check("Ground", w->draw.ground, G_CALLBACK(ground_toggled), w));
    gtk_box_append(GTK_BOX(box), control_check("Dark", w->draw.dark, G_CALLBACK(dark_toggled), w));
    gtk_box_append(GTK_BOX(box),
                   control_check("Faster than real time", false, G_CALLBACK(fast_toggled), w));
    GtkWidget *volume = gtk_button_new_with_label("X-rays through a volume...");
    control_name(volume, "X-rays through a volume (Ctrl+E)");
    gtk_widget_set_tooltip_text(volume, "Lay x-ray pictures over a CT volume, or take it away");
    g_signal_connect_swapped(volume, "clicked", G_CALLBACK(window_choose_volume), w);
    gtk_box_append(GTK_BOX(box), volume);
    GtkWidget *row = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 4);
    gtk_box_append(GTK_BOX(row), control_button("zoom-fit-best-symbolic", "Fit all into view (F)",
                                                G_CALLBACK(fit_clicked), w));
    gtk_box_append(GTK_BOX(row),
                   control_button("zoom-in-symbolic", "Zoom in (+)", G_CALLBACK(zoom_in), w));
    gtk_box_append(GTK_BOX(row),
                   control_button("zoom-out-symbolic", "Zoom out (-)", G_CALLBACK(zoom_out), w));
    gtk_box_append(GTK_BOX(box), row);
    return box;
}
