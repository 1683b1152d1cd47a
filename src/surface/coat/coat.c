#include "surface/coat/coat.h"

#include "surface/coat/coat_parts.h"
#include "surface/tangents.h"

#include <string.h>

PxCoatDef px_coat_def_default(void)
{
    return (PxCoatDef){.spacing = 0,
                       .surfel = 0.5,
                       .iso = 0.5,
                       .guide = 0.3,
                       .attract = 0,
                       .smooth = 0.6,
                       .repel = 0.3,
                       .rounds = 6};
}

/* ---- isovalue ---- */

static double kernel(double square)
{
    double t = 1 - square / (double)(PX_COAT_H * PX_COAT_H);
    return t > 0 ? t * t * t : 0;
}

/* Weight a_j in a layer of a half-space filled with a lattice; layer 0 is the outermost. */
static double layer_weight(int layer)
{
    double sum = 0;
    for (int z = -2; z <= layer; ++z)
        for (int y = -2; y <= 2; ++y)
            for (int x = -2; x <= 2; ++x)
                sum += kernel(x * x + y * y + z * z);
    return 1 / sum;
}

/* The field `height` above the outermost layer of such a half-space, averaged over a lattice
 * cell. */
static double flat_field(double height)
{
    /* From the third layer on all neighbours are there. */
    const double weight[3] = {layer_weight(0), layer_weight(1), layer_weight(2)};
    double mean = 0;
    enum { PLACES = 8 };
    for (int p = 0; p < PLACES * PLACES; ++p) {
        double u = (p % PLACES + 0.5) / PLACES, v = (p / PLACES + 0.5) / PLACES;
        for (int layer = 0; layer < 3; ++layer)
            for (int y = -2; y <= 3; ++y)
                for (int x = -2; x <= 3; ++x) {
                    double dz = height + layer;
                    mean += weight[layer] * kernel((x - u) * (x - u) + (y - v) * (y - v) + dz * dz);
                }
    }
    return mean / (PLACES * PLACES);
}

/* ---- tables ---- */

PxSurfelColumns px_surfel_columns(const PxCoat *coat)
{
    const PxColumn *c = coat->surfels.column;
    PxSurfelColumns s = {.id = c[PX_SURFEL_ID].data[0],
                         .label = c[PX_SURFEL_LABEL].data[0],
                         .radius = c[PX_SURFEL_RADIUS].data[0],
                         .painted = c[PX_SURFEL_PAINTED].data[0],
                         .melted = c[PX_SURFEL_MELTED].data[0],
                         .component = c[PX_SURFEL_COMPONENT].data[0],
                         .fresh = c[PX_SURFEL_FRESH].data[0],
                         .raw = c[PX_SURFEL_RAW].data[0],
                         .yielded = c[PX_SURFEL_YIELDED].data[0],
                         .yields = c[PX_SURFEL_YIELDS].data[0]};
    for (int k = 0; k < 3; ++k) {
        s.at[k] = c[PX_SURFEL_POSITION].data[k];
        s.normal[k] = c[PX_SURFEL_NORMAL].data[k];
        s.colour[k] = c[PX_SURFEL_COLOUR].data[k];
        s.velocity[k] = c[PX_SURFEL_VELOCITY].data[k];
    }
    for (int k = 0; k < 6; ++k) {
        s.base[k] = c[PX_SURFEL_BASE].data[k];
        s.tangent[k] = c[PX_SURFEL_TANGENT].data[k];
    }
    return s;
}

static PxStatus add_columns(PxCoat *coat)
{
    PxTable *s = &coat->surfels, *m = &coat->previous, *z = &coat->zombies;
    static const uint32_t state = PX_COLUMN_STATE;
    PX_TRY(px_table_add(s, "id", "", PX_U64, 1, state, NULL));
    PX_TRY(px_table_add(s, "label", "", PX_U64, 1, state, NULL));
    PX_TRY(px_table_add(s, "position", "", PX_F32, 3, state, NULL));
    PX_TRY(px_table_add(s, "normal", "", PX_F32, 3, state, NULL));
    PX_TRY(px_table_add(s, "tangent", "", PX_F32, 6, state, NULL));
    PX_TRY(px_table_add(s, "radius", "", PX_F32, 1, state, NULL));
    PX_TRY(px_table_add(s, "colour", "", PX_F32, 3, state, NULL));
    PX_TRY(px_table_add(s, "painted", "", PX_F32, 1, state, NULL));
    PX_TRY(px_table_add(s, "melted", "", PX_F32, 1, state, NULL));
    PX_TRY(px_table_add(s, "velocity", "m/s", PX_F32, 3, PX_COLUMN_FRAME, NULL));
    PX_TRY(px_table_add(s, "component", "", PX_U32, 1, 0, NULL));
    PX_TRY(px_table_add(s, "base", "", PX_F32, 6, 0, NULL));
    PX_TRY(px_table_add(s, "fresh", "", PX_U32, 1, 0, NULL));
    PX_TRY(px_table_add(s, "raw", "", PX_F32, 1, state, NULL));
    PX_TRY(px_table_add(s, "yielded", "", PX_F32, 1, state, NULL));
    PX_TRY(px_table_add(s, "yields", "", PX_F32, 1, 0, NULL));
    PX_TRY(px_table_add(m, "id", "", PX_U64, 1, state, NULL));
    PX_TRY(px_table_add(m, "label", "", PX_U64, 1, state, NULL));
    PX_TRY(px_table_add(m, "position", "", PX_F32, 3, state, NULL));
    PX_TRY(px_table_add(m, "edge", "", PX_F32, 1, state, NULL));
    PX_TRY(px_table_add(z, "id", "", PX_U64, 1, state, NULL));
    PX_TRY(px_table_add(z, "label", "", PX_U64, 1, state, NULL));
    PX_TRY(px_table_add(z, "position", "", PX_F32, 3, state, NULL));
    PX_TRY(px_table_add(z, "normal", "", PX_F32, 3, state, NULL));
    return px_table_add(z, "colour", "", PX_F32, 3, state, NULL);
}

static PxStatus check(const PxCoatDef *d)
{
    const struct {
        const char *name;
        double value, low, high;
    } range[] = {{"surfel", d->surfel, 0.1, 1}, {"iso", d->iso, 0.2, 0.8},
                 {"guide", d->guide, 0, 1},     {"attract", d->attract, 0, 1},
                 {"smooth", d->smooth, 0, 1},   {"repel", d->repel, 0, 1}};
    if (!(d->spacing > 0))
        return px_fail(PX_ERR_ARGUMENT, "coat: spacing is %g m, must be positive", d->spacing);
    for (size_t k = 0; k < PX_COUNT(range); ++k)
        if (!(range[k].value >= range[k].low && range[k].value <= range[k].high))
            return px_fail(PX_ERR_ARGUMENT, "coat: %s is %g, wanted %g to %g", range[k].name,
                           range[k].value, range[k].low, range[k].high);
    return PX_OK;
}

PxStatus px_coat_create(const PxCoatDef *def, const PxAllocator *allocator, PxCoat **out)
{
    *out = NULL;
    PX_TRY(check(def));
    PxCoat *coat = px_allocate(allocator, sizeof *coat);
    if (coat == NULL)
        return px_fail(PX_ERR_MEMORY, "coat: no room");
    memset(coat, 0, sizeof *coat);
    coat->allocator = allocator;
    coat->def = *def;
    px_table_init(&coat->surfels, allocator);
    px_table_init(&coat->previous, allocator);
    px_table_init(&coat->zombies, allocator);
    px_grid_init(&coat->particle_grid, allocator);
    px_grid_init(&coat->motion_grid, allocator);
    px_pairs_init(&coat->particle_pairs, allocator);
    px_pairs_init(&coat->motion_pairs, allocator);
    coat->surfel_rows.allocator = coat->near_rows.allocator = allocator;
    double level = flat_field(def->iso);
    coat->level = (float)level;
    coat->bulk_weight = (float)layer_weight(2);
    coat->min_value = (float)flat_field(def->iso + 0.15);
    coat->wall_min_value = (float)flat_field(def->iso + 0.75);
    /* A sphere with the volume of one spacing cubed has a radius of 0.62. */
    coat->max_weight = (float)fmin(level / kernel(0.62 * 0.62), 1);
    coat->next_id = 1;
    PxStatus status = px_coat_refine(coat, def->surfel);
    if (status == PX_OK)
        status = add_columns(coat);
    if (status != PX_OK)
        px_coat_free(coat);
    else
        *out = coat;
    return status;
}

PxStatus px_coat_refine(PxCoat *coat, double surfel)
{
    PxCoatDef def = coat->def;
    def.surfel = surfel;
    PX_TRY(check(&def));
    coat->def = def;
    coat->smoothing_radius = (float)fmin(fmax(1.0, 2 * surfel), 4 * surfel);
    coat->bunch_width = (float)fmax(1.0, 4.5 * surfel);
    return PX_OK;
}

void px_coat_hold(PxCoat *coat)
{
    ++coat->holders;
}

void px_coat_free(PxCoat *coat)
{
    if (coat == NULL)
        return;
    if (coat->holders > 0) {
        --coat->holders;
        return;
    }
    px_table_free(&coat->surfels);
    px_table_free(&coat->previous);
    px_table_free(&coat->zombies);
    px_grid_free(&coat->particle_grid);
    px_grid_free(&coat->motion_grid);
    px_pairs_free(&coat->particle_pairs);
    px_pairs_free(&coat->motion_pairs);
    px_coat_rows_free(&coat->surfel_rows);
    px_coat_rows_free(&coat->near_rows);
    px_release(coat->allocator, coat, sizeof *coat);
}

size_t px_coat_bytes(const PxCoat *coat)
{
    return sizeof *coat + px_table_bytes(&coat->surfels) + px_table_bytes(&coat->previous) +
           px_table_bytes(&coat->zombies) + px_grid_bytes(&coat->particle_grid) +
           px_grid_bytes(&coat->motion_grid) + px_pairs_bytes(&coat->particle_pairs) +
           px_pairs_bytes(&coat->motion_pairs) +
           (coat->surfel_rows.room + coat->near_rows.room) * sizeof(uint32_t);
}

PxVec3 px_coat_place(const PxCoat *coat, uint32_t i)
{
    PxSurfelColumns s = px_surfel_columns(coat);
    return px_mad(coat->origin, px_vec((double)s.at[0][i], (double)s.at[1][i], (double)s.at[2][i]),
                  coat->def.spacing);
}

/* ---- initial surfels ---- */

static void set_origin(PxCoat *coat, PxVec3 near)
{
    if (coat->begun)
        return;
    coat->begun = true;
    /* A multiple of the spacing, so that subtracting it loses no precision. */
    double s = coat->def.spacing;
    coat->origin = px_vec(s * floor(near.x / s), s * floor(near.y / s), s * floor(near.z / s));
}

PxStatus px_coat_give(PxCoat *coat, const PxCoatGiven *given)
{
    uint32_t first, zombie = 0;
    if (given->count == 0)
        return PX_OK;
    if (given->colour != NULL)
        PX_TRY(px_table_reserve(&coat->zombies, (size_t)coat->zombies.count + given->count));
    PX_TRY(px_table_append(&coat->surfels, given->count, &first));
    if (given->colour != NULL)
        PX_TRY(px_table_append(&coat->zombies, given->count, &zombie)); /* there is room */
    set_origin(coat, given->position[0]);
    PxSurfelColumns s = px_surfel_columns(coat);
    const PxColumn *z = coat->zombies.column;
    for (uint32_t k = 0; k < given->count; ++k) {
        uint32_t i = first + k;
        PxVec3 at = px_scale(px_sub(given->position[k], coat->origin), 1 / coat->def.spacing);
        PxVec3 n = px_normalized(given->normal[k], px_vec(0, 1, 0));
        PxVec3 c = given->colour != NULL ? given->colour[k] : px_vec(1, 1, 1);
        const double value[9] = {at.x, at.y, at.z, n.x, n.y, n.z, c.x, c.y, c.z};
        s.id[i] = coat->next_id++;
        s.radius[i] = (float)(PX_COAT_DISC * coat->def.surfel);
        PxVec3 t[2];
        px_tangents(n, t);
        const double axis[6] = {t[0].x, t[0].y, t[0].z, t[1].x, t[1].y, t[1].z};
        for (int a = 0; a < 6; ++a)
            s.tangent[a][i] = s.radius[i] * (float)axis[a];
        for (int a = 0; a < 3; ++a) {
            s.at[a][i] = (float)value[a];
            s.normal[a][i] = (float)value[3 + a];
            s.colour[a][i] = (float)value[6 + a];
        }
        if (given->colour == NULL)
            continue;
        s.painted[i] = 1.0f;
        ((uint64_t *)z[PX_ZOMBIE_ID].data[0])[zombie + k] = s.id[i];
        for (int a = 0; a < 3; ++a) {
            ((float *)z[PX_ZOMBIE_POSITION].data[a])[zombie + k] = (float)value[a];
            ((float *)z[PX_ZOMBIE_NORMAL].data[a])[zombie + k] = (float)value[3 + a];
            ((float *)z[PX_ZOMBIE_COLOUR].data[a])[zombie + k] = (float)value[6 + a];
        }
    }
    coat->painted |= given->colour != NULL;
    return PX_OK;
}

/* ---- a frame ---- */

static void start_frame(PxCoat *coat)
{
    PxSurfelColumns s = px_surfel_columns(coat);
    size_t bytes = coat->surfels.count * sizeof(float);
    for (int k = 0; k < 3; ++k) {
        memcpy(s.base[k], s.at[k], bytes);
        memcpy(s.base[3 + k], s.normal[k], bytes);
    }
    memset(s.fresh, 0, coat->surfels.count * sizeof *s.fresh);
    memset(s.yields, 0, bytes);
}

static PxStatus advance(PxCoat *coat, const PxCoatInput *in)
{
    PxCoatField f;
    bool first = coat->frame == 0;
    PX_TRY(px_coat_field_make(coat, in, &f));
    if (first) {
        PX_TRY(px_coat_sort(coat, in, &coat->surfels));
        PX_TRY(px_coat_sort(coat, in, &coat->zombies));
    } else {
        PX_TRY(px_coat_advect(coat, &f));
    }
    start_frame(coat);
    PX_TRY(px_coat_find_components(&f));
    px_coat_find_changes(&f);
    coat->stats.components = f.components;
    PX_TRY(px_coat_attach(coat, &f));
    PX_TRY(px_coat_resample(coat, &f, false, first ? 60 : 8));
    PX_TRY(px_coat_relax(coat, &f));
    PX_TRY(px_coat_resample(coat, &f, true, first ? 10 : 2));
    PX_TRY(px_coat_keep_out(coat, &f));
    PX_TRY(px_coat_print(coat, &f));
    if (coat->painted)
        PX_TRY(px_coat_paint(coat, &f));
    PX_TRY(px_coat_interpolate_velocity(coat, &f));
    PX_TRY(px_coat_remember(coat, &f));
    ++coat->frame;
    return PX_OK;
}

PxStatus px_coat_advance(PxCoat *coat, const PxCoatInput *in)
{
    PxArenaMark mark = px_arena_mark(in->scratch);
    coat->stats = (PxCoatStats){0};
    if (in->count > 0)
        set_origin(coat, px_vec((double)in->position[0][0], (double)in->position[1][0],
                                (double)in->position[2][0]));
    PxStatus status = advance(coat, in);
    px_arena_release(in->scratch, mark);
    return status;
}

/* ---- storing and restoring ---- */

void px_coat_numbers(const PxCoat *coat, double number[PX_COAT_NUMBERS])
{
    const double all[PX_COAT_NUMBERS] = {coat->origin.x,        coat->origin.y,
                                         coat->origin.z,        (double)coat->frame,
                                         (double)coat->next_id, coat->begun + 2.0 * coat->painted,
                                         coat->def.surfel};
    memcpy(number, all, sizeof all);
}

/* Are rows [first, first + count) of the stored table there, with all state columns of the own one
 * and finite? */
static bool usable(const PxTable *own, const PxTable *stored, uint32_t first, uint32_t count)
{
    if ((uint64_t)first + count > stored->count ||
        !px_table_fits(stored, own, PX_COLUMN_STATE, NULL))
        return false;
    for (uint32_t k = 0; k < own->columns; ++k) {
        const PxColumn *c = px_table_find(stored, own->column[k].name);
        for (uint32_t a = 0; c != NULL && c->type == PX_F32 && a < c->components; ++a)
            for (uint32_t i = first; i < first + count; ++i)
                if (!isfinite(((const float *)c->data[a])[i]))
                    return false;
    }
    return true;
}

PxStatus px_coat_reserve(PxCoat *coat, const PxCoatStored *stored)
{
    PX_TRY(px_table_reserve(&coat->surfels, stored->count[0]));
    PX_TRY(px_table_reserve(&coat->previous, stored->count[1]));
    return px_table_reserve(&coat->zombies, stored->count[2]);
}

PxStatus px_coat_restore(PxCoat *coat, const PxCoatStored *stored)
{
    const double *number = stored->number;
    PxTable *own[3] = {&coat->surfels, &coat->previous, &coat->zombies};
    const PxTable *from[3] = {stored->surfels, stored->previous, stored->zombies};
    for (int k = 0; k < PX_COAT_NUMBERS; ++k)
        if (!isfinite(number[k]) || (k >= 3 && !(number[k] >= 0 && number[k] < 0x1p53)))
            return px_fail(PX_ERR_FORMAT, "the stored coat has an impossible number: %g",
                           number[k]);
    for (int k = 0; k < 3; ++k)
        if (!usable(own[k], from[k], stored->first[k], stored->count[k]))
            return px_fail(PX_ERR_FORMAT, "the stored coat does not fit this scene");
    PX_TRY(px_coat_refine(coat, number[6]));
    PX_TRY(px_coat_reserve(coat, stored));
    for (int k = 0; k < 3; ++k) {
        own[k]->count = 0;
        PX_TRY(px_table_append_part(own[k], from[k], stored->first[k], stored->count[k]));
    }
    coat->origin = px_vec(number[0], number[1], number[2]);
    coat->frame = (uint64_t)number[3];
    coat->next_id = (uint64_t)number[4];
    coat->begun = (int)number[5] & 1;
    coat->painted = (int)number[5] & 2;
    return PX_OK;
}
