/// Widgets with names: every control has one for people who do not see it.
#include "window_parts.h"

void control_name(GtkWidget *widget, const char *name)
{
    gtk_accessible_update_property(GTK_ACCESSIBLE(widget), GTK_ACCESSIBLE_PROPERTY_LABEL, name, -1);
    gtk_widget_set_name(widget, name);
}

GtkWidget *control_button(const char *icon, const char *name, GCallback clicked, gpointer user)
{
    GtkWidget *button = gtk_button_new_from_icon_name(icon);
    gtk_widget_set_tooltip_text(button, name);
    gtk_widget_set_focus_on_click(button, FALSE);
    control_name(button, name);
    if (clicked != NULL)
        g_signal_connect(button, "clicked", clicked, user);
    return button;
}

GtkWidget *control_check(const char *name, bool on, GCallback toggled, gpointer user)
{
    GtkWidget *check = gtk_check_button_new_with_label(name);
    gtk_check_button_set_active(GTK_CHECK_BUTTON(check), on);
    control_name(check, name);
    g_signal_connect(check, "toggled", toggled, user);
    return check;
}

GtkWidget *control_row(const char *name, GtkWidget *widget)
{
    GtkWidget *row = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 8);
    GtkWidget *label = gtk_label_new(name);
    gtk_label_set_xalign(GTK_LABEL(label), 0);
    gtk_widget_set_hexpand(widget, TRUE);
    control_name(widget, name);
    gtk_box_append(GTK_BOX(row), label);
    gtk_box_append(GTK_BOX(row), widget);
    return row;
}
