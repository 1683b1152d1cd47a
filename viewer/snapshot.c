#include "snapshot.h"

#include "legend.h"
#include "offscreen.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { DONE, FAILED };

static int complain(const char *text)
{
    fprintf(stderr, "phyxel view: %s\n", text);
    return FAILED;
}

/* Runs the player to the time; false after it has said why not. */
static bool reach(Player *player, const SnapshotDef *def)
{
    player_colour(player, def->colour);
    player_arrows(player, def->draw.arrows);
    player_unpaced(player, true);
    if (!player_wait(player, -INFINITY))
        return complain(player_status(player).message) == DONE;
    if (player_status(player).live) {
        player_play(player, true);
        if (!player_wait(player, def->after))
            return complain(player_status(player).message) == DONE;
    } else {
        double fps = px_scene_fps(player_scene(player));
        player_seek(player, (uint32_t)lrint(fmin(1e9, def->after * fps)));
        if (!player_wait(player, -INFINITY))
            return complain(player_status(player).message) == DONE;
    }
    player_play(player, false);
    return true;
}

int snapshot(Player *player, const SnapshotDef *def)
{
    char error[1024] = "";
    if (!reach(player, def))
        return FAILED;
    const Shot *shot = player_shot(player, NULL);
    if (def->colour != NULL && shot->particles > 0 && shot->value == NULL) {
        snprintf(error, sizeof error,
                 "there is no column '%.60s'; 'phyxel export DIR --to csv' lists those of a run",
                 def->colour);
        return complain(error);
    }
    PxSceneCamera from;
    if (def->stated_camera)
        from = def->camera;
    else if (px_display_camera(player_display(player), (double)def->width / def->height, &from) !=
             PX_OK)
        return complain(px_error_message());
    Camera camera = camera_from(&from, px_scene_up(player_scene(player)));
    Offscreen *offscreen = offscreen_open(error, sizeof error);
    if (offscreen == NULL)
        return complain(error);
    Draw *draw = draw_create(error, sizeof error);
    uint8_t *pixels = NULL;
    /* twice the size in each direction, averaged: smooth edges */
    int width = 2 * def->width, height = 2 * def->height;
    if (draw != NULL && !offscreen_bind(offscreen, width, height))
        snprintf(error, sizeof error, "the driver refuses a picture of %dx%d", width, height);
    if (draw != NULL && error[0] == '\0') {
        draw_shot(draw, player_display(player), shot, true, &camera, &def->draw, width, height);
        pixels = offscreen_read(offscreen);
        if (pixels == NULL)
            snprintf(error, sizeof error, "no memory for the picture");
    }
    if (pixels != NULL) {
        picture_halve(pixels, width, height);
        legend_on_picture(pixels, def->width, def->height, shot, &def->draw);
        picture_write(def->file, pixels, def->width, def->height, error, sizeof error);
    }
    free(pixels);
    draw_free(draw);
    offscreen_close(offscreen);
    return error[0] == '\0' ? DONE : complain(error);
}
