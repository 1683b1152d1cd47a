/// Keyboard shortcuts, and the list of them that F1 shows.
#include "window_parts.h"

typedef struct Key {
    const char *trigger; /* as GTK parses it */
    const char *shown, *help;
    void (*act)(Window *w);
} Key;

static void quit(Window *w)
{
    gtk_window_close(GTK_WINDOW(w->window));
}

static void step(Window *w)
{
    if (w->player != NULL)
        player_step(w->player);
}

static void restart(Window *w)
{
    if (w->player != NULL)
        player_restart(w->player);
}

static void seek(Window *w, int by)
{
    if (w->player == NULL)
        return;
    PlayerStatus s = player_status(w->player);
    int64_t to = (int64_t)s.frame + by;
    player_seek(w->player, to < s.first ? s.first : to > s.last ? s.last : (uint32_t)to);
}

static void back(Window *w)
{
    seek(w, -1);
}

static void forth(Window *w)
{
    seek(w, 1);
}

static void turn(Window *w, double yaw, double pitch)
{
    camera_orbit(&w->camera, yaw, pitch);
    window_redraw(w);
}

static void left(Window *w)
{
    if (!tool_shift(w, -8, 0))
        turn(w, -0.1, 0);
}

static void right(Window *w)
{
    if (!tool_shift(w, 8, 0))
        turn(w, 0.1, 0);
}

static void up(Window *w)
{
    if (!tool_shift(w, 0, -8))
        turn(w, 0, 0.1);
}

static void down(Window *w)
{
    if (!tool_shift(w, 0, 8))
        turn(w, 0, -0.1);
}

static void nearer(Window *w)
{
    camera_zoom(&w->camera, 1 / 1.2);
    window_redraw(w);
}

static void farther(Window *w)
{
    camera_zoom(&w->camera, 1.2);
    window_redraw(w);
}

static void cycle(Window *w)
{
    gtk_drop_down_set_selected(GTK_DROP_DOWN(w->show_choice), (w->draw.mode + 1) % DRAW_MODES);
}

static void next_arrows(Window *w)
{
    gtk_drop_down_set_selected(GTK_DROP_DOWN(w->arrow_choice), (w->draw.arrows + 1) % ARROW_KINDS);
}

static void next_colour(Window *w)
{
    GtkDropDown *choice = GTK_DROP_DOWN(w->colour_choice);
    guint count = g_list_model_get_n_items(gtk_drop_down_get_model(choice));
    gtk_drop_down_set_selected(choice, (gtk_drop_down_get_selected(choice) + 1) % MAX(count, 1));
}

static void screenshot(Window *w)
{
    char name[64], text[128];
    GDateTime *now = g_date_time_new_now_local();
    g_snprintf(name, sizeof name, "phyxel-%04d%02d%02d-%02d%02d%02d.png", g_date_time_get_year(now),
               g_date_time_get_month(now), g_date_time_get_day_of_month(now),
               g_date_time_get_hour(now), g_date_time_get_minute(now), g_date_time_get_second(now));
    g_date_time_unref(now);
    if (window_screenshot(w, name)) {
        g_snprintf(text, sizeof text, "The picture is %s", name);
        window_say(w, text);
    }
}

static void open_scene(Window *w)
{
    window_choose(w, false);
}

static void choose_tool(Window *w, int tool)
{
    gtk_drop_down_set_selected(GTK_DROP_DOWN(w->tool_choice), (guint)tool);
}

static void tool_look(Window *w)
{
    choose_tool(w, TOOL_LOOK);
}

static void tool_drag(Window *w)
{
    choose_tool(w, TOOL_DRAG);
}

static void tool_heat(Window *w)
{
    choose_tool(w, TOOL_HEAT);
}

static void tool_cool(Window *w)
{
    choose_tool(w, TOOL_COOL);
}

static void tool_push(Window *w)
{
    choose_tool(w, TOOL_PUSH);
}

static void tool_pour(Window *w)
{
    choose_tool(w, TOOL_POUR);
}

static void tool_body(Window *w)
{
    choose_tool(w, TOOL_BODY);
}

static void tool_emitter(Window *w)
{
    choose_tool(w, TOOL_EMITTER);
}

static const Key keys[] = {
    {"space", "Space", "play or pause", window_toggle_play},
    {"period", ".", "one frame on", step},
    {"Home", "Home", "back to the start", restart},
    {"Page_Up", "Page Up", "one frame back", back},
    {"Page_Down", "Page Down", "one frame forth, of those that are there", forth},
    {"f", "F", "fit all into view", window_fit},
    {"plus|equal|KP_Add", "+", "nearer", nearer},
    {"minus|KP_Subtract", "-", "farther", farther},
    {"Left", "Left", "turn to the left", left},
    {"Right", "Right", "turn to the right", right},
    {"Up", "Up", "turn up", up},
    {"Down", "Down", "turn down", down},
    {"x", "X", "next way to show: surfaces, particles, x-ray", cycle},
    {"c", "C", "next column as colour", next_colour},
    {"a", "A", "next arrows: velocity, principal stress, forces on walls, none", next_arrows},
    {"F12|<Control>p", "F12", "save the picture as a PNG file here", screenshot},
    {"1", "1", "the mouse turns the scene", tool_look},
    {"2", "2", "the mouse drags solids and rigid bodies", tool_drag},
    {"3", "3", "the mouse heats", tool_heat},
    {"4", "4", "the mouse cools", tool_cool},
    {"5", "5", "the mouse pushes liquids, solids and cloth", tool_push},
    {"6", "6", "the mouse pours", tool_pour},
    {"7", "7", "the mouse places a body", tool_body},
    {"8", "8", "the mouse places an emitter", tool_emitter},
    {"e|Return|KP_Enter", "E, Enter",
     "use the tool at the middle of the picture, or end that; arrows move it", tool_toggle},
    {"<Control>z", "Ctrl+Z", "undo what was last done by hand", tool_undo},
    {"<Control>s", "Ctrl+S", "save the scene with all that was done", window_save},
    {"<Control>r", "Ctrl+R", "record what was done to a run folder with a film, or stop",
     window_record},
    {"<Control>e", "Ctrl+E", "lay x-rays over a CT volume, or take it away", window_choose_volume},
    {"<Control>o", "Ctrl+O", "open a scene", open_scene},
    {"F1", "F1", "this list", keys_show},
    {"<Control>q", "Ctrl+Q", "close", quit},
};

static gboolean pressed(GtkWidget *unused, GVariant *which, gpointer user)
{
    (void)unused;
    keys[g_variant_get_uint32(which)].act(user);
    return TRUE;
}

void keys_attach(Window *w)
{
    GtkEventController *controller = gtk_shortcut_controller_new();
    for (guint k = 0; k < G_N_ELEMENTS(keys); ++k) {
        GtkShortcut *shortcut = gtk_shortcut_new(gtk_shortcut_trigger_parse_string(keys[k].trigger),
                                                 gtk_callback_action_new(pressed, w, NULL));
        gtk_shortcut_set_arguments(shortcut, g_variant_new_uint32(k));
        gtk_shortcut_controller_add_shortcut(GTK_SHORTCUT_CONTROLLER(controller), shortcut);
    }
    gtk_widget_add_controller(w->window, controller);
}

void keys_show(Window *w)
{
    GtkWidget *dialog = gtk_window_new();
    GtkWidget *grid = gtk_grid_new();
    gtk_window_set_title(GTK_WINDOW(dialog), "Keys and mouse");
    gtk_window_set_transient_for(GTK_WINDOW(dialog), GTK_WINDOW(w->window));
    gtk_grid_set_column_spacing(GTK_GRID(grid), 18);
    gtk_grid_set_row_spacing(GTK_GRID(grid), 4);
    gtk_widget_set_margin_start(grid, 16);
    gtk_widget_set_margin_end(grid, 16);
    gtk_widget_set_margin_top(grid, 12);
    gtk_widget_set_margin_bottom(grid, 12);
    static const char *const mouse[][2] = {
        {"drag", "turn around the scene"},
        {"Shift+drag, middle button", "move the scene"},
        {"Ctrl+drag, right button, wheel", "nearer or farther"},
    };
    int row = 0;
    for (guint k = 0; k < G_N_ELEMENTS(keys) + G_N_ELEMENTS(mouse); ++k, ++row) {
        bool key = k < G_N_ELEMENTS(keys);
        guint m = key ? 0 : k - (guint)G_N_ELEMENTS(keys);
        GtkWidget *name = gtk_label_new(key ? keys[k].shown : mouse[m][0]);
        GtkWidget *help = gtk_label_new(key ? keys[k].help : mouse[m][1]);
        gtk_label_set_xalign(GTK_LABEL(name), 0);
        gtk_label_set_xalign(GTK_LABEL(help), 0);
        gtk_widget_add_css_class(name, "heading");
        gtk_grid_attach(GTK_GRID(grid), name, 0, row, 1, 1);
        gtk_grid_attach(GTK_GRID(grid), help, 1, row, 1, 1);
    }
    gtk_window_set_child(GTK_WINDOW(dialog), grid);
    GtkEventController *escape = gtk_shortcut_controller_new();
    gtk_shortcut_controller_add_shortcut(
        GTK_SHORTCUT_CONTROLLER(escape),
        gtk_shortcut_new(gtk_shortcut_trigger_parse_string("Escape|F1"),
                         gtk_named_action_new("window.close")));
    gtk_widget_add_controller(dialog, escape);
    gtk_window_present(GTK_WINDOW(dialog));
}
