/// The mouse over the picture: orbit, pan, zoom.
#include "window_parts.h"

#include <math.h>

static void drag_begin(GtkGestureDrag *drag, double x, double y, Window *w)
{
    w->drag_x = w->drag_y = 0;
    w->start_x = x;
    w->start_y = y;
    gtk_widget_grab_focus(w->area);
    guint button = gtk_gesture_single_get_current_button(GTK_GESTURE_SINGLE(drag));
    GdkModifierType keys = gtk_event_controller_get_current_event_state(GTK_EVENT_CONTROLLER(drag));
    w->acting = button == GDK_BUTTON_PRIMARY && w->tool != TOOL_LOOK &&
                !(keys & (GDK_SHIFT_MASK | GDK_CONTROL_MASK)) && tool_press(w, x, y);
}

static void drag_end(GtkGestureDrag *drag, double x, double y, Window *w)
{
    (void)drag;
    (void)x;
    (void)y;
    if (w->acting)
        tool_release(w);
    w->acting = false;
}

static void drag_update(GtkGestureDrag *drag, double x, double y, Window *w)
{
    double height = fmax(1, gtk_widget_get_height(w->area));
    double dx = (x - w->drag_x) / height, dy = (y - w->drag_y) / height;
    guint button = gtk_gesture_single_get_current_button(GTK_GESTURE_SINGLE(drag));
    GdkModifierType keys = gtk_event_controller_get_current_event_state(GTK_EVENT_CONTROLLER(drag));
    w->drag_x = x;
    w->drag_y = y;
    if (w->acting) {
        tool_move(w, w->start_x + x, w->start_y + y);
        return;
    }
    if (button == GDK_BUTTON_SECONDARY || (keys & GDK_CONTROL_MASK))
        camera_zoom(&w->camera, exp(2 * dy));
    else if (button == GDK_BUTTON_MIDDLE || (keys & GDK_SHIFT_MASK))
        camera_pan(&w->camera, -dx, dy);
    else
        camera_orbit(&w->camera, -3 * dx, 3 * dy);
    window_redraw(w);
}

static gboolean scrolled(GtkEventControllerScroll *unused, double dx, double dy, Window *w)
{
    (void)unused;
    (void)dx;
    camera_zoom(&w->camera, exp(0.12 * dy));
    window_redraw(w);
    return TRUE;
}

static void zoom_changed(GtkGestureZoom *unused, double scale, Window *w)
{
    (void)unused;
    static double last = 1;
    if (scale > 0)
        camera_zoom(&w->camera, last / scale);
    last = scale;
    window_redraw(w);
}

void mouse_attach(Window *w)
{
    GtkGesture *drag = gtk_gesture_drag_new();
    gtk_gesture_single_set_button(GTK_GESTURE_SINGLE(drag), 0); /* any */
    g_signal_connect(drag, "drag-begin", G_CALLBACK(drag_begin), w);
    g_signal_connect(drag, "drag-update", G_CALLBACK(drag_update), w);
    g_signal_connect(drag, "drag-end", G_CALLBACK(drag_end), w);
    gtk_widget_add_controller(w->area, GTK_EVENT_CONTROLLER(drag));
    GtkEventController *scroll =
        gtk_event_controller_scroll_new(GTK_EVENT_CONTROLLER_SCROLL_VERTICAL);
    g_signal_connect(scroll, "scroll", G_CALLBACK(scrolled), w);
    gtk_widget_add_controller(w->area, scroll);
    GtkGesture *pinch = gtk_gesture_zoom_new();
    g_signal_connect(pinch, "scale-changed", G_CALLBACK(zoom_changed), w);
    gtk_widget_add_controller(w->area, GTK_EVENT_CONTROLLER(pinch));
}
