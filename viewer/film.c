#include "film.h"

#include "legend.h"
#include "offscreen.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct Work {
    const FilmDef *def;
    PxDisplay *display;
    PxCoating *coating; /* NULL: nothing leaves films */
    Camera camera;
    Offscreen *offscreen;
    Draw *draw;
    PxFilm *film;
    char *error;
    size_t size;
} Work;

static bool complain(const Work *w, const char *text)
{
    snprintf(w->error, w->size, "%s", text);
    return false;
}

/* Draws at twice the size and averages, as snapshots do. */
static bool draw_frame(Work *w, uint32_t number)
{
    const FilmDef *def = w->def;
    PxStored *frame;
    if (px_stored_read(def->dir, number, def->threads, &frame) != PX_OK)
        return complain(w, px_error_message());
    Shot *shot = shot_of_stored(frame, w->display, def->colour, def->draw.arrows);
    px_stored_free(frame);
    if (shot != NULL && w->coating != NULL &&
        !(px_display_deform(w->display, shot->time) == PX_OK && shot_coat(shot, w->coating))) {
        shot_free(shot);
        shot = NULL;
    }
    if (shot == NULL)
        return complain(w, px_error_message());
    draw_shot(w->draw, w->display, shot, true, &w->camera, &def->draw, 2 * def->width,
              2 * def->height);
    uint8_t *pixels = offscreen_read(w->offscreen);
    bool good = pixels != NULL || complain(w, "no memory for a picture");
    if (good) {
        picture_halve(pixels, 2 * def->width, 2 * def->height);
        legend_on_picture(pixels, def->width, def->height, shot, &def->draw);
        for (size_t k = 0; k < (size_t)def->width * (size_t)def->height; ++k)
            pixels[4 * k + 3] = 255;
        good = px_film_add_pixels(w->film, pixels) == PX_OK || complain(w, px_error_message());
    }
    if (good && def->pictures != NULL) {
        char path[1200];
        snprintf(path, sizeof path, "%.1100s/%06u.png", def->pictures, number);
        good = picture_write(path, pixels, def->width, def->height, w->error, w->size);
    }
    free(pixels);
    shot_free(shot);
    return good;
}

static bool draw_frames(Work *w, FilmFunction *each, void *user)
{
    size_t count, got;
    if (px_stored_list(w->def->dir, NULL, 0, &count) != PX_OK)
        return complain(w, px_error_message());
    uint32_t *number = calloc(count + 1, sizeof *number);
    if (number == NULL)
        return complain(w, "no memory for a list of frames");
    bool good = px_stored_list(w->def->dir, number, count, &got) == PX_OK ||
                complain(w, px_error_message());
    if (good && (got == 0 || count == 0))
        good = complain(w, "the run has no frames to film");
    for (size_t k = 0; good && k < count && k < got; ++k)
        good = draw_frame(w, number[k]) &&
               (each == NULL || each(user, (uint32_t)k + 1, (uint32_t)count));
    free(number);
    return good;
}

bool film_make(const FilmDef *def, FilmFunction *each, void *user, char *error, size_t size)
{
    Work w = {.def = def, .camera = def->camera, .error = error, .size = size};
    PxScene *scene = NULL;
    PxSceneCamera from;
    error[0] = '\0';
    bool good = px_run_scene(def->dir, &scene) == PX_OK &&
                px_display_make(scene, &w.display) == PX_OK &&
                px_display_camera(w.display, (double)def->width / def->height, &from) == PX_OK;
    if (good && px_coating_wanted(w.display))
        good = px_coating_make(w.display, &w.coating) == PX_OK;
    if (good && !def->stated_camera)
        w.camera = camera_from(&from, px_scene_up(scene));
    if (good)
        good = px_film_begin(def->file, (uint32_t)def->width, (uint32_t)def->height,
                             px_scene_fps(scene), &w.film) == PX_OK;
    if (!good)
        complain(&w, px_error_message());
    if (good)
        good = (w.offscreen = offscreen_open(error, size)) != NULL &&
               (w.draw = draw_create(error, size)) != NULL;
    if (good && !offscreen_bind(w.offscreen, 2 * def->width, 2 * def->height))
        good = complain(&w, "the driver refuses a picture of that size");
    if (good)
        good = draw_frames(&w, each, user);
    draw_free(w.draw);
    offscreen_close(w.offscreen);
    if (good)
        good = px_film_finish(w.film) == PX_OK || complain(&w, px_error_message());
    else
        px_film_abandon(w.film);
    px_coating_free(w.coating);
    px_display_free(w.display);
    px_scene_free(scene);
    return good;
}
