/// Writer of DIR/contact/000001.ply: the contact surfaces of a stored frame, on request.
///
/// They are computed from the stored skins, between every two bodies with a skin, and between these
/// and walls and rigid bodies; nothing of them is part of a run. The format is that of surfels
/// (store/surface_ply.h): each node is a surfel with the normal out of the first body. Vertices
/// also have `body` and `other`, the two bodies by their numbers, and `depth`, by which they
/// overlap, m.
#ifndef PX_RUN_CONTACT_FILES_H
#define PX_RUN_CONTACT_FILES_H

#include "base/parallel.h"
#include "scene/content.h"
#include "scene/scene_walls.h"

typedef struct PxContactFrame {
    const char *dir;           ///< result folder of the run
    uint32_t number;           ///< of the frame
    const PxScene *scene;      ///< of the run
    const PxSceneWalls *walls; ///< at the poses of the frame
    double reach;              ///< widest gap of a contact, m
    const char *path;          ///< of the file to write
    const char *stamp;         ///< text of its comment `stamp`
    const char *settings;      ///< of which the stamp is a digest (store/surface_stamp.h)
} PxContactFrame;

/// `nodes` is the number of surfels written. Errors: PX_ERR_ARGUMENT for a frame without skins,
/// PX_ERR_FORMAT, PX_ERR_IO, PX_ERR_MEMORY.
PxStatus px_contact_frame(const PxContactFrame *frame, uint64_t *nodes);

#endif
