/// The parts of the window and what they share.
#ifndef VIEWER_WINDOW_PARTS_H
#define VIEWER_WINDOW_PARTS_H

#include "player.h"
#include "window.h"

#include <gtk/gtk.h>

typedef struct Window {
    const WindowDef *def;
    GtkApplication *application;
    GtkWidget *window, *area, *legend, *message, *message_bar;
    GtkWidget *play, *step, *restart, *slider, *status, *frame_label;
    GtkWidget *title;
    GtkWidget *side; ///< notebook of panels
    GtkWidget *colour_choice, *show_choice;
    gulong slider_signal, colour_signal;

    char *path; ///< of the scene or folder; NULL: none
    bool folder;
    Player *player; ///< NULL: nothing is open
    Camera camera;
    bool camera_known;
    DrawDef draw;
    Draw *renderer;
    const Shot *shot;
    bool fresh;    ///< the renderer has not seen the shot
    bool playing;  ///< as the play button shows it
    uint32_t last; ///< of the slider's range

    double drag_x, drag_y; ///< last offset of a drag
    int pictures;          ///< drawn since `counted`
    double counted, rate;  ///< s; pictures a second
} Window;

/// ---- window.c
/// Opens a scene or folder, or shows the reason why not; what was open stays open then.
void window_open(Window *w, const char *path);
/// Shows a message above the picture; NULL or "": none.
void window_say(Window *w, const char *text);
void window_redraw(Window *w);
void window_fit(Window *w);
void window_toggle_play(Window *w);
/// Writes what is shown as a PNG file; false with a message shown.
bool window_screenshot(Window *w, const char *file);

/// ---- controls.c: labelled widgets
GtkWidget *control_button(const char *icon, const char *name, GCallback clicked, gpointer user);
GtkWidget *control_check(const char *name, bool on, GCallback toggled, gpointer user);
GtkWidget *control_row(const char *name, GtkWidget *widget);
void control_name(GtkWidget *widget, const char *name);

/// ---- panel_view.c: how the scene is shown
GtkWidget *panel_view(Window *w);
/// Fills the choice of columns for what is open.
void panel_view_columns(Window *w);

/// ---- mouse.c: orbit, pan, zoom, keys
void mouse_attach(Window *w);

/// ---- keys.c
void keys_attach(Window *w);
void keys_show(Window *w);

#endif
