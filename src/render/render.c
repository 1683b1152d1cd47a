/// Pictures of the frames of a run, one after the other, and the film made of them.
#include "phyxel/render.h"

#include "base/def.h"
#include "base/stop.h"
#include "base/profile.h"
#include "phyxel/version.h"
#include "render/image/film.h"
#include "render/image/legend.h"
#include "render/looks.h"
#include "render/image/png.h"
#include "render/subject.h"
#include "scene/content.h"
#include "base/digest.h"
#include "store/text_buffer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static PxRenderDef render_def_defaults(void)
{
    return (PxRenderDef){.last = UINT32_MAX,
                         .every = 1,
                         .width = 1280,
                         .height = 720,
                         .quality = PX_QUALITY_GOOD,
                         .range_low = NAN,
                         .range_high = NAN,
                         .lighting = PX_LIGHT_SCENE,
                         .sun_azimuth = -55,
                         .sun_height = 48};
}

PX_DEF(PxRenderDef, render_def, "render")

/* ---- options ---- */

enum { LARGEST = 16384, MOST_SAMPLES = 65536, MOST_TURNS = 100000 };

static PxStatus check_number(const char *what, double value, double least, double most)
{
    if (value >= least && value <= most)
        return PX_OK;
    return px_fail(PX_ERR_ARGUMENT, "render: %s is %g, wanted %g to %g", what, value, least, most);
}

static const char *const quality_words[] = {"draft", "good", "final"};
static const char *const show_words[] = {"best", "surface", "surfels", "particles"};
static const char *const floor_words[] = {"solid", "shadow", "none"};
static const char *const light_words[] = {"day", "soft", "night", "studio", "scene"};

static PxStatus check_choice(const char *what, unsigned value, size_t count)
{
    if (value < count)
        return PX_OK;
    return px_fail(PX_ERR_ARGUMENT, "render: %s is number %u, wanted one below %zu", what, value,
                   count);
}

static PxStatus check_place(const char *what, PxVec3 place)
{
    const double value[3] = {place.x, place.y, place.z};
    for (int k = 0; k < 3; ++k)
        if (!(fabs(value[k]) <= PX_SEEN_FARTHEST))
            return px_fail(PX_ERR_ARGUMENT, "render: %c of %s is %g m, wanted %g to %g", 'x' + k,
                           what, value[k], -PX_SEEN_FARTHEST, PX_SEEN_FARTHEST);
    return PX_OK;
}

static PxStatus check_def(const PxRenderDef *def)
{
    if (def->dir == NULL || def->dir[0] == '\0')
        return px_fail(PX_ERR_ARGUMENT, "render: no folder is given");
    if (def->out != NULL && def->out[0] == '\0')
        return px_fail(PX_ERR_ARGUMENT, "render: the output folder is empty");
    PX_TRY(px_threads_check(def->threads, "render"));
    PX_TRY(check_choice("quality", (unsigned)def->quality, PX_COUNT(quality_words)));
    PX_TRY(check_choice("show", (unsigned)def->show, PX_COUNT(show_words)));
    PX_TRY(check_choice("floor", (unsigned)def->floor, PX_COUNT(floor_words)));
    PX_TRY(check_choice("lighting", (unsigned)def->lighting, PX_COUNT(light_words)));
    PX_TRY(check_number("the width", def->width, 1, LARGEST));
    PX_TRY(check_number("the height", def->height, 1, LARGEST));
    PX_TRY(check_number("the number of samples", def->samples, 0, MOST_SAMPLES));
    PX_TRY(check_number("the turntable", def->turntable, 0, MOST_TURNS));
    PX_TRY(check_number("the aperture", def->aperture, 0, 1e6));
    PX_TRY(check_number("the shutter", def->shutter, 0, 10));
    PX_TRY(check_number("the exposure", def->exposure, -20, 20));
    PX_TRY(check_number("the sun's azimuth", def->sun_azimuth, -360, 360));
    PX_TRY(check_number("the sun's height", def->sun_height, -90, 90));
    if (def->fps != 0)
        PX_TRY(check_number("the film's fps", def->fps, PX_FILM_LEAST_FPS, PX_FILM_MOST_FPS));
    if (def->every == 0)
        return px_fail(PX_ERR_ARGUMENT, "render: every 0th frame is none");
    if (def->stated_camera) {
        PX_TRY(check_number("the camera's angle of view", def->camera.fov, 0.01, 170));
        PX_TRY(check_place("the camera", def->camera.from));
        PX_TRY(check_place("the camera's target", def->camera.to));
        if (!(px_length(px_sub(def->camera.to, def->camera.from)) > 0))
            return px_fail(PX_ERR_ARGUMENT, "render: the camera is where it looks at");
    }
    if (def->lamps > 0 && def->lamp == NULL)
        return px_fail(PX_ERR_ARGUMENT, "render: %zu lamps, but lamp is NULL", def->lamps);
    for (size_t k = 0; k < def->lamps; ++k) {
        PX_TRY(check_number("a lamp's radius", def->lamp[k].radius, 1e-9, 1e9));
        PX_TRY(check_number("a lamp's power", def->lamp[k].power, 0, 1e9));
        PX_TRY(check_place("a lamp", def->lamp[k].at));
    }
    if (!isnan(def->range_low) && !isnan(def->range_high) && !(def->range_low < def->range_high))
        return px_fail(PX_ERR_ARGUMENT,
                       "render: the range of colours is %g to %g, wanted it to "
                       "rise",
                       def->range_low, def->range_high);
    return def->film != NULL ? px_film_check(def->film) : PX_OK;
}

/* One picture: a frame and the turntable angle. */
typedef struct Shot {
    uint32_t number; /* number of the file */
    uint32_t frame;
    double degrees;
} Shot;

typedef struct Session {
    const PxRenderDef *def;
    PxThreads threads;
    char folder[PX_PATH_MAX];
    PX_LIST(Shot) shots;
    uint32_t missing;   /* first frame missing in the sequence; 0: none */
    uint32_t around[9]; /* frames spread over all of the folder, the first one first */
    size_t arounds;
    PxSetting setting;
    PxColouring colouring;
    int samples;
    PxRenderFunction *each;
    void *user;
    PxRenderProgress progress;
    double began;      /* start of the call, s */
    double spent;      /* time spent on drawn pictures, s */
    double shot_began; /* start of the current picture, s; 0: none */
    uint32_t drawn, kept;
    uint32_t first_frame; /* of the first picture, and what it shows; UINT32_MAX: not known yet */
    PxShow first_shown;
    bool first_foamed;
} Session;

static PxStatus list_shots(Session *s)
{
    const PxRenderDef *def = s->def;
    PxNumbers numbers;
    PX_TRY(px_frame_list(def->dir, &numbers));
    PxStatus status = PX_OK;
    size_t count = def->turntable > 0 ? (size_t)def->turntable : numbers.count;
    if (!PX_LIST_RESERVE(&s->shots, count + 1))
        status = px_fail(PX_ERR_MEMORY, "render: no room for a list of %zu pictures", count);
    uint32_t last = 0, met = 0, missing;
    PxNumbers wanted = {.data = numbers.data}; /* those within [first, last] */
    for (size_t k = 0; k < numbers.count && status == PX_OK && s->missing == 0; ++k) {
        uint32_t n = numbers.data[k];
        if (n < def->first || n > def->last)
            continue;
        if (wanted.count++ == 0)
            wanted.data = &numbers.data[k];
        if (met > 0 && n != last + 1 && def->turntable == 0) {
            s->missing = last + 1;
            break;
        }
        last = n;
        if (met++ % def->every == 0 && def->turntable == 0)
            s->shots.data[s->shots.count++] = (Shot){n, n, 0};
    }
    for (int k = 0; k < def->turntable && met > 0 && status == PX_OK; ++k)
        s->shots.data[s->shots.count++] = (Shot){(uint32_t)k + 1, last, 360.0 * k / def->turntable};
    if (status == PX_OK && numbers.count == 0)
        status = px_fail(PX_ERR_ARGUMENT, "render: '%s' has no frames", def->dir);
    else if (status == PX_OK && met == 0)
        status = px_fail(PX_ERR_ARGUMENT, "render: '%s' has no frame from %u to %u, %u is the last",
                         def->dir, def->first, def->last, numbers.data[numbers.count - 1]);
    else if (status == PX_OK && s->missing == 0 &&
             px_frame_ends_missing(def->dir, &wanted, def->first, def->last, &missing))
        status = px_fail(PX_ERR_FORMAT, "render: frame %u of '%s' is missing", missing, def->dir);
    s->arounds = numbers.count < PX_COUNT(s->around) ? numbers.count : PX_COUNT(s->around);
    for (size_t k = 0; k < s->arounds; ++k)
        s->around[k] =
            numbers.data[s->arounds > 1 ? k * (numbers.count - 1) / (s->arounds - 1) : 0];
    PX_LIST_FREE(&numbers);
    return status;
}

/* ---- progress ---- */

static bool tell(Session *s)
{
    s->progress.wall = px_clock() - s->began;
    double spent = s->spent + (s->shot_began > 0 ? px_clock() - s->shot_began : 0);
    double done = s->drawn + s->progress.part;
    double left = (double)s->progress.pictures - s->progress.picture - s->progress.part;
    s->progress.left = done > 0.02 ? spent / done * left : -1;
    return s->each == NULL || s->each(s->user, &s->progress);
}

static bool tell_part(void *user, double part)
{
    Session *s = user;
    s->progress.part = part;
    return tell(s);
}

static PxStatus stopped(const Session *s)
{
    return px_fail(PX_ERR_STOPPED, "render: stopped after %u of %u pictures", s->progress.picture,
                   s->progress.pictures);
}

/* ---- preparation, before the first picture ---- */

static int by_place(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Errors of a single frame are reported when its turn comes, after the pictures before it. */
static bool tells_later(PxStatus status)
{
    return status == PX_ERR_FORMAT || status == PX_ERR_IO;
}

enum { FRAMES_SEEN = 9, PLACES_SEEN = 4096 }; /* for the framing: frames, and particles of each */

/* Along one axis, where 0.98 of the particles seen are. */
static void middle_part(double *value, size_t count, double *low, double *high)
{
    qsort(value, count, sizeof *value, by_place);
    size_t cut = count / 100;
    *low = value[cut];
    *high = value[count - 1 - cut];
}

/* Adds places of a frame's particles. */
static size_t add_places(const PxSubject *subject, double *axis[3], size_t count)
{
    uint32_t rows = subject->particles.count, stride = rows / PLACES_SEEN + 1;
    for (uint32_t i = 0; i < rows && count < (size_t)FRAMES_SEEN * PLACES_SEEN; i += stride) {
        PxVec3 x = px_subject_place(subject, i);
        axis[0][count] = x.x;
        axis[1][count] = x.y;
        axis[2][count++] = x.z;
    }
    return count;
}

/* Bounds of the action: of rigid bodies, cloth and particles in some frames of the folder, the same
 * for any selection of frames; of particles without the outermost hundredth on each side, such as
 * single drops. */
static PxStatus look_around(Session *s, PxBounds *matter, char *up, double *spacing)
{
    *matter = px_bounds_empty();
    double *all = malloc(3 * sizeof *all * FRAMES_SEEN * PLACES_SEEN), *axis[3];
    if (all == NULL)
        return px_fail(PX_ERR_MEMORY, "render: no room to look at the frames");
    for (int a = 0; a < 3; ++a)
        axis[a] = all + (size_t)a * FRAMES_SEEN * PLACES_SEEN;
    PxSceneCamera camera;
    bool told = s->def->scene != NULL && px_scene_camera(s->def->scene, &camera);
    bool any = false;
    size_t count = 0;
    PxStatus status = PX_OK, worst = PX_OK;
    for (size_t k = 0; k < s->arounds && !(any && told); ++k) {
        PxSubject subject;
        status =
            px_subject_read(s->def->dir, s->around[k], PX_SHOW_PARTICLES, &s->threads, &subject);
        if (status == PX_OK) {
            count = add_places(&subject, axis, count);
            PxBounds rigid = px_subject_rigid_bounds(&subject, s->def->scene);
            if (rigid.low.x <= rigid.high.x)
                *matter = px_bounds_join(*matter, rigid);
            PxBounds cloth;
            status = px_frame_cloth_bounds(s->def->dir, s->around[k], &cloth, &s->threads);
            if (status == PX_OK && cloth.low.x <= cloth.high.x)
                *matter = px_bounds_join(*matter, cloth);
            *up = subject.meta.up;
            *spacing = subject.meta.spacing;
            any = true;
        }
        px_subject_free(&subject);
        if (status != PX_OK)
            worst = status;
        if (status != PX_OK && !tells_later(status))
            break;
        status = PX_OK;
    }
    if (count > 0) {
        PxBounds b;
        middle_part(axis[0], count, &b.low.x, &b.high.x);
        middle_part(axis[1], count, &b.low.y, &b.high.y);
        middle_part(axis[2], count, &b.low.z, &b.high.z);
        *matter = px_bounds_join(*matter, b);
    }
    free(all);
    if (worst != PX_OK && !tells_later(worst))
        return worst;
    return any ? PX_OK : worst;
}

typedef PX_LIST(float) Floats;

/* The values of a column that only skins have. */
static PxStatus gather_skins(Session *s, uint32_t frame, Floats *out)
{
    PxSubject subject;
    float *value = NULL;
    PxStatus status = px_subject_read(s->def->dir, frame, PX_SHOW_BEST, &s->threads, &subject);
    if (status == PX_OK)
        status = px_subject_smooth(&subject, s->def->dir, 0, 0, &s->threads);
    uint32_t count = subject.skins.points.count;
    if (status == PX_OK && count > 0) {
        value = px_allocate(NULL, sizeof *value * count);
        if (value == NULL || !PX_LIST_RESERVE(out, count))
            status = px_fail(PX_ERR_MEMORY, "render: no room for a column");
        else if (px_subject_skin_values(&subject, s->colouring.column, value, s->colouring.unit))
            for (uint32_t i = 0; i < count; ++i)
                out->data[out->count++] = value[i];
        else
            status = px_subject_values(&subject, s->colouring.column, value, s->colouring.unit);
    }
    px_release(NULL, value, 0);
    px_subject_free(&subject);
    return status;
}

/* Values of one frame's column, subsampled if there are very many. */
static PxStatus gather(Session *s, uint32_t frame, Floats *out)
{
    enum { MOST = 1 << 16 };
    PxSubject subject;
    float *value = NULL;
    PxStatus status = px_subject_read(s->def->dir, frame, PX_SHOW_PARTICLES, &s->threads, &subject);
    uint32_t count = subject.particles.count, stride = count / MOST + 1;
    if (status == PX_OK && (count == 0 || !px_subject_has(&subject, s->colouring.column))) {
        size_t before = out->count;
        status = gather_skins(s, frame, out);
        if (status != PX_OK || out->count > before)
            count = 0;
        else
            status = px_subject_values(&subject, s->colouring.column, NULL, NULL);
    } else if (status == PX_OK) {
        value = px_allocate(NULL, sizeof *value * (count + (size_t)1));
        if (value == NULL || !PX_LIST_RESERVE(out, MOST))
            status = px_fail(PX_ERR_MEMORY, "render: no room for a column");
        else
            status = px_subject_values(&subject, s->colouring.column, value, s->colouring.unit);
    }
    for (uint32_t i = 0; status == PX_OK && i < count; i += stride)
        if (isfinite(value[i]))
            out->data[out->count++] = value[i];
    px_release(NULL, value, 0);
    px_subject_free(&subject);
    return status;
}

static int by_size(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

/* The range of a column over all frames, so that colours mean the same in all: from the first to
 * the last percentile, since a single splash would leave the rest dark. */
static PxStatus find_range(Session *s)
{
    const PxRenderDef *def = s->def;
    PxColouring *c = &s->colouring;
    if (def->colour == NULL)
        return PX_OK;
    if (strlen(def->colour) >= sizeof c->column || def->colour[0] == '\0')
        return px_fail(PX_ERR_ARGUMENT, "render: '%.60s' is no name of a column", def->colour);
    strcpy(c->column, def->colour);
    bool stated = !isnan(def->range_low) && !isnan(def->range_high);
    Floats all = {0};
    PxStatus status = PX_OK;
    for (size_t k = 0; k < (stated ? 1 : s->shots.count) && status == PX_OK; ++k) {
        if (k > 0 && s->shots.data[k].frame == s->shots.data[k - 1].frame)
            continue;
        status = gather(s, s->shots.data[k].frame, &all);
        if (tells_later(status))
            status = PX_OK;
        if (status == PX_OK && !tell(s))
            status = stopped(s);
    }
    if (all.count > 0)
        qsort(all.data, all.count, sizeof *all.data, by_size);
    size_t cut = all.count / 100;
    c->low = !isnan(def->range_low) ? def->range_low : all.count > 0 ? (double)all.data[cut] : 0;
    c->high = !isnan(def->range_high) ? def->range_high
              : all.count > 0         ? (double)all.data[all.count - 1 - cut]
                                      : 1;
    PX_LIST_FREE(&all);
    return status;
}

/* ---- one picture ---- */

/* Everything that the bits of a picture depend on, as text. */
static void describe(const Session *s, const PxSubject *subject, const Shot *shot, PxText *out)
{
    const PxRenderDef *def = s->def;
    const PxSceneCamera *c = &s->setting.camera;
    px_text_add(out,
                "phyxel " PX_VERSION
                ", size %dx%d, quality %s, samples %d, show %s, light %s, sun %g/%g, floor %s",
                def->width, def->height, quality_words[def->quality], s->samples,
                show_words[subject->shown], light_words[def->lighting], def->sun_azimuth,
                def->sun_height, floor_words[def->floor]);
    px_text_add(out, ", camera %.9g,%.9g,%.9g/%.9g,%.9g,%.9g/%.9g", c->from.x, c->from.y, c->from.z,
                c->to.x, c->to.y, c->to.z, c->fov);
    if (subject->skin != PX_SHOW_PARTICLES)
        px_text_add(out, ", skins as %s", show_words[subject->skin]);
    if (subject->coats.points.count > 0)
        px_text_add(out, ", with coats");
    if (shot->degrees != 0)
        px_text_add(out, ", turned %.9g", shot->degrees);
    if (def->grain)
        px_text_add(out, ", grain");
    if (def->xray)
        px_text_add(out, ", xray");
    if (def->aperture > 0)
        px_text_add(out, ", aperture %.9g", def->aperture);
    if (def->shutter > 0)
        px_text_add(out, ", shutter %.9g", def->shutter);
    if (def->caustics)
        px_text_add(out, ", caustics");
    if (def->exposure != 0)
        px_text_add(out, ", exposure %.9g", def->exposure);
    for (size_t k = 0; k < def->lamps; ++k)
        px_text_add(out, ", lamp %.9g,%.9g,%.9g/%.9g/%.9g", def->lamp[k].at.x, def->lamp[k].at.y,
                    def->lamp[k].at.z, def->lamp[k].radius, def->lamp[k].power);
    if (def->colour != NULL)
        px_text_add(out, ", colour %s %.9g..%.9g", s->colouring.column, s->colouring.low,
                    s->colouring.high);
    uint64_t scene[2] = {0, 0}; /* includes looks, which the scene's hash does not */
    const char *resolved = def->scene != NULL ? px_scene_resolved(def->scene) : NULL;
    if (resolved != NULL)
        px_digest(resolved, strlen(resolved), scene);
    px_text_add(out, ", scene %016llx, source %016llx%016llx", (unsigned long long)scene[0],
                (unsigned long long)subject->digest[0], (unsigned long long)subject->digest[1]);
    px_text_add(out, "%c", '\0');
}

static PxStatus set_up(Session *s, const PxSubject *subject, const Shot *shot, PxScenery *out)
{
    const PxScene *scene = s->def->scene;
    PxMaterialDef unknown = px_material_def_default();
    size_t count = scene != NULL && scene->materials > 0 ? scene->materials : 1;
    for (size_t k = 0; k < count; ++k) {
        const PxSceneLook *stated =
            scene != NULL && k < scene->materials ? scene->material[k].is.look : NULL;
        const PxMaterialDef *m =
            scene != NULL && scene->materials > 0 ? &scene->material[k].def : &unknown;
        /* Solids with a skin have the look of a surface, however the rest is shown. */
        bool skinned = (m->young > 0 || m->cloth.cloth) && subject->skin != PX_SHOW_PARTICLES;
        bool coated = subject->coats.points.count > 0 && strcmp(m->coat.model, "none") != 0;
        PxLook look = (skinned ? subject->skin : subject->shown) == PX_SHOW_PARTICLES && !coated
                          ? px_look_of_particles(m, stated, k, s->setting.size)
                          : px_look_of_surface(m, stated, k, s->setting.size);
        look.fabric.texture = k < s->setting.cloths ? s->setting.cloth[k] : NULL;
        if (px_scenery_add_look(out, &look) == UINT32_MAX)
            return px_fail(PX_ERR_MEMORY, "render: no room for %zu materials", count);
    }
    PX_TRY(px_subject_add(subject, s->def->dir, &s->setting, &s->colouring, &s->threads, out));
    return px_setting_fill(&s->setting, s->def, subject->meta.time, shot->degrees, out);
}

static PxStatus draw_shot(Session *s, const PxSubject *subject, const Shot *shot, const char *path,
                          const char *settings)
{
    const PxRenderDef *def = s->def;
    static const uint32_t photons[] = {1u << 18, 1u << 21, 1u << 23}; /* by quality */
    PxScenery scenery = {.shutter = 0};
    PxPicture picture = {0};
    PxStatus status = set_up(s, subject, shot, &scenery);
    if (status == PX_OK) {
        PxDrawDef draw = {.scenery = &scenery,
                          .width = (uint32_t)def->width,
                          .height = (uint32_t)def->height,
                          .samples = (uint32_t)s->samples,
                          .seed = shot->number,
                          .xray = def->xray,
                          .denoise = !def->grain,
                          .exposure = exp2f((float)def->exposure),
                          .most_bounces = def->quality == PX_QUALITY_DRAFT ? 8 : 16,
                          .most_scatter = def->quality == PX_QUALITY_DRAFT ? 3 : 4,
                          .clamp = 20,
                          .photons = def->caustics ? photons[def->quality] : 0,
                          .threads = s->threads};
        status = px_draw(&draw, &picture, tell_part, s);
    }
    if (status == PX_OK && def->colour != NULL)
        px_legend_draw(&picture, &s->colouring);
    if (status == PX_OK) {
        char frame[32], time[64];
        snprintf(frame, sizeof frame, "%u", shot->frame);
        snprintf(time, sizeof time, "%.9g s", subject->meta.time);
        const PxPngText text[] = {{"Title", subject->meta.name},
                                  {"Software", "phyxel " PX_VERSION},
                                  {"Frame", frame},
                                  {"Time", time},
                                  {"Settings", settings}};
        status = px_png_write(path, &picture, text, PX_COUNT(text));
    }
    px_picture_free(&picture);
    px_scenery_free(&scenery);
    return status;
}

/* Does the picture exist already, of this frame and with these settings? */
static bool is_there(const char *path, const char *settings)
{
    char found[4096];
    return px_file_exists(path) &&
           px_png_read(path, NULL, "Settings", found, sizeof found) == PX_OK &&
           strcmp(found, settings) == 0;
}

/* Cloth keeps half its thickness away from what it lies on: smoothed by less, it hides its edges.
 */
static double half_thickness(const PxScene *scene)
{
    double least = INFINITY;
    for (size_t k = 0; k < scene->materials; ++k)
        if (scene->material[k].def.cloth.cloth)
            least = fmin(least, 0.5 * scene->material[k].def.cloth.thickness);
    return isinf(least) ? 0 : least;
}

/* Pictures of one call go together: all show surfaces, surfels or balls, and all foam or none. */
static PxStatus check_kind(Session *s, const PxSubject *subject)
{
    if (s->first_frame == UINT32_MAX) {
        s->first_frame = subject->meta.number;
        s->first_shown = subject->shown;
        s->first_foamed = subject->foamed;
    }
    if (subject->shown == s->first_shown && subject->foamed == s->first_foamed)
        return PX_OK;
    /* The better kinds have the lower numbers. */
    bool of_foam = subject->shown == s->first_shown;
    bool here = of_foam ? subject->foamed : subject->shown < s->first_shown;
    const char *what = of_foam ? "foam" : show_words[here ? subject->shown : s->first_shown];
    return px_fail(PX_ERR_ARGUMENT,
                   "render: frame %u has %s%s and frame %u does not, so that their pictures would "
                   "not go together; '%s' makes it, or show particles",
                   here ? subject->meta.number : s->first_frame,
                   what[strlen(what) - 1] == 'e' ? "a " : "", what,
                   here ? s->first_frame : subject->meta.number,
                   of_foam                                          ? "phyxel foam"
                   : strcmp(what, show_words[PX_SHOW_SURFELS]) == 0 ? "phyxel surface --surfels"
                                                                    : "phyxel surface");
}

static PxStatus take_shot(Session *s, const Shot *shot)
{
    char path[PX_PATH_MAX];
    PxSubject subject;
    PxText settings = {0};
    PX_TRY(px_path_join(path, s->folder, "%06u.png", shot->number));
    PxStatus status =
        px_subject_read(s->def->dir, shot->frame, s->def->show, &s->threads, &subject);
    if (status == PX_OK)
        status = check_kind(s, &subject);
    if (status == PX_OK) {
        describe(s, &subject, shot, &settings);
        status = px_text_check(&settings, "the settings of a picture");
    }
    if (status == PX_OK && !s->def->again && is_there(path, settings.data)) {
        ++s->kept;
    } else if (status == PX_OK) {
        const PxScene *scene = s->def->scene;
        s->shot_began = px_clock();
        status = px_subject_smooth(&subject, s->def->dir,
                                   scene != NULL ? (uint32_t)scene->picture.smooth : 1,
                                   scene != NULL ? half_thickness(scene) : 0, &s->threads);
        if (status == PX_OK)
            status = draw_shot(s, &subject, shot, path, settings.data);
        s->spent += px_clock() - s->shot_began;
        s->shot_began = 0;
        s->drawn += status == PX_OK;
    }
    px_text_free(&settings);
    px_subject_free(&subject);
    return status;
}

static PxStatus take_shots(Session *s)
{
    for (size_t k = 0; k < s->shots.count; ++k) {
        s->progress.frame = s->shots.data[k].frame;
        s->progress.part = 0;
        if (!tell(s))
            return stopped(s);
        PxStatus status = take_shot(s, &s->shots.data[k]);
        if (status == PX_ERR_STOPPED)
            return stopped(s);
        PX_TRY(status);
        s->progress.picture = (uint32_t)k + 1;
        s->progress.part = 0;
        s->progress.drawn = true;
        bool on = tell(s);
        s->progress.drawn = false;
        if (!on && k + 1 < s->shots.count)
            return stopped(s);
    }
    if (s->missing > 0)
        return px_fail(PX_ERR_FORMAT,
                       "render: frame %u of '%s' is missing, and there are some behind it",
                       s->missing, s->def->dir);
    return PX_OK;
}

/* ---- the film ---- */

static double film_fps(const PxRenderDef *def)
{
    double fps = def->scene != NULL ? px_scene_fps(def->scene) : 30;
    if (def->fps > 0)
        return def->fps;
    fps = def->turntable > 0 ? 30 : fps / def->every;
    return fmin(fmax(fps, PX_FILM_LEAST_FPS), PX_FILM_MOST_FPS);
}

static PxStatus make_film(Session *s)
{
    const PxRenderDef *def = s->def;
    PxFilm *film;
    s->progress.filming = true;
    PX_TRY(px_film_begin(def->film, (uint32_t)def->width, (uint32_t)def->height, film_fps(def),
                         &film));
    PxStatus status = PX_OK;
    for (size_t k = 0; k < s->shots.count && status == PX_OK; ++k) {
        char path[PX_PATH_MAX], none[1];
        PxPicture picture = {0};
        status = px_path_join(path, s->folder, "%06u.png", s->shots.data[k].number);
        if (status == PX_OK)
            status = px_png_read(path, &picture, NULL, none, sizeof none);
        if (status == PX_OK)
            status = px_film_add(film, &picture);
        px_picture_free(&picture);
        if (status == PX_OK && !tell(s))
            status = px_fail(PX_ERR_STOPPED, "render: stopped while the film was made");
    }
    if (status != PX_OK) {
        px_film_abandon(film);
        return status;
    }
    return px_film_finish(film);
}

/* Can the film be written there? Tested before hours of drawing. */
static PxStatus try_film(const char *path)
{
    PxFile file;
    PxStatus status = px_file_begin(&file, path);
    px_file_abandon(&file);
    return status;
}

static PxStatus session_run(Session *s)
{
    const PxRenderDef *def = s->def;
    static const int samples[] = {8, 64, 512};
    PxBounds matter;
    char up = 'y';
    double spacing = 0;
    if (def->film != NULL)
        PX_TRY(try_film(def->film));
    PX_TRY(list_shots(s));
    s->samples = def->samples > 0 ? def->samples : samples[def->quality];
    s->progress.pictures = (uint32_t)s->shots.count;
    if (def->out != NULL)
        PX_TRY(px_path_join(s->folder, def->out, "."));
    else
        PX_TRY(px_path_join(s->folder, def->dir, def->turntable > 0 ? "turntable" : "pictures"));
    if (def->out != NULL)
        s->folder[strlen(s->folder) - 2] = '\0';
    PX_TRY(look_around(s, &matter, &up, &spacing));
    PX_TRY(px_setting_make(def, &matter, up, spacing, &s->setting));
    PX_TRY(find_range(s));
    if (def->out == NULL)
        PX_TRY(px_refuse_link(s->folder));
    PX_TRY(px_folder_make(s->folder));
    PX_TRY(px_folder_clean(s->folder));
    if (def->film != NULL)
        PX_TRY(px_folder_clean_around(def->film));
    PX_TRY(take_shots(s));
    return def->film != NULL ? make_film(s) : PX_OK;
}

static PxStatus check_all(const PxRenderDef *def)
{
    const PxScenery nothing = {.shutter = 0};
    PxRays *rays;
    PX_TRY(check_def(def));
    if (def->film != NULL)
        PX_TRY(px_film_try(def->film, (uint32_t)def->width, (uint32_t)def->height, film_fps(def)));
    PX_TRY(px_rays_create(&nothing, &rays));
    px_rays_free(rays);
    return PX_OK;
}

/* Takes from the scene's picture what the call leaves open. */
static void take_picture(PxRenderDef *def)
{
    static const PxLighting light[] = {[PX_SET_STUDIO] = PX_LIGHT_STUDIO,
                                       [PX_SET_DAY] = PX_LIGHT_DAY,
                                       [PX_SET_SOFT] = PX_LIGHT_SOFT,
                                       [PX_SET_NIGHT] = PX_LIGHT_NIGHT};
    PxRenderDef usual = render_def_defaults();
    const PxScenePicture *p = def->scene != NULL ? &def->scene->picture : NULL;
    if (def->lighting == PX_LIGHT_SCENE)
        def->lighting = p != NULL ? light[p->set] : PX_LIGHT_STUDIO;
    if (p == NULL)
        return;
    if (def->sun_azimuth == usual.sun_azimuth && def->sun_height == usual.sun_height) {
        def->sun_azimuth = p->sun_azimuth;
        def->sun_height = p->sun_height;
    }
    def->caustics = def->caustics || p->caustics;
    if (def->exposure == 0)
        def->exposure = p->exposure;
    if (def->aperture == 0)
        def->aperture = p->aperture;
    if (def->shutter == 0)
        def->shutter = p->shutter;
}

PxStatus px_render_check(const PxRenderDef *def)
{
    PxRenderDef read;
    PX_TRY(read_render_def(def, &read));
    return check_all(&read);
}

PxStatus px_render_sized(const PxRenderDef *given, PxRenderFunction *each, void *user,
                         PxRenderReport *report, size_t size)
{
    PxRenderReport made = {0};
    px_result_put(report, size, 0, &made, sizeof made);
    PxRenderDef read;
    PX_TRY(read_render_def(given, &read));
    const PxRenderDef *def = &read;
    PX_TRY(check_all(def));
    take_picture(&read);
    PxStop stop;
    px_stop_begin(&stop, def->stop, def->stop_user);
    Session s = {.def = def,
                 .threads = {.count = def->threads > 0 ? def->threads : px_threads_available(),
                             .stop = &stop},
                 .each = each,
                 .user = user,
                 .began = px_clock(),
                 .first_frame = UINT32_MAX};
    PxStatus status = session_run(&s);
    made = (PxRenderReport){
        .pictures = s.drawn + s.kept, .drawn = s.drawn, .wall = px_clock() - s.began};
    snprintf(made.folder, sizeof made.folder, "%.1000s", s.folder);
    px_result_put(report, size, 0, &made, sizeof made);
    px_setting_free(&s.setting);
    PX_LIST_FREE(&s.shots);
    return status;
}
