/// Contact of cloth with boundaries: Coulomb friction, solved together with the cloth.
///
/// A vertex that would come nearer to a boundary than half its thickness is held in the solve: it
/// sticks (all of its velocity is that of the boundary) or slides (only the normal part is). The
/// impulse that holds it decides: one that pulls releases it, and a tangential part above friction
/// times the normal part lets it slide. A few rounds of solves find who does what.
///
/// Friction of a vertex that slides is -mu P u / |u|, with the normal impulse P and the speed |u|
/// of the round before: it is part of the matrix, and only takes energy away. As a known impulse it
/// drove vertices of which P was wrong. A vertex that hardly moves sticks. One that a round leads
/// into a boundary first slides: stuck at once, it would be dragged along to where it is held.
#ifndef PX_CONTACT_CLOTH_WALLS_H
#define PX_CONTACT_CLOTH_WALLS_H

#include "cloth/cloth.h"
#include "matter/boundary.h"

/// Product of their normals below which two boundaries pinch cloth between them.
#define PX_CLOTH_FACING (-0.3)

/// Ways of a step within which cloth may meet a boundary: its past ends before.
#define PX_CLOTH_MARGIN 3.0

typedef struct PxClothWalls {
    PxBoundary *const *boundary;
    size_t boundaries;
    const uint32_t *body_of; ///< by boundary: 1 + its index in step->bodies; 0: none of these
    const uint32_t *pin;     ///< by vertex: 1 + the boundary of the body that it is tied to, if it
                             ///< yields (cloth_rigids.h); 0: none. NULL: no vertex is
    uint32_t *state;         ///< by vertex: how it was in the last step, a guess; 0: not known
    double *load;            ///< by vertex: normal force of the last step, N
    struct PxClothTouch *touch; ///< by vertex
    PxVec3 *at;                 ///< positions at the end of the step
    uint32_t *close;            ///< by boundary: vertices near it at the start (cloth_edges.h)
    struct PxClothEdges *edges; ///< memory of the searches of cloth_edges.h
    uint64_t touching;          ///< vertices and places between them that a boundary carries
    uint64_t cut;     ///< edges and triangles that a boundary cut into at the start (cloth_edges.h)
    double deepest;   ///< how deep a boundary was in cloth at the start, over the distance kept
    uint64_t crossed; ///< these, and vertices inside a boundary after the step
} PxClothWalls;

/// Finds the vertices that would touch a boundary in this step. Vertices that are held already are
/// left alone. The boundaries must have begun the step. Errors: PX_ERR_MEMORY.
PxStatus px_cloth_walls_begin(PxClothWalls *walls, PxClothStep *step);

/// Is a vertex tied to the body of a boundary? Then it does not touch it.
static inline bool px_cloth_walls_pins(const PxClothWalls *walls, size_t boundary, uint32_t vertex)
{
    return walls->pin != NULL && walls->pin[vertex] == boundary + 1;
}

/// The boundary at which a vertex may be held in this step, and the normal there; UINT32_MAX: none.
uint32_t px_cloth_walls_touch(const PxClothWalls *walls, uint32_t vertex, PxVec3 *normal);

/// Holds vertices as they begin, before the first solve.
void px_cloth_walls_hold(PxClothWalls *walls, PxClothStep *step);
/// Decides by the last solve who sticks, slides or leaves, and holds vertices accordingly; `late`:
/// none leaves any more, so that it comes to an end. Has more changed than a few?
bool px_cloth_walls_decide(PxClothWalls *walls, PxClothStep *step, bool late);
/// Holds vertices that the last solve leads into a boundary; returns how many.
uint64_t px_cloth_walls_catch(PxClothWalls *walls, PxClothStep *step);

/// Lets vertices leave that a boundary pulled in the last solve: those which it drew through cloth
/// that lies between.
void px_cloth_walls_release(PxClothWalls *walls, PxClothStep *step);

/// After positions at the end are known (`at`): moves vertices that are too near out of boundaries,
/// stops those that would pass through one, and gives the boundaries their impulses.
void px_cloth_walls_end(PxClothWalls *walls, PxClothStep *step);

/// Counts the vertices that are inside boundaries at `at`, after some were moved back there.
void px_cloth_walls_count(PxClothWalls *walls, PxClothStep *step);

/// Work of boundaries that do not yield on the cloth in the last solve, by their motion, J.
double px_cloth_walls_work(const PxClothWalls *walls, const PxClothStep *step);

/// Lets a vertex that starts nearer to a boundary than half its thickness keep no more than its
/// distance at the start, s->keep.
void px_cloth_walls_inset(const PxClothWalls *walls, PxClothStep *step, uint32_t vertex);

#endif
