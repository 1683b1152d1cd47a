/// Sheets of cloth as fluids meet them: two-sided boundaries that move and yield.
///
/// # Part of the kernel
/// A sheet hides what is behind it. Near one plane the hidden part of the kernel is that of a wall
/// (matter/wall_profile.h). Where a sheet is folded a point may face several planes: places of
/// least distance to the sheet in directions that differ by more than about 50 degrees
/// (contact/sheet_near.h); their free parts multiply, as those of walls do. Beyond a border, a
/// plane counts by the cosine of the angle between its normal and the direction to the point.
///
/// # How a sheet yields
/// Pressure is solved with the velocity v that sheets have at the start of the step. Cloth is much
/// lighter than the fluid that it carries; with that load alone it would be thrown away by it in
/// every step (the added-mass instability: Causin, Gerbeau and Nobile 2005). The solve of the cloth
/// therefore has the fluid in front of each vertex as an added mass M, a matrix that is large along
/// the normals of the places where fluid presses:
///   (A + M) w = b + load + M v,   v the velocity that the pressure solve knew.
/// The fluid gets the opposite of the impulse M (v - w) at the end of the step, each vertex's
/// shared among the particles that touch there and the columns of fluid in front of them. A mode of
/// the true added mass m and mass m_c then has the right inertia m_c + m, and errors decay for any
/// M above m / 2. Momentum is kept exactly.
/// But the pressure of a pool that falls on a rigid sheet drives water sideways, and that of one
/// that falls on a light sheet does not. So pressure and cloth are solved in turn, with the w that
/// was found as the next v, until both agree (Robin-Neumann iterations: Badia, Nobile and Vergara
/// 2008); M makes them converge. Only fluid under pressure counts: a jet that falls on
/// the sheet is not moved by it.
///
/// # Cloth that is finer than the fluid
/// A particle presses on an area of about a spacing across. Where edges are shorter, loads, added
/// masses and what the fluid gets back are spread by rounds of means over triangles, and the fluid
/// sees the mean velocity of the vertices: one linear operator and its adjoint, so that momentum is
/// kept.
#ifndef PX_CONTACT_SHEETS_H
#define PX_CONTACT_SHEETS_H

#include "contact/sheet_tree.h"
#include "fluid/fluid.h"

/// A point of a sheet and the direction from it to a particle.
typedef struct PxSheetPlane {
    uint32_t face;
    double weight[3]; ///< of its corners
    double distance;  ///< m
    PxVec3 normal;    ///< from the sheet to the particle, of unit length
    double count;     ///< 0 .. 1, how much the plane counts
} PxSheetPlane;

#define PX_SHEET_PLANES 3

/// The planes of one cloth that a particle faces.
typedef struct PxSheetFound {
    struct PxSheetFound *next; ///< of the same particle and another cloth
    uint32_t cloth;
    int planes;
    PxSheetPlane plane[PX_SHEET_PLANES]; ///< the nearest first
} PxSheetFound;

/// No sheet is within reach of a particle in the direction of `normal` beyond `top`.
typedef struct PxSheetClear {
    float normal[3]; ///< unit
    float top;       ///< from the particle, m; INFINITY: not known
} PxSheetClear;

/// Most cells of the grid in a column of fluid.
#define PX_SHEET_COLUMN 112

/// A cell of the fluid's grid.
typedef struct PxSheetCell {
    double pressed;  ///< mass that moves along with a sheet, kg
    double touching; ///< mass of the particles that a sheet presses, kg
    PxVec3 due;      ///< acceleration by the added mass, m/s^2
} PxSheetCell;

/// A particle within the support of a sheet.
typedef struct PxSheetTouch {
    struct PxWallTouch *touch;
    uint32_t cloth;
    PxVec3 place; ///< of the particle at the start of the step
    int planes;
    const PxSheetPlane *plane;
    PxSheetPlane own;             ///< the plane, if there is one
    double part[PX_SHEET_PLANES]; ///< of each plane in the mass that it adds, 1 in sum
    uint32_t cells, near;         ///< number of cells in its column, and of those that may be empty
    uint32_t *cell;               ///< UINT32_MAX: empty
    PxVec3 impulse;               ///< of the particle on the sheet in this step, N s
    double column;                ///< mass of the fluid in front of it, kg
    double carried; ///< its share of that column: the mass that it adds to the sheet, kg
    double clings;  ///< the part of it that viscosity drags along the sheet, kg
} PxSheetTouch;

/// One piece of cloth as a boundary.
typedef struct PxSheet {
    PxBoundary boundary; ///< first
    struct PxSheets *all;
    uint32_t cloth;
    double slip; ///< friction of fluid on it: coefficient of 004 Eq. 4.5
    double drag; ///< the same: delta of 004 Eq. 4.8, kg/s
} PxSheet;

/// All cloth of a step, in scratch.
typedef struct PxSheets {
    const PxClothSystem *system;
    const PxVec3 *x;    ///< at the start of the step
    PxVec3 *sent;       ///< velocities with which the pressure is solved
    PxVec3 *v;          ///< their means, which the fluid sees
    const double *mass; ///< of vertices, kg
    double dt;          ///< s
    double half;        ///< half the support of the kernel, m: farther sheets hide no part of it
    double reach;       ///< distance up to which planes are found, at least `half`, m
    double spacing;     ///< of the particles, m
    uint32_t *rounds;   ///< by cloth: of spreading
    PxArena *scratch;
    double fastest; ///< of all vertices, m/s
    PxSheetTree tree;
    const PxParticles *particles; ///< those of found[]
    PxSheetFound **found;         ///< by row; NULL: no sheet is in reach
    float *nearest;        ///< by row: distance of the nearest sheet, m; INFINITY: none in reach
    uint8_t *maybe;        ///< by row: a sheet may cross the way to a neighbour
    PxSheetClear *clear;   ///< by row with a finite nearest[]
    PxVec3 *load;          ///< by vertex: impulses of the fluid in this step, N s
    PxClothAdded *added;   ///< by vertex: mass of the fluid in front of both sides
    const uint8_t *held;   ///< by vertex: does a handle hold it?
    const double *wetness; ///< by vertex: 0 dry .. 1 saturated; NULL: dry
    PxSheet *sheet;        ///< by cloth
    uint32_t sheets;
    PxSheetTouch *touch; ///< particles within the support of a sheet
    uint32_t touches;
    uint8_t *touching; ///< by row: does a sheet hide a part of its kernel?
    uint8_t *pressed;  ///< by row: does it move along with a sheet?
    PxSheetCell *cell; ///< by cell of the fluid's grid
} PxSheets;

/// Takes arrays from scratch. `s` has system, x, sent, mass, dt, half, reach and spacing; friction
/// and contact angle of the sheets are set by the caller afterwards. Errors: PX_ERR_MEMORY.
PxStatus px_sheets_begin(PxSheets *s, PxArena *scratch);

/// Normal of the sheet at a vertex, of unit length.
PxVec3 px_sheet_normal(const PxSheets *s, uint32_t vertex);

/// The planes of a sheet that a place faces, the nearest first. Returns their number.
/// px_sheets_find() has found those of particles.
int px_sheet_planes(const PxSheets *s, uint32_t cloth, PxVec3 place,
                    PxSheetPlane plane[PX_SHEET_PLANES]);

/// Removes the pairs of particles that a sheet separates from the neighbour lists: fluid on one
/// side does not feel fluid on the other. px_pairs_unite() puts them back. Errors: PX_ERR_MEMORY.
PxStatus px_sheets_part(const PxSheets *s, PxPairs *pairs, uint32_t behind, PxArena *scratch,
                        const PxThreads *threads, PxPairsParted *out);

/// Does a sheet cross the straight way between two places, at the start of the step?
bool px_sheets_between(const PxSheets *s, PxVec3 a, PxVec3 b);

/// Part of the kernel that planes hide; gradient[k] is the term of plane k in its gradient, 1/m.
double px_sheet_parts(const PxWallProfile *profile, const PxSheetPlane *plane, int planes,
                      PxVec3 gradient[PX_SHEET_PLANES]);

/// Factor of a sheet's friction on fluid by its wetness at a plane.
double px_sheet_slip(const PxSheets *s, const PxSheetPlane *plane);

/// Replaces values of vertices by means over the triangles around them, as far as a particle
/// reaches. Errors of both: PX_ERR_MEMORY.
PxStatus px_sheets_mean(const PxSheets *s, PxVec3 *of);

/// The adjoint of px_sheets_mean(), which keeps the sum: for impulses and masses.
PxStatus px_sheets_spread(const PxSheets *s, PxVec3 *of);

/// Sets s->rounds so that the means extend over about a spacing.
void px_sheets_choose_rounds(const PxSheets *s);

/// Lists the particles that touch cloth and their impulses; with `masses`, also finds the masses
/// that they add to its vertices. After the pressure is solved, before px_fluid_give_impulses().
/// Errors: PX_ERR_MEMORY.
PxStatus px_sheets_touch(PxSheets *s, PxFluid *fluid, bool masses);

/// Sets s->load to the impulses of the particles that touch. Errors: PX_ERR_MEMORY.
PxStatus px_sheets_load(PxSheets *s, const PxFluid *fluid);

/// Lets the fluid see the velocities v of the vertices from now on: before the pressure is solved
/// again. Errors: PX_ERR_MEMORY.
PxStatus px_sheets_set_velocity(PxSheets *s, PxFluid *fluid, const PxVec3 *v);

/// Friction of 004 Eqs. 4.3 to 4.8 on the particles that touch, added to s->load. After the last
/// solve of pressure. Errors: PX_ERR_MEMORY.
PxStatus px_sheets_rub(PxSheets *s, PxFluid *fluid);

/// After the cloth was solved: gives the fluid in front of the vertices the impulses of its added
/// mass as accelerations. `change`, by vertex, is the solved velocity over that with which
/// the pressure was solved; it is used up. `fluid` is that of px_sheets_touch(), which has not
/// moved since. Errors: PX_ERR_MEMORY.
PxStatus px_sheets_return(PxSheets *s, const PxFluid *fluid, PxVec3 *change);

#endif
