#include "contact/cloth_contact.h"

#include "base/stop.h"
#include "cloth/gas.h"
#include "cloth/newton.h"
#include "cloth/stride.h"
#include "cloth/zones.h"
#include "contact/cloth_edges.h"
#include "contact/cloth_rigids.h"

#include <math.h>
#include <string.h>

#define WALLS 3    /* rounds in which boundaries decide */
#define ROUNDS 6   /* rounds of Newton's method */
#define HARDER 6   /* rounds in which what boundaries would pierce is pushed harder */
#define TIES 3     /* rounds in which what would cross is tied */
#define HELD 16    /* the same where handles hold cloth: zones cannot stretch with it */
#define AGAIN 20   /* times that forces are taken anew */
#define ROUGH 0.02 /* tolerance of rounds that another one follows */
#define FEW 0.02   /* part of the contacts that may still change */

/* Rounds of one linear step. */
static PxStatus solve_rounds(PxClothWalls *walls, PxClothCollision *collision, PxClothStep *s)
{
    bool moved = true, rough = true;
    double tolerance = s->tolerance;
    for (int round = 0; round < ROUNDS; ++round) {
        uint32_t found, changed;
        PX_TRY(px_stop_check(s->threads));
        PX_TRY(px_cloth_collide_find(collision, &found));
        if (round == 1)
            PX_TRY(px_cloth_edges_again(walls, s, &found));
        px_cloth_rigids_follow(walls, s);
        PX_TRY(px_cloth_contacts_linearise(s, &changed));
        bool pressed = px_cloth_gas_linearise(s);
        bool settled = !moved && !pressed && (double)changed <= FEW * (double)s->contacts->count;
        if (settled && !rough)
            break;
        rough = !settled && round + 1 < ROUNDS;
        s->tolerance = rough ? fmax(ROUGH, tolerance) : tolerance;
        PX_TRY(round > 0 ? px_cloth_stride(s) : px_cloth_solve(s));
        s->tolerance = tolerance;
        bool late = round + 1 >= WALLS;
        moved = px_cloth_walls_decide(walls, s, late);
    }
    return PX_OK;
}

/* Rounds after which no vertex moves into a boundary, and none cuts into cloth between vertices. */
static PxStatus harden(PxClothWalls *walls, PxClothStep *s)
{
    for (int round = 0; round < HARDER; ++round) {
        uint32_t found, changed;
        PX_TRY(px_stop_check(s->threads));
        PX_TRY(px_cloth_edges_harden(walls, s, &found));
        if (px_cloth_walls_catch(walls, s) == 0 && found == 0)
            break;
        s->hard = true;
        px_cloth_rigids_follow(walls, s);
        PX_TRY(px_cloth_contacts_linearise(s, &changed));
        px_cloth_gas_linearise(s);
        PX_TRY(px_cloth_stride(s));
    }
    return PX_OK;
}

/* The velocities of cloth and bodies, to go back to. */
typedef struct Kept {
    PxVec3 *w, (*change)[2];
    uint32_t bodies;
} Kept;

static PxStatus keep(const PxClothStep *s, Kept *k)
{
    uint32_t n = s->system->vertices;
    if (k->w == NULL) {
        k->bodies = s->bodies != NULL ? s->bodies->count : 0;
        k->w = PX_ARENA_ARRAY(s->scratch, PxVec3, n + 1);
        k->change = px_arena_take_array(s->scratch, k->bodies + 1, sizeof *k->change);
    }
    if (k->w == NULL || k->change == NULL)
        return px_fail(PX_ERR_MEMORY, "cloth: no room for %u vertices", n);
    memcpy(k->w, s->w, n * sizeof *k->w);
    for (uint32_t b = 0; b < k->bodies; ++b)
        memcpy(k->change[b], s->bodies->body[b].change, sizeof k->change[b]);
    return PX_OK;
}

static void go_back(PxClothStep *s, const Kept *k)
{
    for (uint32_t i = 0; i < s->system->vertices; ++i)
        s->w[i] = px_cloth_obey(s, i, k->w[i]);
    for (uint32_t b = 0; b < k->bodies; ++b)
        memcpy(s->bodies->body[b].change, k->change[b], sizeof k->change[b]);
}

/* Do handles hold any cloth? */
static bool is_held(const PxClothStep *s)
{
    bool held = false;
    for (uint32_t i = 0; s->handle != NULL && i < s->system->vertices && !held; ++i)
        held = s->handle[i] != 0;
    return held;
}

PxStatus px_cloth_contact_solve(PxClothWalls *walls, PxClothCollision *collision, PxClothStep *s)
{
    Kept kept = {.w = NULL};
    bool solved = true;
    PX_TRY(solve_rounds(walls, collision, s));
    PX_TRY(harden(walls, s));
    for (int again = 0; again < AGAIN; ++again) {
        bool done;
        PX_TRY(px_cloth_newton_done(s, &done));
        if (done)
            break;
        s->hard = true;
        PX_TRY(keep(s, &kept));
        solved = solved && s->converged;
        s->converged = true;
        PX_TRY(px_cloth_newton_again(s));
        PX_TRY(solve_rounds(walls, collision, s));
        PX_TRY(px_cloth_newton_search(s));
        PX_TRY(harden(walls, s));
        if (!s->converged) { /* rounds that are not solved lead astray */
            go_back(s, &kept);
            break;
        }
    }
    s->converged = s->converged && solved;
    bool held = is_held(s);
    for (int round = 0; round < (held ? HELD : TIES); ++round) {
        uint32_t found, pierced = 0, changed;
        PX_TRY(px_stop_check(s->threads));
        PX_TRY(px_cloth_collide_tie(collision, &found));
        if (round > 0) /* ties may draw cloth into edges of boundaries */
            PX_TRY(px_cloth_edges_harden(walls, s, &pierced));
        if (found + pierced == 0)
            return PX_OK;
        s->hard = true;
        px_cloth_walls_release(walls, s);
        PX_TRY(px_cloth_contacts_linearise(s, &changed));
        px_cloth_gas_linearise(s);
        PX_TRY(px_cloth_solve(s));
    }
    uint32_t left;
    if (held)
        return PX_OK;
    return px_cloth_zones(collision, s, &left);
}
