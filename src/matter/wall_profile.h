/// Part of the kernel and viscous drag of a flat wall at distance d, tabulated.
///
/// If the half space behind the wall were filled with layers of particles at depths s/2, 3s/2,
/// ..., as the fluid is, they would contribute
///   layers(d) = s sum_k w(d + (k + 1/2) s),     w(d) = integral of W over a plane
/// to the density. (The integral over the half space is 3.8 per cent of the density higher half a
/// spacing from the wall, where a filled body ends, so a run would start compressed.) We use
///   part(d) = layers(2 d - s/2)
/// which has the same value at half a spacing and twice the slope. The force is the gradient of
/// the fluid's energy, p_i V_i^2 grad part / s^3, without a mirrored wall pressure (p_i + p_i),
/// because only then does the wall conserve energy; twice the slope makes it balance the force
/// from the fluid's side. A body filled up to half a spacing from the wall is then at rest density
/// without net force.
#ifndef PX_MATTER_WALL_PROFILE_H
#define PX_MATTER_WALL_PROFILE_H

#define PX_WALL_PROFILE 1024
typedef struct PxWallProfile {
    double h, s;           ///< support and spacing, m
    double low, per_metre; ///< d of the first entry, entries per metre
    double part[PX_WALL_PROFILE + 1], slope[PX_WALL_PROFILE + 1], drag[PX_WALL_PROFILE + 1];
    double part_near, drag_near; ///< at half a spacing, where a filled body ends
} PxWallProfile;

/// For a support h and a spacing s, m.
void px_wall_profile_init(PxWallProfile *profile, double h, double s);

/// Entry of the table and the fraction towards the next one.
static inline int px_wall_profile_at(const PxWallProfile *t, double d, double *between)
{
    double place = (d - t->low) * t->per_metre;
    place = place > 0 ? place : 0;
    int k = place < PX_WALL_PROFILE ? (int)place : PX_WALL_PROFILE - 1;
    double u = place - k;
    *between = u < 1 ? u : 1;
    return k;
}

/// Part of the kernel filled by the wall, and its derivative by d, 1/m.
static inline void px_wall_profile_part(const PxWallProfile *t, double d, double *part,
                                        double *slope)
{
    double u;
    int k = px_wall_profile_at(t, d, &u);
    *part = t->part[k] + u * (t->part[k + 1] - t->part[k]);
    *slope = t->slope[k] + u * (t->slope[k + 1] - t->slope[k]);
}

/// No-slip drag of the wall on a viscous fluid, 1/m^2; times nu it is a rate, 1/s.
static inline double px_wall_profile_drag(const PxWallProfile *t, double d)
{
    double u;
    int k = px_wall_profile_at(t, d, &u);
    return t->drag[k] + u * (t->drag[k + 1] - t->drag[k]);
}

#endif
