/// Validation group: conservation in free solids, forces of a block.
#include "study/validate/validate.h"

#include "study/free_solid.h"
#include "study/solid_probe.h"
#include "study/validate/materials.h"

#include <math.h>

static PxFreeSolidDef free_block(const PxValidateCase *c, double coarser, int threads)
{
    PxFreeSolidDef def = px_free_solid_def_default();
    px_validate_material(c, &def.material);
    def.spacing = coarser * def.size.z / c->cells;
    def.threads = threads;
    return def;
}

static PxStatus vibration(const PxValidateCase *c, double coarser, int threads, PxFigures *out)
{
    PxFreeSolidDef def = free_block(c, coarser, threads);
    PxFreeSolidResult result;
    def.seconds = 10;
    PX_TRY(px_free_solid(&def, &result));
    px_figures_add(out, "drift of the energy in 10 s", result.drift, 0, result.drift, 0.01);
    px_figures_add(out, "swing of the energy", result.energy, 0, result.energy, NAN);
    return PX_OK;
}

static PxStatus free_solid(const PxValidateCase *c, double coarser, int threads, PxFigures *out)
{
    PxFreeSolidDef def = free_block(c, coarser, threads);
    PxFreeSolidResult result;
    def.velocity = (PxVec3){1, 2, 0};
    def.spin = (PxVec3){3, 0, 8};
    PX_TRY(px_free_solid(&def, &result));
    double linear = fmax(result.linear, result.middle);
    px_figures_add(out, "momentum lost / m v", linear, 0, linear, 1e-5);
    px_figures_add(out, "angular momentum lost / m v R", result.angular, 0, result.angular, 1e-5);
    return PX_OK;
}

/* Forces of a single block: rigid motion, and the tangent against finite differences. */
static PxStatus probe_block(const PxProbeState *state, PxProbe *probe, PxFigures *out)
{
    static const PxVec3 axis[] = {{1, 0, 0}, {0, 1, 0}, {1, 2, 3}, {-3, 1, 0.2}};
    double near = 0, far = 0, worst = 0;
    for (size_t k = 0; k < PX_COUNT(axis); ++k) {
        double force;
        PxQuat turn = px_quat_turn(axis[k], 0.7 + (double)k);
        PX_TRY(px_probe_rigid(probe, turn, (PxVec3){0, 0, 0}, &force));
        near = fmax(near, force);
        PX_TRY(px_probe_rigid(probe, turn, (PxVec3){1000, -700, 300}, &force));
        far = fmax(far, force);
    }
    for (uint64_t seed = 1; seed <= 4; ++seed) {
        PxProbeState now = *state;
        double error;
        now.seed = seed;
        now.plastic = seed % 2 == 0 ? 0 : state->plastic;
        PX_TRY(px_probe_tangent(probe, &now, &error));
        worst = fmax(worst, error);
    }
    px_figures_add(out, "rigid motion: force / E A", near, 0, near, 1e-5);
    px_figures_add(out, "rigid motion 1 km away: force / E A", far, 0, far, 1e-5);
    px_figures_add(out, "error of the tangent / largest change", worst, 0, worst, 1e-3);
    return PX_OK;
}

static PxStatus forces(const PxValidateCase *c, double coarser, int threads, PxFigures *out)
{
    (void)threads;
    PxMaterialDef material = px_material_def_default();
    material.name = "rubber";
    material.young = 1e6;
    px_validate_material(c, &material);
    uint32_t n = (uint32_t)(c->cells / coarser);
    const uint32_t cells[3] = {n, n - 1, n + 1};
    static const PxProbeState state = {.stretch = 0.3, .noise = 0.2, .plastic = 0.1};
    PxProbe probe;
    PxStatus status = px_probe_block(&probe, &material, cells, 0.02, 2);
    if (status == PX_OK)
        status = probe_block(&state, &probe, out);
    px_probe_free(&probe);
    return status;
}

static const PxValidateCase cases[] = {
    {"free vibration", vibration, "leapfrog", "nu 0", 5, true, false},
    {"free vibration", vibration, "leapfrog", "nu 0.3", 5, true, false},
    {"free vibration", vibration, "leapfrog", "nu 0.45", 5, true, false},
    {"free solid", free_solid, "leapfrog", "nu 0.3", 5, true, false},
    {"free solid", free_solid, "implicit", "nu 0.3", 5, true, false},
    {"forces of a block", forces, "-", "nu 0", 6, true, false},
    {"forces of a block", forces, "-", "nu 0.3", 6, true, false},
    {"forces of a block", forces, "-", "nu 0.45", 6, true, false},
    {"forces of a block", forces, "-", "nu 0.49", 6, true, false},
    {"forces of a block", forces, "-", "orthotropic", 6, true, false},
};

const PxValidateGroup px_validate_free_solids = {
    .title = "Free solids",
    .about = "- **Free vibration, free solid**: 4 x 3 x 5 cm, spacing 1 cm, E = 100 kPa and the "
             "same in the volume term. The vibration is\n"
             "  stretching, bending and twisting by 10 % for 10 s; the drift is that of the "
             "energy's mean over a second, and the energy swings\n"
             "  by 3 % around it. The free solid moves at 2.2 m/s and rotates at 8.5 rad/s for 1 "
             "s; its implicit solve has the default\n"
             "  `max_error`.\n"
             "- **Forces of a block**: 6 x 5 x 7 particles. *Rigid motion*: rotated about four "
             "axes, at the origin and 1 km away; the largest\n"
             "  force on a particle over E times its cross-section. *Tangent*: at strains of 30 %, "
             "random displacements of a fifth of a spacing and plastic strains\n"
             "  of 10 %, compared with four-point differences; the largest error over the largest "
             "change.\n",
    .cases = cases,
    .count = PX_COUNT(cases),
};
