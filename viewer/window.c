#include "window_parts.h"

#include "legend.h"
#include "offscreen.h"
#include "over.h"

#include <epoxy/gl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- messages ---- */

void window_say(Window *w, const char *text)
{
    bool any = text != NULL && text[0] != '\0';
    gtk_label_set_text(GTK_LABEL(w->message), any ? text : "");
    gtk_widget_set_visible(w->message_bar, any);
}

static void close_message(GtkButton *unused, Window *w)
{
    (void)unused;
    window_say(w, NULL);
}

void window_redraw(Window *w)
{
    gtk_gl_area_queue_render(GTK_GL_AREA(w->area));
}

/* ---- opening ---- */

/* All complaints of a scene as text. */
static char *complaints(const PxScene *scene)
{
    GString *text = g_string_new(NULL);
    size_t count = px_scene_complaint_count(scene);
    for (size_t k = 0; k < count && k < 12; ++k) {
        const PxComplaint *c = px_scene_complaint(scene, k);
        g_string_append_printf(text, "%s%d:%d: %s%s%s", k > 0 ? "\n" : "", c->line, c->column,
                               c->place, c->place[0] != '\0' ? ": " : "", c->text);
    }
    if (count > 12)
        g_string_append_printf(text, "\n... and %zu more", count - 12);
    return g_string_free(text, FALSE);
}

static double aspect_of(Window *w)
{
    double width = gtk_widget_get_width(w->area), height = gtk_widget_get_height(w->area);
    return width > 0 && height > 0 ? width / height : 4.0 / 3;
}

static void place_camera(Window *w)
{
    PxSceneCamera from;
    const PxScene *scene = player_scene(w->player);
    if (w->def->stated_camera)
        from = w->def->camera;
    else if (px_display_camera(player_display(w->player), aspect_of(w), &from) != PX_OK)
        return;
    w->camera = camera_from(&from, px_scene_up(scene));
    w->camera_known = true;
}

static void show_title(Window *w)
{
    char *base = w->path != NULL ? g_path_get_basename(w->path) : NULL;
    char *title = base != NULL ? g_strdup_printf("%s - phyxel", base) : g_strdup("phyxel");
    gtk_window_set_title(GTK_WINDOW(w->window), title);
    g_free(base);
    g_free(title);
}

/* Shows why a scene cannot be opened. */
static void refuse(Window *w, const char *path, PxScene *scene)
{
    char *reason = g_strdup(px_error_message());
    char *all = scene != NULL ? complaints(scene) : NULL;
    char *text = g_strdup_printf("%s cannot be opened:\n%s", path,
                                 all != NULL && all[0] != '\0' ? all : reason);
    window_say(w, text);
    g_free(text);
    g_free(all);
    g_free(reason);
    px_scene_free(scene);
}

/* Starts with a scene, which it takes over. */
static void start(Window *w, const char *path, PxScene *scene, bool folder, char *text)
{
    Player *player = player_open(scene, folder ? path : NULL, w->def->threads);
    if (player == NULL) {
        refuse(w, path, NULL);
        g_free(text);
        return;
    }
    bool again = w->path != NULL && strcmp(w->path, path) == 0;
    if (!again)
        g_ptr_array_set_size(w->before, 0);
    player_close(w->player);
    w->player = player;
    w->shot = NULL;
    w->folder = folder;
    w->acting = w->by_key = false;
    char *copy = g_strdup(path);
    g_free(w->path);
    w->path = copy;
    g_free(w->text);
    w->text = text;
    window_say(w, NULL);
    show_title(w);
    if (!again || !w->camera_known)
        place_camera(w);
    panel_view_columns(w);
    player_arrows(w->player, w->draw.arrows);
    panel_tools_fill(w);
    panel_values_fill(w);
    panel_text_fill(w);
    panel_plot_clear(w);
    if (w->def->play)
        player_play(w->player, true);
    window_redraw(w);
}

void window_open_text(Window *w, const char *path, const char *text)
{
    PxScene *scene = NULL;
    char *folder = g_path_get_dirname(path), *copy = g_strdup(text);
    PxStatus status = px_scene_read_text(path, folder, text, strlen(text), &scene);
    for (const char *const *set = w->def->sets; status == PX_OK && set != NULL && *set != NULL;
         ++set) {
        char **part = g_strsplit(*set, "=", 2);
        if (part[1] != NULL)
            status = px_scene_set(scene, part[0], part[1]);
        g_strfreev(part);
    }
    g_free(folder);
    if (status == PX_OK) {
        start(w, path, scene, false, copy);
        return;
    }
    refuse(w, path, scene);
    if (w->player == NULL) { /* the text can be mended here */
        g_free(w->text);
        w->text = copy;
        g_free(w->path);
        w->path = g_strdup(path);
        show_title(w);
        panel_text_fill(w);
    } else {
        g_free(copy);
    }
}

void window_open(Window *w, const char *path)
{
    struct stat info;
    char *text = NULL;
    GError *error = NULL;
    char *full = g_canonicalize_filename(path, NULL);
    if (stat(full, &info) == 0 && S_ISDIR(info.st_mode)) {
        PxScene *scene = NULL;
        if (px_run_scene(full, &scene) == PX_OK)
            start(w, full, scene, true, NULL);
        else
            refuse(w, full, scene);
    } else if (g_file_get_contents(full, &text, NULL, &error)) {
        window_open_text(w, full, text);
        g_free(text);
    } else {
        window_say(w, error->message);
        g_error_free(error);
    }
    g_free(full);
}

static void file_chosen(GtkNativeDialog *dialog, int response, Window *w)
{
    if (response == GTK_RESPONSE_ACCEPT) {
        GFile *file = gtk_file_chooser_get_file(GTK_FILE_CHOOSER(dialog));
        char *path = g_file_get_path(file);
        if (path != NULL)
            window_open(w, path);
        g_free(path);
        g_object_unref(file);
    }
    g_object_unref(dialog);
}

void window_choose(Window *w, bool folder)
{
    GtkFileChooserNative *dialog = gtk_file_chooser_native_new(
        folder ? "Open a result folder" : "Open a scene", GTK_WINDOW(w->window),
        folder ? GTK_FILE_CHOOSER_ACTION_SELECT_FOLDER : GTK_FILE_CHOOSER_ACTION_OPEN, "_Open",
        "_Cancel");
    gtk_native_dialog_set_modal(GTK_NATIVE_DIALOG(dialog), TRUE);
    g_signal_connect(dialog, "response", G_CALLBACK(file_chosen), w);
    gtk_native_dialog_show(GTK_NATIVE_DIALOG(dialog));
}

static void volume_chosen(GtkNativeDialog *dialog, int response, Window *w)
{
    if (response == GTK_RESPONSE_ACCEPT) {
        GFile *file = gtk_file_chooser_get_file(GTK_FILE_CHOOSER(dialog));
        char *path = g_file_get_path(file);
        if (path == NULL || !over_read(path, &w->volume)) {
            window_say(w, path != NULL ? px_error_message() : "wanted a file");
        } else {
            w->draw.over = &w->volume;
            gtk_drop_down_set_selected(GTK_DROP_DOWN(w->show_choice), DRAW_XRAY);
            window_redraw(w);
        }
        g_free(path);
        g_object_unref(file);
    }
    g_object_unref(dialog);
}

void window_choose_volume(Window *w)
{
    if (w->recorder != NULL && record_status(w->recorder).running) {
        window_say(w, "The film that is being recorded shows the volume: end it first (Ctrl+R)");
        return;
    }
    if (w->draw.over != NULL) {
        w->draw.over = NULL;
        px_volume_samples_free(&w->volume);
        window_redraw(w);
        return;
    }
    GtkFileChooserNative *dialog = gtk_file_chooser_native_new(
        "Open a volume of Hounsfield units (NRRD)", GTK_WINDOW(w->window),
        GTK_FILE_CHOOSER_ACTION_OPEN, "_Open", "_Cancel");
    gtk_native_dialog_set_modal(GTK_NATIVE_DIALOG(dialog), TRUE);
    g_signal_connect(dialog, "response", G_CALLBACK(volume_chosen), w);
    gtk_native_dialog_show(GTK_NATIVE_DIALOG(dialog));
}

static void open_scene(GtkButton *unused, Window *w)
{
    (void)unused;
    window_choose(w, false);
}

static void open_folder(GtkButton *unused, Window *w)
{
    (void)unused;
    window_choose(w, true);
}

/* ---- playing ---- */

void window_toggle_play(Window *w)
{
    if (w->player != NULL)
        player_play(w->player, !player_status(w->player).playing);
}

static void play_clicked(GtkButton *unused, Window *w)
{
    (void)unused;
    window_toggle_play(w);
}

static void step_clicked(GtkButton *unused, Window *w)
{
    (void)unused;
    if (w->player != NULL)
        player_step(w->player);
}

static void restart_clicked(GtkButton *unused, Window *w)
{
    (void)unused;
    if (w->player != NULL)
        player_restart(w->player);
}

static void slid(GtkRange *range, Window *w)
{
    if (w->player != NULL)
        player_seek(w->player, (uint32_t)lrint(gtk_range_get_value(range)));
}

void window_fit(Window *w)
{
    if (w->player == NULL)
        return;
    PxVec3 low, high;
    if (px_display_bounds(player_display(w->player), &low, &high) != PX_OK)
        return;
    if (w->shot != NULL && w->shot->particles > 0) {
        const float(*b)[3] = w->shot->bounds;
        low = (PxVec3){(double)b[0][0], (double)b[0][1], (double)b[0][2]};
        high = (PxVec3){(double)b[1][0], (double)b[1][1], (double)b[1][2]};
    }
    camera_fit(&w->camera, low, high, aspect_of(w));
    window_redraw(w);
}

/* ---- drawing ---- */

static double seconds(void)
{
    return 1e-6 * (double)g_get_monotonic_time();
}

static void realized(GtkGLArea *area, Window *w)
{
    char error[1024] = "";
    gtk_gl_area_make_current(area);
    if (gtk_gl_area_get_error(area) != NULL) {
        char *text =
            g_strdup_printf("OpenGL 3.3 cannot be used: %s", gtk_gl_area_get_error(area)->message);
        window_say(w, text);
        g_free(text);
        return;
    }
    w->renderer = draw_create(error, sizeof error);
    w->fresh = true;
    if (w->renderer == NULL)
        window_say(w, error);
}

static void unrealized(GtkGLArea *area, Window *w)
{
    gtk_gl_area_make_current(area);
    if (gtk_gl_area_get_error(area) == NULL)
        draw_free(w->renderer);
    w->renderer = NULL;
}

static gboolean render(GtkGLArea *area, GdkGLContext *unused, Window *w)
{
    (void)unused;
    int scale = gtk_widget_get_scale_factor(GTK_WIDGET(area));
    int width = gtk_widget_get_width(GTK_WIDGET(area)) * scale;
    int height = gtk_widget_get_height(GTK_WIDGET(area)) * scale;
    if (w->renderer == NULL || w->player == NULL || !w->camera_known) {
        glClearColor(0.2f, 0.2f, 0.22f, 1);
        glClear(GL_COLOR_BUFFER_BIT);
        return TRUE;
    }
    draw_shot(w->renderer, player_display(w->player), w->shot, w->fresh, &w->camera, &w->draw,
              width, height);
    w->fresh = false;
    ++w->pictures;
    return TRUE;
}

static void draw_legend(GtkDrawingArea *unused, cairo_t *cr, int width, int height, gpointer user)
{
    (void)unused;
    (void)width;
    Window *w = user;
    legend_draw(cr, height, w->shot, &w->draw);
}

bool window_screenshot(Window *w, const char *file)
{
    char error[1024] = "";
    int width = gtk_widget_get_width(w->area), height = gtk_widget_get_height(w->area);
    if (w->renderer == NULL || w->player == NULL || w->shot == NULL)
        return false;
    gtk_gl_area_make_current(GTK_GL_AREA(w->area));
    GLuint framebuffer, colour;
    uint8_t *pixels = malloc((size_t)width * (size_t)height * 16 + 1);
    glGenFramebuffers(1, &framebuffer);
    glGenRenderbuffers(1, &colour);
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
    glBindRenderbuffer(GL_RENDERBUFFER, colour);
    glRenderbufferStorage(GL_RENDERBUFFER, GL_RGBA8, 2 * width, 2 * height);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, colour);
    bool good =
        pixels != NULL && glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE;
    if (good) {
        draw_shot(w->renderer, player_display(w->player), w->shot, w->fresh, &w->camera, &w->draw,
                  2 * width, 2 * height);
        w->fresh = false;
        picture_read(pixels, 2 * width, 2 * height);
        picture_halve(pixels, 2 * width, 2 * height);
        legend_on_picture(pixels, width, height, w->shot, &w->draw);
        good = picture_write(file, pixels, width, height, error, sizeof error);
    }
    glDeleteFramebuffers(1, &framebuffer);
    glDeleteRenderbuffers(1, &colour);
    free(pixels);
    if (!good)
        window_say(w, error[0] != '\0' ? error : "There is no room for the picture");
    gtk_gl_area_attach_buffers(GTK_GL_AREA(w->area));
    window_redraw(w);
    return good;
}

/* "15 361" */
static const char *grouped(char out[32], uint64_t n)
{
    char digits[24];
    int length = g_snprintf(digits, sizeof digits, "%" G_GUINT64_FORMAT, n), to = 0;
    for (int k = 0; k < length; ++k) {
        if (k > 0 && (length - k) % 3 == 0)
            out[to++] = ' ';
        out[to++] = digits[k];
    }
    out[to] = '\0';
    return out;
}

static void show_status(Window *w)
{
    PlayerStatus s = player_status(w->player);
    char count[32];
    GString *text = g_string_new(NULL);
    g_string_printf(text, "%.3f s   %s particles   %.0f pictures/s",
                    w->shot != NULL ? w->shot->time : 0,
                    grouped(count, w->shot != NULL ? w->shot->particles : 0), w->rate);
    if (s.live && s.ratio > 0) {
        g_string_append_printf(text, "   %.0f steps/s   %.2f of real time", s.steps, s.ratio);
        if (s.playing && s.ratio < 0.95)
            g_string_append(text, " (this machine is too slow: time is slowed down)");
    }
    if (s.live && !s.playing && s.last >= s.total)
        g_string_append(text, "   the end of the scene");
    if (w->recorder != NULL) /* whatever panel is open */
        g_string_append_printf(text, "   %s", gtk_label_get_text(GTK_LABEL(w->record_label)));
    gtk_label_set_text(GTK_LABEL(w->status), text->str);
    g_string_printf(text, "frame %u / %u", s.frame, s.total);
    gtk_label_set_text(GTK_LABEL(w->frame_label), text->str);
    g_string_free(text, TRUE);
    if (s.message[0] != '\0') /* a failure, or something by hand that was refused */
        window_say(w, s.message);
    if (s.playing != w->playing) {
        w->playing = s.playing;
        gtk_button_set_icon_name(GTK_BUTTON(w->play), s.playing ? "media-playback-pause-symbolic"
                                                                : "media-playback-start-symbolic");
        control_name(w->play, s.playing ? "Pause" : "Play");
    }
    g_signal_handler_block(w->slider, w->slider_signal);
    gtk_range_set_range(GTK_RANGE(w->slider), s.first, s.last > s.first ? s.last : s.first + 1);
    gtk_range_set_value(GTK_RANGE(w->slider), s.frame);
    gtk_widget_set_sensitive(w->slider, s.last > s.first);
    g_signal_handler_unblock(w->slider, w->slider_signal);
}

static gboolean tick(GtkWidget *unused, GdkFrameClock *clock, gpointer user)
{
    (void)unused;
    (void)clock;
    Window *w = user;
    double now = seconds();
    if (w->player == NULL)
        return G_SOURCE_CONTINUE;
    bool fresh = false;
    w->shot = player_shot(w->player, &fresh);
    if (fresh) {
        w->fresh = true;
        window_redraw(w);
        gtk_widget_queue_draw(w->legend);
        panel_plot_take(w);
    }
    if (now - w->counted >= 1) {
        w->rate = w->pictures / (now - w->counted);
        w->pictures = 0;
        w->counted = now;
        window_record_status(w);
    } else if (!fresh) {
        return G_SOURCE_CONTINUE;
    }
    show_status(w);
    return G_SOURCE_CONTINUE;
}

/* ---- remembered from window to window ---- */

static char *settings_path(void)
{
    return g_build_filename(g_get_user_config_dir(), "phyxel", "view.ini", NULL);
}

static void restore_size(Window *w)
{
    GKeyFile *file = g_key_file_new();
    char *path = settings_path();
    int width = 0, height = 0;
    if (g_key_file_load_from_file(file, path, G_KEY_FILE_NONE, NULL)) {
        width = g_key_file_get_integer(file, "window", "width", NULL);
        height = g_key_file_get_integer(file, "window", "height", NULL);
    }
    if (width < 300 || height < 200 || width > 16384 || height > 16384)
        width = 1180, height = 760;
    gtk_window_set_default_size(GTK_WINDOW(w->window), width, height);
    g_free(path);
    g_key_file_free(file);
}

static void remember_size(Window *w)
{
    GKeyFile *file = g_key_file_new();
    char *path = settings_path(), *folder = g_path_get_dirname(path);
    int width = 0, height = 0;
    gtk_window_get_default_size(GTK_WINDOW(w->window), &width, &height);
    g_key_file_set_integer(file, "window", "width", width);
    g_key_file_set_integer(file, "window", "height", height);
    if (g_mkdir_with_parents(folder, 0755) == 0)
        g_key_file_save_to_file(file, path, NULL); /* a size that is lost is no failure */
    g_free(folder);
    g_free(path);
    g_key_file_free(file);
}

static gboolean closing(GtkWindow *unused, Window *w)
{
    (void)unused;
    if (w->check_later != 0)
        g_source_remove(w->check_later);
    w->check_later = 0;
    remember_size(w);
    return FALSE;
}

/* ---- making ---- */

static GtkWidget *make_picture(Window *w)
{
    GtkWidget *overlay = gtk_overlay_new();
    w->area = gtk_gl_area_new();
    gtk_gl_area_set_required_version(GTK_GL_AREA(w->area), 3, 3);
    gtk_gl_area_set_auto_render(GTK_GL_AREA(w->area), FALSE);
    gtk_widget_set_hexpand(w->area, TRUE);
    gtk_widget_set_vexpand(w->area, TRUE);
    gtk_widget_set_focusable(w->area, TRUE);
    gtk_widget_set_size_request(w->area, 200, 150);
    control_name(w->area, "Picture of the scene");
    g_signal_connect(w->area, "realize", G_CALLBACK(realized), w);
    g_signal_connect(w->area, "unrealize", G_CALLBACK(unrealized), w);
    g_signal_connect(w->area, "render", G_CALLBACK(render), w);
    gtk_widget_add_tick_callback(w->area, tick, w, NULL);
    gtk_overlay_set_child(GTK_OVERLAY(overlay), w->area);
    w->legend = gtk_drawing_area_new();
    gtk_widget_set_can_target(w->legend, FALSE);
    control_name(w->legend, "Legend");
    gtk_drawing_area_set_draw_func(GTK_DRAWING_AREA(w->legend), draw_legend, w, NULL);
    gtk_overlay_add_overlay(GTK_OVERLAY(overlay), w->legend);
    w->message_bar = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 6);
    gtk_widget_add_css_class(w->message_bar, "message");
    gtk_widget_set_valign(w->message_bar, GTK_ALIGN_START);
    w->message = gtk_label_new("");
    gtk_label_set_wrap(GTK_LABEL(w->message), TRUE);
    gtk_label_set_selectable(GTK_LABEL(w->message), TRUE);
    gtk_label_set_xalign(GTK_LABEL(w->message), 0);
    gtk_widget_set_hexpand(w->message, TRUE);
    control_name(w->message, "Message");
    gtk_box_append(GTK_BOX(w->message_bar), w->message);
    gtk_box_append(GTK_BOX(w->message_bar), control_button("window-close-symbolic", "Close message",
                                                           G_CALLBACK(close_message), w));
    gtk_widget_set_visible(w->message_bar, FALSE);
    gtk_overlay_add_overlay(GTK_OVERLAY(overlay), w->message_bar);
    return overlay;
}

static GtkWidget *make_transport(Window *w)
{
    GtkWidget *box = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 4);
    gtk_widget_set_margin_start(box, 6);
    gtk_widget_set_margin_end(box, 6);
    w->restart = control_button("media-skip-backward-symbolic", "Back to the start (Home)",
                                G_CALLBACK(restart_clicked), w);
    w->play = control_button("media-playback-start-symbolic", "Play", G_CALLBACK(play_clicked), w);
    gtk_widget_set_tooltip_text(w->play, "Play or pause (Space)");
    w->step = control_button("media-seek-forward-symbolic", "One frame on (.)",
                             G_CALLBACK(step_clicked), w);
    w->slider = gtk_scale_new_with_range(GTK_ORIENTATION_HORIZONTAL, 0, 1, 1);
    gtk_scale_set_draw_value(GTK_SCALE(w->slider), FALSE);
    gtk_widget_set_hexpand(w->slider, TRUE);
    control_name(w->slider, "Frame");
    w->slider_signal = g_signal_connect(w->slider, "value-changed", G_CALLBACK(slid), w);
    w->frame_label = gtk_label_new("");
    gtk_widget_add_css_class(w->frame_label, "numeric");
    GtkWidget *parts[] = {w->restart, w->play, w->step, w->slider, w->frame_label};
    for (size_t k = 0; k < G_N_ELEMENTS(parts); ++k)
        gtk_box_append(GTK_BOX(box), parts[k]);
    return box;
}

static void add_style(void)
{
    GtkCssProvider *css = gtk_css_provider_new();
    gtk_css_provider_load_from_data(css,
                                    ".message { background: #7a2318; color: white; padding: 8px; "
                                    "margin: 10px; border-radius: 6px; }\n"
                                    ".status { font-size: smaller; padding: 2px 8px; }\n"
                                    "notebook tab { padding: 4px 8px; min-width: 0; }\n",
                                    -1);
    gtk_style_context_add_provider_for_display(gdk_display_get_default(), GTK_STYLE_PROVIDER(css),
                                               GTK_STYLE_PROVIDER_PRIORITY_APPLICATION);
    g_object_unref(css);
}

/* A page of the panels, which scrolls if the window is low. */
static void add_page(Window *w, GtkWidget *page, const char *name)
{
    GtkWidget *scroll = gtk_scrolled_window_new();
    gtk_scrolled_window_set_policy(GTK_SCROLLED_WINDOW(scroll), GTK_POLICY_NEVER,
                                   GTK_POLICY_AUTOMATIC);
    gtk_scrolled_window_set_child(GTK_SCROLLED_WINDOW(scroll), page);
    gtk_notebook_append_page(GTK_NOTEBOOK(w->side), scroll, gtk_label_new(name));
}

static void activate(GtkApplication *application, Window *w)
{
    add_style();
    w->window = gtk_application_window_new(application);
    gtk_window_set_icon_name(GTK_WINDOW(w->window), "phyxel");
    g_signal_connect(w->window, "close-request", G_CALLBACK(closing), w);
    GtkWidget *bar = gtk_header_bar_new();
    gtk_header_bar_pack_start(GTK_HEADER_BAR(bar),
                              control_button("document-open-symbolic", "Open a scene (Ctrl+O)",
                                             G_CALLBACK(open_scene), w));
    gtk_header_bar_pack_start(
        GTK_HEADER_BAR(bar),
        control_button("folder-open-symbolic", "Open a result folder", G_CALLBACK(open_folder), w));
    gtk_window_set_titlebar(GTK_WINDOW(w->window), bar);
    w->side = gtk_notebook_new();
    gtk_notebook_set_scrollable(GTK_NOTEBOOK(w->side), TRUE);
    control_name(w->side, "Panels");
    gtk_widget_set_size_request(w->side, 320, -1);
    GtkWidget *picture = make_picture(w);
    add_page(w, panel_view(w), "View");
    add_page(w, panel_tools(w), "Hands");
    add_page(w, panel_values(w), "Values");
    add_page(w, panel_text(w), "Scene");
    add_page(w, panel_plot(w), "Plot");
    GtkWidget *paned = gtk_paned_new(GTK_ORIENTATION_HORIZONTAL);
    gtk_paned_set_start_child(GTK_PANED(paned), picture);
    gtk_paned_set_end_child(GTK_PANED(paned), w->side);
    gtk_paned_set_resize_end_child(GTK_PANED(paned), FALSE);
    gtk_paned_set_shrink_end_child(GTK_PANED(paned), FALSE);
    gtk_widget_set_vexpand(paned, TRUE);
    GtkWidget *all = gtk_box_new(GTK_ORIENTATION_VERTICAL, 2);
    w->status = gtk_label_new("");
    gtk_label_set_xalign(GTK_LABEL(w->status), 0);
    gtk_label_set_ellipsize(GTK_LABEL(w->status), PANGO_ELLIPSIZE_END);
    gtk_widget_add_css_class(w->status, "status");
    control_name(w->status, "Status");
    gtk_box_append(GTK_BOX(all), paned);
    gtk_box_append(GTK_BOX(all), make_transport(w));
    gtk_box_append(GTK_BOX(all), w->status);
    gtk_window_set_child(GTK_WINDOW(w->window), all);
    mouse_attach(w);
    keys_attach(w);
    restore_size(w);
    show_title(w);
    if (w->draw.dark)
        g_object_set(gtk_settings_get_default(), "gtk-application-prefer-dark-theme", TRUE, NULL);
    gtk_window_present(GTK_WINDOW(w->window));
    gtk_widget_grab_focus(w->area);
    if (w->def->path != NULL)
        window_open(w, w->def->path);
}

bool window_possible(void)
{
    return gtk_init_check();
}

int window_run(const WindowDef *def)
{
    Window w = {.def = def, .draw = def->draw, .brush = 3, .hot = 90, .cold = -20, .place_size = 6};
    w.before = g_ptr_array_new_with_free_func(g_free);
    w.application = gtk_application_new(NULL, G_APPLICATION_NON_UNIQUE);
    g_signal_connect(w.application, "activate", G_CALLBACK(activate), &w);
    int status = g_application_run(G_APPLICATION(w.application), 0, NULL);
    g_object_unref(w.application);
    record_close(w.recorder);
    player_close(w.player);
    g_free(w.path);
    g_free(w.text);
    g_free(w.series);
    g_ptr_array_unref(w.before);
    px_volume_samples_free(&w.volume);
    return status;
}
