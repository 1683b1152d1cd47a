/// The panel "Scene": the scene's text, with complaints marked in place as `phyxel check` words
/// them.
#include "window_parts.h"

#include <stdlib.h>
#include <string.h>

static char *text_of(Window *w)
{
    GtkTextIter start, end;
    gtk_text_buffer_get_bounds(w->buffer, &start, &end);
    return gtk_text_buffer_get_text(w->buffer, &start, &end, FALSE);
}

static void mark(Window *w, const PxComplaint *c)
{
    GtkTextIter from, to;
    if (c->line < 1 || !gtk_text_buffer_get_iter_at_line(w->buffer, &from, c->line - 1))
        return;
    for (int k = 1; k < c->column && !gtk_text_iter_ends_line(&from); ++k)
        gtk_text_iter_forward_char(&from);
    to = from;
    if (gtk_text_iter_ends_line(&to))
        gtk_text_iter_backward_char(&from);
    else
        gtk_text_iter_forward_to_line_end(&to);
    gtk_text_buffer_apply_tag_by_name(w->buffer, c->severity == PX_ERROR ? "error" : "warning",
                                      &from, &to);
}

static gboolean check(gpointer user)
{
    Window *w = user;
    GtkTextIter start, end;
    w->check_later = 0;
    gtk_text_buffer_get_bounds(w->buffer, &start, &end);
    gtk_text_buffer_remove_all_tags(w->buffer, &start, &end);
    char *text = text_of(w);
    if (text[0] == '\0') {
        gtk_label_set_text(GTK_LABEL(w->complaints), "");
        g_free(text);
        return G_SOURCE_REMOVE;
    }
    char *folder = w->path != NULL ? g_path_get_dirname(w->path) : NULL;
    PxScene *scene = NULL;
    if (px_scene_read_text("scene", folder, text, strlen(text), &scene) == PX_OK)
        px_scene_check(scene);
    GString *all = g_string_new(NULL);
    size_t count = px_scene_complaint_count(scene);
    for (size_t k = 0; k < count; ++k) {
        const PxComplaint *c = px_scene_complaint(scene, k);
        mark(w, c);
        if (k == 0 && c->line > 0 &&
            gtk_text_buffer_get_iter_at_line(w->buffer, &start, c->line - 1))
            gtk_text_view_scroll_to_iter(GTK_TEXT_VIEW(w->editor), &start, 0.1, FALSE, 0, 0);
        if (k < 6)
            g_string_append_printf(all, "%s%d:%d: %s%s%s", k > 0 ? "\n" : "", c->line, c->column,
                                   c->place, c->place[0] != '\0' ? ": " : "", c->text);
    }
    gtk_label_set_text(GTK_LABEL(w->complaints), count > 0 ? all->str : "no complaints");
    g_string_free(all, TRUE);
    px_scene_free(scene);
    g_free(folder);
    g_free(text);
    return G_SOURCE_REMOVE;
}

static void changed(GtkTextBuffer *unused, Window *w)
{
    (void)unused;
    if (w->check_later != 0)
        g_source_remove(w->check_later);
    w->check_later = g_timeout_add(400, check, w);
}

void panel_text_fill(Window *w)
{
    gtk_text_buffer_set_text(w->buffer, w->text != NULL ? w->text : "", -1);
    gtk_text_view_set_editable(GTK_TEXT_VIEW(w->editor), w->text != NULL);
}

static void use_clicked(GtkButton *unused, Window *w)
{
    (void)unused;
    if (w->path == NULL || w->folder)
        return;
    char *text = text_of(w);
    window_open_text(w, w->path, text);
    g_free(text);
}

static void saved(GtkNativeDialog *dialog, int response, Window *w)
{
    if (response == GTK_RESPONSE_ACCEPT && w->player != NULL) {
        GFile *file = gtk_file_chooser_get_file(GTK_FILE_CHOOSER(dialog));
        char *path = g_file_get_path(file), *text = text_of(w);
        char *whole = player_scene_text(w->player, text);
        GError *error = NULL;
        if (whole == NULL)
            window_say(w, "The text is no scene: mend it first");
        else if (!g_file_set_contents(path, whole, -1, &error)) {
            window_say(w, error->message);
            g_error_free(error);
        } else {
            char *said = g_strdup_printf("The scene is %s", path);
            window_say(w, said);
            g_free(said);
        }
        free(whole);
        g_free(text);
        g_free(path);
        g_object_unref(file);
    }
    g_object_unref(dialog);
}

void window_save(Window *w)
{
    if (w->player == NULL || w->folder)
        return;
    GtkFileChooserNative *dialog =
        gtk_file_chooser_native_new("Save the scene with all that was done", GTK_WINDOW(w->window),
                                    GTK_FILE_CHOOSER_ACTION_SAVE, "_Save", "_Cancel");
    gtk_native_dialog_set_modal(GTK_NATIVE_DIALOG(dialog), TRUE);
    char *base = g_path_get_basename(w->path);
    gtk_file_chooser_set_current_name(GTK_FILE_CHOOSER(dialog), base);
    g_free(base);
    g_signal_connect(dialog, "response", G_CALLBACK(saved), w);
    gtk_native_dialog_show(GTK_NATIVE_DIALOG(dialog));
}

/* ---- recording ---- */

/* In the recorder's thread: nothing of the window is touched here. */
static bool make_film(void *user, const char *out, FilmFunction *each, void *each_user, char *error,
                      size_t size)
{
    FilmDef *film = user;
    char *file = g_build_filename(out, "film.mp4", NULL);
    char *pictures = g_build_filename(out, "view", NULL);
    film->dir = out;
    film->file = file;
    film->pictures = g_mkdir_with_parents(pictures, 0755) == 0 ? pictures : NULL;
    bool good = film_make(film, each, each_user, error, size);
    g_free(pictures);
    g_free(file);
    return good;
}

/* The film shows what the window shows now; H.264 wants even sizes. */
static void plan_film(Window *w)
{
    int width = gtk_widget_get_width(w->area), height = gtk_widget_get_height(w->area);
    guint colour = gtk_drop_down_get_selected(GTK_DROP_DOWN(w->colour_choice));
    w->film = (FilmDef){.width = MAX(16, width & ~1),
                        .height = MAX(16, height & ~1),
                        .stated_camera = true,
                        .camera = w->camera,
                        .draw = w->draw,
                        .colour = colour > 0 && colour != GTK_INVALID_LIST_POSITION
                                      ? player_columns(w->player)[colour - 1]
                                      : NULL,
                        .threads = w->def->threads};
}

static void record_to(Window *w, const char *out)
{
    char *text = text_of(w), *folder = g_path_get_dirname(w->path);
    char *whole = player_scene_text(w->player, text);
    uint32_t frames = player_status(w->player).last;
    record_close(w->recorder);
    plan_film(w);
    w->recorder = whole != NULL ? record_start(whole, folder, out, frames > 0 ? frames : 1,
                                               w->def->threads, make_film, &w->film)
                                : NULL;
    if (w->recorder == NULL)
        window_say(w, whole != NULL ? px_error_message() : "The text is no scene: mend it first");
    free(whole);
    g_free(folder);
    g_free(text);
    window_record_status(w);
}

static void record_chosen(GtkNativeDialog *dialog, int response, Window *w)
{
    if (response == GTK_RESPONSE_ACCEPT && w->player != NULL) {
        GFile *file = gtk_file_chooser_get_file(GTK_FILE_CHOOSER(dialog));
        char *path = g_file_get_path(file);
        if (path != NULL)
            record_to(w, path);
        g_free(path);
        g_object_unref(file);
    }
    g_object_unref(dialog);
}

void window_record(Window *w)
{
    if (w->player == NULL || w->folder)
        return;
    if (w->recorder != NULL && record_status(w->recorder).running) {
        record_stop(w->recorder);
        gtk_label_set_text(GTK_LABEL(w->record_label), "stopping; the frames so far are kept");
        return;
    }
    GtkFileChooserNative *dialog =
        gtk_file_chooser_native_new("Record to a folder", GTK_WINDOW(w->window),
                                    GTK_FILE_CHOOSER_ACTION_SAVE, "_Record", "_Cancel");
    gtk_native_dialog_set_modal(GTK_NATIVE_DIALOG(dialog), TRUE);
    gtk_file_chooser_set_current_name(GTK_FILE_CHOOSER(dialog), "recording");
    g_signal_connect(dialog, "response", G_CALLBACK(record_chosen), w);
    gtk_native_dialog_show(GTK_NATIVE_DIALOG(dialog));
}

void window_record_status(Window *w)
{
    char text[640];
    if (w->recorder == NULL)
        return;
    RecordStatus s = record_status(w->recorder);
    if (s.filming)
        g_snprintf(text, sizeof text, "filming: %u pictures of %u frames", s.filmed, s.frame + 1);
    else
        g_snprintf(text, sizeof text, "%s %u / %u frames%s%s%s",
                   s.running              ? "recording"
                   : s.message[0] != '\0' ? "failed after"
                                          : "recorded",
                   s.frame, s.frames,
                   !s.running && s.filmed > 0 && s.message[0] == '\0'
                       ? ", with film.mp4 and pictures in view"
                       : "",
                   s.message[0] != '\0' ? ": " : "", s.message);
    gtk_label_set_text(GTK_LABEL(w->record_label), text);
}

static void save_clicked(GtkButton *unused, Window *w)
{
    (void)unused;
    window_save(w);
}

GtkWidget *panel_text(Window *w)
{
    GtkWidget *box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 6);
    GtkWidget *scroll = gtk_scrolled_window_new();
    w->editor = gtk_text_view_new();
    w->buffer = gtk_text_view_get_buffer(GTK_TEXT_VIEW(w->editor));
    gtk_text_view_set_monospace(GTK_TEXT_VIEW(w->editor), TRUE);
    gtk_text_buffer_create_tag(w->buffer, "error", "underline", PANGO_UNDERLINE_ERROR, "background",
                               "#f5b8ae", "foreground", "#5a0d00", NULL);
    gtk_text_buffer_create_tag(w->buffer, "warning", "background", "#f3e3a0", "foreground",
                               "#4a3b00", NULL);
    g_signal_connect(w->buffer, "changed", G_CALLBACK(changed), w);
    control_name(w->editor, "Text of the scene");
    gtk_widget_set_vexpand(scroll, TRUE);
    gtk_scrolled_window_set_child(GTK_SCROLLED_WINDOW(scroll), w->editor);
    gtk_box_append(GTK_BOX(box), scroll);
    w->complaints = gtk_label_new("");
    gtk_label_set_wrap(GTK_LABEL(w->complaints), TRUE);
    gtk_label_set_xalign(GTK_LABEL(w->complaints), 0);
    gtk_label_set_selectable(GTK_LABEL(w->complaints), TRUE);
    gtk_label_set_max_width_chars(GTK_LABEL(w->complaints), 30);
    control_name(w->complaints, "Complaints about the scene");
    gtk_box_append(GTK_BOX(box), w->complaints);
    GtkWidget *row = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 6);
    GtkWidget *use = gtk_button_new_with_label("Run this text");
    control_name(use, "Run this text");
    g_signal_connect(use, "clicked", G_CALLBACK(use_clicked), w);
    GtkWidget *save = gtk_button_new_with_label("Save...");
    control_name(save, "Save the scene");
    g_signal_connect(save, "clicked", G_CALLBACK(save_clicked), w);
    gtk_box_append(GTK_BOX(row), use);
    gtk_box_append(GTK_BOX(row), save);
    gtk_box_append(GTK_BOX(box), row);
    return box;
}
