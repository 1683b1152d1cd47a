#include "scene/read/events.h"

#include "scene/check/survey.h"
#include "scene/read/values.h"

#include <stdlib.h>
#include <string.h>

/* Reads one number or three. Returns false after a complaint. */
static bool read_numbers(PxScene *scene, const PxPath *path, const json_t *value, PxSceneEvent *out)
{
    char found[96];
    bool good = json_is_number(value);
    if (good) {
        out->to[0] = json_number_value(value);
        out->values = 1;
    } else if (json_is_array(value) && json_array_size(value) == 3) {
        good = true;
        out->values = 3;
        for (size_t k = 0; k < 3; ++k) {
            const json_t *number = json_array_get(value, k);
            good = good && json_is_number(number);
            out->to[k] = json_number_value(number);
        }
    }
    if (!good)
        px_complain(scene, PX_ERROR, path, PX_AT_VALUE, "is %s, wanted a number or three",
                    px_json_text(value, found, sizeof found));
    return good;
}

/* Applies the event to a copy of the def that it changes, to check it. */
static void check_event(PxScene *scene, const PxPath *set, const PxPath *to,
                        const PxSceneEvent *event, bool value_known)
{
    PxLive live;
    if (px_scene_live(scene, event->set, &live) != PX_OK) {
        px_complain(scene, PX_ERROR, set, PX_AT_VALUE, "%s", px_error_message());
        return;
    }
    if (!value_known)
        return;
    const PxSection *section = live.kind != NULL ? &live.kind->section : &px_world_section;
    PxArenaMark mark = px_arena_mark(&scene->memory);
    void *copy = px_arena_take(&scene->memory, section->size);
    if (copy == NULL) {
        scene->no_memory = true;
        return;
    }
    memcpy(copy, live.object, section->size);
    if (px_field_set(live.field, copy, live.rest, event->to, event->values, event->set) != PX_OK ||
        (live.kind != NULL && live.kind->may_become != NULL &&
         live.kind->may_become(event->set, live.object, copy) != PX_OK))
        px_complain(scene, PX_ERROR, to, PX_AT_VALUE, "%s", px_error_message());
    px_arena_release(&scene->memory, mark);
}

/* A material while events change it one after the other. */
typedef struct Course {
    PxMaterialDef before, now; /* values before and after the current time */
    size_t last;               /* last event at that time that changed it; SIZE_MAX: none */
} Course;

/* Checks the numbers of a material after all events of the same time, as the world does
 * (world/events.c). */
static void check_moment(PxScene *scene, const PxPath *path, Course *course, const PxMoment *moment,
                         size_t count)
{
    for (size_t k = 0; k < count; ++k) {
        const PxSceneEvent *event = &scene->event[moment[k].event];
        PxLive live;
        if (px_scene_live(scene, event->set, &live) != PX_OK || live.kind != &px_material_kind)
            continue;
        Course *c = &course[live.index];
        if (c->last == SIZE_MAX)
            c->before = c->now;
        if (px_field_set(live.field, &c->now, live.rest, event->to, event->values, event->set) ==
            PX_OK)
            c->last = moment[k].event;
    }
    for (size_t k = 0; k < count; ++k) {
        size_t index = moment[k].event;
        PxLive live;
        if (px_scene_live(scene, scene->event[index].set, &live) != PX_OK ||
            live.kind != &px_material_kind || course[live.index].last != index)
            continue;
        Course *c = &course[live.index];
        PxPath at = px_path_index(path, scene->event_index[index]), to = px_path_key(&at, "to");
        if (px_material_kind.consistent(&c->now, scene->event[index].set) != PX_OK) {
            px_complain(scene, PX_ERROR, &to, PX_AT_VALUE, "%s", px_error_message());
            c->now = c->before;
        }
        c->last = SIZE_MAX;
    }
}

/* Checks the events, each valid by itself, in the order of their times. */
static PxStatus check_moments(PxScene *scene, const PxPath *path)
{
    PxArenaMark mark = px_arena_mark(&scene->memory);
    PxMoment *moment = PX_ARENA_ARRAY(&scene->memory, PxMoment, scene->events);
    Course *course = PX_ARENA_ARRAY(&scene->memory, Course, scene->materials);
    if (moment == NULL || course == NULL)
        return px_scene_no_room("events", scene->events);
    for (size_t k = 0; k < scene->materials; ++k)
        course[k] = (Course){.now = scene->material[k].def, .last = SIZE_MAX};
    px_scene_moments(scene, moment);
    for (size_t first = 0, last; first < scene->events; first = last) {
        for (last = first; last < scene->events && moment[last].at == moment[first].at; ++last)
            ;
        check_moment(scene, path, course, moment + first, last - first);
    }
    px_arena_release(&scene->memory, mark);
    return PX_OK;
}

PxStatus px_read_events(PxScene *scene, const PxPath *root)
{
    PxPath path = px_path_key(root, px_events_field.key);
    json_t *list = px_read_list(scene, &path, (size_t)px_events_field.most,
                                json_object_get(scene->root, px_events_field.key));
    if (list == NULL)
        return PX_OK;
    size_t count = json_array_size(list), errors_before = px_scene_errors(scene);
    scene->event = PX_ARENA_ARRAY(&scene->memory, PxSceneEvent, count);
    scene->event_index = PX_ARENA_ARRAY(&scene->memory, size_t, count);
    if (scene->event == NULL || scene->event_index == NULL)
        return px_scene_no_room("events", count);
    for (size_t k = 0; k < count; ++k) {
        size_t errors = px_scene_errors(scene);
        json_t *value = json_array_get(list, k);
        PxPath at = px_path_index(&path, k);
        PxPath set = px_path_key(&at, "set"), to = px_path_key(&at, "to");
        PxSceneEvent event;
        px_event_section.defaults(&event);
        if (!px_read_object(scene, &at, value, px_event_section.wanted))
            continue;
        px_read_section(scene, &at, value, &px_event_section, &event, NULL);
        const json_t *numbers = json_object_get(value, "to");
        bool known = numbers != NULL && read_numbers(scene, &to, numbers, &event);
        if (event.set != NULL)
            check_event(scene, &set, &to, &event, known);
        PxPath over = px_path_key(&at, "over");
        if (event.over > 0 && event.set != NULL && strcmp(event.set, "gravity") != 0)
            px_complain(scene, PX_ERROR, &over, PX_AT_KEY,
                        "is for \"set\": \"gravity\", which turns; other values change at once");
        if (px_scene_errors(scene) != errors)
            continue;
        scene->event[scene->events] = event;
        scene->event_index[scene->events++] = k;
    }
    return px_scene_errors(scene) == errors_before ? check_moments(scene, &path) : PX_OK;
}
