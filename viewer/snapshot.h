/// `phyxel view SCENE --snapshot FILE`: one picture, without a window and without a display.
#ifndef VIEWER_SNAPSHOT_H
#define VIEWER_SNAPSHOT_H

#include "draw.h"
#include "player.h"

typedef struct SnapshotDef {
    const char *file;   ///< PNG
    double after;       ///< s of the scene; of a stored run, the frame at that time
    int width, height;  ///< pixels
    const char *colour; ///< column, or NULL
    bool stated_camera;
    PxSceneCamera camera;
    DrawDef draw;
} SnapshotDef;

/// Lets the player run to that time and draws; returns the exit status.
int snapshot(Player *player, const SnapshotDef *def);

#endif
