/// What a flat wall at distance d does to the fluid, tabulated.
///
/// A half space that begins at distance d could be filled with layers of particles
/// at depths s/2, 3s/2, ... as the fluid itself is layered; they would take
///   layers(d) = s sum_k w(d + (k + 1/2) s),     w(d) = integral of W over a plane
/// of the kernel. (The integral over the half space is worse: half a spacing from
/// the wall, where a filled body ends, it is 3.8 per cent of the density higher, and
/// a run would begin with a bang.) We take
///   part(d) = layers(2 d - s/2)
/// which is the same at half a spacing and twice as steep. Twice, because the
/// force that goes with a part of the density is the gradient of the fluid's
/// energy, p_i V_i^2 grad part / s^3, without a share of the wall's own pressure:
/// only so does the wall neither give nor take energy (with the wall's pressure
/// added, p_i + p_i, edges of a column at rest shake themselves to pieces within
/// 0.1 s), and only twice as steep does it balance the fluid's side. A body filled up
/// to half a spacing from the wall then feels rest density and no net force.
#ifndef PX_MATTER_WALL_PROFILE_H
#define PX_MATTER_WALL_PROFILE_H

#define PX_WALL_PROFILE 1024
typedef struct PxWallProfile {
    double h, s;           ///< support and spacing, m
    double low, per_metre; ///< d of the first entry, entries a metre
    double part[PX_WALL_PROFILE + 1], slope[PX_WALL_PROFILE + 1], drag[PX_WALL_PROFILE + 1];
    double drag_near; ///< drag at half a spacing, where a filled body begins
} PxWallProfile;

/// For a support h and a spacing s, m.
void px_wall_profile_init(PxWallProfile *profile, double h, double s);

/// Place in the table: entry and the way to the next one.
static inline int px_wall_profile_at(const PxWallProfile *t, double d, double *between)
{
    double place = (d - t->low) * t->per_metre;
    place = place > 0 ? place : 0;
    int k = place < PX_WALL_PROFILE ? (int)place : PX_WALL_PROFILE - 1;
    double u = place - k;
    *between = u < 1 ? u : 1;
    return k;
}

/// The part that the wall takes of the kernel, and its derivative by d, 1/m.
static inline void px_wall_profile_part(const PxWallProfile *t, double d, double *part,
                                        double *slope)
{
    double u;
    int k = px_wall_profile_at(t, d, &u);
    *part = t->part[k] + u * (t->part[k + 1] - t->part[k]);
    *slope = t->slope[k] + u * (t->slope[k + 1] - t->slope[k]);
}

/// The drag of the wall on a viscous fluid that sticks to it, 1/m^2; times nu it is 1/s.
static inline double px_wall_profile_drag(const PxWallProfile *t, double d)
{
    double u;
    int k = px_wall_profile_at(t, d, &u);
    return t->drag[k] + u * (t->drag[k + 1] - t->drag[k]);
}

#endif
