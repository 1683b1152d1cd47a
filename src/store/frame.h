/// Frames of a run, DIR/frames/000001.h5: the stored states for viewing and export.
///
/// A frame holds the columns flagged PX_COLUMN_FRAME in a table `particles`, the members
/// of PxFrameMeta as scalars, and a table `topology` with the row numbers 0 .. n-1, which
/// ParaView needs as cells to draw points (store/xdmf.h). If there are rigid bodies, a table
/// `rigid` holds a row for each: `body`, its number in the scene; a point x of the shape as the
/// scene states it is at turn (x - pivot) + pivot + move. If there are joints, a table `joints`
/// holds a row for each: `joint`, its number in the scene, whether it is `broken`, and the `force`
/// at its place in the last sub-step. If there is cloth, a table `cloth` holds
/// its vertices, with the liquid in each, `water`, and its part of what they can hold,
/// `saturation`; and `cloth_faces` its triangles: `corner` are rows of `cloth`, `strain` along
/// weft, along warp and shear, `energy` of the triangle and half of its hinges, `bend` the largest
/// angle of its hinges from the rest angle.
#ifndef PX_STORE_FRAME_H
#define PX_STORE_FRAME_H

#include "store/container.h"
#include "store/file.h"
#include "matter/wall.h"
#include "store/run_id.h"

/// Format version that is written. Frames of format 1, which have no ids, are read as well.
#define PX_FRAME_FORMAT 2u

/// zlib level. Higher levels take much longer and save about 1 per cent (measured on a
/// jittered lattice of a million particles).
#define PX_FRAME_LEVEL 1

typedef struct PxFrameMeta {
    uint32_t number;                ///< of the frame, in its file's name
    uint64_t step;                  ///< steps done
    double time;                    ///< s
    double spacing;                 ///< of the particles, m
    char up;                        ///< 'y' or 'z'
    char name[PX_SCALAR_TEXT_SIZE]; ///< of the scene
    char run[PX_DIGEST_TEXT];       ///< id of the run; "" for none
    char scene[PX_DIGEST_TEXT];     ///< hash of the scene; "" for none
    PxFileCheck check;              ///< for writing
    const PxTable *rigid;           ///< for writing: the rigid bodies; NULL: none
    const PxTable *joints;          ///< for writing: their joints; NULL: none
    const PxTable *cloth;           ///< for writing: vertices of cloth; NULL: none
    const PxTable *cloth_faces;     ///< for writing: triangles of cloth
    char version[16];               ///< of the phyxel that wrote it; ignored by px_frame_write()
} PxFrameMeta;

/// Writes dir/frames/NUMBER.h5 atomically; the folder must exist. Errors: PX_ERR_ARGUMENT,
/// PX_ERR_MEMORY, PX_ERR_IO.
PxStatus px_frame_write(const char *dir, const PxFrameMeta *meta, const PxTable *particles,
                        const PxThreads *threads);

/// Reads a frame; replaces the rows of `particles` and adds missing columns
/// (store/container.h). Errors: PX_ERR_IO, PX_ERR_MEMORY; PX_ERR_FORMAT when it is damaged, or of
/// another run than run.json.
PxStatus px_frame_read(const char *dir, uint32_t number, PxFrameMeta *meta, PxTable *particles,
                       const PxThreads *threads);

/// Reads the rigid bodies of a frame; no rows if there are none. Errors: as px_frame_read().
PxStatus px_frame_read_rigid(const char *dir, uint32_t number, PxTable *rigid,
                             const PxThreads *threads);

/// Reads the joints of a frame; no rows if there are none. Errors: as px_frame_read().
PxStatus px_frame_read_joints(const char *dir, uint32_t number, PxTable *joints,
                              const PxThreads *threads);

/// Reads the vertices and triangles of cloth of a frame; no rows if there is none. Errors: as
/// px_frame_read().
PxStatus px_frame_read_sheets(const char *dir, uint32_t number, PxTable *vertices, PxTable *faces,
                              const PxThreads *threads);

/// Bounds of the vertices of cloth; empty without cloth. Errors: as px_frame_read().
PxStatus px_frame_cloth_bounds(const char *dir, uint32_t number, PxBounds *out,
                               const PxThreads *threads);

/// What a frame has of cloth.
typedef struct PxFrameCloth {
    uint32_t vertices, faces;
    bool wetness; ///< it has the columns `water` and `saturation`
} PxFrameCloth;

/// Errors: as px_frame_read().
PxStatus px_frame_count_cloth(const char *dir, uint32_t number, PxFrameCloth *out);
/// Has a table of vertices of cloth the columns `water` and `saturation`?
bool px_frame_has_wetness(const PxTable *vertices);
/// Is it the column of a liquid in cloth, liquid_K? K is its material.
bool px_frame_is_liquid(const PxColumn *column, uint32_t *material);

/// Sets the pose of a rigid body from the table of px_frame_read_rigid(). wall->boundary.body is
/// the body's number in the scene. A body that is not in the table keeps its pose.
void px_frame_pose(const PxTable *rigid, PxWall *wall);

/// The same without the rows: adds the columns; *rows is the stored number of rows.
PxStatus px_frame_read_columns(const char *dir, uint32_t number, PxFrameMeta *meta,
                               PxTable *particles, uint32_t *rows);

/// The numbers of the stored frames, ascending. Free with PX_LIST_FREE().
PxStatus px_frame_list(const char *dir, PxNumbers *out);

/// Whether frames within [first, last] are missing before or after those of the list, none of which
/// may be outside: run.json tells how many frames the run has stored. *missing is the first of
/// them. False when the folder has no usable run.json.
bool px_frame_ends_missing(const char *dir, const PxNumbers *numbers, uint32_t first, uint32_t last,
                           uint32_t *missing);

/// px_table_hash() of the stored table; equal to the hash of the world's PX_COLUMN_FRAME
/// columns at the time of writing.
PxStatus px_frame_hash(const char *dir, uint32_t number, const PxThreads *threads,
                       uint64_t hash[2]);

#endif
