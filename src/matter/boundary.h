/// A boundary: whatever is not particles and stops, drags, warms or carries them.
///
/// fluid/, solid/, thermal/ and contact/ know boundaries by this interface only. Walls moved by
/// keyframes (matter/wall.h) implement it. Rigid bodies, cloth and the surfaces of soft bodies are
/// meant to be further implementations, and those rooms must not have to change for them.
///
/// # Moments
/// A step lasts from moment 0 to moment 1. px_boundary_begin() fixes the boundary's configuration
/// at both; in between it changes as its implementation says. `when` is always such a moment.
/// Fluid forces are evaluated at moment 0, contacts at the moments in between.
///
/// # What a boundary offers
/// - distance and normal at a point (`distance`): positive where particles may be, the normal
///   points there;
/// - the velocity of its matter at a point, and where its matter at a point goes within the step
///   (`velocity`, `carry`);
/// - the part of the kernel that it fills around each of many points, and the gradient of that
///   part (`fill`), a block of points per call: one indirect call per block, none per particle;
/// - continuous collision with the straight path of a particle (`meets`, `passes`);
/// - bounds on its motion: in this step (`travel`), at any time (`top_speed`), and how long a
///   step may be so that it does not travel further than a given length (`step_limit`);
/// - friction, temperature and conductance, which are plain numbers of the boundary.
///
/// # What a boundary takes
/// Every stage that changes a particle's momentum because of a boundary gives the boundary the
/// opposite impulse, at the place of that particle, through px_boundary_take(). The sums are exact
/// (base/sum.h): their bits do not depend on threads. The momentum of all particles and the
/// impulses of all boundaries therefore balance to the rounding of the particles' floats, wherever
/// forces between particles do. Stages that give:
///   pressure, and the part of surface tension that a wall holds   fluid/boundaries.c
///   viscous drag                                                  fluid/boundaries.c
///   contact of solids, friction, restitution                      contact/solid_walls.c
///   the last defence against crossing                             contact/defence.c
///
/// # Contract for later implementations
/// Rigid body: `begin` extrapolates its pose with its velocity; `distance`, `fill`, `meets` and
/// `passes` are those of a wall in its rest frame (matter/wall_fill.c, matter/wall.c take a shape
/// and two poses). When the step is over its owner reads px_boundary_impulse() and
/// px_boundary_torque(), about `pivot`, which should then be its centre of mass, and
/// changes its velocity before the next `begin`. The coupling is one step late; bodies lighter than
/// the fluid they displace need more than that and can take impulses within the pressure solve by
/// implementing `fill` with the velocity of the body as it would be.
///
/// Cloth: a two-sided sheet of triangles whose vertices move. It has no rest frame, which is why
/// the interface has none: `carry` moves a point with the nearest triangle, `meets` and `passes`
/// are continuous collision against moving triangles. A sheet has no inside: `distance` is never
/// negative and its normal points to the side that the point is on, so `meets` and `passes` alone
/// decide about crossing. `fill` treats it as matter s/2 thick, as thin walls are. The
/// impulse must reach vertices: it implements `take` and shares impulses among the nearest
/// triangle's corners by barycentric weights; the torque of a sheet is then not used.
///
/// Surface of a soft body: triangles carried by particles (a skin). As cloth, but closed: it has an
/// inside and distances are signed. `take` hands impulses on to the particles that carry the
/// surface, with the same weights.
#ifndef PX_MATTER_BOUNDARY_H
#define PX_MATTER_BOUNDARY_H

#include "base/parallel.h"
#include "base/sum.h"
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

/// What a boundary does to the kernel around one point.
typedef struct PxFill {
    uint32_t row;    ///< which of the points
    double distance; ///< m; the true one is at least px_boundary_surely() of it
    double part;     ///< of the kernel's integral that lies in the boundary; NAN: not known yet
    PxVec3 gradient; ///< of the part, by the point, 1/m
    double lever;    ///< |gradient| times distance, summed over faces where they are known
    PxVec3 velocity; ///< of the boundary's matter there, m/s
    int faces;       ///< if asked for: how many faces exchange heat with the point, and how far
    double face[6];  ///< away each of them is, m
} PxFill;

/// Points asked about: rows [begin, end) of three columns.
typedef struct PxFillQuery {
    const float *x, *y, *z;
    uint32_t begin, end;
    const PxWallProfile *profile; ///< what a flat boundary fills
    bool faces;                   ///< the faces are wanted too
} PxFillQuery;

typedef struct PxBoundaryOps {
    /// Fixes the configurations at `time` and `time + dt`, s.
    void (*begin)(PxBoundary *boundary, double time, double dt);

    /// No point of its matter moves further than this within the step, m; INFINITY: no bound.
    double (*travel)(const PxBoundary *boundary);
    /// Bound of the speed of its matter at any time, m/s; a turning plane counts with its pivot.
    double (*top_speed)(const PxBoundary *boundary);
    /// The longest dt <= limit, from `now` on, in which its matter travels no further than `most`.
    double (*step_limit)(const PxBoundary *boundary, double now, double most, double limit);

    /// *normal may be NULL.
    double (*distance)(const PxBoundary *boundary, double when, PxVec3 place, PxVec3 *normal);
    /// Mean velocity within the step of the matter that is at (or nearest to) `place` at `when`.
    PxVec3 (*velocity)(const PxBoundary *boundary, double when, PxVec3 place);
    /// Where what sticks to the boundary at `place` at one moment is at the other.
    PxVec3 (*carry)(const PxBoundary *boundary, double from, PxVec3 place, double to);

    /// Does the path come nearer than `touch` to the boundary? *at is then the first such point of
    /// it, 0 .. 1. Misses nothing, however thin the boundary is.
    bool (*meets)(const PxBoundary *boundary, const PxBoundaryPath *path, double touch, double *at);
    /// Does the path, which begins outside, end inside or lead through to another side? `hair` is
    /// the shortest distance looked at, m.
    bool (*passes)(const PxBoundary *boundary, const PxBoundaryPath *path, double hair);

    /// Before the fills of a step. Errors: PX_ERR_MEMORY.
    PxStatus (*fill_begin)(PxBoundary *boundary, const PxWallProfile *profile);
    /// At moment 0: lists the points that are nearer than the profile's support in `out`, which has
    /// room for all, and answers how many; nearest[row - begin] becomes the distance if
    /// that is less. Distances are lower bounds from the support on. Threads: any number at once.
    uint32_t (*fill)(const PxBoundary *boundary, const PxFillQuery *query, PxFill *out,
                     double *nearest);
    /// Computes what fills have found missing; *again: fills may now know more.
    /// Errors: PX_ERR_MEMORY.
    PxStatus (*fill_more)(PxBoundary *boundary, const PxThreads *threads, bool *again);

    /// Takes impulses. NULL: they are added up in px_boundary_impulse() and px_boundary_torque().
    /// Threads: any number at once; what is made of them must not depend on their order.
    void (*take)(PxBoundary *boundary, const PxImpulse *impulse, uint32_t count);
} PxBoundaryOps;

struct PxBoundary {
    const PxBoundaryOps *ops;
    uint32_t body;      ///< slot
    double friction;    ///< 0 .. 1
    double temperature; ///< degrees C; NAN: no heat passes it
    double conductance; ///< of its contact with matter, W/(m^2 K); INFINITY: perfect
    PxVec3 pivot;       ///< that torques are about, at moment 0
    PxSum impulse[3];   ///< taken in this step, N s
    PxSum torque[3];    ///< its moment about the pivot, N m s
};

/// Forgets what was taken and fixes the configurations of a step.
void px_boundary_begin(PxBoundary *boundary, double time, double dt);

/// Takes an impulse: the opposite of what a particle at that place got.
/// Threads: any number at once; the order does not matter.
void px_boundary_take(PxBoundary *boundary, PxImpulse impulse);

/// The same, of several impulses of one particle: their sum and the sum of their moments about the
/// pivot. Not for boundaries with a `take` of their own, which want each by itself.
void px_boundary_take_moment(PxBoundary *boundary, PxVec3 impulse, PxVec3 torque);

/// Many impulses, faster: each is rounded so that sums of them are exact. `magic` is the
/// px_sum_magic() of all impulses that any stage gives this way in the step, and of their moments.
void px_boundary_take_many(PxBoundary *boundary, const PxImpulse *impulse, uint32_t count,
                           const double magic[2]);

/// The moment of an impulse about the boundary's pivot, N m s.
static inline PxVec3 px_boundary_moment(const PxBoundary *b, PxImpulse impulse)
{
    return px_cross(px_sub(impulse.place, b->pivot), impulse.impulse);
}

/// What it has taken since px_boundary_begin(), N s and N m s.
PxVec3 px_boundary_impulse(const PxBoundary *boundary);
PxVec3 px_boundary_torque(const PxBoundary *boundary);

/// The largest travel of several boundaries in this step, m.
double px_boundaries_travel(PxBoundary *const *boundary, size_t count);

static inline double px_boundary_distance(const PxBoundary *b, double when, PxVec3 place,
                                          PxVec3 *normal)
{
    return b->ops->distance(b, when, place, normal);
}

/// Distances in fills may be looked up in tables, interpolated linearly between nodes that
/// are this many spacings apart.
#define PX_BOUNDARY_STEP 0.5

/// A lower bound of the true distance, from one that was interpolated between the corners of a
/// cell of edge g. If the nearest point of the boundary is d away, each corner is at most as far
/// from the boundary as from that point, and the mean of those is at most sqrt(d^2 + 3/4 g^2).
static inline double px_boundary_surely(double distance, double spacing)
{
    double g = PX_BOUNDARY_STEP * spacing, square = distance * distance - 0.75 * g * g;
    return distance > 0 && square > 0 ? sqrt(square) : 0;
}

#endif
