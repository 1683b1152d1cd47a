/// The parts of the window and what they share.
#ifndef VIEWER_WINDOW_PARTS_H
#define VIEWER_WINDOW_PARTS_H

#include "film.h"
#include "place.h"
#include "player.h"
#include "record.h"
#include "window.h"

#include <gtk/gtk.h>

typedef struct Window {
    const WindowDef *def;
    GtkApplication *application;
    GtkWidget *window, *area, *legend, *message, *message_bar;
    GtkWidget *play, *step, *restart, *slider, *status, *frame_label;
    GtkWidget *title;
    GtkWidget *side; ///< notebook of panels
    GtkWidget *colour_choice, *show_choice, *arrow_choice;
    gulong slider_signal, colour_signal;

    char *path; ///< of the scene or folder; NULL: none
    bool folder;
    Player *player;     ///< NULL: nothing is open
    Recorder *recorder; ///< NULL: nothing is recorded
    FilmDef film;       ///< that follows the recording
    GtkWidget *record_label;
    Camera camera;
    bool camera_known;
    DrawDef draw;
    PxVolumeSamples volume; ///< that x-rays pass through, if it was opened here
    Draw *renderer;
    const Shot *shot;
    bool fresh;    ///< the renderer has not seen the shot
    bool playing;  ///< as the play button shows it
    uint32_t last; ///< of the slider's range

    char *text; ///< of the scene; NULL: a stored run
    GtkWidget *values, *editor, *complaints, *plot, *plot_choice, *tool_choice;
    GtkTextBuffer *buffer;
    guint check_later; ///< timer of the editor; 0: none
    double *series;    ///< time and value of each frame that is plotted
    size_t series_count, series_room;
    uint32_t series_frame;

    int tool;         ///< TOOL_...
    bool acting;      ///< a tool is at work
    double depth;     ///< of what is dragged, along the view axis, m
    double brush;     ///< its radius, spacings
    double hot, cold; ///< degrees Celsius
    double start_x, start_y;
    PxVec3 brushed; ///< where the brush last was
    bool by_key;    ///< the tool was put to work by the keyboard, at key_x and key_y
    double key_x, key_y;
    GtkWidget *shape_choice, *material_choice, *rigid_check; ///< of what is placed
    double place_size;                                       ///< spacings
    GPtrArray *before; ///< texts of the scene before each body that was placed

    double drag_x, drag_y; ///< last offset of a drag
    int pictures;          ///< drawn since `counted`
    double counted, rate;  ///< s; pictures a second
} Window;

/// ---- window.c
/// Opens a scene or folder, or shows the reason why not; what was open stays open then.
void window_open(Window *w, const char *path);
/// The same for a text that is a scene; `path` is where it was read from.
void window_open_text(Window *w, const char *path, const char *text);
/// Opens the dialog for a scene or, with `folder`, a result folder.
void window_choose(Window *w, bool folder);
/// Shows a message above the picture; NULL or "": none.
void window_say(Window *w, const char *text);
/// Opens the dialog for a volume that x-rays pass through, or takes that away.
void window_choose_volume(Window *w);
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

/// ---- mouse.c: orbit, pan, zoom, tools
void mouse_attach(Window *w);

/// ---- tools.c: hands in the picture
enum {
    TOOL_LOOK,
    TOOL_DRAG,
    TOOL_HEAT,
    TOOL_COOL,
    TOOL_PUSH,
    TOOL_POUR,
    TOOL_BODY,
    TOOL_EMITTER,
    TOOLS
};
GtkWidget *panel_tools(Window *w);
/// A button was pressed, moved or released over the picture, in pixels of the widget. Pressing is
/// false if there is nothing to act on: then the camera turns.
bool tool_press(Window *w, double x, double y);
void tool_move(Window *w, double x, double y);
void tool_release(Window *w);
/// The keyboard instead of the mouse: puts the tool to work at the middle of the picture, or ends
/// that; moves it by pixels while it works, and is false else.
void tool_toggle(Window *w);
bool tool_shift(Window *w, double x, double y);
/// Undoes what was last done by hand, or the last body that was placed.
void tool_undo(Window *w);
/// Fills the choice of materials for what is open.
void panel_tools_fill(Window *w);

/// ---- panel_values.c: sliders of live values
GtkWidget *panel_values(Window *w);
/// Fills the panel for what is open.
void panel_values_fill(Window *w);

/// ---- panel_text.c: the text of the scene
GtkWidget *panel_text(Window *w);
void panel_text_fill(Window *w);
/// Records what was done so far to a run folder, or stops recording.
void window_record(Window *w);
/// Shows the progress of a recording.
void window_record_status(Window *w);
/// Saves the scene with what was done by hand.
void window_save(Window *w);

/// ---- panel_plot.c: statistics over time
GtkWidget *panel_plot(Window *w);
void panel_plot_take(Window *w);
void panel_plot_clear(Window *w);

/// ---- keys.c
void keys_attach(Window *w);
void keys_show(Window *w);

#endif
