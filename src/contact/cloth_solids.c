#include "contact/cloth_solids.h"

#include "cloth/collide.h"
#include "contact/face_grid.h"

#include <math.h>
#include <string.h>

#define BLOCK 64u
#define PLANES 3
#define APART 0.5 /* product of the directions of two planes, at most */

/* The nearest point of cloth in a direction. */
typedef struct Plane {
    uint32_t face;
    double weight[3], distance;
    PxVec3 normal; /* from the row to the cloth */
} Plane;

typedef struct Found {
    int planes;
    Plane plane[PLANES];
} Found;

typedef struct Job {
    const PxClothStep *step;
    const PxClothSolidRow *row;
    PxFaceGrid grid;
    double travel; /* of the vertices, m */
    Found *found;  /* by row */
} Job;

/* Puts a plane into the list, which is in the order of distances. */
static void put(Found *f, const Plane *p)
{
    int at = 0;
    while (at < f->planes && f->plane[at].distance <= p->distance) {
        if (px_dot(f->plane[at].normal, p->normal) > APART)
            return;
        ++at;
    }
    if (at == PLANES)
        return;
    int left = at; /* those behind it that are in the same direction go */
    for (int k = at; k < f->planes; ++k)
        if (!(px_dot(f->plane[k].normal, p->normal) > APART))
            f->plane[left++] = f->plane[k];
    f->planes = left < PLANES ? left : PLANES - 1;
    memmove(f->plane + at + 1, f->plane + at, (size_t)(f->planes - at) * sizeof *f->plane);
    f->plane[at] = *p;
    ++f->planes;
}

static void find(const Job *j, uint32_t n)
{
    const PxClothStep *s = j->step;
    const PxClothSolidRow *r = &j->row[n];
    double way = px_length(r->velocity) * s->dt + j->travel;
    Found *f = &j->found[n];
    int32_t cell[3];
    uint32_t count;
    const PxFaceEntry *entry = px_face_grid_at(&j->grid, r->place, cell, &count);
    f->planes = 0;
    for (uint32_t k = 0; k < count; ++k) {
        if (!px_face_grid_is(&entry[k], cell))
            continue;
        const uint32_t *c = s->system->face[entry[k].face].corner;
        const PxVec3 x[3] = {s->x[c[0]], s->x[c[1]], s->x[c[2]]};
        double keep = r->radius + 0.5 * s->law[s->system->of_face[entry[k].face]].thickness;
        Plane p = {.face = entry[k].face};
        p.distance = px_cloth_point_triangle(r->place, x, p.weight);
        if (p.distance > 1.2 * keep + way || !(p.distance > 0))
            continue;
        PxVec3 q =
            px_mad(px_mad(px_scale(x[0], p.weight[0]), x[1], p.weight[1]), x[2], p.weight[2]);
        p.normal = px_scale(px_sub(q, r->place), 1 / p.distance);
        put(f, &p);
    }
}

static void find_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    for (uint32_t n = begin; n < end; ++n)
        find(user, n);
}

static PxStatus add(PxClothStep *s, const PxClothSolidRow *r, const Plane *p)
{
    uint32_t cloth = s->system->of_face[p->face];
    const uint32_t *c = s->system->face[p->face].corner;
    return px_cloth_contacts_add(
        s, &(PxClothContact){.kind = PX_CLOTH_BOUNDARY,
                             .vertex = {c[0], c[1], c[2]},
                             .weight = {p->weight[0], p->weight[1], p->weight[2]},
                             .normal = p->normal,
                             .gap = p->distance,
                             .keep = r->radius + 0.5 * s->law[cloth].thickness,
                             .stiff = r->stiff,
                             .friction = sqrt(fmax(r->friction * s->law[cloth].friction, 0)),
                             .velocity = r->velocity,
                             .place = r->place,
                             .boundary = UINT32_MAX,
                             .body = r->body,
                             .load = -1});
}

PxStatus px_cloth_solids_begin(PxClothStep *s, PxClothSolidRow *row, uint32_t rows)
{
    Job j = {.step = s, .row = row};
    double reach = 0, thick = 0;
    if (rows == 0)
        return PX_OK;
    for (uint32_t i = 0; i < s->system->vertices; ++i) {
        j.travel = fmax(j.travel, px_length(s->w[i]) * s->dt);
        thick = fmax(thick, s->law[s->system->of_vertex[i]].thickness);
    }
    for (uint32_t n = 0; n < rows; ++n)
        reach =
            fmax(reach, 1.2 * (row[n].radius + 0.5 * thick) + px_length(row[n].velocity) * s->dt);
    j.found = PX_ARENA_ARRAY(s->scratch, Found, rows);
    if (j.found == NULL)
        return px_fail(PX_ERR_MEMORY, "cloth: no room for %u particles", rows);
    PX_TRY(px_face_grid_build(&j.grid, s->system, s->x, s->x, reach + j.travel, s->scratch));
    px_parallel_for(s->threads, rows, BLOCK, find_block, &j);
    for (uint32_t n = 0; n < rows; ++n) {
        row[n].body = 0;
        if (j.found[n].planes == 0)
            continue;
        PxVec3 normal = j.found[n].plane[0].normal, grip = row[n].grip;
        row[n].normal = normal;
        PxClothBody body = {.expected = {px_mad(grip, normal, -px_dot(grip, normal))},
                            .centre = row[n].place,
                            .mass = row[n].mass,
                            .point = true,
                            .held = row[n].held};
        PX_TRY(px_cloth_bodies_add(s, &body, &row[n].body));
        for (int k = 0; k < j.found[n].planes; ++k)
            PX_TRY(add(s, &row[n], &j.found[n].plane[k]));
    }
    return PX_OK;
}
