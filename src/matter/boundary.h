/// A boundary: an object without particles that stops, drags, warms or carries particles.
///
/// fluid/, solid/, thermal/ and contact/ use boundaries through this interface only. Walls and
/// rigid bodies (matter/wall.h) and cloth (contact/sheets.h) implement it. Surfaces of soft bodies
/// can be added without changes in those folders.
///
/// # Moments
/// A step lasts from moment 0 to moment 1. px_boundary_begin() fixes the boundary's configuration
/// at both; in between it changes as its implementation says. `when` is always such a moment.
/// Fluid forces are evaluated at moment 0, contacts at the moments in between.
///
/// # What a boundary offers
/// - distance and normal at a point (`distance`): positive on the side where particles may be, to
///   which the normal points;
/// - the velocity of its matter at a point, and where its matter at a point goes within the step
///   (`velocity`, `carry`);
/// - the part of the kernel that it fills around each of many points, and the gradient of that
///   part (`fill`), a block of points per call: one indirect call per block, none per particle;
/// - continuous collision with the straight path of a particle (`meets`, `passes`);
/// - bounds on its motion: in this step (`travel`), at any time (`top_speed`), and the longest step
///   in which it travels no further than a given length (`step_limit`);
/// - friction, temperature and conductance, which are members of the boundary.
///
/// # What a boundary takes
/// Every stage that changes a particle's momentum because of a boundary gives the boundary the
/// opposite impulse, at the place of that particle, through px_boundary_take(). The sums are exact
/// (base/sum.h): their bits do not depend on threads. The momentum of all particles and the
/// impulses of all boundaries therefore balance to the rounding of the particles' floats, wherever
/// forces between particles do. Stages that give impulses:
///   pressure, and the part of surface tension that a wall holds   fluid/boundaries.c
///   viscous drag, adhesion to the layer that wets it              fluid/boundaries.c
///   contact of solids, friction, restitution                      contact/solid_walls.c
///   the last defence against crossing                             contact/defence.c
///
/// # A boundary that yields
/// Rigid bodies are walls with `per_mass` and `per_inertia` above 0, about `pivot`, their centre of
/// mass. `begin` extrapolates the pose with the velocity that the body has without the fluid; the
/// pressure solve adds how it yields (fluid/yield.h). When the fluid's forces are complete, the
/// owner moves the body with px_boundary_impulse() and px_boundary_torque() and replaces its
/// configuration at moment 1, which contacts and the defence then see.
///
/// # Cloth
/// A sheet of cloth (contact/sheets.h) is a boundary of fluids only. It has no inside: `distance`
/// is never negative, and its normal points to the side that the point is on. Particles are kept
/// from crossing it after it has moved (contact/sheet_catch.h), so its `meets` and `passes` are
/// false, and px_sheets_load() hands impulses on to its vertices instead of `take`.
///
/// # Contract for later implementations
/// Surface of a soft body: triangles carried by particles (a skin). It is closed, so it has an
/// inside and distances are signed. `take` hands impulses on to the particles that carry the
/// surface.
#ifndef PX_MATTER_BOUNDARY_H
#define PX_MATTER_BOUNDARY_H

#include "base/mat3.h"
#include "base/parallel.h"
#include "base/sum.h"
#include "dist/reduce.h"
#include "base/vec.h"
#include "matter/wall_profile.h"
#include "phyxel/status.h"

typedef struct PxBoundary PxBoundary;

/// A straight path of a particle: where it is at two moments of the step.
typedef struct PxBoundaryPath {
    double when[2];
    PxVec3 place[2];
} PxBoundaryPath;

/// An impulse that acts at a place.
typedef struct PxImpulse {
    PxVec3 place;   ///< m
    PxVec3 impulse; ///< N s
} PxImpulse;

/// Overlap of a boundary with the kernel around one point.
typedef struct PxFill {
    uint32_t row;    ///< row of the point
    double distance; ///< m; the true one is at least px_boundary_lower_bound() of it
    double part;     ///< fraction of the kernel's integral inside the boundary; NAN: not known yet
    PxVec3 gradient; ///< of `part` with respect to the point, 1/m
    double lever;    ///< |gradient| times distance, summed over faces where they are known
    double lift;     ///< the same, each term times the square of its normal along query->up
    PxVec3 velocity; ///< of the boundary's matter there, m/s
    int faces;       ///< if requested: number of faces that exchange heat with the point
    double face[6];  ///< and their distances, m
    double spread;   ///< and, with a finite conductance, the area of the boundary over that of the
                     ///< parallel surface through the point
} PxFill;

/// Points of a query: rows [begin, end) of three columns.
typedef struct PxFillQuery {
    const float *x, *y, *z;
    uint32_t begin, end;
    const PxWallProfile *profile; ///< part of the kernel that a flat boundary fills
    bool faces;                   ///< PxFill.faces is requested
    PxVec3 up;                    ///< of unit length, or 0
    const PxBounds *part; ///< bounds of PX_FILL_PART points each, from `begin` on; NULL: not known
} PxFillQuery;

enum { PX_FILL_PART = 16 };

typedef struct PxBoundaryOps {
    /// Fixes the configurations at `time` and `time + dt`, s.
    void (*begin)(PxBoundary *boundary, double time, double dt);

    /// Bound of the displacement of any of its points within the step, m; INFINITY: no bound.
    double (*travel)(const PxBoundary *boundary);
    /// Bound of its speed at any time, m/s; of a rotating plane, the speed of its pivot.
    double (*top_speed)(const PxBoundary *boundary);
    /// The longest dt <= limit, from `now` on, in which none of its points moves more than `most`.
    double (*step_limit)(const PxBoundary *boundary, double now, double most, double limit);

    /// Digest of its shape and its configuration at moment 0: equal ones have equal distances.
    void (*print)(const PxBoundary *boundary, uint64_t digest[2]);

    /// Signed distance, m. `normal` may be NULL if it is not needed.
    double (*distance)(const PxBoundary *boundary, double when, PxVec3 place, PxVec3 *normal);
    /// The same, cheaper where only places nearer than `within` matter: distances of `within` m or
    /// more may be returned as +-within with an arbitrary normal. NULL: as distance().
    double (*near)(const PxBoundary *boundary, double when, PxVec3 place, double within,
                   PxVec3 *normal);
    /// A cheap lower bound of the distance, m; 0 or less: none is known.
    double (*at_least)(const PxBoundary *boundary, double when, PxVec3 place);
    /// Mean velocity within the step of its point that is at (or nearest to) `place` at `when`.
    PxVec3 (*velocity)(const PxBoundary *boundary, double when, PxVec3 place);
    /// Moves a point that sticks to the boundary from its place at moment `from` to moment `to`.
    PxVec3 (*carry)(const PxBoundary *boundary, double from, PxVec3 place, double to);

    /// Does the path come nearer than `touch` to the boundary? *at is then the first such parameter
    /// of the path, 0 .. 1. Also exact for boundaries without thickness.
    bool (*meets)(const PxBoundary *boundary, const PxBoundaryPath *path, double touch, double *at);
    /// Does the path, which begins outside, end inside or pass through the boundary? `hair` is the
    /// smallest distance resolved, m.
    bool (*passes)(const PxBoundary *boundary, const PxBoundaryPath *path, double hair);

    /// Called before the fills of a step. Errors: PX_ERR_MEMORY.
    PxStatus (*fill_begin)(PxBoundary *boundary, const PxWallProfile *profile);
    /// At moment 0: lists the points nearer than the profile's support in `out`, which has room for
    /// all, and returns their number; lowers nearest[row - begin] to the distance. Beyond the
    /// support distances are lower bounds. Threads: any number at once.
    uint32_t (*fill)(const PxBoundary *boundary, const PxFillQuery *query, PxFill *out,
                     double *nearest);
    /// Computes table blocks that fills found missing; *again: repeat the fills with NAN parts.
    /// Errors: PX_ERR_MEMORY.
    PxStatus (*fill_more)(PxBoundary *boundary, const PxThreads *threads, bool *again);

    /// Takes impulses. NULL: they are summed in px_boundary_impulse() and px_boundary_torque().
    /// Threads: any number at once; the result must not depend on their order.
    void (*take)(PxBoundary *boundary, const PxImpulse *impulse, uint32_t count);
} PxBoundaryOps;

struct PxBoundary {
    const PxBoundaryOps *ops;
    uint32_t body;      ///< slot
    uint32_t made;      ///< generation of that slot: no two shapes of a world have both
    bool convex;        ///< what it fills is convex: no distance is below the tangent at a place
    double friction;    ///< 0 .. 1
    double wetting;     ///< cosine of the contact angle, -1 .. 1
    double adhesion;    ///< drag on the wetted layer, 0 .. 1
    double temperature; ///< degrees C; NAN: adiabatic
    double conductance; ///< of its contact with matter, W/(m^2 K); INFINITY: perfect
    PxVec3 pivot;       ///< reference point of torques, at moment 0
    double per_mass;    ///< 1/kg: an impulse changes its velocity by so much; 0: it does not yield
    PxMat3 per_inertia; ///< 1/(kg m^2): the same of a torque about the pivot and its spin
    PxVec3 forced;      ///< change of its velocity in the step by all but particles, m/s; the
                        ///< velocities above include it
    PxVec3 ending;      ///< velocity of its pivot at the end of the step, if it yields, m/s
    PxVec3 within[2];   ///< velocity of its pivot relative to the mean of the step: at its start,
                        ///< and the change until its end, if it yields, m/s
    PxVec3 pressed[2]; ///< force of the pressure of fluids on it and its moment, low-pass filtered,
                       ///< N and N m; 0: that of the particles' `steady_pressure`
    PxVec3 shifted;    ///< displacement of its pivot by solids in the step, and rotation about it,
    PxVec3 turned;     ///< in addition to the motion above (contact/solid_rigids.h), m and rad
    PxVec3 expected[2]; ///< impulse and moment of solids that the motion above contains, N s, N m s
    PxVec3 loaded[2];   ///< those that solids gave in the step, N s and N m s
    PxSum impulse[3];   ///< taken in this step, N s
    PxSum torque[3];    ///< its moment about the pivot, N m s
};

/// Resets impulse and torque and fixes the configurations of a step.
void px_boundary_begin(PxBoundary *boundary, double time, double dt);

/// Takes an impulse: the opposite of what a particle at that place got.
/// Threads: any number at once; the order does not matter.
void px_boundary_take(PxBoundary *boundary, PxImpulse impulse);

/// The same for several impulses of one particle: their sum and the sum of their moments about the
/// pivot. Not for boundaries with their own `take`, which need each impulse separately.
void px_boundary_take_moment(PxBoundary *boundary, PxVec3 impulse, PxVec3 torque);

/// Takes many impulses, faster: each is rounded so that their sums are exact. magic[] are the
/// px_sum_magic() of all impulses given this way in the step, and of their moments.
void px_boundary_take_many(PxBoundary *boundary, const PxImpulse *impulse, uint32_t count,
                           const double magic[2]);

/// The moment of an impulse about the boundary's pivot, N m s.
static inline PxVec3 px_boundary_moment(const PxBoundary *b, PxImpulse impulse)
{
    return px_cross(px_sub(impulse.place, b->pivot), impulse.impulse);
}

/// Impulse and torque taken since px_boundary_begin(), of all ranks, N s and N m s. All ranks call
/// them.
PxVec3 px_boundary_impulse(const PxBoundary *boundary, const PxDist *dist);
PxVec3 px_boundary_torque(const PxBoundary *boundary, const PxDist *dist);

/// The largest travel of several boundaries in this step, m.
double px_boundaries_travel(PxBoundary *const *boundary, size_t count);

static inline double px_boundary_distance(const PxBoundary *b, double when, PxVec3 place,
                                          PxVec3 *normal)
{
    return b->ops->distance(b, when, place, normal);
}

/// `within` as in PxBoundaryOps.near; `normal` must not be NULL.
static inline double px_boundary_near(const PxBoundary *b, double when, PxVec3 place, double within,
                                      PxVec3 *normal)
{
    return b->ops->near != NULL ? b->ops->near(b, when, place, within, normal)
                                : b->ops->distance(b, when, place, normal);
}

/// Node distance, in spacings, of tables from which fills may interpolate distances linearly.
#define PX_BOUNDARY_STEP 0.5

/// Lower bound of the true distance d, from one interpolated between the corners of a cell of edge
/// g. Each corner is at most as far from the boundary as from its nearest point to the query, and
/// the weighted mean of those distances is at most sqrt(d^2 + 3/4 g^2).
static inline double px_boundary_lower_bound(double distance, double spacing)
{
    double g = PX_BOUNDARY_STEP * spacing, square = distance * distance - 0.75 * g * g;
    return distance > 0 && square > 0 ? sqrt(square) : 0;
}

#endif
