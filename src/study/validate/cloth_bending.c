/// Validation group: strips of cloth that bend under their own weight.
#include "study/validate/validate.h"

#include "base/vec.h"
#include "phyxel/phyxel.h"
#include "shape/rectangle.h"
#include "study/cloth_room.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define G 9.81
#define LENGTH 0.3 /* of the strip that sticks out, m */
#define MASS 0.2   /* kg/m^2 */

typedef struct Tip {
    double x, y; /* from the clamp; y is downwards */
} Tip;

/* ---- the elastica -------------------------------------------------------------------------- */

/* B theta'' = -w (L - s) cos theta, theta(0) = 0, theta'(L) = 0: the angle below the horizontal of
 * a strip of rigidity B and weight w per length and width. Integrates from a curvature at the
 * clamp; returns the curvature at the tip. */
static double integrate(double rigidity, double weight, double length, double curvature, Tip *tip)
{
    enum { STEPS = 2000 };
    double h = length / STEPS, theta = 0, k = curvature;
    *tip = (Tip){0, 0};
    for (int n = 0; n < STEPS; ++n) {
        /* midpoint rule */
        double s = n * h;
        double half_theta = theta + 0.5 * h * k;
        double half_k = k - 0.5 * h * weight / rigidity * (length - s) * cos(theta);
        tip->x += h * cos(half_theta);
        tip->y += h * sin(half_theta);
        theta += h * half_k;
        k -= h * weight / rigidity * (length - s - 0.5 * h) * cos(half_theta);
    }
    return k;
}

static Tip elastica(double rigidity, double weight, double length)
{
    Tip tip;
    double low = 0, high = weight * length * length / (2 * rigidity); /* as if it stayed flat */
    for (int n = 0; n < 60; ++n) {
        double middle = 0.5 * (low + high);
        if (integrate(rigidity, weight, length, middle, &tip) > 0)
            high = middle;
        else
            low = middle;
    }
    return tip;
}

/* ---- strips -------------------------------------------------------------------------------- */

/* Arrays of a rectangle in the pattern that the case names, for a shape. */
typedef struct Cut {
    float (*vertex)[3];
    uint32_t (*triangle)[3];
} Cut;

static void cut_free(Cut *cut)
{
    free(cut->vertex);
    free(cut->triangle);
}

static PxSheetPattern pattern_of(const PxValidateCase *c)
{
    return strstr(c->model, "cross") != NULL       ? PX_SHEET_CROSS
           : strstr(c->model, "parallel") != NULL  ? PX_SHEET_REGULAR
           : strstr(c->model, "irregular") != NULL ? PX_SHEET_IRREGULAR
                                                   : PX_SHEET_ALTERNATING;
}

/* Twice the area of a triangle in the plane of x and z, positive if it faces +y. */
static double facing(float (*v)[3], const uint32_t c[3])
{
    double a[2] = {(double)v[c[1]][0] - (double)v[c[0]][0],
                   (double)v[c[1]][2] - (double)v[c[0]][2]};
    double b[2] = {(double)v[c[2]][0] - (double)v[c[0]][0],
                   (double)v[c[2]][2] - (double)v[c[0]][2]};
    return a[1] * b[0] - a[0] * b[1];
}

/* Adds a row of cells `wide` m long to the border at the low end of an axis, of which there are
 * `border` vertices: what the clamp holds ends in a straight line in any pattern. */
static void add_row(Cut *cut, PxShapeDef *shape, int axis, double low, double wide)
{
    int along = 2 - axis;
    uint32_t n = shape->vertices, f = shape->triangles, last = UINT32_MAX;
    float from = -INFINITY;
    for (;;) { /* in their order along the border */
        uint32_t next = UINT32_MAX;
        for (uint32_t k = 0; k < n; ++k)
            if (fabs((double)cut->vertex[k][axis] - low) < 1e-6 && cut->vertex[k][along] > from &&
                (next == UINT32_MAX || cut->vertex[k][along] < cut->vertex[next][along]))
                next = k;
        if (next == UINT32_MAX)
            break;
        from = cut->vertex[next][along];
        memcpy(cut->vertex[shape->vertices], cut->vertex[next], sizeof *cut->vertex);
        cut->vertex[shape->vertices][axis] = (float)(low - wide);
        if (last != UINT32_MAX) {
            const uint32_t quad[2][3] = {{last, next, shape->vertices},
                                         {last, shape->vertices, shape->vertices - 1}};
            for (int k = 0; k < 2; ++k) {
                bool turned = (facing(cut->vertex, quad[k]) > 0) !=
                              (facing(cut->vertex, cut->triangle[0]) > 0);
                uint32_t *to = cut->triangle[f++];
                to[0] = quad[k][0];
                to[1] = quad[k][turned ? 2 : 1];
                to[2] = quad[k][turned ? 1 : 2];
            }
        }
        last = next;
        ++shape->vertices;
    }
    shape->triangles = f;
}

/* A rectangle of LENGTH along an axis, and a row of cells before it. */
static PxStatus cut_out(const PxValidateCase *c, double cells, double across, int axis,
                        PxShapeDef *shape, Cut *cut)
{
    PxMesh *mesh;
    double cell = LENGTH / cells, size[2], number[2];
    size[axis / 2] = LENGTH;
    size[1 - axis / 2] = across * cell;
    number[axis / 2] = cells;
    number[1 - axis / 2] = across;
    PX_TRY(px_rectangle_mesh(size, number, pattern_of(c), 1, 0, &mesh));
    *cut = (Cut){calloc(2 * (size_t)mesh->vertex_count, sizeof *cut->vertex),
                 calloc(2 * (size_t)mesh->triangle_count, sizeof *cut->triangle)};
    *shape = px_shape_def_default(PX_SHAPE_MESH);
    if (cut->vertex != NULL && cut->triangle != NULL) {
        for (uint32_t k = 0; k < mesh->vertex_count; ++k) {
            cut->vertex[k][0] = (float)mesh->position[k].x;
            cut->vertex[k][2] = (float)mesh->position[k].z;
        }
        memcpy(cut->triangle, mesh->triangle, mesh->triangle_count * sizeof *cut->triangle);
        shape->vertices = mesh->vertex_count;
        shape->triangles = mesh->triangle_count;
        add_row(cut, shape, axis, -0.5 * LENGTH, cell);
        shape->vertex = cut->vertex;
        shape->triangle = cut->triangle;
    }
    px_mesh_free(mesh);
    return cut->vertex != NULL && cut->triangle != NULL
               ? PX_OK
               : px_fail(PX_ERR_MEMORY, "no room for a strip of cloth");
}

/* The vertex nearest to the middle of the free end. */
static uint32_t tip_of(const PxClothRoom *room)
{
    uint32_t count, best = 0;
    double *const *x = px_cloth_room_column(room, "position", &count), least = INFINITY;
    for (uint32_t k = 0; k < count; ++k) {
        double off = 10 * fabs(x[0][k] - LENGTH) + fabs(x[2][k]);
        if (off < least) {
            least = off;
            best = k;
        }
    }
    return best;
}

static bool is_hinge(const PxValidateCase *c)
{
    return strstr(c->model, "linear") != NULL || strstr(c->model, "dihedral") != NULL;
}

/* Where a strip is clamped that is held up to x = 0: there, but hinges stand for half a cell on
 * both sides. */
static double clamp_of(const PxValidateCase *c, double cells)
{
    return is_hinge(c) ? -0.5 * LENGTH / cells : 0;
}

/* Where the tip of a strip comes to rest, and the length that sticks out. "warp": it lies along the
 * warp, and the weft is ten times as rigid. */
static PxStatus settle(const PxValidateCase *c, double cells, double across, double rigidity,
                       int threads, Tip *tip, double *length)
{
    PxClothRoom room = {.world = NULL};
    PxMaterialDef m = px_cloth_room_material(MASS);
    bool warp = strstr(c->model, "warp") != NULL;
    double cell = LENGTH / cells;
    m.cloth.weft = m.cloth.warp = 2000;
    m.cloth.shear = 1000;
    m.cloth.poisson = 0;
    m.cloth.bend = warp ? 10 * rigidity : rigidity;
    m.cloth.bend_warp = rigidity;
    m.cloth.damping = 12;
    m.cloth.step = 0.01 * fmin(1, 144 / (cells * cells)); /* such that the solve converges */
    m.cloth.bending_model = strstr(c->model, "linear") != NULL     ? PX_CLOTH_LINEAR
                            : strstr(c->model, "dihedral") != NULL ? PX_CLOTH_DIHEDRAL
                                                                   : PX_CLOTH_PLATE;
    PxShapeDef shape;
    Cut cut = {NULL, NULL};
    PxStatus status = cut_out(c, cells, across, warp ? 2 : 0, &shape, &cut);
    if (warp)
        shape.rotation = px_quat_turn(px_vec(0, 1, 0), M_PI / 2);
    shape.at = px_vec(0.5 * LENGTH, 0, 0);
    if (status == PX_OK)
        status = px_cloth_room(&room, px_vec(0, -G, 0), &m, &shape, threads);
    cut_free(&cut);
    uint32_t last = status == PX_OK ? tip_of(&room) : 0;
    if (status == PX_OK)
        status = px_cloth_room_hold(&room, "clamp", px_vec(-0.5 * cell, 0, 0),
                                    px_vec(cell + 2e-5, 0.1, 2));
    if (status == PX_OK)
        status = px_world_advance(room.world, 4);
    if (status == PX_OK) {
        uint32_t count;
        double *const *x = px_cloth_room_column(&room, "position", &count);
        *tip = (Tip){x[0][last] - clamp_of(c, cells), -x[1][last]};
        *length = LENGTH - clamp_of(c, cells);
    }
    px_world_free(room.world);
    return status;
}

/* Peirce's (1930) bending length from the angle of the chord. */
static double bending_length(Tip tip, double length)
{
    double chord = atan2(tip.y, tip.x);
    return length * cbrt(cos(chord / 2) / (8 * tan(chord)));
}

#define WEIGHT (MASS * G)
#define SOFT (WEIGHT * LENGTH * LENGTH * LENGTH / 8)
#define STIFF (WEIGHT * LENGTH * LENGTH * LENGTH / (8 * 0.03))

/* A sheet three times as wide as long, which bends as a cylinder: its tip against the elastica. */
static PxStatus wide(const PxValidateCase *c, double coarser, int threads, PxFigures *out)
{
    double cells = c->cells / coarser, length;
    Tip tip;
    PX_TRY(settle(c, cells, 3 * cells, SOFT, threads, &tip, &length));
    Tip exact = elastica(SOFT, WEIGHT, length);
    px_figures_add(out, "tip, along / length", tip.x / length, exact.x / length,
                   (tip.x - exact.x) / length, 0.03);
    px_figures_add(out, "tip, down / length", tip.y / length, exact.y / length,
                   (tip.y - exact.y) / length, 0.03);
    px_figures_compare(out, "bending length / (B / w)^(1/3)",
                       bending_length(tip, length) / cbrt(SOFT / WEIGHT), 1, 0.03);
    return PX_OK;
}

/* A narrow strip with cells of two sizes. */
static PxStatus narrow(const PxValidateCase *c, double coarser, int threads, PxFigures *out)
{
    double cells = c->cells / coarser, length[2];
    Tip tip, fine;
    PX_TRY(settle(c, cells, 3, SOFT, threads, &tip, &length[0]));
    PX_TRY(settle(c, 2 * cells, 6, SOFT, threads, &fine, &length[1]));
    double off =
        hypot(tip.x / length[0] - fine.x / length[1], tip.y / length[0] - fine.y / length[1]);
    px_figures_add(out, "tip, from that of half the cells / length", off, 0, off, 0.03);
    px_figures_compare(out, "bending length / (B / w)^(1/3)",
                       bending_length(tip, length[0]) / cbrt(SOFT / WEIGHT), 1, 0.03);
    return PX_OK;
}

/* A stiff sheet sinks by w L^4 / (8 B). */
static PxStatus sag(const PxValidateCase *c, double coarser, int threads, PxFigures *out)
{
    double cells = c->cells / coarser, length;
    Tip tip;
    PX_TRY(settle(c, cells, fmin(cells, 12), STIFF, threads, &tip, &length));
    px_figures_compare(out, "sag / w L^4 / 8 B", tip.y / (WEIGHT * pow(length, 4) / (8 * STIFF)), 1,
                       0.03);
    return PX_OK;
}

static const PxValidateCase cases[] = {
    {"sheet over an edge", wide, "-", "plate", 6, true, false},
    {"sheet over an edge", wide, "-", "plate", 12, true, false},
    {"sheet over an edge", wide, "-", "plate", 24, false, false},
    {"sheet over an edge", wide, "-", "plate, cross", 12, true, false},
    {"sheet over an edge", wide, "-", "plate, irregular", 12, true, false},
    {"strip over an edge", narrow, "-", "plate", 16, true, false},
    {"strip over an edge", narrow, "-", "plate", 32, true, false},
    {"strip over an edge", narrow, "-", "plate, parallel", 16, true, false},
    {"strip over an edge", narrow, "-", "plate, cross", 16, true, false},
    {"strip over an edge", narrow, "-", "plate, irregular", 16, true, false},
    {"strip over an edge", narrow, "-", "dihedral", 16, true, false},
    {"sheet that sags", sag, "-", "plate", 16, true, false},
    {"sheet that sags", sag, "-", "plate", 32, true, false},
    {"sheet that sags", sag, "-", "plate", 64, false, false},
    {"sheet that sags", sag, "-", "plate, parallel", 16, true, false},
    {"sheet that sags", sag, "-", "plate, parallel", 32, true, false},
    {"sheet that sags", sag, "-", "plate, parallel", 64, false, false},
    {"sheet that sags", sag, "-", "plate, cross", 16, true, false},
    {"sheet that sags", sag, "-", "plate, cross", 32, true, false},
    {"sheet that sags", sag, "-", "plate, cross", 64, false, false},
    {"sheet that sags", sag, "-", "plate, irregular", 16, true, false},
    {"sheet that sags", sag, "-", "plate, irregular", 32, true, false},
    {"sheet that sags", sag, "-", "plate, irregular", 64, false, false},
    {"sheet that sags", sag, "-", "plate, warp", 16, true, false},
    {"sheet that sags", sag, "-", "plate, warp, irregular", 16, true, false},
    {"sheet that sags", sag, "-", "dihedral", 16, true, false},
    {"sheet that sags", sag, "-", "linear", 16, true, false},
};

const PxValidateGroup px_validate_cloth_bending = {
    .title = "Cloth that bends",
    .about =
        "- **Cloth that bends**; \"spacings\" are cells along the 0.3 m that stick out, of 0.2 "
        "kg/m^2.\n"
        "  *Over an edge*: B = w L^3 / 8. A sheet three times as wide as long bends as a cylinder; "
        "the tip in its middle against the elastica (B theta'' = -w (L - s) cos theta), and the "
        "bending length by the formula of Peirce (1930). A strip three cells wide, with cells of "
        "two sizes.\n"
        "  *That sags*: a sheet as wide as long, B such that the tip sinks by 0.03 of the length; "
        "*plate*, the default, is the curvature of triangles, with diagonals that alternate unless "
        "another pattern is named; *warp*: it lies along the warp and the weft is ten times as "
        "rigid.\n"
        "  L is counted from the last vertices that are held, with hinges (*dihedral*, *linear*) "
        "from half a cell before them.\n",
    .falls_short =
        "Bending by hinges (dihedral and linear) depends on how triangles lie, at any size of "
        "them. With 12 x 12 cells a "
        "clamped sheet sinks by 1.16 of w L^4 / 8 B if diagonals alternate, by 0.77 with four "
        "triangles a cell, by 1.07 to 1.09 with irregular ones, and by 1.03 to 1.22 across its "
        "width if they are parallel. The energy of a given cylinder is exact (`test_cloth`), but "
        "cloth finds shapes near it that have less. Plates, the default, do not.",
    .cases = cases,
    .count = PX_COUNT(cases),
};
