/// Arrows of a shot: velocities, principal stresses, forces on walls.
#ifndef VIEWER_ARROWS_H
#define VIEWER_ARROWS_H

#include "phyxel/phyxel.h"

typedef enum ArrowKind {
    ARROW_NONE,
    ARROW_VELOCITY, ///< of particles, m/s
    ARROW_STRESS,   ///< of particles: the principal stress of the largest size, Pa
    ARROW_WALLS,    ///< force on each wall and rigid body, N
    ARROW_KINDS
} ArrowKind;

/// Values of the option --arrows: "none", "velocity", "stress", "walls".
extern const char *const arrow_words[ARROW_KINDS];

typedef struct Arrow {
    float at[3], along[3]; ///< m; in the unit of its kind
    bool both;             ///< a line with two ends: a stress
    bool pulls;            ///< a stress that is a tension; a force on a wall
} Arrow;

typedef struct Arrows {
    ArrowKind kind;
    Arrow *arrow;
    uint32_t count;
    float longest;    ///< in the unit of its kind; outliers are drawn shorter
    const char *name; ///< with its unit, for the legend
} Arrows;

/// At most as many are shown of particles: every so-and-so-manieth.
enum { ARROWS_MOST = 3000 };

/// Particles as arrays of components, `stride` floats from row to row.
typedef struct ArrowRows {
    const float *place; ///< 4 floats a row
    const float *const *component;
    uint32_t stride;
    uint32_t count;
} ArrowRows;

/// Arrows of a vector column of 3 components, or of a tensor column of 6 (xx, yy, zz, xy, yz, zx).
/// False: no memory.
bool arrows_of_rows(Arrows *arrows, ArrowKind kind, const ArrowRows *rows);
/// Adds one; false: no memory.
bool arrows_add(Arrows *arrows, PxVec3 at, PxVec3 along);
void arrows_free(Arrows *arrows);
bool arrows_copy(Arrows *to, const Arrows *from);

/// Triangles of arrows, whose longest is `size` m long: positions and normals of 3 floats, three
/// vertices a triangle. `pulls` chooses those that are. Counts vertices if `position` is NULL.
uint32_t arrows_mesh(const Arrows *arrows, bool pulls, float size, float *position, float *normal);

#endif
