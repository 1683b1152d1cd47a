#include "shape/walker.h"

#include "base/random.h"

#include <math.h>

/* Width of the smooth union of limbs, m at a height of 1.7 m. */
#define BLEND 0.045
/* Bones whose surface is this much further than the nearest one have no weight, m. */
#define SHARE 0.07

/* ---- figure ---- */

/* A factor from 1 - most to 1 + most, another for each number. */
static double vary(uint64_t seed, uint64_t number, double most)
{
    return 1 + most * (2 * px_random_unit(seed, number, 0) - 1);
}

static PxVec3 side(PxVec3 x, int right)
{
    return right ? px_vec(-x.x, x.y, x.z) : x;
}

static void add_bone(PxWalker *w, int bone, int parent, PxVec3 joint, PxVec3 a, double ra, PxVec3 b,
                     double rb)
{
    w->bone[bone] =
        (PxWalkerBone){.parent = parent, .joint = joint, .a = a, .b = b, .ra = ra, .rb = rb};
}

static void add_second(PxWalker *w, int bone, PxVec3 a, double ra, PxVec3 b, double rb)
{
    PxWalkerBone *own = &w->bone[bone];
    own->a2 = a;
    own->b2 = b;
    own->ra2 = ra;
    own->rb2 = rb;
}

/* Lengths for a height of 1.7 m; the factors vary limbs and breadth. */
static void build(PxWalker *w, double limbs, double broad, double slim)
{
    double hip = 0.92 * limbs, knee = 0.5 * limbs, ankle = 0.085, waist = hip + 0.16;
    double chest = waist + 0.2, shoulder = waist + 0.33, neck = shoulder + 0.07, x = 0.1 * broad;
    add_bone(w, PX_WALKER_PELVIS, PX_WALKER_BONES, px_vec(0, hip + 0.04, 0),
             px_vec(0.065 * broad, hip + 0.02, -0.01), 0.115 * slim,
             px_vec(-0.065 * broad, hip + 0.02, -0.01), 0.115 * slim);
    add_second(w, PX_WALKER_PELVIS, px_vec(0, hip + 0.05, -0.005), 0.115 * slim,
               px_vec(0, waist, 0), 0.105 * slim);
    add_bone(w, PX_WALKER_CHEST, PX_WALKER_PELVIS, px_vec(0, waist, -0.02), px_vec(0, waist, 0),
             0.105 * slim, px_vec(0, chest, -0.005), 0.125 * slim);
    add_second(w, PX_WALKER_CHEST, px_vec(0.13 * broad, shoulder - 0.035, -0.01), 0.065,
               px_vec(-0.13 * broad, shoulder - 0.035, -0.01), 0.065);
    add_bone(w, PX_WALKER_HEAD, PX_WALKER_CHEST, px_vec(0, neck, -0.01),
             px_vec(0, shoulder, -0.015), 0.05, px_vec(0, neck + 0.03, 0), 0.046);
    add_second(w, PX_WALKER_HEAD, px_vec(0, neck + 0.105, 0.02), 0.082, px_vec(0, neck + 0.15, 0),
               0.092);
    for (int r = 0; r < 2; ++r) {
        add_bone(w, PX_WALKER_THIGH + r, PX_WALKER_PELVIS, side(px_vec(0.09 * broad, hip, 0), r),
                 side(px_vec(0.085 * broad, hip - 0.03, 0), r), 0.088 * slim,
                 side(px_vec(x, knee, 0), r), 0.054 * slim);
        add_bone(w, PX_WALKER_SHIN + r, PX_WALKER_THIGH + r, side(px_vec(x, knee, 0), r),
                 side(px_vec(x, knee - 0.09, -0.01), r), 0.054 * slim,
                 side(px_vec(x, ankle + 0.02, -0.015), r), 0.036);
        add_bone(w, PX_WALKER_FOOT + r, PX_WALKER_SHIN + r, side(px_vec(x, ankle, -0.015), r),
                 side(px_vec(x, 0.045, -0.035), r), 0.043, side(px_vec(x + 0.012, 0.032, 0.13), r),
                 0.031);
        PxVec3 top = px_vec(0.185 * broad, shoulder - 0.03, -0.01);
        PxVec3 elbow = px_add(top, px_vec(0.155 * limbs, -0.22 * limbs, 0));
        PxVec3 wrist = px_add(elbow, px_vec(0.13 * limbs, -0.2 * limbs, 0.01));
        PxVec3 hand = px_add(wrist, px_vec(0.05, -0.085, 0.01));
        add_bone(w, PX_WALKER_ARM + r, PX_WALKER_CHEST, side(top, r), side(top, r), 0.054,
                 side(elbow, r), 0.039);
        add_bone(w, PX_WALKER_FOREARM + r, PX_WALKER_ARM + r, side(elbow, r), side(elbow, r), 0.039,
                 side(wrist, r), 0.028);
        add_second(w, PX_WALKER_FOREARM + r, side(wrist, r), 0.03, side(hand, r), 0.033);
    }
}

static void scale_all(PxWalker *w, double s)
{
    for (int k = 0; k < PX_WALKER_BONES; ++k) {
        PxWalkerBone *b = &w->bone[k];
        b->joint = px_scale(b->joint, s);
        b->a = px_scale(b->a, s);
        b->b = px_scale(b->b, s);
        b->a2 = px_scale(b->a2, s);
        b->b2 = px_scale(b->b2, s);
        b->ra *= s;
        b->rb *= s;
        b->ra2 *= s;
        b->rb2 *= s;
    }
}

/* Distance to the hull of two balls (a rounded cone), exact; after its profile in the plane of the
 * point and the axis. */
static double cone_distance(PxVec3 x, PxVec3 a, double ra, PxVec3 b, double rb)
{
    PxVec3 axis = px_sub(b, a), arm = px_sub(x, a);
    double length = px_length(axis);
    if (!(length > fabs(ra - rb)))
        return ra > rb ? px_length(arm) - ra : px_length(px_sub(x, b)) - rb;
    double along = px_dot(arm, axis) / length;
    double off = sqrt(fmax(px_dot(arm, arm) - along * along, 0));
    double sine = (ra - rb) / length, cosine = sqrt(1 - sine * sine);
    /* where the slanted side meets the normal through the point */
    double foot = along - off * sine / cosine;
    if (foot < 0)
        return px_length(arm) - ra;
    if (foot > length)
        return px_length(px_sub(x, b)) - rb;
    return along * sine + off * cosine - ra;
}

static double bone_distance(const PxWalkerBone *b, PxVec3 x)
{
    double d = cone_distance(x, b->a, b->ra, b->b, b->rb);
    return b->ra2 > 0 ? fmin(d, cone_distance(x, b->a2, b->ra2, b->b2, b->rb2)) : d;
}

/* Polynomial smooth minimum (Quilez 2013). */
static double smooth_min(double a, double b, double k)
{
    double h = fmax(k - fabs(a - b), 0) / k;
    return fmin(a, b) - 0.25 * h * h * k;
}

/* Of the first bones. */
static double distance_of(const PxWalker *w, PxVec3 x, int bones)
{
    double k = BLEND * w->height / 1.7, d = INFINITY;
    for (int n = 0; n < bones; ++n) {
        const PxWalkerBone *b = &w->bone[n];
        double first = cone_distance(x, b->a, b->ra, b->b, b->rb);
        d = isfinite(d) ? smooth_min(d, first, k) : first;
        if (b->ra2 > 0)
            d = smooth_min(d, cone_distance(x, b->a2, b->ra2, b->b2, b->rb2), k);
    }
    return d;
}

double px_walker_distance(const PxWalker *w, PxVec3 x)
{
    return distance_of(w, x, PX_WALKER_BONES);
}

double px_walker_trunk(const PxWalker *w, PxVec3 x)
{
    return distance_of(w, x, PX_WALKER_ARM);
}

void px_walker_weights(const PxWalker *w, PxVec3 x, float weight[PX_WALKER_BONES])
{
    double d[PX_WALKER_BONES], least = INFINITY, sum = 0, reach = SHARE * w->height / 1.7;
    for (int n = 0; n < PX_WALKER_BONES; ++n) {
        d[n] = bone_distance(&w->bone[n], x);
        least = fmin(least, d[n]);
    }
    for (int n = 0; n < PX_WALKER_BONES; ++n) {
        double part = fmax(1 - (d[n] - least) / reach, 0);
        d[n] = part * part;
        sum += d[n];
    }
    for (int n = 0; n < PX_WALKER_BONES; ++n)
        weight[n] = (float)(d[n] / sum);
}

/* ---- gait ---- */

/* A bump of height 1 at a phase, the narrower the higher the power. */
static double bump(double phase, double power)
{
    return pow(0.5 * (1 + cos(phase)), power);
}

static PxQuat about_x(double angle)
{
    return px_quat_turn(px_vec(1, 0, 0), angle);
}

static PxQuat then(PxQuat first, PxQuat second)
{
    return px_quat_multiply(second, first);
}

/* Turns of the bones against their parents. Phase 0: the left heel strikes; the leg swings in the
 * second half of the period. A positive turn about x moves what hangs down backwards. */
static void turns_at(const PxWalker *w, double phase, double part, PxQuat turn[PX_WALKER_BONES])
{
    for (int n = 0; n < PX_WALKER_BONES; ++n)
        turn[n] = px_quat_identity();
    double yaw = part * w->turn * cos(phase);
    PxQuat hips = then(px_quat_turn(px_vec(0, 1, 0), -yaw),
                       px_quat_turn(px_vec(0, 0, 1), part * 0.05 * sin(phase)));
    turn[PX_WALKER_PELVIS] = hips;
    turn[PX_WALKER_CHEST] =
        then(px_quat_turn(px_vec(0, 1, 0), 1.8 * yaw),
             then(px_quat_turn(px_vec(0, 0, 1), -part * 0.06 * sin(phase)), about_x(part * 0.03)));
    turn[PX_WALKER_HEAD] = px_quat_turn(px_vec(0, 1, 0), -0.8 * yaw);
    for (int r = 0; r < 2; ++r) {
        double p = phase + (r ? M_PI : 0);
        double hip = part * (w->hip * cos(p) + 0.06);
        double knee =
            part * (w->knee * bump(p - 1.45 * M_PI, 2.5) + 0.22 * bump(p - 0.3 * M_PI, 4) + 0.06);
        double pitch =
            part * (0.3 * bump(p, 4) - 0.75 * bump(p - 1.15 * M_PI, 5)); /* of the foot */
        turn[PX_WALKER_THIGH + r] = about_x(-hip);
        turn[PX_WALKER_SHIN + r] = about_x(knee);
        turn[PX_WALKER_FOOT + r] = about_x(hip - knee - pitch);
        double swing = -part * (w->arm * cos(p) + 0.05);
        PxQuat lower = px_quat_turn(px_vec(0, 0, 1), (r ? 1 : -1) * part * 0.02);
        turn[PX_WALKER_ARM + r] = then(lower, about_x(-swing));
        turn[PX_WALKER_FOREARM + r] =
            about_x(-part * (0.3 + 0.25 * fmax(0, swing / fmax(w->arm, 1e-9))));
    }
}

/* Poses of the bones with the pelvis in its place. */
static void chain(const PxWalker *w, const PxQuat turn[PX_WALKER_BONES], PxWalkerPose *out)
{
    PxQuat whole[PX_WALKER_BONES];
    for (int n = 0; n < PX_WALKER_BONES; ++n) {
        const PxWalkerBone *b = &w->bone[n];
        bool root = b->parent == PX_WALKER_BONES;
        whole[n] = root ? turn[n] : px_quat_multiply(whole[b->parent], turn[n]);
        PxVec3 joint =
            root ? b->joint : px_add(px_rotate(whole[b->parent], b->joint), out->move[b->parent]);
        out->turn[n] = px_mat3_from_quat(whole[n]);
        out->move[n] = px_sub(joint, px_rotate(whole[n], b->joint));
    }
}

static PxVec3 moved(const PxWalkerPose *pose, int bone, PxVec3 x)
{
    return px_add(px_mat3_apply(pose->turn[bone], x), pose->move[bone]);
}

/* Lowest height of the soles: heel and toe of both feet, their minimum a little smoothed. */
static double lowest_sole(const PxWalker *w, const PxWalkerPose *pose)
{
    double low = INFINITY;
    for (int r = 0; r < 2; ++r) {
        const PxWalkerBone *foot = &w->bone[PX_WALKER_FOOT + r];
        double heel = moved(pose, PX_WALKER_FOOT + r, foot->a).y - foot->ra;
        double toe = moved(pose, PX_WALKER_FOOT + r, foot->b).y - foot->rb;
        double both = smooth_min(heel, toe, 0.01);
        low = isfinite(low) ? smooth_min(low, both, 0.02) : both;
    }
    return low;
}

PxWalkerPose px_walker_pose(const PxWalker *w, double time)
{
    PxWalkerPose pose;
    PxQuat turn[PX_WALKER_BONES];
    double u = fmin(fmax((time - w->begin) / (w->end - w->begin), 0), 1);
    double part = u * u * (3 - 2 * u), walked = fmax(time - w->begin, 0);
    double phase = 0.5 * M_PI + 2 * M_PI * walked / w->period; /* it stands between two steps */
    turns_at(w, phase, part, turn);
    chain(w, turn, &pose);
    /* The way is the integral of the speed, which grows with `part`. */
    double ramp = w->end - w->begin, way = ramp * (u * u * u - 0.5 * u * u * u * u);
    way += fmax(time - w->end, 0);
    PxVec3 shift = px_vec(part * w->sway * cos(phase - 0.5 * M_PI), -lowest_sole(w, &pose),
                          w->stays ? 0 : way * w->stride / w->period);
    for (int n = 0; n < PX_WALKER_BONES; ++n)
        pose.move[n] = px_add(pose.move[n], shift);
    return pose;
}

PxVec3 px_walker_place(const PxWalkerPose *pose, const float weight[PX_WALKER_BONES], PxVec3 x)
{
    PxVec3 sum = px_vec(0, 0, 0);
    for (int n = 0; n < PX_WALKER_BONES; ++n)
        if (weight[n] > 0)
            sum = px_mad(sum, moved(pose, n, x), (double)weight[n]);
    return sum;
}

PxWalker px_walker(const PxWalkerDef *def)
{
    uint64_t seed = def->seed;
    PxWalker w = {.height = def->height > 0 ? def->height : 1.7 * vary(seed, 0, 0.06),
                  .period = 1.12 * vary(seed, 1, 0.08),
                  .begin = def->stands,
                  .end = def->stands + 0.8,
                  .hip = 0.42 * vary(seed, 2, 0.12),
                  .knee = 1.0 * vary(seed, 3, 0.1),
                  .arm = 0.34 * vary(seed, 4, 0.25),
                  .turn = 0.1 * vary(seed, 5, 0.4),
                  .sway = 0.018 * vary(seed, 6, 0.4),
                  .stays = def->stays};
    build(&w, vary(seed, 7, 0.03), vary(seed, 8, 0.07), vary(seed, 9, 0.07));
    double top = w.bone[PX_WALKER_HEAD].b2.y + w.bone[PX_WALKER_HEAD].rb2;
    scale_all(&w, w.height / top);
    w.sway *= w.height / 1.7;
    /* The foot that carries goes back as far as the body goes forth: half a stride in a step. */
    PxWalkerPose pose;
    PxQuat turn[PX_WALKER_BONES];
    double z[2];
    for (int k = 0; k < 2; ++k) {
        turns_at(&w, k * M_PI, 1, turn);
        chain(&w, turn, &pose);
        z[k] = moved(&pose, PX_WALKER_FOOT, w.bone[PX_WALKER_FOOT].joint).z;
    }
    w.stride = 2 * (z[0] - z[1]);
    return w;
}
