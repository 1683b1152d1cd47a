#include "world/actors/seam.h"

#include "world/kinds/kind.h"
#include "world/world_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static PxSeamDef seam_def_defaults(void)
{
    return (PxSeamDef){.name = "", .shape = px_shape_def_default(PX_SHAPE_BOX), .time = 0.5};
}

PX_DEF(PxSeamDef, seam_def, "seam")

PX_KIND_WORLD(Seam, seam)

/* ---- adding and removing ---------------------------------------------------------------- */

static const PxCloth *cloth_of(const PxWorld *world, uint32_t slot, size_t *index)
{
    for (size_t k = 0; k < world->cloths.count; ++k)
        if (world->cloths.data[k].body == slot) {
            *index = k;
            return &world->cloths.data[k];
        }
    return NULL;
}

/* Present places of a piece's vertices. The caller frees them. */
static PxVec3 *places_of(const PxWorld *world, const PxCloth *cloth)
{
    const PxColumn *column = px_table_find(&world->cloth_vertices, "position");
    PxVec3 *x = malloc(((size_t)cloth->sheet->vertices + 1) * sizeof *x);
    for (uint32_t i = 0; x != NULL && i < cloth->sheet->vertices; ++i) {
        const double *const *d = (const double *const *)column->data;
        uint32_t row = cloth->first + i;
        x[i] = px_vec(d[0][row], d[1][row], d[2][row]);
    }
    return x;
}

PxStatus px_seam_make(PxWorld *world, const void *given, void *thing)
{
    const PxSeamDef *def = given;
    PxSeam *seam = thing;
    PxClothSeamWish wish = {.within = def->within};
    PxVec3 *x[2] = {NULL, NULL};
    PxShape *region = NULL;
    PxStatus status = PX_OK;
    for (int k = 0; k < 2 && status == PX_OK; ++k) {
        PxBodyId id = k == 0 || def->to.slot == 0 ? def->from : def->to;
        size_t index;
        status = PX_SLOT_FIND(&world->bodies, id, "body", &seam->body[k]);
        const PxCloth *cloth = status == PX_OK ? cloth_of(world, seam->body[k], &index) : NULL;
        if (status == PX_OK && cloth == NULL)
            status = px_fail(PX_ERR_ARGUMENT, "the body '%s' is no cloth",
                             world->bodies.data[seam->body[k]].name);
        if (cloth == NULL)
            continue;
        wish.sheet[k] = cloth->sheet;
        wish.name[k] = world->bodies.data[seam->body[k]].name;
        wish.x[k] = x[k] = places_of(world, cloth);
        if (x[k] == NULL)
            status = px_fail(PX_ERR_MEMORY, "no room for a seam");
    }
    if (status == PX_OK && def->part)
        status = px_shape_create(&def->shape, &region);
    wish.region = region;
    PxClothSeam made;
    if (status == PX_OK)
        status = px_cloth_seam_make(&wish, &made);
    if (status == PX_OK) {
        seam->tie = made.tie;
        seam->ties = made.ties;
    }
    px_shape_free(region);
    free(x[0]);
    free(x[1]);
    return status;
}

void px_seams_leave(PxWorld *world, uint32_t body)
{
    for (size_t k = 0; k < world->seams.count; ++k)
        for (int n = 0; n < 2; ++n)
            if (world->seams.data[k].live && world->seams.data[k].body[n] == body)
                world->seams.data[k].body[n] = UINT32_MAX;
}

/* ---- the step ---------------------------------------------------------------------------- */

/* Its pieces of cloth: their first triangles, or false if it holds nothing now. */
static bool faces_of(const PxWorld *world, const PxSeam *seam, double end, uint32_t first[2],
                     size_t cloth[2])
{
    if (!seam->live || !(end > seam->def.start))
        return false;
    for (int n = 0; n < 2; ++n) {
        if (cloth_of(world, seam->body[n], &cloth[n]) == NULL)
            return false;
        first[n] = 0;
        for (size_t k = 0; k < cloth[n]; ++k)
            first[n] += world->cloths.data[k].sheet->faces;
    }
    return true;
}

static PxVec3 gap_of(const PxClothStep *s, const PxClothTie *tie, const uint32_t first[2])
{
    PxClothContact c;
    px_cloth_seam_contact(s, tie, first, 0, &c);
    return c.place;
}

/* Length of a thread at a time, s. */
static double length_at(const PxSeam *seam, double gap, double time)
{
    double done = seam->def.time > 0 ? (time - seam->def.start) / seam->def.time : 1;
    return gap * px_cloth_seam_left(done);
}

static int compare_pairs(const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;
    if (x[0] != y[0])
        return x[0] < y[0] ? -1 : 1;
    return (x[1] > y[1]) - (x[1] < y[1]);
}

static PxStatus add_tie(PxClothStep *s, const PxSeam *seam, const PxClothTie *tie,
                        const uint32_t first[2], double end, uint32_t (*pair)[2], size_t *pairs)
{
    PxClothContact c;
    double gap = tie->length >= 0 ? tie->length : px_length(gap_of(s, tie, first));
    px_cloth_seam_contact(s, tie, first, length_at(seam, gap, end), &c);
    for (int a = 0; a < 2; ++a)
        for (int b = 2; b < 4; ++b)
            if (fabs(c.weight[a]) > 0 && fabs(c.weight[b]) > 0) {
                uint32_t i = c.vertex[a], j = c.vertex[b];
                pair[(*pairs)][0] = i;
                pair[(*pairs)++][1] = j;
                pair[(*pairs)][0] = j;
                pair[(*pairs)++][1] = i;
            }
    return tie->ripped ? PX_OK : px_cloth_contacts_add(s, &c);
}

/* Momentum is kept between vertices of the same integration: seams between two kinds of it use
 * implicit Euler. */
static void restart(PxClothStep *s, const size_t cloth[2])
{
    if (s->law[cloth[0]].integration == s->law[cloth[1]].integration)
        return;
    for (uint32_t i = 0; i < s->system->vertices; ++i)
        if (s->system->of_vertex[i] == cloth[0] || s->system->of_vertex[i] == cloth[1])
            px_cloth_restart(s, i);
}

/* In the first step of a seam. */
static void begin_closing(PxClothStep *s, const PxSeam *seam, const uint32_t first[2],
                          const size_t cloth[2])
{
    PxVec3 longest = {0, 0, 0};
    if (seam->ties == 0 || seam->tie[0].length >= 0)
        return;
    for (size_t n = 0; n < seam->ties; ++n) {
        PxVec3 gap = gap_of(s, &seam->tie[n], first);
        if (px_dot(gap, gap) > px_dot(longest, longest))
            longest = gap;
    }
    px_seam_roll(s, cloth, longest, seam->def.time);
}

/* Copies of a torn vertex lie on each other: they do not repel each other either. Counts pairs, and
 * lists them if there is an array. */
static size_t list_copies(const PxWorld *world, uint32_t (*pair)[2])
{
    size_t pairs = 0;
    for (size_t k = 0; k < world->cloths.count; ++k) {
        const PxCloth *cloth = &world->cloths.data[k];
        const PxClothSheet *sheet = cloth->sheet;
        if (sheet->whole == NULL)
            continue;
        uint32_t whole = sheet->whole->vertices;
        for (uint32_t i = whole; i < sheet->vertices; ++i)
            for (uint32_t n = whole - 1; n < i; ++n) {
                uint32_t j = n < whole ? sheet->vertex_from[i] : n; /* the first, then copies */
                if (sheet->vertex_from[j] != sheet->vertex_from[i])
                    continue;
                for (int side = 0; side < 2 && pair != NULL; ++side) {
                    pair[pairs + (size_t)side][0] = cloth->first + (side == 0 ? i : j);
                    pair[pairs + (size_t)side][1] = cloth->first + (side == 0 ? j : i);
                }
                pairs += 2;
            }
    }
    return pairs;
}

PxStatus px_seams_begin(const PxWorld *world, PxClothStep *s)
{
    size_t ties = 0, pairs = list_copies(world, NULL);
    double end = world->state.time + s->dt;
    uint32_t first[2];
    size_t cloth[2];
    for (size_t k = 0; k < world->seams.count; ++k)
        ties += world->seams.data[k].live ? world->seams.data[k].ties : 0;
    if (ties + pairs == 0)
        return PX_OK;
    uint32_t(*pair)[2] = px_arena_take_array(s->scratch, 8 * ties + pairs + 1, sizeof *pair);
    if (pair == NULL)
        return px_fail(PX_ERR_MEMORY, "cloth: no room for %zu ties of seams", ties);
    pairs = list_copies(world, pair);
    for (size_t k = 0; k < world->seams.count; ++k) {
        const PxSeam *seam = &world->seams.data[k];
        if (!faces_of(world, seam, end, first, cloth))
            continue;
        restart(s, cloth);
        begin_closing(s, seam, first, cloth);
        /* what has ripped still lies on each other: contact would throw it apart */
        for (size_t n = 0; n < seam->ties; ++n)
            PX_TRY(add_tie(s, seam, &seam->tie[n], first, end, pair, &pairs));
    }
    if (pairs == 0)
        return PX_OK;
    qsort(pair, pairs, sizeof *pair, compare_pairs);
    return px_cloth_seam_lists(s, pair, pairs);
}

void px_seams_commit(PxWorld *world, const PxClothStep *s)
{
    double end = world->state.time + s->dt;
    uint32_t first[2];
    size_t cloth[2];
    for (size_t k = 0; k < world->seams.count; ++k) {
        PxSeam *seam = &world->seams.data[k];
        if (!faces_of(world, seam, end, first, cloth))
            continue;
        for (size_t n = 0; n < seam->ties; ++n) {
            PxClothTie *tie = &seam->tie[n];
            PxClothContact c;
            if (tie->ripped)
                continue;
            px_cloth_seam_contact(s, tie, first, 0, &c);
            if (!(tie->length >= 0))
                tie->length = px_length(c.place);
            if (!(seam->def.strength > 0) || end < seam->def.start + seam->def.time)
                continue;
            PxVec3 gap = c.place; /* at the end of the step */
            for (int a = 0; a < 4; ++a)
                gap = px_mad(gap, s->w[c.vertex[a]], s->dt * c.weight[a]);
            tie->ripped = c.stiff * px_length(gap) > seam->def.strength * tie->width;
        }
    }
}

uint64_t px_seams_ripped(const PxWorld *world)
{
    uint64_t sum = 0;
    for (size_t k = 0; k < world->seams.count; ++k)
        for (size_t n = 0; world->seams.data[k].live && n < world->seams.data[k].ties; ++n)
            sum += world->seams.data[k].tie[n].ripped;
    return sum;
}

double px_seams_energy(const PxWorld *world, const PxClothStep *s)
{
    double sum = 0;
    uint32_t first[2];
    size_t cloth[2];
    for (size_t k = 0; k < world->seams.count; ++k) {
        const PxSeam *seam = &world->seams.data[k];
        if (!faces_of(world, seam, world->state.time, first, cloth))
            continue;
        for (size_t n = 0; n < seam->ties; ++n) {
            const PxClothTie *tie = &seam->tie[n];
            if (tie->ripped || !(tie->length >= 0))
                continue;
            PxClothContact c;
            px_cloth_seam_contact(s, tie, first, 0, &c);
            double over = px_length(c.place) - length_at(seam, tie->length, world->state.time);
            sum += over > 0 ? 0.5 * c.stiff * over * over : 0;
        }
    }
    return sum;
}

/* ---- saving ------------------------------------------------------------------------------ */

PxStatus px_world_store_seams(const PxWorld *world, PxTable *t)
{
    PX_TRY(px_table_add(t, "slot", "", PX_U32, 1, PX_COLUMN_STATE, NULL));
    PX_TRY(px_table_add(t, "ripped", "", PX_U32, 1, PX_COLUMN_STATE, NULL));
    PX_TRY(px_table_add(t, "length", "m", PX_F64, 1, PX_COLUMN_STATE, NULL));
    for (size_t k = 0; k < world->seams.count; ++k) {
        const PxSeam *seam = &world->seams.data[k];
        uint32_t row;
        if (!seam->live || seam->ties == 0)
            continue;
        PX_TRY(px_table_append(t, (uint32_t)seam->ties, &row));
        for (size_t n = 0; n < seam->ties; ++n, ++row) {
            ((uint32_t *)t->column[0].data[0])[row] = (uint32_t)k;
            ((uint32_t *)t->column[1].data[0])[row] = seam->tie[n].ripped;
            ((double *)t->column[2].data[0])[row] = seam->tie[n].length;
        }
    }
    return PX_OK;
}

PxStatus px_world_restore_seams(PxWorld *world, const PxTable *t)
{
    const PxColumn *slot = px_table_find(t, "slot"), *ripped = px_table_find(t, "ripped");
    const PxColumn *length = px_table_find(t, "length");
    uint32_t row = 0;
    size_t ties = 0;
    for (size_t k = 0; k < world->seams.count; ++k)
        ties += world->seams.data[k].live ? world->seams.data[k].ties : 0;
    if (ties != t->count)
        return px_fail(PX_ERR_FORMAT, "%u ties of seams are stored, and the scene has %zu",
                       t->count, ties);
    if (ties == 0)
        return PX_OK;
    if (slot == NULL || ripped == NULL || length == NULL || slot->type != PX_U32 ||
        ripped->type != PX_U32 || length->type != PX_F64)
        return px_fail(PX_ERR_FORMAT, "the stored ties of seams lack a column");
    for (size_t k = 0; k < world->seams.count; ++k) {
        PxSeam *seam = &world->seams.data[k];
        for (size_t n = 0; seam->live && n < seam->ties; ++n, ++row) {
            double own = ((const double *)length->data[0])[row];
            uint32_t is = ((const uint32_t *)ripped->data[0])[row];
            if (((const uint32_t *)slot->data[0])[row] != k || is > 1 || !(fabs(own) <= 1e9))
                return px_fail(PX_ERR_FORMAT, "stored tie %u cannot be one of this scene", row);
            seam->tie[n].ripped = is;
            seam->tie[n].length = own;
        }
    }
    return PX_OK;
}
