#include "draw.h"

#include "gl.h"
#include "over.h"
#include "screen_mesh.h"
#include "shaders.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A mesh on the graphics card. */
typedef struct Mesh {
    GLuint array, vertices, normals, indices, extra[2];
    uint32_t count; /* of indices; of surfels if there are none */
} Mesh;

enum {
    MESH,
    BALL,
    GROUND,
    BACKGROUND,
    LIQUID,
    CHORD,
    THICKNESS,
    RADIOGRAPH,
    SURFEL,
    SPLATS,
    FILM,
    FILM_XRAY,
    VOLUME,
    ADD,
    PROGRAMS
};

/* Edge of a cell of the liquid's depth map, pixels of a picture 600 pixels high. */
#define LIQUID_CELL 2.5
/* Radius over which a particle's volume is spread in radiographs, in its radii. */
#define SPREAD 2.6f

struct Draw {
    GLuint program[PROGRAMS];
    GlTarget picture;
    GLuint empty; /* vertex array without attributes */
    const PxDisplay *display;
    Mesh *body; /* of the display */
    uint32_t bodies;
    double deformed_to; /* time of the bodies that deform; NAN: none yet */
    Mesh *surface;      /* of the shot */
    Mesh arrow[2];      /* that push, that pull */
    PxCoating *coating; /* points of films on the bodies; NULL: none */
    Mesh *film;         /* of the bodies */
    uint32_t filmed;    /* number of these */
    uint32_t surfaces;
    GLuint balls, places, paints, weights; /* vertex array and its buffers */
    uint32_t ball_count;
    float *place; /* scratch: 4 floats a ball */
    float *weight;
    uint8_t *paint, *liquid; /* liquid: by particle */
    size_t room;
    uint32_t liquid_count;
    ScreenMesh screen;
    Mesh liquid_mesh;
    float *tint, *medium; /* scratch: 4 floats a vertex of the liquid */
    size_t tint_room;
    Over over;             /* volume in x-rays */
    GlTarget behind, sums; /* picture behind the liquid; x-rays or splats */
    DrawDef last;          /* of the balls on the card */
    bool loaded;

    /* of the present call */
    const Camera *camera;
    const DrawDef *def;
    Mat4 view, projection;
    float unview[9];
    float eye[3], sun[3], upward[3];
    float aspect;
};

DrawDef draw_def_default(void)
{
    return (DrawDef){.mode = DRAW_BEST, .walls = true, .ground = true};
}

/* ---- making ---- */

static void attribute(GLuint index, GLuint buffer, int components, GLenum type, bool instanced)
{
    glBindBuffer(GL_ARRAY_BUFFER, buffer);
    glEnableVertexAttribArray(index);
    glVertexAttribPointer(index, components, type, type == GL_UNSIGNED_BYTE, 0, NULL);
    glVertexAttribDivisor(index, instanced);
}

Draw *draw_create(char *error, size_t size)
{
    Draw *d = calloc(1, sizeof *d);
    if (d == NULL) {
        snprintf(error, size, "no memory");
        return NULL;
    }
    const char *source[PROGRAMS][3] = {
        [MESH] = {"mesh", shader_mesh_vertex, shader_mesh},
        [BALL] = {"ball", shader_ball_vertex, shader_ball},
        [GROUND] = {"ground", shader_ground_vertex, shader_ground},
        [BACKGROUND] = {"background", shader_screen_vertex, shader_background},
        [LIQUID] = {"liquid", shader_liquid_vertex, shader_liquid},
        [CHORD] = {"chord", shader_ball_vertex, shader_chord},
        [THICKNESS] = {"thickness", shader_mesh_vertex, shader_thickness},
        [RADIOGRAPH] = {"radiograph", shader_screen_vertex, shader_radiograph},
        [SURFEL] = {"surfel", shader_surfel_vertex, shader_surfel},
        [SPLATS] = {"splats", shader_screen_vertex, shader_splats},
        [FILM] = {"film", shader_film_vertex, shader_film},
        [FILM_XRAY] = {"film in x-rays", shader_film_vertex, shader_film_xray},
        [VOLUME] = {"volume", shader_screen_vertex, shader_volume},
        [ADD] = {"add", shader_screen_vertex, shader_add},
    };
    for (int k = 0; k < PROGRAMS; ++k) {
        d->program[k] =
            gl_program(source[k][0], source[k][1], shader_common, source[k][2], error, size);
        if (d->program[k] == 0) {
            draw_free(d);
            return NULL;
        }
    }
    glGenVertexArrays(1, &d->empty);
    glGenVertexArrays(1, &d->balls);
    glGenBuffers(1, &d->places);
    glGenBuffers(1, &d->paints);
    glGenBuffers(1, &d->weights);
    glBindVertexArray(d->balls);
    attribute(0, d->places, 4, GL_FLOAT, true);
    attribute(1, d->paints, 4, GL_UNSIGNED_BYTE, true);
    attribute(2, d->weights, 1, GL_FLOAT, true);
    glBindVertexArray(0);
    return d;
}

static void mesh_free(Mesh *m)
{
    GLuint buffers[] = {m->vertices, m->normals, m->indices, m->extra[0], m->extra[1]};
    glDeleteVertexArrays(1, &m->array);
    glDeleteBuffers(5, buffers);
    *m = (Mesh){0};
}

static void meshes_free(Mesh **list, uint32_t *count)
{
    for (uint32_t k = 0; k < *count; ++k)
        mesh_free(&(*list)[k]);
    free(*list);
    *list = NULL;
    *count = 0;
}

void draw_free(Draw *d)
{
    if (d == NULL)
        return;
    meshes_free(&d->body, &d->bodies);
    meshes_free(&d->surface, &d->surfaces);
    meshes_free(&d->film, &d->filmed);
    px_coating_free(d->coating);
    for (int k = 0; k < PROGRAMS; ++k)
        glDeleteProgram(d->program[k]);
    gl_target_free(&d->picture);
    over_free(&d->over);
    gl_target_free(&d->behind);
    gl_target_free(&d->sums);
    mesh_free(&d->arrow[0]);
    mesh_free(&d->arrow[1]);
    mesh_free(&d->liquid_mesh);
    screen_mesh_free(&d->screen);
    glDeleteVertexArrays(1, &d->empty);
    glDeleteVertexArrays(1, &d->balls);
    glDeleteBuffers(1, &d->places);
    glDeleteBuffers(1, &d->paints);
    glDeleteBuffers(1, &d->weights);
    free(d->place);
    free(d->paint);
    free(d->weight);
    free(d->liquid);
    free(d->tint);
    free(d->medium);
    free(d);
}

static void mesh_fill(Mesh *m, const float *position, const float *normal, uint32_t vertices,
                      const uint32_t *triangle, uint32_t triangles)
{
    if (m->array == 0) {
        glGenVertexArrays(1, &m->array);
        glGenBuffers(1, &m->vertices);
        glGenBuffers(1, &m->normals);
        glGenBuffers(1, &m->indices);
        glBindVertexArray(m->array);
        attribute(0, m->vertices, 3, GL_FLOAT, false);
        attribute(1, m->normals, 3, GL_FLOAT, false);
        glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, m->indices);
    }
    glBindVertexArray(m->array);
    gl_fill(GL_ARRAY_BUFFER, m->vertices, position, vertices * 3 * sizeof *position);
    gl_fill(GL_ARRAY_BUFFER, m->normals, normal, vertices * 3 * sizeof *normal);
    gl_fill(GL_ELEMENT_ARRAY_BUFFER, m->indices, triangle, triangles * 3 * sizeof *triangle);
    m->count = 3 * triangles;
    glBindVertexArray(0);
}

static void load_bodies(Draw *d, const PxDisplay *display)
{
    meshes_free(&d->body, &d->bodies);
    meshes_free(&d->film, &d->filmed);
    px_coating_free(d->coating);
    d->coating = NULL;
    d->display = display;
    d->deformed_to = NAN;
    uint32_t count = 0;
    while (px_display_body(display, count) != NULL)
        ++count;
    d->body = calloc((size_t)count + 1, sizeof *d->body);
    if (d->body == NULL)
        return;
    d->bodies = count;
    for (uint32_t k = 0; k < count; ++k) {
        const PxDisplayBody *b = px_display_body(display, k);
        if (b->triangles > 0)
            mesh_fill(&d->body[k], &b->position[0][0], &b->normals[0][0], b->vertices,
                      &b->triangle[0][0], b->triangles);
    }
}

/* Moves the bodies that deform to the time of the shot. */
static void deform_bodies(Draw *d, double time)
{
    bool any = false;
    for (uint32_t k = 0; k < d->bodies; ++k)
        any |= px_display_body(d->display, k)->deforms;
    if (!any || d->deformed_to == time || px_display_deform(d->display, time) != PX_OK)
        return;
    d->deformed_to = time;
    for (uint32_t k = 0; k < d->bodies; ++k) {
        const PxDisplayBody *b = px_display_body(d->display, k);
        if (b->deforms && b->triangles > 0)
            mesh_fill(&d->body[k], &b->position[0][0], &b->normals[0][0], b->vertices,
                      &b->triangle[0][0], b->triangles);
    }
}

/* Extent of the matter at the start, m. */
static double scene_size(const PxDisplay *display, PxVec3 *middle)
{
    PxVec3 low, high;
    if (px_display_bounds(display, &low, &high) != PX_OK)
        return 1;
    double x = high.x - low.x, y = high.y - low.y, z = high.z - low.z;
    *middle = (PxVec3){0.5 * (low.x + high.x), 0.5 * (low.y + high.y), 0.5 * (low.z + high.z)};
    double size = sqrt(x * x + y * y + z * z);
    return size > 0 ? size : 1;
}

/* ---- the shot's particles ---- */

/* Colour of a value, sRGB bytes. */
static void colour_value(float value, float low, float high, uint8_t out[4])
{
    float rgb[3];
    float t = high > low ? (value - low) / (high - low) : 0.5f;
    px_display_colour(isfinite(t) ? t : 0, rgb);
    for (int c = 0; c < 3; ++c)
        out[c] = (uint8_t)lrintf(255 * rgb[c]);
    out[3] = 255;
}

/* Gamma of 2 in the bytes of colours, so that dark ones have enough steps. */
static uint8_t stored(float linear)
{
    return (uint8_t)lrintf(255 * sqrtf(fminf(1, fmaxf(0, linear))));
}

static float linear_of(uint8_t srgb)
{
    float c = (float)srgb / 255;
    return c <= 0.04045f ? c / 12.92f : powf((c + 0.055f) / 1.055f, 2.4f);
}

static bool reserve(Draw *d, size_t count)
{
    if (count <= d->room)
        return true;
    float *place = realloc(d->place, count * 4 * sizeof *place);
    d->place = place != NULL ? place : d->place;
    float *weight = realloc(d->weight, count * sizeof *weight);
    d->weight = weight != NULL ? weight : d->weight;
    uint8_t *paint = realloc(d->paint, count * 4);
    d->paint = paint != NULL ? paint : d->paint;
    uint8_t *liquid = realloc(d->liquid, count);
    d->liquid = liquid != NULL ? liquid : d->liquid;
    if (place == NULL || weight == NULL || paint == NULL || liquid == NULL)
        return false;
    d->room = count;
    return true;
}

enum { SHADES = 256 };

/* The colour map as bytes with a gamma of 2, and the range that it shows. */
typedef struct Shades {
    uint8_t table[SHADES][3];
    float low, scale;
} Shades;

static void shades_make(const Draw *d, const Shot *s, Shades *out)
{
    for (int k = 0; k < SHADES; ++k) {
        uint8_t srgb[4];
        colour_value((float)k / (SHADES - 1), 0, 1, srgb);
        for (int c = 0; c < 3; ++c)
            out->table[k][c] = stored(linear_of(srgb[c]));
    }
    float high = d->def->own_range ? d->def->high : s->high;
    out->low = d->def->own_range ? d->def->low : s->low;
    out->scale = high > out->low ? (SHADES - 1) / (high - out->low) : 0;
}

static const uint8_t *shade_of(const Shades *shades, float value)
{
    float t = (value - shades->low) * shades->scale;
    return shades->table[t >= 0 ? (int)fminf(SHADES - 1, t) : 0];
}

/* Sorts the particles into liquids, which become a surface, balls, and those that a skin or coat
 * covers. */
static void load_balls(Draw *d, const Shot *s)
{
    Shades shades;
    bool best = d->def->mode == DRAW_BEST;
    uint32_t n = 0;
    d->ball_count = d->liquid_count = 0;
    if (!reserve(d, (size_t)s->particles + 1))
        return;
    shades_make(d, s, &shades);
    for (uint32_t i = 0; i < s->particles; ++i) {
        const PxDisplayMaterial *m = px_display_material(d->display, s->material[i]);
        bool covered = best && s->covered[i];
        d->liquid[i] = best && !covered && m != NULL && !m->solid;
        d->liquid_count += d->liquid[i];
        if (covered || d->liquid[i])
            continue;
        memcpy(&d->place[4 * (size_t)n], &s->place[4 * (size_t)i], 4 * sizeof *d->place);
        uint8_t *paint = &d->paint[4 * (size_t)n];
        if (s->value != NULL)
            memcpy(paint, shade_of(&shades, s->value[i]), 3);
        else
            for (int c = 0; c < 3; ++c)
                paint[c] = stored(m != NULL ? m->particles.colour[c] : 0.5f);
        paint[3] = 255;
        d->weight[n] = m != NULL ? m->surface.xray : 1;
        ++n;
    }
    d->ball_count = n;
    gl_fill(GL_ARRAY_BUFFER, d->places, d->place, (size_t)n * 4 * sizeof *d->place);
    gl_fill(GL_ARRAY_BUFFER, d->paints, d->paint, (size_t)n * 4);
    gl_fill(GL_ARRAY_BUFFER, d->weights, d->weight, (size_t)n * sizeof *d->weight);
}

static void fill_surfels(Mesh *m, const ShotSurface *f)
{
    if (m->array == 0) {
        glGenVertexArrays(1, &m->array);
        glGenBuffers(1, &m->vertices);
        glGenBuffers(1, &m->normals);
        glGenBuffers(1, &m->extra[0]);
        glBindVertexArray(m->array);
        attribute(0, m->vertices, 3, GL_FLOAT, true);
        attribute(1, m->normals, 3, GL_FLOAT, true);
        attribute(2, m->extra[0], 1, GL_FLOAT, true);
        glBindVertexArray(0);
    }
    gl_fill(GL_ARRAY_BUFFER, m->vertices, f->position, f->points * 3 * sizeof *f->position);
    gl_fill(GL_ARRAY_BUFFER, m->normals, f->normal, f->points * 3 * sizeof *f->normal);
    gl_fill(GL_ARRAY_BUFFER, m->extra[0], f->radius, f->points * sizeof *f->radius);
    m->count = f->points;
}

static void load_surfaces(Draw *d, const Shot *s)
{
    meshes_free(&d->surface, &d->surfaces);
    d->surface = calloc((size_t)s->surfaces + 1, sizeof *d->surface);
    d->surfaces = d->surface != NULL ? s->surfaces : 0;
    for (uint32_t k = 0; k < d->surfaces; ++k) {
        const ShotSurface *f = &s->surface[k];
        if (f->triangles > 0)
            mesh_fill(&d->surface[k], f->position, f->normal, f->points, f->triangle, f->triangles);
        else
            fill_surfels(&d->surface[k], f);
    }
}

/* ---- films ---- */

/* Points of the films, as the simulation has them: their number is that of the shot's films. */
static bool make_films(Draw *d, const Shot *s)
{
    if (d->coating == NULL && px_coating_make(d->display, &d->coating) != PX_OK)
        return false;
    if (px_coating_count(d->coating) != s->films)
        return false;
    if (d->film == NULL) {
        d->film = calloc((size_t)d->bodies + 1, sizeof *d->film);
        d->filmed = d->film != NULL ? d->bodies : 0;
    }
    return px_coating_follow(d->coating) == PX_OK;
}

static void load_films(Draw *d, const Shot *s)
{
    if (s->film == NULL || s->films == 0 || !make_films(d, s))
        return;
    for (uint32_t k = 0; k < d->filmed; ++k) {
        PxCoatedBody b;
        if (!px_coating_body(d->coating, k, &b) || b.points == 0)
            continue;
        /* only triangles that a film covers */
        uint32_t(*triangle)[3] = calloc((size_t)b.triangles + 1, sizeof *triangle), n = 0;
        float *film = calloc(8 * (size_t)b.points + 8, sizeof *film);
        for (uint32_t t = 0; triangle != NULL && t < b.triangles; ++t) {
            const uint32_t *c = b.triangle[t];
            if (s->film[b.first + c[0]].film > 0 || s->film[b.first + c[1]].film > 0 ||
                s->film[b.first + c[2]].film > 0)
                memcpy(triangle[n++], c, sizeof *triangle);
        }
        for (uint32_t i = 0; film != NULL && i < b.points; ++i) {
            const PxFilmPoint *at = &s->film[b.first + i];
            const PxDisplayMaterial *m = px_display_material(d->display, at->material);
            float *to = &film[4 * (size_t)i], *xray = to + 4 * (size_t)b.points;
            for (int c = 0; c < 3; ++c)
                to[c] = m != NULL ? m->particles.colour[c] : 0.5f;
            to[3] = at->film > 0;
            xray[3] = m != NULL ? at->film * m->surface.xray : 0;
        }
        Mesh *m = &d->film[k];
        if (triangle != NULL && film != NULL) {
            mesh_fill(m, &b.position[0][0], &b.normals[0][0], b.points, &triangle[0][0], n);
            if (m->extra[0] == 0)
                glGenBuffers(2, m->extra);
            for (int e = 0; e < 2; ++e)
                gl_fill(GL_ARRAY_BUFFER, m->extra[e], film + 4 * (size_t)b.points * (size_t)e,
                        4 * (size_t)b.points * sizeof *film);
        }
        free(triangle);
        free(film);
    }
}

/* Longest arrow, as a part of the extent of the scene. */
#define ARROW_PART 0.12f
/* Stresses are lines of at most so many particles' radii. */
#define STRESS_RADII 5.0f

static void load_arrows(Draw *d, const Shot *s)
{
    PxVec3 middle;
    float size = ARROW_PART * (float)scene_size(d->display, &middle);
    if (s->arrows.kind == ARROW_STRESS && s->particles > 0)
        size = STRESS_RADII * s->place[3];
    if (s->arrows.kind == ARROW_WALLS)
        size *= 2.5f;
    for (int pulls = 0; pulls < 2; ++pulls) {
        uint32_t n = arrows_mesh(&s->arrows, pulls, size, NULL, NULL);
        float *position = calloc(6 * (size_t)n + 6, sizeof *position);
        uint32_t *triangle = calloc((size_t)n + 1, sizeof *triangle);
        bool room = position != NULL && triangle != NULL;
        if (room) {
            float *normal = position + 3 * (size_t)n;
            arrows_mesh(&s->arrows, pulls, size, position, normal);
            for (uint32_t k = 0; k < n; ++k)
                triangle[k] = k;
            mesh_fill(&d->arrow[pulls], position, normal, n, triangle, n / 3);
        }
        free(position);
        free(triangle);
    }
}

/* ---- drawing ---- */

static GLuint use(Draw *d, int which)
{
    GLuint p = d->program[which];
    static const float light[2][2][3] = {
        {{0.42f, 0.58f, 0.80f}, {0.86f, 0.89f, 0.92f}},     /* light: above, below */
        {{0.045f, 0.055f, 0.075f}, {0.012f, 0.014f, 0.02f}} /* dark */
    };
    glUseProgram(p);
    glUniformMatrix4fv(glGetUniformLocation(p, "view"), 1, false, d->view.m);
    glUniformMatrix4fv(glGetUniformLocation(p, "projection"), 1, false, d->projection.m);
    glUniformMatrix3fv(glGetUniformLocation(p, "unview"), 1, false, d->unview);
    gl_set3(p, "eye", d->eye);
    gl_set3(p, "sun", d->sun);
    gl_set3(p, "upward", d->upward);
    gl_set3(p, "sky_top", light[d->def->dark][0]);
    gl_set3(p, "sky_low", light[d->def->dark][1]);
    return p;
}

static void copy3(float out[3], PxVec3 v)
{
    out[0] = (float)v.x, out[1] = (float)v.y, out[2] = (float)v.z;
}

static void set_pose(GLuint p, const ShotPose *at)
{
    float turn[4] = {0, 0, 0, 1}, pivot[3] = {0}, move[3] = {0};
    if (at != NULL) {
        turn[0] = (float)at->pose.turn.x, turn[1] = (float)at->pose.turn.y;
        turn[2] = (float)at->pose.turn.z, turn[3] = (float)at->pose.turn.w;
        copy3(pivot, at->pivot);
        copy3(move, at->pose.move);
    }
    gl_set4(p, "turn", turn);
    gl_set3(p, "pivot", pivot);
    gl_set3(p, "move", move);
}

static void set_look(GLuint p, const PxDisplayLook *look, float alpha)
{
    gl_set3(p, "colour", look->colour);
    gl_set1(p, "alpha", alpha);
    gl_set1(p, "gloss", look->kind == PX_DISPLAY_MATTE ? 1 : fminf(1, look->roughness));
    gl_set1(p, "metal", look->kind == PX_DISPLAY_METAL);
}

static void draw_mesh(const Mesh *m)
{
    if (m->count == 0)
        return;
    glBindVertexArray(m->array);
    glDrawElements(GL_TRIANGLES, (GLsizei)m->count, GL_UNSIGNED_INT, NULL);
}

/* Walls and rigid bodies; transparent ones in a second call. */
static void draw_bodies(Draw *d, const Shot *s, bool transparent)
{
    GLuint p = use(d, MESH);
    for (uint32_t k = 0; k < d->bodies && k < s->poses; ++k) {
        const PxDisplayBody *b = px_display_body(d->display, k);
        bool clear = b->look.kind == PX_DISPLAY_CLEAR && !b->inside;
        if (clear != transparent || b->look.kind == PX_DISPLAY_HIDDEN ||
            (!b->rigid && !d->def->walls))
            continue;
        PxDisplayLook look = b->look;
        if (look.kind == PX_DISPLAY_PANE || look.kind == PX_DISPLAY_CLEAR)
            for (int c = 0; c < 3; ++c)
                look.colour[c] = d->def->dark ? 0.16f : 0.62f;
        set_pose(p, &s->pose[k]);
        set_look(p, &look, clear ? 0.2f : 1);
        if (b->inside) { /* one looks into it: only its far side is drawn */
            glEnable(GL_CULL_FACE);
            glCullFace(GL_FRONT);
        }
        draw_mesh(&d->body[k]);
        glDisable(GL_CULL_FACE);
    }
}

/* Films on walls and rigid bodies: over them in pictures, added up in x-rays. */
static void draw_films(Draw *d, const Shot *s, bool xray)
{
    if (s->film == NULL)
        return;
    GLuint p = use(d, xray ? FILM_XRAY : FILM);
    if (!xray) {
        glEnable(GL_BLEND);
        glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
        glEnable(GL_POLYGON_OFFSET_FILL);
        glPolygonOffset(-1, -2);
    }
    for (uint32_t k = 0; k < d->filmed && k < s->poses; ++k) {
        const PxDisplayBody *b = px_display_body(d->display, k);
        Mesh *m = &d->film[k];
        if (m->count == 0 || b->look.kind == PX_DISPLAY_HIDDEN || (!b->rigid && !d->def->walls))
            continue;
        set_pose(p, &s->pose[k]);
        glBindVertexArray(m->array);
        attribute(2, m->extra[xray], 4, GL_FLOAT, false);
        if (b->inside && !xray) {
            glEnable(GL_CULL_FACE);
            glCullFace(GL_FRONT);
        }
        draw_mesh(m);
        glDisable(GL_CULL_FACE);
    }
    if (!xray) {
        glDisable(GL_POLYGON_OFFSET_FILL);
        glDisable(GL_BLEND);
    }
}

static PxDisplayLook surface_look(const Draw *d, const ShotSurface *f)
{
    const PxDisplayMaterial *m = px_display_material(d->display, f->material);
    return m != NULL ? m->particles : (PxDisplayLook){.colour = {0.5f, 0.5f, 0.5f}};
}

static void draw_surfaces(Draw *d, const Shot *s)
{
    GLuint p = use(d, MESH);
    set_pose(p, NULL);
    for (uint32_t k = 0; k < d->surfaces; ++k) {
        PxDisplayLook look = surface_look(d, &s->surface[k]);
        set_look(p, &look, 1);
        if (s->surface[k].triangles > 0)
            draw_mesh(&d->surface[k]);
    }
}

/* Tension and forces red, compression and velocities blue. */
static void draw_arrows(Draw *d, const Shot *s)
{
    static const PxDisplayLook look[2] = {
        {.kind = PX_DISPLAY_GLOSSY, .colour = {0.05f, 0.16f, 0.65f}, .roughness = 0.4f},
        {.kind = PX_DISPLAY_GLOSSY, .colour = {0.75f, 0.08f, 0.03f}, .roughness = 0.4f}};
    if (s->arrows.count == 0)
        return;
    GLuint p = use(d, MESH);
    set_pose(p, NULL);
    for (int k = 0; k < 2; ++k) {
        set_look(p, &look[k], 1);
        draw_mesh(&d->arrow[k]);
    }
}

static void draw_screen(Draw *d)
{
    glBindVertexArray(d->empty);
    glDrawArrays(GL_TRIANGLES, 0, 3);
}

static void bind_texture(GLuint p, const char *name, int unit, GLuint texture)
{
    glActiveTexture((GLenum)(GL_TEXTURE0 + unit));
    glBindTexture(GL_TEXTURE_2D, texture);
    gl_set_word(p, name, unit);
    glActiveTexture(GL_TEXTURE0);
}

/* The vectors by which the screen's shaders find the ray of a pixel. */
static void set_rays(const Draw *d, GLuint p)
{
    PxVec3 r, u, f;
    float slope = tanf((float)(0.5 * d->camera->fov * 3.14159265358979 / 180));
    float right[3], above[3], forward[3];
    camera_axes(d->camera, &r, &u, &f);
    copy3(right, r);
    copy3(above, u);
    copy3(forward, f);
    for (int c = 0; c < 3; ++c)
        right[c] *= slope * d->aspect, above[c] *= slope;
    gl_set3(p, "right", right);
    gl_set3(p, "above", above);
    gl_set3(p, "forward", forward);
}

/* Surfels of one surface: the visibility pass finds the nearest ones, the attribute pass blends the
 * normals of those that lie close behind, the shading pass shades every pixel once. */
static void draw_splats(Draw *d, const Mesh *m, const PxDisplayLook *look)
{
    int width = d->picture.width, height = d->picture.height;
    if (!gl_target_resize(&d->sums, width, height, GL_RGBA32F))
        return;
    glBindFramebuffer(GL_FRAMEBUFFER, d->sums.framebuffer);
    glClearColor(0, 0, 0, 0);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    GLuint p = use(d, SURFEL);
    gl_set3(p, "viewer", d->eye);
    gl_set1(p, "nearer", 0);
    glBindVertexArray(m->array);
    glColorMask(GL_FALSE, GL_FALSE, GL_FALSE, GL_FALSE);
    glDrawArraysInstanced(GL_TRIANGLE_STRIP, 0, 4, (GLsizei)m->count);
    glColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
    glDepthMask(GL_FALSE);
    glEnable(GL_BLEND);
    glBlendFunc(GL_ONE, GL_ONE);
    gl_set1(p, "nearer", 1);
    glDrawArraysInstanced(GL_TRIANGLE_STRIP, 0, 4, (GLsizei)m->count);
    glDisable(GL_BLEND);
    glDepthMask(GL_TRUE);
    glBindFramebuffer(GL_FRAMEBUFFER, d->picture.framebuffer);
    p = use(d, SPLATS);
    set_rays(d, p);
    set_look(p, look, 1);
    glUniform2f(glGetUniformLocation(p, "planes"), d->projection.m[10], d->projection.m[14]);
    bind_texture(p, "normals", 0, d->sums.colour);
    bind_texture(p, "depths", 1, d->sums.depth);
    draw_screen(d);
}

static void draw_surfels(Draw *d, const Shot *s)
{
    for (uint32_t k = 0; k < d->surfaces; ++k) {
        PxDisplayLook look = surface_look(d, &s->surface[k]);
        if (s->surface[k].triangles == 0 && s->surface[k].points > 0)
            draw_splats(d, &d->surface[k], &look);
    }
}

/* ---- the liquid ---- */

static bool reserve_tints(Draw *d, size_t count)
{
    if (count <= d->tint_room)
        return true;
    count += count / 2;
    float *tint = realloc(d->tint, count * 4 * sizeof *tint);
    d->tint = tint != NULL ? tint : d->tint;
    float *medium = realloc(d->medium, count * 4 * sizeof *medium);
    d->medium = medium != NULL ? medium : d->medium;
    if (tint == NULL || medium == NULL)
        return false;
    d->tint_room = count;
    return true;
}

static void fill_liquid(Draw *d)
{
    Mesh *m = &d->liquid_mesh;
    const ScreenMesh *s = &d->screen;
    mesh_fill(m, s->position, s->normal, s->vertices, s->triangle, s->triangles);
    if (m->extra[0] == 0) {
        glGenBuffers(2, m->extra);
        glBindVertexArray(m->array);
        attribute(2, m->extra[0], 4, GL_FLOAT, false);
        attribute(3, m->extra[1], 4, GL_FLOAT, false);
        glBindVertexArray(0);
    }
    gl_fill(GL_ARRAY_BUFFER, m->extra[0], d->tint, (size_t)s->vertices * 4 * sizeof *d->tint);
    gl_fill(GL_ARRAY_BUFFER, m->extra[1], d->medium, (size_t)s->vertices * 4 * sizeof *d->medium);
}

/* Colours of the mesh's vertices, by the particle that is nearest there. */
static void tint_liquid(Draw *d, const Shot *s)
{
    Shades shades;
    shades_make(d, s, &shades);
    for (uint32_t k = 0; k < d->screen.vertices; ++k) {
        uint32_t i = d->screen.particle[k];
        float *tint = &d->tint[4 * (size_t)k], *medium = &d->medium[4 * (size_t)k];
        const PxDisplayMaterial *m = px_display_material(d->display, s->material[i]);
        const PxDisplayLook *look = m != NULL ? &m->surface : NULL;
        bool clear = look != NULL && look->kind == PX_DISPLAY_CLEAR && s->value == NULL;
        for (int c = 0; c < 3; ++c) {
            float byte = s->value != NULL ? (float)shade_of(&shades, s->value[i])[c] / 255 : 0;
            tint[c] = s->value != NULL ? byte * byte : m != NULL ? m->particles.colour[c] : 0.5f;
            medium[c] = clear ? look->absorb[c] : 0;
        }
        tint[3] = clear ? 0 : 1;
        medium[3] = d->screen.thickness[k];
    }
}

static void draw_liquid(Draw *d, const Shot *s)
{
    int width = d->picture.width, height = d->picture.height;
    ScreenMeshDef def = screen_mesh_def_default();
    ScreenParticles particles = {s->particles, s->place, d->liquid};
    if (d->liquid_count == 0 || !gl_target_resize(&d->behind, width, height, GL_RGBA8))
        return;
    def.width = width;
    def.height = height;
    def.cell = fmax(1, LIQUID_CELL * height / 600.0);
    /* the spheres' size in the map decides how much smoothing hides them */
    float radius = 0;
    for (uint32_t i = 0; i < s->particles && radius == 0; ++i)
        if (d->liquid[i])
            radius = s->place[4 * (size_t)i + 3];
    double scale = 0.5 * height / tan(0.5 * d->camera->fov * 3.14159265358979 / 180);
    double cells = scale * (double)radius / d->camera->distance / def.cell;
    def.jump = 5 * (double)radius;
    def.depth_smoothing = (int)fmax(1, fmin(40, 2.5 * cells * cells + 1));
    def.edge_smoothing = (int)fmax(1, fmin(10, 2 * cells));
    def.near = 0.01 * d->camera->distance;
    if (!screen_mesh_make(&d->screen, &def, d->camera, &particles) || d->screen.triangles == 0 ||
        !reserve_tints(d, d->screen.vertices))
        return;
    tint_liquid(d, s);
    fill_liquid(d);
    glBindFramebuffer(GL_READ_FRAMEBUFFER, d->picture.framebuffer);
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, d->behind.framebuffer);
    glBlitFramebuffer(0, 0, width, height, 0, 0, width, height, GL_COLOR_BUFFER_BIT, GL_NEAREST);
    glBindFramebuffer(GL_FRAMEBUFFER, d->picture.framebuffer);
    GLuint p = use(d, LIQUID);
    bind_texture(p, "behind", 0, d->behind.colour);
    gl_set1(p, "ior", 1.333f);
    draw_mesh(&d->liquid_mesh);
}

static void draw_balls(Draw *d)
{
    GLuint p = use(d, BALL);
    gl_set1(p, "enlarge", 1);
    gl_set1(p, "gloss", 0.35f);
    glBindVertexArray(d->balls);
    glDrawArraysInstanced(GL_TRIANGLE_STRIP, 0, 4, (GLsizei)d->ball_count);
}

static void draw_background(Draw *d)
{
    GLuint p = use(d, BACKGROUND);
    set_rays(d, p);
    glDisable(GL_DEPTH_TEST);
    draw_screen(d);
    glEnable(GL_DEPTH_TEST);
}

static float round_length(float longest)
{
    float ten = powf(10, floorf(log10f(longest)));
    return ten * (longest < 2 * ten ? 1 : longest < 5 * ten ? 2 : 5);
}

static void draw_ground(Draw *d)
{
    PxVec3 middle = {0};
    double size = scene_size(d->display, &middle), reach = 4 * fmax(size, d->camera->distance);
    double level = px_display_ground(d->display);
    float tile = round_length(0.3f * (float)size);
    bool z_up = d->camera->up == 'z';
    float origin[3], side[3] = {(float)reach, 0, 0}, away[3] = {0};
    float grey = d->def->dark ? 0.05f : 0.36f, colour[3] = {grey, grey, grey};
    middle.x = tile * floor(middle.x / tile);
    if (z_up) {
        middle.y = tile * floor(middle.y / tile);
        middle.z = level;
    } else {
        middle.y = level;
        middle.z = tile * floor(middle.z / tile);
    }
    copy3(origin, middle);
    origin[z_up ? 2 : 1] -= 1e-3f * (float)size; /* below walls that stand on it */
    away[z_up ? 1 : 2] = (float)reach;
    GLuint p = use(d, GROUND);
    gl_set3(p, "origin", origin);
    gl_set3(p, "side", side);
    gl_set3(p, "away", away);
    gl_set3(p, "colour", colour);
    gl_set1(p, "tile", tile);
    gl_set1(p, "reach", (float)reach);
    glBindVertexArray(d->empty);
    glEnable(GL_BLEND);
    glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
    glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
    glDisable(GL_BLEND);
}

/* ---- radiograph ---- */

/* Absorption of a container's wall and of cloth, crossed at a right angle. */
#define SHELL 0.04f

/* Lines of the picture of a volume, which is then enlarged: a body has no finer detail in it, and
 * graphics without a card takes a second for that many. */
enum { VOLUME_LINES = 300 };

static bool same_camera(const Camera *a, const Camera *b)
{
    return memcmp(&a->target, &b->target, sizeof a->target) == 0 && a->distance == b->distance &&
           a->yaw == b->yaw && a->pitch == b->pitch && a->fov == b->fov && a->up == b->up;
}

/* Sums along all rays, once for each camera. Leaves its target bound. */
static bool sum_volume(Draw *d)
{
    Over *o = &d->over;
    if (!over_load(o, d->def->over))
        return false;
    int width = (int)lrintf(VOLUME_LINES * d->aspect);
    if (o->aspect == d->aspect && same_camera(&o->camera, d->camera))
        return true;
    if (!gl_target_resize(&o->sums, width, VOLUME_LINES, GL_RGBA32F))
        return false;
    glBindFramebuffer(GL_FRAMEBUFFER, o->sums.framebuffer);
    glViewport(0, 0, width, VOLUME_LINES);
    glDisable(GL_DEPTH_TEST);
    GLuint p = use(d, VOLUME);
    set_rays(d, p);
    glUniformMatrix3fv(glGetUniformLocation(p, "inside"), 1, false, o->to);
    gl_set3(p, "corner", o->from);
    glActiveTexture(GL_TEXTURE0);
    glBindTexture(GL_TEXTURE_3D, o->texture);
    gl_set_word(p, "volume", 0);
    draw_screen(d);
    glBindTexture(GL_TEXTURE_3D, 0);
    glViewport(0, 0, d->picture.width, d->picture.height);
    glBindTexture(GL_TEXTURE_2D, o->sums.colour);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
    glBindTexture(GL_TEXTURE_2D, 0);
    o->camera = *d->camera;
    o->aspect = d->aspect;
    return true;
}

static void draw_radiograph(Draw *d, const Shot *s)
{
    PxVec3 middle;
    float size = (float)scene_size(d->display, &middle);
    bool over = d->def->over != NULL && sum_volume(d);
    if (!gl_target_resize(&d->sums, d->picture.width, d->picture.height, GL_RGBA32F))
        return;
    glBindFramebuffer(GL_FRAMEBUFFER, d->sums.framebuffer);
    glClearColor(0, 0, 0, 0);
    glClear(GL_COLOR_BUFFER_BIT);
    glDisable(GL_DEPTH_TEST);
    glEnable(GL_BLEND);
    glBlendFunc(GL_ONE, GL_ONE);
    GLuint p = use(d, CHORD);
    gl_set1(p, "enlarge", SPREAD);
    glBindVertexArray(d->balls);
    glDrawArraysInstanced(GL_TRIANGLE_STRIP, 0, 4, (GLsizei)d->ball_count);
    p = use(d, THICKNESS);
    for (uint32_t k = 0; k < d->bodies && k < s->poses; ++k) {
        const PxDisplayBody *b = px_display_body(d->display, k);
        if (b->look.kind == PX_DISPLAY_HIDDEN || (!b->rigid && !d->def->walls))
            continue;
        set_pose(p, &s->pose[k]);
        gl_set1(p, "absorbs", fmaxf(b->look.xray, 2 / size));
        gl_set1(p, "shell", b->inside ? SHELL : 0);
        draw_mesh(&d->body[k]);
    }
    p = use(d, THICKNESS);
    set_pose(p, NULL);
    gl_set1(p, "shell", SHELL);
    for (uint32_t k = 0; k < d->surfaces; ++k)
        if (s->surface[k].sheet)
            draw_mesh(&d->surface[k]);
    draw_films(d, s, true);
    if (over) {
        p = use(d, ADD);
        bind_texture(p, "more", 0, d->over.sums.colour);
        draw_screen(d);
    }
    glDisable(GL_BLEND);
    glBindFramebuffer(GL_FRAMEBUFFER, d->picture.framebuffer);
    p = use(d, RADIOGRAPH);
    gl_set1(p, "negative", d->def->dark);
    gl_set1(p, "range", over ? d->over.range : 0);
    bind_texture(p, "absorbed", 0, d->sums.colour);
    draw_screen(d);
    glEnable(GL_DEPTH_TEST);
}

/* ---- one picture ---- */

static void set_camera(Draw *d, const Camera *camera, float aspect)
{
    PxVec3 middle = camera->target, r, u, f;
    double size = scene_size(d->display, &middle);
    double reach = camera->distance + 6 * fmax(size, camera->distance);
    d->camera = camera;
    d->aspect = aspect;
    d->view = camera_view(camera);
    d->projection = camera_projection(camera, (double)aspect, 0.01 * camera->distance, reach);
    camera_axes(camera, &r, &u, &f);
    copy3(d->unview, r);
    copy3(d->unview + 3, u);
    copy3(d->unview + 6, (PxVec3){-f.x, -f.y, -f.z});
    copy3(d->eye, camera_eye(camera));
    bool z_up = camera->up == 'z';
    copy3(d->upward, (PxVec3){0, !z_up, z_up});
    /* The sun is at the scene's front, to the left and high. */
    copy3(d->sun, z_up ? (PxVec3){-0.42, -0.48, 0.77} : (PxVec3){-0.42, 0.77, 0.48});
}

static bool same_balls(const DrawDef *a, const DrawDef *b)
{
    return a->mode == b->mode && a->own_range == b->own_range && a->low == b->low &&
           a->high == b->high;
}

static void draw_scene(Draw *d, const Shot *shot)
{
    draw_bodies(d, shot, false);
    draw_films(d, shot, false);
    if (d->def->mode == DRAW_BEST) {
        draw_surfaces(d, shot);
        draw_surfels(d, shot);
    }
    draw_balls(d);
    if (d->def->ground)
        draw_ground(d);
    draw_liquid(d, shot);
    if (shot->arrows.count > 0) { /* before matter, so that none hides them */
        glClear(GL_DEPTH_BUFFER_BIT);
        draw_arrows(d, shot);
    }
    glEnable(GL_BLEND);
    glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
    glDepthMask(GL_FALSE);
    draw_bodies(d, shot, true);
    glDepthMask(GL_TRUE);
    glDisable(GL_BLEND);
}

void draw_shot(Draw *d, const PxDisplay *display, const Shot *shot, bool fresh,
               const Camera *camera, const DrawDef *def, int width, int height)
{
    GLint target = 0;
    if (width < 1 || height < 1)
        return;
    glGetIntegerv(GL_DRAW_FRAMEBUFFER_BINDING, &target);
    d->def = def;
    if (def->over == NULL && d->over.texture != 0)
        over_free(&d->over);
    if (fresh && display != d->display)
        load_bodies(d, display);
    if (shot != NULL && d->display != NULL)
        deform_bodies(d, shot->time);
    if (shot != NULL && (fresh || !d->loaded || !same_balls(&d->last, def)))
        load_balls(d, shot);
    if (shot != NULL && fresh) {
        load_surfaces(d, shot);
        load_arrows(d, shot);
        load_films(d, shot);
    }
    d->loaded = shot != NULL;
    d->last = *def;
    set_camera(d, camera, (float)width / (float)height);
    gl_target_resize(&d->picture, width, height, GL_RGBA8);
    glBindFramebuffer(GL_FRAMEBUFFER, d->picture.framebuffer);
    glViewport(0, 0, width, height);
    glDisable(GL_SCISSOR_TEST);
    glDisable(GL_BLEND);
    glDepthMask(GL_TRUE);
    glClear(GL_DEPTH_BUFFER_BIT);
    glEnable(GL_DEPTH_TEST);
    if (shot != NULL && d->display != NULL && def->mode == DRAW_XRAY) {
        draw_radiograph(d, shot);
    } else {
        draw_background(d);
        if (shot != NULL && d->display != NULL)
            draw_scene(d, shot);
    }
    glBindVertexArray(0);
    glUseProgram(0);
    glBindFramebuffer(GL_READ_FRAMEBUFFER, d->picture.framebuffer);
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, (GLuint)target);
    glBlitFramebuffer(0, 0, width, height, 0, 0, width, height, GL_COLOR_BUFFER_BIT, GL_NEAREST);
    glBindFramebuffer(GL_FRAMEBUFFER, (GLuint)target);
}
