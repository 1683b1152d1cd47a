#include "solid/fracture/fronts.h"

#include "matter/kernel.h"
#include "solid/fracture/meet.h"

#include <math.h>
#include <string.h>

/* Largest ratio of stress to strength that makes a front faster. */
#define MOST_RATIO 3.0
/* Largest motion of a node in a step, in cells. */
#define MOST_MOTION 0.75
/* Nodes of a new crack. */
#define RIM 8
/* A node this little above the outline goes out with its neighbour. */
#define NEAR_OUTLINE 0.1

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

/* The velocity of one node: d = k lambda (e x t), away from the sheet, with its history. */
static void drive(const PxFractureField *f, uint32_t body, Moving *m, PxVec3 tangent)
{
    PxFractureSample s = px_fracture_sample(f, body, m->at);
    m->moves = false;
    m->cell = s.nearest != UINT32_MAX ? px_fracture_cell(f->solid, s.nearest) : 0;
    if (s.nearest == UINT32_MAX || (m->node.kind & PX_NODE_BLOCKED))
        return;
    const PxFractureDef *law = law_at(f, s.nearest);
    double ratio = s.strength > 0 ? s.stress / s.strength : 0;
    PxVec3 old = px_vec((double)m->node.way[0], (double)m->node.way[1], (double)m->node.way[2]);
    bool driven = ratio >= law->arrest && ratio > 0;
    if (!driven && law->history < 1)
        return;
    PxVec3 way = px_cross(s.normal, tangent);
    if (px_dot(way, old) < 0)
        way = px_scale(way, -1);
    way = px_scale(way, speed_of(f, s.nearest) * fmin(ratio, MOST_RATIO));
    m->way = px_add(px_scale(old, law->history), px_scale(way, 1 - law->history));
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
        PxFractureSample s = px_fracture_sample(f, body, at);
        double square = px_dot(s.slope, s.slope), off = PX_FRACTURE_OUTLINE - s.filled;
        if (!(square > 0) || fabs(off) < 0.02)
            break;
        double way = off / sqrt(square), most = 0.5 * cell;
        way = way > most ? most : way < -most ? -most : way;
        at = px_mad(at, s.slope, way / sqrt(square));
    }
    return at;
}

static void move_nodes(PxCrackGrowth *g, Moving *m, uint32_t n, bool closed, uint32_t body)
{
    const PxFractureField *f = g->field;
    bool moved = false;
    for (uint32_t k = 0; k < n; ++k)
        drive(f, body, &m[k], tangent_of(m, n, closed, k));
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
        m[k].blocked = px_crack_meets(g->cracks, body, m[k].node.crack, m[k].before, &m[k].at);
    }
    for (uint32_t k = 0; k < n; ++k)
        m[k].filled = px_fracture_sample(f, body, m[k].at).filled;
    if (moved)
        g->grown[body] = 1;
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
        for (int d = 0; d < 3; ++d)
            more.way[d] = 0.5f * (node[k].way[d] + node[q].way[d]);
        if (!px_crack_add_vertex(c, middle(c, node, n, closed, k), &more.vertex) ||
            !px_crack_add_triangle(c, more.crack, node[k].vertex, more.vertex, node[q].vertex) ||
            !px_front_push(out, more))
            return false;
    }
    return true;
}

/* Begins a new strip: the tips become the bases, and new tips start at them. */
bool px_front_open_strip(PxCracks *c, PxCrackNode *node, uint32_t n, bool closed)
{
    for (uint32_t k = 0; k < n; ++k) {
        node[k].base = node[k].vertex;
        if (!px_crack_add_vertex(c, px_crack_place(c, node[k].base), &node[k].vertex))
            return false;
    }
    for (uint32_t k = 0; k < (closed ? n : n - 1); ++k) {
        const PxCrackNode *a = &node[k], *b = &node[(k + 1) % n];
        if (!px_crack_add_triangle(c, a->crack, a->base, b->base, b->vertex) ||
            !px_crack_add_triangle(c, a->crack, a->base, b->vertex, a->vertex))
            return false;
    }
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
    return px_front_open_strip(c, g->out->data + first, left, closed);
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
        return close_front(g, m, n, 0, 0);
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

static void put_vertex(PxCracks *c, uint32_t vertex, PxVec3 at)
{
    float *x = c->vertices.data[vertex].x;
    x[0] = (float)at.x;
    x[1] = (float)at.y;
    x[2] = (float)at.z;
}

static bool grow_front(PxCrackGrowth *g, const PxCrackNode *node, Moving *m, uint32_t n,
                       PxCrackNode *buffer)
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
    uint32_t ended = g->events.ended;
    move_nodes(g, m, n, closed, body);
    classify(m, n, closed);
    for (uint32_t k = 0; k < n; ++k) {
        put_vertex(c, m[k].node.vertex, m[k].at);
        if (!m[k].moves)
            continue;
        m[k].node.way[0] = (float)m[k].way.x;
        m[k].node.way[1] = (float)m[k].way.y;
        m[k].node.way[2] = (float)m[k].way.z;
    }
    if (!divide(g, m, n, closed, false, buffer))
        return false;
    if (g->events.ended != ended)
        g->grown[body] = 1;
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
    bool good = moving != NULL && old != NULL && buffer != NULL;
    g->room->count = 0;
    g->out = g->room;
    if (good && count > 0)
        memcpy(old, c->nodes.data, count * sizeof *old);
    for (uint32_t k = 0; k < count && good;) {
        uint32_t size = px_crack_front_size(c, k);
        good = grow_front(g, old + k, moving, size, buffer);
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
        node[k].way[0] = (float)out.x;
        node[k].way[1] = (float)out.y;
        node[k].way[2] = (float)out.z;
        m[k] = (Moving){.node = node[k],
                        .at = rim,
                        .cell = cell,
                        .filled = px_fracture_sample(g->field, body, rim).filled};
    }
    for (int k = 0; k < RIM; ++k)
        if (!px_crack_add_triangle(c, crack, centre, node[k].vertex, node[(k + 1) % RIM].vertex))
            return false;
    classify(m, RIM, true);
    g->out = &c->nodes;
    ++g->events.started;
    g->grown[body] = 1;
    return divide(g, m, RIM, true, true, buffer);
}
