/// What a scene amounts to: its shapes made ready, where they are, how many
/// particles they take and how short the steps must be.
#ifndef PX_SCENE_SURVEY_H
#define PX_SCENE_SURVEY_H

#include "scene/content.h"
#include "shape/shape.h"

/// More particles than this are refused.
#define PX_SCENE_MOST_PARTICLES 50e6

typedef struct PxSurvey {
    PxShape **shape;          ///< one a body, standing as at time 0; NULL where it failed
    PxShape **emitter;        ///< one an emitter, the same
    PxShape **sink;           ///< one a sink, the same
    double *given;            ///< m^3 that each emitter gives in the run, events minded
    PxBounds matter;          ///< of what will be particles
    PxBounds everything;      ///< walls too; a plane counts with its "at"
    double particles, volume; ///< at the end, what sinks have taken left out
    double mean_particles;    ///< over the time of the run
    double skin_points;       ///< surfels, and corners of skins
    double speed;             ///< fastest that bodies are set going, m/s
    double wall_speed;        ///< fastest of a wall, m/s
} PxSurvey;

/// Makes the shapes. A shape that cannot be made is a complaint to `complain`, or,
/// with NULL, the failure of the call. Free it in any case.
PxStatus px_survey_make(const PxScene *scene, PxScene *complain, PxSurvey *out);
void px_survey_free(const PxScene *scene, PxSurvey *survey);

/// Seconds that the matter of an emitter stays until a sink has it, at most `most`. A guess.
double px_survey_stay(const PxScene *scene, const PxSurvey *survey, size_t emitter, double most);

/// Why a step can be no longer.
typedef enum PxStepCause {
    PX_BY_MAX_STEP,
    PX_BY_SOUND,
    PX_BY_VISCOSITY,
    PX_BY_GRAVITY,
    PX_BY_TENSION,
    PX_STEP_CAUSES
} PxStepCause;

typedef struct PxStepLimit {
    double seconds;
    double least; ///< shortest step allowed at that time, s
    PxStepCause cause;
    size_t material; ///< whose sound, viscosity or tension it is
    double sound;    ///< its speed of sound, m/s
} PxStepLimit;

/// The step that the solver would take for these numbers, which may be other than
/// the scene's: events change them.
PxStepLimit px_step_limit(const PxScene *scene, const PxSurvey *survey, const PxWorldDef *world,
                          const PxMaterialDef *material);

/// An event and when it happens.
typedef struct PxMoment {
    double at;    ///< s
    size_t event; ///< in scene->event
} PxMoment;

/// All events in the order in which they happen; of one moment as they stand in the file.
void px_scene_moments(const PxScene *scene, PxMoment *out);

/// Called for each stretch of time between events with the step it takes; `event`
/// counts in scene->event and is SIZE_MAX for the time before the first.
typedef void PxStretchFunction(void *user, size_t event, double begin, double end,
                               const PxStepLimit *limit);

/// Walks through the run from event to event. Errors: PX_ERR_MEMORY.
PxStatus px_survey_walk(const PxScene *scene, const PxSurvey *survey, PxStretchFunction *function,
                        void *user);

/// Complains about emitters and sinks. Errors: PX_ERR_MEMORY.
PxStatus px_survey_check_flow(PxScene *scene, const PxSurvey *survey);

/// How many particles a body starts with, estimated.
double px_survey_particles(const PxScene *scene, const PxSceneBody *body, const PxShape *shape);

/// Those particles.
PxStatus px_survey_fill(const PxScene *scene, const PxSceneBody *body, const PxShape *shape,
                        size_t most, PxPoints *out);

/// Complains about handles, forces and heaters in whose regions there is nothing. Errors:
/// PX_ERR_MEMORY.
PxStatus px_survey_check_hold(PxScene *scene, const PxSurvey *survey);

/// Bytes of memory for that many particles.
double px_memory_estimate(double particles);

#endif
