#include "scene/way.h"

#include "base/vec.h"
#include "scene/content.h"
#include "scene/ease.h"

/* Keyframes of a way: one in this time, s, at least so many. */
#define PIECE (1.0 / 120)
#define LEAST_PIECES 64.0
/* Chords by which the length between two places is measured. */
enum { CHORDS = 64 };

#define DEGREE (3.14159265358979323846 / 180.0)

/* The places of a way, of which number 0 is its beginning. */
typedef struct Way {
    const PxSceneKeyframe *from, *place;
    size_t count; /* of pieces between places */
} Way;

static PxVec3 place_of(const Way *w, size_t k)
{
    return k == 0 ? w->from->move : w->place[k - 1].move;
}

/* The place beyond the beginning or the end, on the parabola through the three places there, or the
 * line through two. */
static PxVec3 beyond(const Way *w, size_t end)
{
    size_t one = end == 0 ? 1 : end - 1, two = end == 0 ? 2 : end - 2;
    PxVec3 p = place_of(w, end), q = place_of(w, one);
    if (w->count < 2)
        return px_mad(px_scale(p, 2), q, -1);
    return px_mad(px_scale(px_sub(p, q), 3), place_of(w, two), 1);
}

/* Parameter of the centripetal spline between two places: the root of their distance. Places that
 * coincide are passed at once. */
static double knot(PxVec3 a, PxVec3 b)
{
    return fmax(sqrt(px_length(px_sub(b, a))), 1e-12);
}

static PxVec3 blend(PxVec3 a, PxVec3 b, double from, double to, double t)
{
    return px_mad(a, px_sub(b, a), (t - from) / (to - from));
}

/* The curve at the part u of piece k, by the pyramid of Barry and Goldman (1988). */
static PxVec3 curve(const Way *w, size_t k, double u)
{
    PxVec3 p[4] = {k > 0 ? place_of(w, k - 1) : beyond(w, 0), place_of(w, k), place_of(w, k + 1),
                   k + 1 < w->count ? place_of(w, k + 2) : beyond(w, w->count)};
    double t[4] = {0, 0, 0, 0};
    for (int n = 1; n < 4; ++n)
        t[n] = t[n - 1] + knot(p[n - 1], p[n]);
    double at = t[1] + u * (t[2] - t[1]);
    PxVec3 a1 = blend(p[0], p[1], t[0], t[1], at), a2 = blend(p[1], p[2], t[1], t[2], at),
           a3 = blend(p[2], p[3], t[2], t[3], at);
    PxVec3 b1 = blend(a1, a2, t[0], t[2], at), b2 = blend(a2, a3, t[1], t[3], at);
    return blend(b1, b2, t[1], t[2], at);
}

static PxVec3 chord_end(const Way *w, size_t chord)
{
    size_t k = chord / CHORDS, rest = chord % CHORDS;
    return k < w->count ? curve(w, k, (double)rest / CHORDS) : place_of(w, w->count);
}

/* A walk along the curve, chord by chord. */
typedef struct Walk {
    size_t chord;
    double before, length; /* of the curve before the chord, and of the chord */
} Walk;

/* The place after that length of the curve; lengths must not fall from call to call. */
static PxVec3 walk_to(const Way *w, Walk *walk, double length, PxVec3 *along)
{
    size_t last = w->count * CHORDS - 1;
    while (walk->chord < last && walk->before + walk->length < length) {
        walk->before += walk->length;
        ++walk->chord;
        walk->length = px_length(px_sub(chord_end(w, walk->chord + 1), chord_end(w, walk->chord)));
    }
    PxVec3 a = chord_end(w, walk->chord), b = chord_end(w, walk->chord + 1);
    double u = walk->length > 0 ? fmin((length - walk->before) / walk->length, 1) : 0;
    *along = px_sub(b, a);
    return px_mad(a, *along, u);
}

/* Angle from the horizontal part of one direction to that of another about `up`, degrees. */
static double heading(PxVec3 from, PxVec3 to, PxVec3 up)
{
    return atan2(px_dot(px_cross(from, to), up),
                 px_dot(from, to) - px_dot(from, up) * px_dot(to, up)) /
           DEGREE;
}

/* The part s of the turn from one keyframe to another. */
static PxSceneTurn turn_between(const PxSceneTurn *from, const PxSceneTurn *to, double s)
{
    const PxSceneKeyframe two[2] = {{.at = 0, .turn = *from, .ease = PX_EASE_LINEAR},
                                    {.at = 1, .turn = *to, .ease = PX_EASE_LINEAR}};
    return px_scene_turn_between(two, s);
}

size_t px_scene_way(const PxSceneKeyframe *from, const PxSceneKeyframe *place, size_t count,
                    PxVec3 up, PxSceneKeyframe out[PX_SCENE_WAY_MOST])
{
    const Way w = {from, place, count};
    const PxSceneKeyframe *end = &place[count - 1];
    double time = end->at - from->at, whole = 0, turned = 0;
    size_t pieces = (size_t)fmin(fmax(ceil(time / PIECE), LEAST_PIECES), PX_SCENE_WAY_MOST);
    for (size_t c = 0; c < count * CHORDS; ++c)
        whole += px_length(px_sub(chord_end(&w, c + 1), chord_end(&w, c)));
    Walk walk = {.length = px_length(px_sub(chord_end(&w, 1), chord_end(&w, 0)))};
    PxVec3 along, last;
    walk_to(&w, &walk, 0, &last);
    for (size_t n = 1; n <= pieces; ++n) {
        double u = (double)n / (double)pieces;
        double s = end->ease == PX_EASE_LINEAR ? u : px_ease_stop(u);
        PxSceneKeyframe *key = &out[n - 1];
        *key = *end;
        key->at = n < pieces ? from->at + u * time : end->at;
        key->ease = PX_EASE_LINEAR;
        key->face = false;
        PxVec3 at = walk_to(&w, &walk, s * whole, &along);
        key->move = n < pieces ? at : end->move;
        if (end->face) {
            if (px_length(px_cross(along, up)) > 1e-6 * px_length(along)) { /* not upright */
                turned += heading(last, along, up);
                last = along;
            }
            key->turn = from->turn;
            if (from->turn.degrees == 0)
                key->turn.axis = up;
            double side = px_dot(key->turn.axis, up) < 0 ? -1 : 1;
            key->turn.degrees = from->turn.degrees + side * turned;
        } else if (n < pieces) {
            key->turn = turn_between(&from->turn, &end->turn, s);
        }
    }
    return pieces;
}
