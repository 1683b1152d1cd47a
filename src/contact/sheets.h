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
/// Pressure and cloth are solved in turn within a step until both agree on the velocity of the
/// sheet (world/sheet_pressure.c). Cloth is much lighter than the fluid that it carries; with the
/// load of a pressure that takes it for rigid it would be thrown away in every step (the added-mass
/// instability: Causin, Gerbeau and Nobile 2005). So each solve knows how the other side responds
/// (Robin-Robin iterations: Badia, Nobile and Vergara 2008):
/// - In the pressure solve each vertex yields independently of the others: v = s + C j, with the
///   velocity s before the solve, the impulse j on the vertex, and the inverse C of the diagonal
///   block of the cloth's matrix (fluid/yield.h).
/// - In the cloth solve the fluid in front of each vertex is an added mass M, a matrix that is
/// large
///   along the normals of the places where fluid presses. It moves at the velocity v with which the
///   pressure solve ended:
///     (A + M) w = b + j + M v.
///   Only fluid under pressure counts: a jet that falls on the sheet is not moved by it.
/// The next turn starts with s + e + C M e, e = w - v: it would end with w under the load that the
/// cloth had. Of a mode with the cloth's matrix a and the true added mass f the turn leaves
///   (c - a) (m - f) / ((c + f) (a + m)),   c = 1 / C:
/// c is about a for short waves, m about f for long ones. Without C, modes remained where fluid
/// resists by much more than the mass of its column, as between the sheet and a body on it.
/// From the second turn on, the start is the linear combination of all previous starts with the
/// least residual w - v, by least squares. The fluid gets the opposite of the impulse M (v - w)
/// that is left at the end of the step, each vertex's shared among the particles that touch there
/// and the columns of fluid in front of them: momentum is kept exactly.
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
#include "fluid/yield.h"

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
    float top;       ///< from the particle, m; INFINITY: not known, -INFINITY: none in reach
} PxSheetClear;

/// Triangles in reach of a particle. An entry is the number of a branch of eight triangles in its
/// upper 24 bits, and one bit for each of them in its lower 8.
typedef struct PxSheetFaces {
    uint32_t count;
    uint32_t entry[];
} PxSheetFaces;

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
    uint32_t *cell;               ///< UINT32_MAX: empty; NULL: not listed yet
    PxVec3 impulse;               ///< of the particle on the sheet in this step, N s
    double column;                ///< mass of the fluid in front of it, kg
    double carried; ///< its share of that column: the mass that it adds to the sheet, kg
    double speed2;  ///< square of its speed at the start of the step, m^2/s^2
    double clings;  ///< the part of it that viscosity drags along the sheet, kg
} PxSheetTouch;

/// What a particle gives to one of its planes.
typedef struct PxSheetGift {
    PxVec3 normal;          ///< of the plane
    double carried, clings; ///< of the particle, kg
    PxVec3 impulse;         ///< N s
} PxSheetGift;

/// A corner's part in a gift.
typedef struct PxSheetTaker {
    uint32_t gift;
    double weight; ///< of the corner
    double factor; ///< the same times the plane's part in the mass that the particle adds
} PxSheetTaker;

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
    const PxVec3 *x; ///< at the start of the step
    PxVec3 *sent;    ///< velocities with which the pressure is solved: `base`, and how it yields
    PxVec3 *base;    ///< velocities with which a solve of the pressure starts
    PxVec3 *v;       ///< means of `base`, which the fluid sees
    PxYieldPoints *yields;       ///< vertices that yield to pressure; NULL: none
    uint32_t *yielding;          ///< their numbers
    const PxYieldMass *per_mass; ///< by vertex: how it yields; NULL: not at all
    const double *mass;          ///< of vertices, kg
    double dt;                   ///< s
    double half;      ///< half the support of the kernel, m: farther sheets hide no part of it
    double reach;     ///< distance up to which planes are found, at least `half`, m
    double spacing;   ///< of the particles, m
    uint32_t *rounds; ///< by cloth: of spreading
    PxArena *scratch;
    double fastest; ///< of all vertices, m/s
    PxSheetTree tree;
    PxIsa isa;                    ///< of the vector loops
    const PxParticles *particles; ///< those of found[]
    PxSheetFound **found;         ///< by row; NULL: no sheet is in reach
    float *nearest;        ///< by row: distance of the nearest sheet, m; INFINITY: none in reach
    PxSheetClear *clear;   ///< by row
    PxSheetFaces **around; ///< by row: all triangles in reach, and some beyond; NULL: not listed
    struct PxSheetBranch *branch; ///< triangles for the vector loops (contact/sheet_near_pass.h)
    uint32_t branches;
    float *quad;           ///< by row: position, and nearest[] or `reach`
    PxVec3 *load;          ///< by vertex: impulses of the fluid in this step, N s
    PxClothAdded *added;   ///< by vertex: mass of the fluid in front of both sides
    const uint8_t *held;   ///< by vertex: does a handle hold it?
    const double *wetness; ///< by vertex: 0 dry .. 1 saturated; NULL: dry
    PxSheet *sheet;        ///< by cloth
    uint32_t sheets;
    PxSheetTouch *touch; ///< particles within the support of a sheet
    uint32_t touches;
    uint32_t *block;     ///< first touch of each block of PX_BLOCK rows
    uint32_t *gifts;     ///< by touch: its first gift, one for each of its planes
    PxSheetGift *gift;   ///< of all touches
    uint32_t *takers;    ///< by vertex: its first taker
    PxSheetTaker *taker; ///< those of each vertex in the order of touches
    uint8_t *touching;   ///< by row: does a sheet hide a part of its kernel?
    uint8_t *pressed;    ///< by row: does it move along with a sheet?
    PxSheetCell *cell;   ///< by cell of the fluid's grid
    uint32_t *cell_at;   ///< hash of the keys of cells: its number; UINT32_MAX: none
    uint32_t cell_mask;
    _Atomic uint8_t *in_column; ///< by cell: is it one of a column?
} PxSheets;

/// Takes arrays from scratch. `s` has system, x, sent, mass, dt, half, reach and spacing; friction
/// and contact angle of the sheets are set by the caller afterwards. Errors: PX_ERR_MEMORY.
PxStatus px_sheets_begin(PxSheets *s, PxArena *scratch, const PxThreads *threads);

/// Normal of the sheet at a vertex, of unit length.
PxVec3 px_sheet_normal(const PxSheets *s, uint32_t vertex);

/// The planes of a sheet that a place faces, the nearest first. Returns their number.
/// px_sheets_find() has found those of particles.
int px_sheet_planes(const PxSheets *s, uint32_t cloth, PxVec3 place,
                    PxSheetPlane plane[PX_SHEET_PLANES]);

/// Removes the pairs of particles that a sheet separates from the neighbour lists: fluid on one
/// side does not feel fluid on the other. px_pairs_unite() puts them back. Errors: PX_ERR_MEMORY.
PxStatus px_sheets_part(const PxSheets *s, PxPairs *pairs, uint32_t behind, PxArena *scratch,
                        PxIsa isa, const PxThreads *threads, PxPairsParted *out);

/// Does a sheet cross the straight way between two places, at the start of the step?
bool px_sheets_between(const PxSheets *s, PxVec3 a, PxVec3 b);

/// Part of the kernel that planes hide; gradient[k] is the term of plane k in its gradient, 1/m.
double px_sheet_parts(const PxWallProfile *profile, const PxSheetPlane *plane, int planes,
                      PxVec3 gradient[PX_SHEET_PLANES]);

/// Factor of a sheet's friction on fluid by its wetness at a plane.
double px_sheet_slip(const PxSheets *s, const PxSheetPlane *plane);

/// Is any sheet finer than the particles, so that the means below change anything?
bool px_sheets_spreads(const PxSheets *s);

/// Replaces values of vertices by means over the triangles around them, as far as a particle
/// reaches. Errors of both: PX_ERR_MEMORY.
PxStatus px_sheets_mean(const PxSheets *s, PxVec3 *of);

/// The adjoint of px_sheets_mean(), which keeps the sum: for impulses and masses.
PxStatus px_sheets_spread(const PxSheets *s, PxVec3 *of);

/// Sets s->rounds so that the means extend over about a spacing.
void px_sheets_choose_rounds(const PxSheets *s);

/// Lists the particles that touch cloth: before the first solve of pressure. Errors:
/// PX_ERR_MEMORY.
PxStatus px_sheets_list(PxSheets *s, const PxFluid *fluid);

/// Lets vertices yield to the pressure, with masses by vertex (0: held), whose inverses, in the
/// same place, stay in use. Before the first solve, after px_sheets_list(). Errors: PX_ERR_MEMORY.
PxStatus px_sheets_yield(PxSheets *s, PxFluid *fluid, PxYieldMass *mass);

/// Sets s->sent to the velocities with which the last solve of the pressure ended.
void px_sheets_yielded(PxSheets *s);

/// Kinetic energy of the fluid in front of the sheets that moves with them, at the start of the
/// step, J.
double px_sheets_kinetic(const PxSheets *s);

/// Sets s->load to the impulses of the particles that touch cloth; with `masses`, also finds the
/// masses that they add to its vertices. After the pressure is solved, before
/// px_fluid_give_impulses(). Errors: PX_ERR_MEMORY.
PxStatus px_sheets_load(PxSheets *s, const PxFluid *fluid, bool masses);

/// Lets the fluid see the velocities v of the vertices from now on: before the pressure is solved
/// again. Errors: PX_ERR_MEMORY.
PxStatus px_sheets_set_velocity(PxSheets *s, PxFluid *fluid, const PxVec3 *v);

/// Friction of 004 Eqs. 4.3 to 4.8 on the particles that touch, added to s->load. After the last
/// solve of pressure. Errors: PX_ERR_MEMORY.
PxStatus px_sheets_rub(PxSheets *s, PxFluid *fluid);

/// After the cloth was solved: gives the fluid in front of the vertices the impulses of its added
/// mass as accelerations. `change`, by vertex, is the solved velocity over that with which
/// the pressure was solved; it is used up. `fluid` is that of px_sheets_load(), which has not
/// moved since. Errors: PX_ERR_MEMORY.
PxStatus px_sheets_return(PxSheets *s, const PxFluid *fluid, PxVec3 *change);

#endif
