#include "solid/fracture/relax.h"

#include "solid/stress.h"

#include <math.h>
#include <string.h>

PxStatus px_fracture_columns_add(PxTable *t)
{
    if (px_table_find(t, PX_FRACTURE_ENERGY) == NULL)
        PX_TRY(px_table_add(t, PX_FRACTURE_ENERGY, "J", PX_F32, 1, PX_COLUMN_STATE, NULL));
    if (px_table_find(t, PX_FRACTURE_GAP) == NULL)
        PX_TRY(px_table_add(t, PX_FRACTURE_GAP, "m", PX_F32, 1, PX_COLUMN_STATE, NULL));
    return PX_OK;
}

float *px_fracture_column(const PxTable *t, const char *name)
{
    const PxColumn *column = px_table_find(t, name);
    return column != NULL ? column->data[0] : NULL;
}

void px_fracture_note_energy(PxSolid *s)
{
    float *to = px_fracture_column(&s->particles->table, PX_FRACTURE_ENERGY);
    if (to != NULL)
        memcpy(to, s->energy, s->count * sizeof *to);
}

/* Takes so much of the strain of row i as plastic strain that its energy falls by `less`, as far as
 * it can. */
static void relax_row(PxSolid *s, uint32_t i, double less)
{
    static const int at[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {1, 2}, {2, 0}};
    PxMat3 elastic;
    double energy = px_solid_strain_energy(s, i, &elastic);
    if (!(energy > 0))
        return;
    double part = 1 - sqrt(fmax(1 - less / energy, 0));
    for (int k = 0; k < 6; ++k)
        s->columns.plastic[k][i] += (float)(part * elastic.m[at[k][0]][at[k][1]]);
}

static bool is_at_front(const PxBonds *b, const float *strength, uint32_t i)
{
    for (uint32_t e = b->start[i]; e < b->start[i + 1]; ++e)
        if (strength[e] > 0.0f && strength[e] < 1.0f)
            return true;
    return false;
}

void px_fracture_pay(PxSolid *s, const PxBonds *b, const float *strength, const double *due,
                     size_t bodies)
{
    double *there = PX_ARENA_ARRAY(s->scratch, double, bodies);
    for (size_t k = 0; there != NULL && k < bodies; ++k)
        there[k] = 0;
    for (int pass = 0; there != NULL && pass < 2; ++pass)
        for (uint32_t i = 0; i < s->count; ++i) {
            uint32_t body = s->particles->body[i];
            double energy = (double)s->energy[i];
            if (!(due[body] > 0) || !(energy > 0) || !is_at_front(b, strength, i))
                continue;
            if (pass == 0) {
                there[body] += energy;
                continue;
            }
            double less = energy * fmin(due[body] / there[body], 1);
            relax_row(s, i, less);
            s->energy[i] -= (float)less;
            s->elastic -= less;
            s->strained = true;
        }
}

void px_fracture_relax(PxSolid *s)
{
    const float *before = px_fracture_column(&s->particles->table, PX_FRACTURE_ENERGY);
    double all = 0, grown = 0;
    if (before == NULL)
        return;
    px_solid_forces(s, true);
    for (uint32_t i = 0; i < s->count; ++i) {
        double more = (double)s->energy[i] - (double)before[i];
        all += more;
        grown += fmax(more, 0);
    }
    if (!(all > 0) || !(grown > 0))
        return;
    for (uint32_t i = 0; i < s->count; ++i) {
        double more = (double)s->energy[i] - (double)before[i];
        if (more > 0)
            relax_row(s, i, more * all / grown);
    }
    s->strained = true;
}
