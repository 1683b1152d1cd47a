#include "solid/fracture/fronts.h"

#include "matter/kernel.h"
#include "solid/fracture/meet.h"

#include <math.h>
#include <string.h>

/* Largest ratio of stress to strength that makes a front faster. */
#define MOST_RATIO 3.0
/* Largest motion of a node in a step, in cells. */
#define MOST_MOTION 0.75
/* A node feels the stress this far ahead of it, in cells: beside the sheet behind it stress is low.
 */
#define AHEAD 0.5
/* A front that has come this near to the outline, or to another crack, goes straight through
 * whatever the stress, in cells: what is left is thinner than a support, and its stress is not
 * resolved. In the bending of a plate of two layers the second one is pressed until the first one
 * has let go. */
#define THROUGH 2.5
/* Least cosine between the sheet and the plane that the stress wants: a front turns no more
 * sharply. */
#define LEAST_ALONG 0.3
/* Length over which the direction of a node follows that of the stress, in cells. */
#define TURN 1.0
/* Nodes between the ends of a front are filled more than this. A corner of a block has 1/8. */
#define OUTSIDE 0.1
/* Nodes of a new crack. */
#define RIM 8
/* A node this little above the outline goes out with its neighbour. */
#define NEAR_OUTLINE 0.1

/* In the kind of a node while strips are opened: its strip is new. */
#define FRESH 8u

/* A node while its front moves. */
typedef struct Moving {
    PxCrackNode node;
    PxVec3 at, before;
    PxVec3 way;   /* m/s */
    PxVec3 mixed; /* with those of its neighbours */
    double cell;  /* m; 0: no particle is near */
    double filled;
    bool moves, out, blocked;
} Moving;

static PxVec3 vec_of(const float x[3])
{
    return px_vec((double)x[0], (double)x[1], (double)x[2]);
}

static void put3(float to[3], PxVec3 x)
{
    to[0] = (float)x.x;
    to[1] = (float)x.y;
    to[2] = (float)x.z;
}

static const PxFractureDef *law_at(const PxFractureField *f, uint32_t row)
{
    return &f->solid->material[f->solid->particles->material[row]].def.fracture;
}

/* Speed of a crack at a stress equal to the strength, m/s. */
static double speed_of(const PxFractureField *f, uint32_t row)
{
    const PxMaterialDef *def = &f->solid->material[f->solid->particles->material[row]].def;
    return def->fracture.speed > 0 ? def->fracture.speed : 0.2 * sqrt(def->young / def->density);
}

/* The normal of the sheet at a node turns towards the direction of the stress over TURN cells,
 * whatever the steps: stress beside a new face is noisy, and a front that could turn about at once
 * would crumple. */
static PxVec3 turned(PxVec3 from, PxVec3 to, double cells)
{
    double part = 1 - exp(-cells / TURN);
    return px_normalized(px_add(px_scale(from, 1 - part), px_scale(to, part)), from);
}

/* The velocity of one node: d = k lambda (t x e), with its history. `s` is what it feels. The nodes
 * of a front are in such an order, and e has such a sign, that this leads away from the sheet. */
static void drive(const PxFractureField *f, PxFractureSample s, double dt, Moving *m,
                  PxVec3 tangent)
{
    m->moves = false;
    m->cell = s.nearest != UINT32_MAX ? (double)f->cell[s.nearest] : 0;
    if (s.nearest == UINT32_MAX || (m->node.kind & PX_NODE_BLOCKED))
        return;
    const PxFractureDef *law = law_at(f, s.nearest);
    double ratio = s.strength > 0 ? s.stress / s.strength : 0;
    PxVec3 normal = vec_of(m->node.normal), old = vec_of(m->node.way);
    double along = px_dot(s.normal, normal);
    bool driven = ratio > 0 && ratio >= law->arrest && fabs(along) > LEAST_ALONG;
    if (s.through && !driven)
        ratio = fmax(law->arrest, 0.5);
    else if (!driven && law->history < 1)
        return;
    double speed = speed_of(f, s.nearest) * fmin(fmax(ratio, 0), MOST_RATIO);
    if (driven)
        normal = turned(normal, px_scale(s.normal, along > 0 ? 1 : -1),
                        fmin(speed * dt, MOST_MOTION * m->cell) / m->cell);
    put3(m->node.normal, normal);
    PxVec3 way = px_scale(px_normalized(px_cross(tangent, normal), px_vec(0, 0, 0)), speed);
    way = px_add(px_scale(old, law->history), px_scale(way, 1 - law->history));
    /* motion along the front would sweep the same area again */
    m->way = px_mad(way, tangent, -px_dot(way, tangent));
    m->moves = px_dot(m->way, m->way) > 0;
}

static PxVec3 tangent_of(const Moving *m, uint32_t n, bool closed, uint32_t k)
{
    uint32_t next = k + 1 < n ? k + 1 : closed ? 0 : k;
    uint32_t last = k > 0 ? k - 1 : closed ? n - 1 : k;
    return px_normalized(px_sub(m[next].at, m[last].at), px_vec(0, 0, 0));
}

/* Velocities of neighbours are mixed, or noise of the stress would crumple the front. */
static PxVec3 mixed_way(const Moving *m, uint32_t n, bool closed, uint32_t k)
{
    uint32_t next = k + 1 < n ? k + 1 : closed ? 0 : k;
    uint32_t last = k > 0 ? k - 1 : closed ? n - 1 : k;
    PxVec3 sides = px_add(m[last].way, m[next].way);
    return px_add(px_scale(m[k].way, 0.5), px_scale(sides, 0.25));
}

/* Moves the end of a front to the outline of the body. */
static PxVec3 project(const PxFractureField *f, uint32_t body, PxVec3 at, double cell)
{
    for (int k = 0; k < 4; ++k) {
        PxFractureSample s = px_fracture_outline(f, body, at);
        double square = px_dot(s.slope, s.slope), off = PX_FRACTURE_OUTLINE - s.filled;
        if (!(square > 0) || fabs(off) < 0.02)
            break;
        double way = off / sqrt(square), most = 0.5 * cell;
        way = way > most ? most : way < -most ? -most : way;
        at = px_mad(at, s.slope, way / sqrt(square));
    }
    return at;
}

/* False: none moved. */
static bool move_nodes(PxCrackGrowth *g, const PxFractureSample *felt, Moving *m, uint32_t n,
                       bool closed, uint32_t body)
{
    const PxFractureField *f = g->field;
    bool moved = false, some = false;
    for (uint32_t k = 0; k < n; ++k) {
        drive(f, felt[k], g->dt, &m[k], tangent_of(m, n, closed, k));
        some = some || m[k].moves;
    }
    if (!some)
        return false;
    for (uint32_t k = 0; k < n; ++k)
        m[k].mixed = mixed_way(m, n, closed, k);
    for (uint32_t k = 0; k < n; ++k) {
        bool end = (m[k].node.kind & PX_NODE_END) != 0;
        uint32_t beside = k == 0 ? 1 : n - 2;
        bool pulled = end && !(m[k].node.kind & PX_NODE_BLOCKED) && m[beside].moves;
        if (!m[k].moves && !pulled)
            continue;
        m[k].way = m[k].mixed;
        double speed = px_length(m[k].way), cell = m[k].cell > 0 ? m[k].cell : m[beside].cell;
        if (!(speed > 0) || !(cell > 0))
            continue;
        moved = m[k].moves = true;
        g->fastest = fmax(g->fastest, speed / cell);
        m[k].at = px_mad(m[k].at, m[k].way, fmin(g->dt, MOST_MOTION * cell / speed));
        if (end)
            m[k].at = project(f, body, m[k].at, cell);
        const PxCrackNode *last = &m[k > 0 ? k - 1 : closed ? n - 1 : k].node;
        const PxCrackNode *next = &m[k + 1 < n ? k + 1 : closed ? 0 : k].node;
        uint32_t own[6] = {last->vertex,   last->base,   m[k].node.vertex,
                           m[k].node.base, next->vertex, next->base};
        m[k].blocked =
            px_crack_meets(g, body, m[k].node.crack, m[k].before, &m[k].at) ||
            px_crack_is_done(g, body, m[k].way, vec_of(m[k].node.normal), cell, own, &m[k].at);
    }
    for (uint32_t k = 0; k < n && moved; ++k)
        m[k].filled = px_fracture_outline(f, body, m[k].at).filled;
    return moved;
}

/* Which nodes are outside? One that is hardly inside follows a neighbour that is outside, so that
 * no small piece of a front is left there. */
static void classify(Moving *m, uint32_t n, bool closed)
{
    for (uint32_t k = 0; k < n; ++k)
        m[k].out =
            m[k].blocked || (m[k].node.kind & PX_NODE_END) || m[k].filled < PX_FRACTURE_OUTLINE;
    for (uint32_t k = 0; k < n; ++k) {
        uint32_t next = k + 1 < n ? k + 1 : closed ? 0 : k;
        uint32_t last = k > 0 ? k - 1 : closed ? n - 1 : k;
        bool beside = m[next].filled < PX_FRACTURE_OUTLINE || m[last].filled < PX_FRACTURE_OUTLINE;
        m[k].out = m[k].out || (beside && m[k].filled < PX_FRACTURE_OUTLINE + NEAR_OUTLINE);
    }
}

/* ---- strips ------------------------------------------------------------------------ */

static PxVec3 at_of(const PxCracks *c, const PxCrackNode *node)
{
    return px_crack_place(c, node->vertex);
}

/* The point in the middle between nodes k and k + 1 on a cubic through their neighbours. */
static PxVec3 middle(const PxCracks *c, const PxCrackNode *node, uint32_t n, bool closed,
                     uint32_t k)
{
    uint32_t q = (k + 1) % n;
    PxVec3 b = at_of(c, &node[k]), d = at_of(c, &node[q]);
    PxVec3 a = k > 0 || closed ? at_of(c, &node[(k + n - 1) % n]) : px_sub(px_scale(b, 2), d);
    PxVec3 e = q + 1 < n || closed ? at_of(c, &node[(q + 1) % n]) : px_sub(px_scale(d, 2), b);
    PxVec3 inner = px_scale(px_add(b, d), 9.0 / 16), outer = px_scale(px_add(a, e), 1.0 / 16);
    return px_sub(inner, outer);
}

bool px_front_push(PxCrackNodes *list, PxCrackNode node)
{
    if (!PX_LIST_RESERVE(list, 1))
        return false;
    list->data[list->count++] = node;
    return true;
}

/* Writes the nodes of a front to `out`, resampled: without those that are too close to the last,
 * and with new ones in wide gaps. Slits between the old front and the new one are filled. */
static bool resample(PxCracks *c, const PxCrackNode *node, uint32_t n, bool closed, double cell,
                     PxCrackNodes *out)
{
    double least = 0.5 * PX_CRACK_NODES_APART * cell, most = 1.5 * PX_CRACK_NODES_APART * cell;
    size_t first = out->count;
    for (uint32_t k = 0; k < n; ++k) {
        bool end = (node[k].kind & PX_NODE_END) != 0;
        uint32_t left = closed ? n : n - 1;
        if (k > 0 && !end && out->count > first) {
            const PxCrackNode *last = &out->data[out->count - 1];
            uint32_t q = (k + 1) % n;
            if (px_length(px_sub(at_of(c, &node[k]), at_of(c, last))) < least) {
                if (!px_crack_add_triangle(c, node[k].crack, last->vertex, node[k].vertex,
                                           node[q].vertex))
                    return false;
                continue;
            }
        }
        if (!px_front_push(out, node[k]))
            return false;
        uint32_t q = (k + 1) % n;
        if (k >= left || px_length(px_sub(at_of(c, &node[q]), at_of(c, &node[k]))) < most)
            continue;
        PxCrackNode more = node[k];
        more.kind = closed ? PX_NODE_CLOSED : 0;
        put3(more.way, px_scale(px_add(vec_of(node[k].way), vec_of(node[q].way)), 0.5));
        PxVec3 mean = px_add(vec_of(node[k].normal), vec_of(node[q].normal));
        put3(more.normal, px_normalized(mean, vec_of(node[k].normal)));
        if (!px_crack_add_vertex(c, middle(c, node, n, closed, k), &more.vertex) ||
            !px_crack_add_triangle(c, more.crack, node[k].vertex, more.vertex, node[q].vertex) ||
            !px_front_push(out, more))
            return false;
    }
    return true;
}

/* Is the tip of a node so far from its base that a new strip begins there? */
static bool is_wide(const PxCracks *c, const PxCrackNode *node, double cell)
{
    PxVec3 way = px_sub(at_of(c, node), px_crack_place(c, node->base));
    return px_length(way) >= 0.5 * PX_CRACK_NODES_APART * cell;
}

static bool open_edge(PxCracks *c, const PxCrackNode *a, const PxCrackNode *b)
{
    bool left = (a->kind & FRESH) != 0, right = (b->kind & FRESH) != 0;
    if (left && right)
        return px_crack_add_triangle(c, a->crack, a->base, b->base, b->vertex) &&
               px_crack_add_triangle(c, a->crack, a->base, b->vertex, a->vertex);
    if (left)
        return px_crack_add_triangle(c, a->crack, a->base, b->vertex, a->vertex);
    return !right || px_crack_add_triangle(c, a->crack, b->base, b->vertex, a->vertex);
}

/* Begins new strips: tips that have come far become bases, and new tips start at them. `ends`:
 * those of the ends in any case, since another front may have them too. Where only one of two
 * neighbours begins anew, a triangle keeps the sheet closed. */
static bool open_strips(PxCracks *c, PxCrackNode *node, uint32_t n, bool closed, double cell,
                        bool ends)
{
    for (uint32_t k = 0; k < n; ++k) {
        if (!is_wide(c, &node[k], cell) && !(ends && (node[k].kind & PX_NODE_END)))
            continue;
        node[k].base = node[k].vertex;
        node[k].kind |= FRESH;
        if (!px_crack_add_vertex(c, px_crack_place(c, node[k].base), &node[k].vertex))
            return false;
    }
    for (uint32_t k = 0; k < (closed ? n : n - 1); ++k)
        if (!open_edge(c, &node[k], &node[(k + 1) % n]))
            return false;
    for (uint32_t k = 0; k < n; ++k)
        node[k].kind &= ~FRESH;
    return true;
}

/* ---- runs of nodes that stay inside --------------------------------------------------- */

/* Does everything of the run lie within the snapping distance? */
static bool is_point(const Moving *m, uint32_t n, uint32_t begin, uint32_t size)
{
    for (uint32_t k = 0; k < size; ++k) {
        const Moving *a = &m[(begin + k) % n];
        if (px_length(px_sub(a->at, m[begin % n].at)) > PX_CRACK_SNAP * a->cell)
            return false;
    }
    return true;
}

/* Is a front that has ended so small that the hole in it may be filled? */
static bool is_small(const Moving *m, uint32_t n)
{
    for (uint32_t k = 1; k < n; ++k)
        if (px_length(px_sub(m[k].at, m[0].at)) > 1.5 * m[0].cell)
            return false;
    return true;
}

/* Fills what a front has contracted to, and ends it. */
static bool close_front(PxCrackGrowth *g, const Moving *m, uint32_t n, uint32_t begin,
                        uint32_t size)
{
    ++g->events.ended;
    for (uint32_t k = 1; k + 1 < size; ++k)
        if (!px_crack_add_triangle(g->cracks, m[0].node.crack, m[begin % n].node.vertex,
                                   m[(begin + k) % n].node.vertex,
                                   m[(begin + k + 1) % n].node.vertex))
            return false;
    return true;
}

/* Writes the run of `size` nodes from `begin` on as a front of its own. */
static bool emit(PxCrackGrowth *g, Moving *m, uint32_t n, uint32_t begin, uint32_t size,
                 bool closed, bool anew, PxCrackNode *buffer)
{
    PxCracks *c = g->cracks;
    uint32_t front = g->out->count > 0 ? g->out->data[g->out->count - 1].front + 1 : 0;
    double cell = 0, wide = 0;
    if (size < (closed ? 3u : 2u) || is_point(m, n, begin, size))
        return close_front(g, m, n, begin, size);
    for (uint32_t k = 0; k < size; ++k) {
        Moving *a = &m[(begin + k) % n];
        bool end = !closed && (k == 0 || k == size - 1);
        a->node.front = front;
        a->node.kind = closed ? PX_NODE_CLOSED : 0;
        if (end)
            a->node.kind = PX_NODE_END | (a->blocked ? PX_NODE_BLOCKED : 0);
        buffer[k] = a->node;
        cell = fmax(cell, a->cell);
        wide = fmax(wide, px_length(px_sub(a->at, px_crack_place(c, a->node.base))));
    }
    size_t first = g->out->count;
    if (!anew && wide < PX_CRACK_NODES_APART * cell) {
        for (uint32_t k = 0; k < size; ++k)
            if (!px_front_push(g->out, buffer[k]))
                return false;
        return true;
    }
    if (!resample(c, buffer, size, closed, cell, g->out))
        return false;
    uint32_t left = (uint32_t)(g->out->count - first);
    if (left < (closed ? 3u : 2u)) {
        g->out->count = first;
        return close_front(g, m, n, begin, size);
    }
    return open_strips(c, g->out->data + first, left, closed, cell, anew);
}

/* Divides a front into the runs of nodes that are inside, each with a node outside at its ends. */
static bool divide(PxCrackGrowth *g, Moving *m, uint32_t n, bool closed, bool anew,
                   PxCrackNode *buffer)
{
    uint32_t inside = 0, changed = 0, start = 0, runs = 0;
    for (uint32_t k = 0; k < n; ++k) {
        bool end = (m[k].node.kind & PX_NODE_END) != 0;
        inside += !m[k].out;
        changed += m[k].out && !end;
    }
    if (inside == 0)
        return close_front(g, m, n, 0, is_small(m, n) ? n : 0);
    if (changed == 0)
        return emit(g, m, n, 0, n, closed, anew, buffer);
    while (closed && !m[start].out)
        ++start;
    for (uint32_t k = 0; k < n;) {
        uint32_t begin = start + k, size = 0;
        if (m[begin % n].out) {
            ++k;
            continue;
        }
        while (k + size < n && !m[(begin + size) % n].out)
            ++size;
        /* an open front has nodes outside at both ends, a closed one wraps around */
        if (!emit(g, m, n, begin + n - 1, size + 2, false, true, buffer))
            return false;
        ++runs;
        k += size;
    }
    g->events.split += closed ? runs : runs - 1;
    return true;
}

bool px_front_note(PxCrackGrowth *g, uint32_t body, PxVec3 at)
{
    if (!PX_LIST_RESERVE(g->moves, 1))
        return false;
    g->moves->data[g->moves->count++] = (PxCrackMove){at, body};
    return true;
}

/* Notes the moves of a front, of all of its nodes if it was changed by an event. */
static bool note_moves(PxCrackGrowth *g, const Moving *m, uint32_t n, uint32_t body, bool all)
{
    for (uint32_t k = 0; k < n; ++k) {
        if (!all && !m[k].moves)
            continue;
        if (!px_front_note(g, body, m[k].before) || !px_front_note(g, body, m[k].at))
            return false;
    }
    return true;
}

/* Copies a front that does not move. */
static bool keep_front(PxCrackGrowth *g, const PxCrackNode *node, uint32_t n)
{
    uint32_t front = g->out->count > 0 ? g->out->data[g->out->count - 1].front + 1 : 0;
    for (uint32_t k = 0; k < n; ++k) {
        PxCrackNode copy = node[k];
        copy.front = front;
        if (!px_front_push(g->out, copy))
            return false;
    }
    return true;
}

static bool grow_front(PxCrackGrowth *g, const PxCrackNode *node, const PxFractureSample *felt,
                       Moving *m, uint32_t n, PxCrackNode *buffer)
{
    PxCracks *c = g->cracks;
    bool closed = (node[0].kind & PX_NODE_CLOSED) != 0;
    uint32_t body = c->list.data[node[0].crack].body;
    for (uint32_t k = 0; k < n; ++k) {
        PxVec3 at = px_crack_place(c, node[k].vertex);
        m[k] = (Moving){.node = node[k],
                        .at = at,
                        .before = at,
                        .blocked = (node[k].kind & PX_NODE_BLOCKED) != 0};
    }
    PxCrackEvents before = g->events;
    if (!move_nodes(g, felt, m, n, closed, body))
        return keep_front(g, node, n);
    classify(m, n, closed);
    for (uint32_t k = 0; k < n; ++k) {
        put3(c->vertices.data[m[k].node.vertex].x, m[k].at);
        if (m[k].moves)
            put3(m[k].node.way, m[k].way);
    }
    if (!divide(g, m, n, closed, false, buffer))
        return false;
    bool changed = g->events.ended != before.ended;
    for (uint32_t k = 0; k < n; ++k)
        changed = changed || (m[k].out && !(node[k].kind & PX_NODE_END));
    return note_moves(g, m, n, body, changed);
}

typedef struct Feeling {
    const PxCrackGrowth *growth;
    PxFractureSample *felt;
} Feeling;

/* Is a sheet in the same plane so near in the way of the node that it goes on to it? */
static bool sheet_ahead(const PxCrackGrowth *g, const PxCrackNode *node, uint32_t body, PxVec3 at,
                        PxVec3 way, double cell)
{
    uint32_t own[6];
    for (int k = 0; k < 6; ++k)
        own[k] = k % 2 == 0 ? node->vertex : node->base;
    for (double far = 0.7; far < THROUGH; far += 0.7) {
        PxVec3 probe = px_mad(at, way, far * cell);
        if (px_crack_is_done(g, body, way, vec_of(node->normal), cell, own, &probe))
            return true;
    }
    return false;
}

/* What the node feels: the stress ahead of it, if that is inside the body. */
static PxFractureSample feel(const PxCrackGrowth *g, const PxCrackNode *node)
{
    const PxFractureField *f = g->field;
    uint32_t body = g->cracks->list.data[node->crack].body;
    PxVec3 at = px_crack_place(g->cracks, node->vertex), way = vec_of(node->way);
    PxFractureSample here = px_fracture_outline(f, body, at);
    if (here.nearest == UINT32_MAX)
        return here;
    double cell = (double)f->cell[here.nearest];
    way = px_normalized(way, px_vec(0, 0, 0));
    PxFractureSample s = px_fracture_sample(f, body, px_mad(at, way, AHEAD * cell));
    if (!(s.strength > 0))
        s = px_fracture_sample(f, body, at);
    s.nearest = here.nearest;
    PxVec3 to = px_mad(at, way, THROUGH * cell);
    if (s.strength > 0 && s.stress < law_at(f, here.nearest)->arrest * s.strength)
        s.through = px_fracture_outline(f, body, to).filled < PX_FRACTURE_OUTLINE ||
                    px_crack_meets(g, body, node->crack, at, &to) ||
                    sheet_ahead(g, node, body, at, way, cell);
    return s;
}

static void feel_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Feeling *f = user;
    for (uint32_t k = begin; k < end; ++k)
        f->felt[k] = feel(f->growth, &f->growth->cracks->nodes.data[k]);
}

/* ---- where the sheets are -------------------------------------------------------------- */

PxVec3 px_front_place(const PxCrackGrowth *g, uint32_t body, PxVec3 at)
{
    return px_add(at, g->field->origin[body]);
}

/* Notes where a triangle is. False: no memory. */
static bool note_triangle(PxCrackGrowth *g, uint32_t k)
{
    const PxCracks *c = g->cracks;
    const PxCrackTriangle *t = &c->triangles.data[k];
    uint32_t body = c->list.data[t->crack].body;
    PxVec3 low = px_crack_place(c, t->corner[0]), high = low;
    for (int n = 1; n < 3; ++n) {
        PxVec3 x = px_crack_place(c, t->corner[n]);
        low = px_vec(fmin(low.x, x.x), fmin(low.y, x.y), fmin(low.z, x.z));
        high = px_vec(fmax(high.x, x.x), fmax(high.y, x.y), fmax(high.z, x.z));
    }
    return px_crack_cells_add(&g->sheets->cells, px_front_place(g, body, low),
                              px_front_place(g, body, high), k);
}

/* Fills the table of those triangles that are not still, by front; a triangle between two fronts
 * is in both. `front` is by vertex: 1 + the front that moves it. */
static void list_tips(PxCrackGrowth *g, const uint32_t *front, uint32_t fronts)
{
    const PxCracks *c = g->cracks;
    memset(g->tip_start, 0, ((size_t)fronts + 2) * sizeof *g->tip_start);
    for (int pass = 0; pass < 2; ++pass) {
        for (uint32_t k = 0; k < g->noted; ++k) {
            const uint32_t *corner = c->triangles.data[k].corner;
            for (int n = 0; n < 3 && !g->sheets->still.data[k]; ++n) {
                uint32_t f = front[corner[n]];
                bool again = (n > 0 && front[corner[0]] == f) || (n > 1 && front[corner[1]] == f);
                if (f == 0 || again)
                    continue;
                if (pass == 0)
                    ++g->tip_start[f];
                else
                    g->tip[g->tip_start[f - 1]++] = k;
            }
        }
        for (uint32_t f = 1; f <= fronts && pass == 0; ++f)
            g->tip_start[f] += g->tip_start[f - 1];
    }
    /* the second pass has moved each start to the next one */
    for (uint32_t f = fronts; f > 0; --f)
        g->tip_start[f] = g->tip_start[f - 1];
    g->tip_start[0] = 0;
}

static bool is_still(const PxCrackTriangle *t, const uint32_t *front)
{
    return front[t->corner[0]] == 0 && front[t->corner[1]] == 0 && front[t->corner[2]] == 0;
}

/* Adds the triangles that fronts have left, which stay, then those that move in this step. */
static bool note_all(PxCrackGrowth *g, const uint32_t *front)
{
    const PxCracks *c = g->cracks;
    PxCrackSheets *sheets = g->sheets;
    size_t old = sheets->still.count;
    if (!PX_LIST_RESERVE(&sheets->still, g->noted - old))
        return false;
    sheets->still.count = g->noted;
    if (g->noted > old)
        memset(sheets->still.data + old, 0, g->noted - old);
    for (uint32_t k = 0; k < g->noted; ++k) {
        if (sheets->still.data[k] || !is_still(&c->triangles.data[k], front))
            continue;
        sheets->still.data[k] = 1;
        if (!note_triangle(g, k))
            return false;
    }
    g->entries = sheets->cells.entries.count;
    for (uint32_t k = 0; k < g->noted; ++k)
        if (!sheets->still.data[k] && !note_triangle(g, k))
            return false;
    return true;
}

PxStatus px_fronts_index(PxCrackGrowth *g)
{
    const PxCracks *c = g->cracks;
    PxCrackSheets *sheets = g->sheets;
    PxArena *scratch = g->field->solid->scratch;
    double edge = (double)g->field->largest_cell;
    uint32_t fronts = c->nodes.count > 0 ? c->nodes.data[c->nodes.count - 1].front + 1 : 0;
    g->noted = g->old = (uint32_t)c->triangles.count;
    uint32_t *front = PX_ARENA_ARRAY(scratch, uint32_t, c->vertices.count + 1);
    g->tip = PX_ARENA_ARRAY(scratch, uint32_t, 3 * (size_t)g->noted + 1);
    g->tip_start = PX_ARENA_ARRAY(scratch, uint32_t, (size_t)fronts + 2);
    bool good = front != NULL && g->tip != NULL && g->tip_start != NULL;
    if (good && (!sheets->valid || sheets->cells.edge != edge)) {
        sheets->still.count = 0;
        good = px_crack_cells_reset(&sheets->cells, edge, 2 * (size_t)g->field->solid->count);
    }
    sheets->valid = false; /* until the step is planned */
    if (good) {
        memset(front, 0, c->vertices.count * sizeof *front);
        for (size_t k = 0; k < c->nodes.count; ++k)
            front[c->nodes.data[k].vertex] = c->nodes.data[k].front + 1;
        good = note_all(g, front);
    }
    if (!good)
        return px_fail(PX_ERR_MEMORY, "fracture: no room for %u triangles", g->noted);
    list_tips(g, front, fronts);
    return PX_OK;
}

void px_fronts_forget(PxCrackGrowth *g)
{
    px_crack_cells_pop(&g->sheets->cells, g->entries);
    g->sheets->valid = true;
}

/* Notes where the triangles of a front are after it has moved, and those that it has added. */
static bool note_front(PxCrackGrowth *g, uint32_t front)
{
    for (uint32_t k = g->tip_start[front]; k < g->tip_start[front + 1]; ++k)
        if (!note_triangle(g, g->tip[k]))
            return false;
    for (; g->noted < g->cracks->triangles.count; ++g->noted)
        if (!note_triangle(g, g->noted))
            return false;
    return true;
}

PxStatus px_fronts_grow(PxCrackGrowth *g)
{
    PxCracks *c = g->cracks;
    PxArena *scratch = g->field->solid->scratch;
    PxArenaMark mark = px_arena_mark(scratch);
    uint32_t count = (uint32_t)c->nodes.count;
    /* a closed front with one node outside is one run that has this node at both ends */
    Moving *moving = PX_ARENA_ARRAY(scratch, Moving, (size_t)count + 1);
    PxCrackNode *old = PX_ARENA_ARRAY(scratch, PxCrackNode, (size_t)count + 1);
    PxCrackNode *buffer = PX_ARENA_ARRAY(scratch, PxCrackNode, (size_t)count + 2);
    PxFractureSample *felt = PX_ARENA_ARRAY(scratch, PxFractureSample, (size_t)count + 1);
    bool good = moving != NULL && old != NULL && buffer != NULL && felt != NULL;
    if (good)
        px_parallel_for(g->field->solid->threads, count, 16, feel_block, &(Feeling){g, felt});
    g->room->count = 0;
    g->out = g->room;
    if (good && count > 0)
        memcpy(old, c->nodes.data, count * sizeof *old);
    for (uint32_t k = 0; k < count && good;) {
        uint32_t size = px_crack_front_size(c, k);
        good =
            grow_front(g, old + k, felt + k, moving, size, buffer) && note_front(g, old[k].front);
        k += size;
    }
    if (good) {
        PxCrackNodes nodes = c->nodes;
        c->nodes = *g->room;
        *g->room = nodes;
        good = px_fronts_merge(g);
    }
    px_arena_release(scratch, mark);
    return good ? PX_OK : px_fail(PX_ERR_MEMORY, "fracture: no room for %u nodes", count);
}

/* ---- validity ------------------------------------------------------------------------ */

bool px_fronts_valid(const PxCrackGrowth *g)
{
    const PxCracks *c = g->cracks;
    PxArena *scratch = g->field->solid->scratch;
    PxArenaMark begin = px_arena_mark(scratch);
    uint8_t *used = PX_ARENA_ARRAY(scratch, uint8_t, c->vertices.count + 1);
    if (used == NULL)
        return true; /* no room to look */
    memset(used, 0, c->vertices.count);
    for (size_t k = 0; k < c->triangles.count; ++k)
        for (int n = 0; n < 3; ++n)
            used[c->triangles.data[k].corner[n]] = 1;
    bool valid = true;
    for (size_t k = 0; k < c->nodes.count && valid; ++k) {
        const PxCrackNode *node = &c->nodes.data[k];
        PxFractureSample s =
            px_fracture_outline(g->field, c->list.data[node->crack].body, at_of(c, node));
        bool inside = (node->kind & PX_NODE_END) || s.filled > OUTSIDE;
        valid = used[node->vertex] && used[node->base] && s.nearest != UINT32_MAX && inside;
    }
    px_arena_release(scratch, begin);
    return valid;
}

/* ---- beginning ----------------------------------------------------------------------- */

bool px_front_begin(PxCrackGrowth *g, uint32_t body, PxVec3 at, PxVec3 normal, double cell)
{
    PxCracks *c = g->cracks;
    uint32_t crack = (uint32_t)c->list.count, centre;
    PxCrackNode node[RIM], buffer[RIM + 2];
    Moving m[RIM];
    PxVec3 some = fabs(normal.x) < 0.7 ? px_vec(1, 0, 0) : px_vec(0, 1, 0);
    PxVec3 u = px_normalized(px_cross(normal, some), px_vec(0, 0, 1)), v = px_cross(normal, u);
    double radius = PX_CRACK_NODES_APART * cell;
    if (!PX_LIST_RESERVE(&c->list, 1) || !px_crack_add_vertex(c, at, &centre))
        return false;
    c->list.data[c->list.count++] =
        (PxCrack){body, {(float)normal.x, (float)normal.y, (float)normal.z}};
    for (int k = 0; k < RIM; ++k) {
        double angle = 2 * PX_PI * k / RIM;
        PxVec3 out = px_add(px_scale(u, cos(angle)), px_scale(v, sin(angle)));
        node[k] = (PxCrackNode){.base = centre, .crack = crack, .kind = PX_NODE_CLOSED};
        PxVec3 rim = px_mad(at, out, radius);
        if (!px_crack_add_vertex(c, rim, &node[k].vertex))
            return false;
        put3(node[k].way, out);
        put3(node[k].normal, normal);
        m[k] = (Moving){.node = node[k],
                        .at = rim,
                        .cell = cell,
                        .filled = px_fracture_outline(g->field, body, rim).filled};
    }
    for (int k = 0; k < RIM; ++k)
        if (!px_crack_add_triangle(c, crack, centre, node[k].vertex, node[(k + 1) % RIM].vertex))
            return false;
    classify(m, RIM, true);
    g->out = &c->nodes;
    ++g->events.started;
    return divide(g, m, RIM, true, true, buffer);
}
