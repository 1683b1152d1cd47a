/// Survey of a scene: its shapes, their bounds, the number of particles and the time steps.
#ifndef PX_SCENE_SURVEY_H
#define PX_SCENE_SURVEY_H

#include "scene/content.h"
#include "shape/shape.h"

/// More particles than this are refused.
#define PX_SCENE_MOST_PARTICLES 50e6

typedef struct PxSurvey {
    PxShape **shape;             ///< one per body, at its pose at time 0; NULL if it failed
    PxShape **emitter;           ///< one per emitter, the same
    PxShape **sink;              ///< one per sink, the same
    double *given;               ///< volume that each emitter emits in the run, with events, m^3
    PxBounds matter;             ///< of everything that is filled with particles
    PxBounds everything;         ///< with walls; of a plane only its "at"
    double particles, volume;    ///< at the end of the run, without those removed by sinks
    double mean_particles;       ///< over the time of the run
    struct PxClothSheet **sheet; ///< by body: that of cloth, or NULL
    double cloth_vertices, cloth_triangles;
    double solids;      ///< particles of solids
    double table_cells; ///< area of walls whose table takes long to make, spacing^2
    double skin_points; ///< surfels and vertices of skins
    double covering;    ///< most memory that making the surfels of one body takes, bytes
    double brittle;     ///< particles of solids that break
    double triangles;   ///< of mesh walls
    double facets;      ///< triangles of rigid bodies
    double speed;       ///< largest initial speed of a body, also by events, m/s
    double wall_speed;  ///< largest speed of a wall, m/s
} PxSurvey;

/// Makes the survey. A shape that cannot be made is a complaint in `complain`, or, if that is NULL,
/// a failure of the call. Free the survey in any case.
PxStatus px_survey_make(const PxScene *scene, PxScene *complain, PxSurvey *out);
void px_survey_free(const PxScene *scene, PxSurvey *survey);

/// Fills vessels and carves liquids: replaces their shapes by their particles. Known results of
/// scene->matter are used again.
PxStatus px_survey_matter(const PxScene *scene, PxScene *complain, PxSurvey *survey);

/// Does a liquid make room for that body?
bool px_survey_carved(const PxScene *scene, size_t liquid, size_t by);

/// Notes how much of which liquid makes room for what, and how much vessels hold.
void px_survey_note_matter(PxScene *scene);

/// Speed at which an emitter with that speed, rate or pressure emits through an opening, m/s; with
/// a pressure that of a free jet.
double px_survey_jet(const PxScene *scene, const PxSceneEmitter *emitter, const PxEmitterDef *by,
                     double area);

/// Estimated time from emission of a particle until a sink removes it, s, at most `most`.
double px_survey_stay(const PxScene *scene, const PxSurvey *survey, size_t emitter, double most);

/// The limit that determines the time step.
typedef enum PxStepCause {
    PX_BY_MAX_STEP,
    PX_BY_SOUND,
    PX_BY_VISCOSITY,
    PX_BY_GRAVITY,
    PX_BY_TENSION,
    PX_BY_CLOTH,
    PX_STEP_CAUSES
} PxStepCause;

typedef struct PxStepLimit {
    double seconds;
    double least; ///< shortest step allowed at that time, s
    PxStepCause cause;
    size_t material; ///< that limits the step
    double sound;    ///< its speed of sound, m/s
    double substep;  ///< estimated shortest sub-step of solids at rest, s; INFINITY: none
    size_t stiffest; ///< the material that needs it
    double look;     ///< longest step of solids that break, s; INFINITY: none
} PxStepLimit;

/// The time step for the given parameters, which differ from the scene's after events.
PxStepLimit px_step_limit(const PxScene *scene, const PxSurvey *survey, const PxWorldDef *world,
                          const PxMaterialDef *material);

/// An event and when it happens.
typedef struct PxMoment {
    double at;    ///< s
    size_t event; ///< in scene->event
} PxMoment;

/// All events sorted by time; those of equal time in the order of the file.
void px_scene_moments(const PxScene *scene, PxMoment *out);

/// Called for each interval between events with its step limit; `event` is the index in
/// scene->event of the event at its beginning, SIZE_MAX before the first.
typedef void PxStretchFunction(void *user, size_t event, double begin, double end,
                               const PxStepLimit *limit);

/// Calls `function` for each interval between events. Errors: PX_ERR_MEMORY.
PxStatus px_survey_walk(const PxScene *scene, const PxSurvey *survey, PxStretchFunction *function,
                        void *user);

/// Complains about emitters and sinks. Errors: PX_ERR_MEMORY.
PxStatus px_survey_check_flow(PxScene *scene, const PxSurvey *survey);

/// Estimated number of particles of a body at the start.
double px_survey_particles(const PxScene *scene, const PxSceneBody *body, const PxShape *shape);

/// The particles of a body at the start.
PxStatus px_survey_fill(const PxScene *scene, const PxSceneBody *body, const PxShape *shape,
                        size_t most, PxPoints *out);

/// Complains about handles, forces and heaters with empty regions. Errors: PX_ERR_MEMORY.
PxStatus px_survey_check_hold(PxScene *scene, const PxSurvey *survey);

/// Complains about walls whose keyframes leave matter no room. Errors: PX_ERR_MEMORY.
PxStatus px_survey_check_room(PxScene *scene, const PxSurvey *survey);

/// Complains about gauges in walls. Errors: PX_ERR_MEMORY.
PxStatus px_survey_check_gauges(PxScene *scene);

/// Complains about rigid bodies that overlap and about joints. Errors: PX_ERR_MEMORY.
PxStatus px_survey_check_rigid(PxScene *scene, const PxSurvey *survey);

/// Complains about seams of cloth. Errors: PX_ERR_MEMORY.
PxStatus px_survey_check_seams(PxScene *scene, const PxSurvey *survey);

/// Complains about cloth that starts inside walls or rigid bodies, or crossed. Errors:
/// PX_ERR_MEMORY.
PxStatus px_survey_check_cloth(PxScene *scene, const PxSurvey *survey);

/// Counts the edges of colliding cloth that cross triangles of colliding cloth at the start;
/// complains about each pair of bodies if `complain` is not NULL. Errors: PX_ERR_MEMORY.
PxStatus px_survey_crossings(const PxScene *scene, PxScene *complain, const PxSurvey *survey,
                             uint32_t *count);

/// Complains about what is seldom meant: a spacing larger than all matter, thin parts of meshes,
/// cameras in liquids and walls, matter that nothing holds, walls that leave their tank.
void px_survey_check_stage(PxScene *scene, const PxSurvey *survey);

/// Bytes of memory for that many particles.
double px_memory_estimate(double particles);

#endif
