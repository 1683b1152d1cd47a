/// Validation group: cloth that hangs, is strained, slides and falls in air.
#include "study/validate/validate.h"

#include "base/vec.h"
#include "cloth/cloth.h"
#include "study/cloth_room.h"
#include "phyxel/phyxel.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define G 9.81

/* ---- strip -------------------------------------------------------------------------- */

/* A strip of 0.2 x 1 m that hangs from its upper end is longer by m g L^2 / (2 E). */
static PxStatus strip(const PxValidateCase *c, double coarser, int threads, PxFigures *out)
{
    PxClothRoom room;
    PxMaterialDef m = px_cloth_room_material(0.5);
    m.cloth.weft = m.cloth.warp = 300;
    m.cloth.shear = 150;
    m.cloth.poisson = 0;
    m.cloth.damping = 8;
    m.cloth.step = 0.01;
    m.cloth.membrane = strcmp(c->model, "green") == 0 ? PX_CLOTH_GREEN : PX_CLOTH_COROTATIONAL;
    double rows = c->cells / coarser, lowest = 0;
    PxShapeDef shape = px_cloth_room_sheet(0.2, 1, rows / 5, rows);
    shape.rotation = px_quat_turn(px_vec(1, 0, 0), M_PI / 2);
    PxStatus status = px_cloth_room(&room, px_vec(0, -G, 0), &m, &shape, threads);
    if (status == PX_OK)
        status = px_cloth_room_hold(&room, "hand", px_vec(0, 0.5, 0), px_vec(0.3, 0.001, 0.1));
    if (status == PX_OK)
        status = px_world_advance(room.world, 3);
    if (status == PX_OK) {
        uint32_t count;
        const double *y = px_cloth_room_column(&room, "position", &count)[1];
        for (uint32_t i = 0; i < count; ++i)
            lowest = fmin(lowest, y[i]);
        px_figures_compare(out, "extension / m g L^2 / 2 E",
                           (-0.5 - lowest) / (0.5 * G / (2 * 300)), 1, 0.02);
    }
    px_world_free(room.world);
    return status;
}

/* ---- patch test ----------------------------------------------------------------------- */

static bool is_within(PxVec3 x)
{
    return fabs(x.x) < 0.49 && fabs(x.z) < 0.49;
}

/* A flat sheet of 1 m^2 with vertices moved by up to a fifth of a cell. */
static PxStatus irregular(double cells, PxClothSheet **out)
{
    PxMesh *mesh;
    PxShapeDef shape = px_cloth_room_sheet(1, 1, cells, cells);
    PX_TRY(px_cloth_mesh(&shape, &mesh));
    for (uint32_t k = 0; k < mesh->vertex_count; ++k)
        if (is_within(mesh->position[k])) {
            mesh->position[k].x += 0.2 / cells * sin(9.0 * k);
            mesh->position[k].z += 0.2 / cells * sin(5.0 * k);
        }
    PxMesh bare = *mesh;
    bare.uv = NULL; /* those of the regular mesh would turn the weft from triangle to triangle */
    PxStatus status = px_cloth_sheet_create(&bare, shape.rotation, PX_CLOTH_REST_SHAPE, out);
    px_mesh_free(mesh);
    return status;
}

/* Every triangle of a uniform strain has that strain, and forces inside cancel. */
static PxStatus patch(const PxValidateCase *c, double coarser, int threads, PxFigures *out)
{
    (void)threads;
    PxClothSheet *sheet;
    PxClothLaw law;
    PxMaterialDef m = px_cloth_room_material(0.2);
    m.cloth.weft = 700;
    PX_TRY(px_cloth_law(&m, "cloth", &law));
    PX_TRY(irregular(c->cells / coarser, &sheet));
    PxVec3 *force = calloc(sheet->vertices, sizeof *force);
    double strain = 0, left = 0, most = 0;
    for (uint32_t f = 0; f < sheet->faces && force != NULL; ++f) {
        const PxClothFace *face = &sheet->face[f];
        PxVec3 x[3];
        double g[3][2];
        PxClothFaceState state;
        for (int k = 0; k < 3; ++k) {
            PxVec3 at = sheet->start[face->corner[k]];
            x[k] = px_vec(1.03 * at.x + 0.01 * at.z, 0, 0.99 * at.z + 0.01 * at.x);
        }
        px_cloth_membrane(&law, face, x, &state);
        px_cloth_gradients(face, g);
        strain = fmax(strain, fmax(fabs(state.strain[0] - 0.03), fabs(state.strain[1] + 0.01)));
        strain = fmax(strain, fabs(fabs(state.strain[2]) - 0.02));
        for (int k = 0; k < 3; ++k) {
            PxVec3 own = px_mad(px_scale(state.force[0], face->area * g[k][0]), state.force[1],
                                face->area * g[k][1]);
            most = fmax(most, px_length(own));
            force[face->corner[k]] = px_add(force[face->corner[k]], own);
        }
    }
    for (uint32_t k = 0; k < sheet->vertices && force != NULL; ++k)
        if (is_within(sheet->start[k]))
            left = fmax(left, px_length(force[k]));
    PxStatus status = force != NULL ? PX_OK : px_fail(PX_ERR_MEMORY, "cloth: no room for forces");
    px_figures_add(out, "largest error of strain / 0.03", strain / 0.03, 0, strain / 0.03, 1e-10);
    px_figures_add(out, "force left / of a triangle", left / most, 0, left / most, 1e-10);
    free(force);
    px_cloth_sheet_free(sheet);
    return status;
}

/* ---- friction -------------------------------------------------------------------------- */

/* Speed along a slope after a second, m/s; it begins at a height above it. Friction is 0.5. */
static PxStatus slide(double angle, double height, double cells, int threads, double *speed)
{
    PxClothRoom room;
    PxMaterialDef m = px_cloth_room_material(0.2);
    m.cloth.thickness = 0.004;
    m.friction = 0.5;
    PxShapeDef shape = px_cloth_room_sheet(0.4, 0.4, cells, cells);
    shape.at = px_vec(0, 0.002 + height, 0);
    PxStatus status =
        px_cloth_room(&room, px_vec(G * sin(angle), -G * cos(angle), 0), &m, &shape, threads);
    PxShapeDef floor = px_shape_def_default(PX_SHAPE_PLANE);
    floor.normal = px_vec(0, 1, 0);
    PxStats stats = {0};
    if (status == PX_OK)
        status = px_cloth_room_wall(&room, &floor, 0.5);
    if (status == PX_OK)
        status = px_world_advance(room.world, 1);
    if (status == PX_OK)
        px_world_stats(room.world, &stats);
    *speed = stats.cloth_momentum.x / (0.2 * 0.16);
    px_world_free(room.world);
    return status;
}

/* The angle at which it begins to slip, by bisection, and its speed above. */
static PxStatus slope(const PxValidateCase *c, double coarser, int threads, PxFigures *out)
{
    double cells = c->cells / coarser, low = 0.9 * atan(0.5), high = 1.1 * atan(0.5), speed;
    for (int k = 0; k < 10; ++k) {
        double middle = 0.5 * (low + high);
        PX_TRY(slide(middle, 0, cells, threads, &speed));
        if (speed > 1e-4)
            high = middle;
        else
            low = middle;
    }
    px_figures_compare(out, "angle of friction, degrees", 0.5 * (low + high) * 180 / M_PI,
                       atan(0.5) * 180 / M_PI, 0.01);
    double a = atan(0.6);
    PX_TRY(slide(a, 0, cells, threads, &speed));
    px_figures_compare(out, "speed after 1 s at slope 0.6, m/s", speed, G * (sin(a) - 0.5 * cos(a)),
                       0.01);
    PX_TRY(slide(atan(0.95 * 0.5), 0.02, cells, threads, &speed));
    px_figures_add(out, "speed after a fall of 20 mm on slope 0.475, m/s", speed, 0, speed, 1e-3);
    return PX_OK;
}

/* ---- air -------------------------------------------------------------------------------- */

/* A flat sheet falls at sqrt(2 m g / rho) in the end. */
static PxStatus air(const PxValidateCase *c, double coarser, int threads, PxFigures *out)
{
    PxClothRoom room;
    PxMaterialDef m = px_cloth_room_material(0.2);
    m.cloth.air = 1.2;
    double cells = c->cells / coarser;
    PxShapeDef shape = px_cloth_room_sheet(1, 1, cells, cells);
    PxStats stats = {0};
    PxStatus status = px_cloth_room(&room, px_vec(0, -G, 0), &m, &shape, threads);
    if (status == PX_OK)
        status = px_world_advance(room.world, 2);
    if (status == PX_OK)
        px_world_stats(room.world, &stats);
    px_figures_compare(out, "terminal speed, m/s", -stats.cloth_momentum.y / 0.2,
                       sqrt(2 * 0.2 * G / 1.2), 0.01);
    px_world_free(room.world);
    return status;
}

static const PxValidateCase cases[] = {
    {"hanging strip", strip, "-", "corotational", 10, true, false},
    {"hanging strip", strip, "-", "corotational", 20, true, false},
    {"hanging strip", strip, "-", "corotational", 40, true, false},
    {"hanging strip", strip, "-", "green", 20, true, false},
    {"patch test of cloth", patch, "-", NULL, 4, true, false},
    {"patch test of cloth", patch, "-", NULL, 16, true, false},
    {"cloth on a slope", slope, "-", NULL, 6, true, false},
    {"cloth on a slope", slope, "-", NULL, 12, false, false},
    {"sheet that falls in air", air, "-", NULL, 6, true, false},
};

const PxValidateGroup px_validate_cloth = {
    .title = "Cloth",
    .about = "- **Cloth**; \"spacings\" are cells of the sheet along its length.\n"
             "  *Hanging strip*: 0.2 x 1 m, 0.5 kg/m^2, E = 300 N/m, nu = 0, after 3 s with "
             "damping.\n"
             "  *Patch test*: a flat irregular mesh with a uniform strain of 0.03, -0.01 and 0.02 "
             "in shear.\n"
             "  *On a slope*: 0.4 x 0.4 m, friction 0.5; the angle of friction by bisection of "
             "the slopes at which it is still at rest after a second.\n"
             "  *In air*: 1 m^2 of 0.2 kg/m^2, flat, in air of 1.2 kg/m^3, after 2 s.\n",
    .cases = cases,
    .count = PX_COUNT(cases),
};
