/// One run of the surface tension benchmark (004 section 6.5): a test, a pressure model, a
/// tension model and its coefficient.
///
///   1  drop formation: a cube of 30^3 particles becomes a drop
///   2  liquid crown: a drop of 27k particles falls into a tank of 635k
///   3  water glass: 400k particles run down a channel and fall into a glass
///
/// All have a support of 2.5 spacings, steps of at most 1 ms and the document's viscosity
/// nu = 0.01 m^2/s with its model, that of Morris (004 Eq. 2.38).
#ifndef PX_STUDY_TENSION_RUN_H
#define PX_STUDY_TENSION_RUN_H

#include "phyxel/world.h"

enum { PX_TENSION_TESTS = 3 };

/// "drop formation" and so on, of test - 1.
extern const char *const px_tension_tests[PX_TENSION_TESTS];

typedef struct PxTensionCase {
    int test; ///< 1 .. PX_TENSION_TESTS
    char pressure[24], tension[24];
    double strength; ///< phi, gamma, kappa or sigma
    double scale;    ///< of the number of particles; 1 as published
    double seconds;  ///< simulated
    int threads;     ///< 0: one for every core
} PxTensionCase;

/// Results of a run: only numbers, in the order of px_tension_columns.
typedef struct PxTensionResult {
    double end; ///< s; before the case's `seconds` when the run failed
    double particles, steps;
    double dt;         ///< mean, ms
    double neighbours; ///< mean, itself included, at the end

    double speed;          ///< mean over particles and steps, m/s (004 Eq. 6.15)
    double speed_end;      ///< the same over the last tenth of the time
    double peaks;          ///< maxima of the mean speed over time
    double tension_force;  ///< mean |F| of a particle over all steps, N
    double pressure_force; ///< the same by pressure, N

    double axes;      ///< test 1: shortest over longest axis by second moments; 1 is round
    double gyration;  ///< test 1: radius of gyration over that of a ball; 1.04 for a cube
    double reach;     ///< test 1: longest over shortest extent from the centre; 1.58 for the cube
    double clustered; ///< particles with another nearer than half a spacing, per cent
    double volume;    ///< per cent of the initial volume that compression leaves

    double crown;      ///< test 2: greatest height of the liquid that hangs together over the level
                       ///< at the start, after the drop has met the pool, m
    double crown_time; ///< test 2: when, s
    double droplets;   ///< pieces besides the largest: test 2 then, test 3 at most
    double loose;      ///< particles in them, per cent
    double jet;        ///< test 3: 2 rms distance from the jet's centre below the rim, mean, m
    double caught;     ///< test 3: particles in the glass at the end, per cent

    double density_error; ///< mean compression over all steps, per cent
    double iterations;    ///< of the pressure solve, a step
    double not_converged; ///< steps

    double ms_step, ms_tension, ms_pressure, ms_viscosity, ms_density, ms_neighbours, ms_other;
} PxTensionResult;

typedef struct PxTensionColumn {
    const char *name;
    size_t offset; ///< in PxTensionResult
} PxTensionColumn;

extern const PxTensionColumn px_tension_columns[];
extern const size_t px_tension_column_count;

/// The value of a column; px_tension_value(r, k) may be assigned to.
#define px_tension_value(result, k) (*(double *)((char *)(result) + px_tension_columns[k].offset))

/// The world of a case, at its start.
PxStatus px_tension_world(const PxTensionCase *c, PxWorld **out);

/// Level of the pool of test 2, and height and radius of the glass of test 3, m.
double px_tension_level(const PxTensionCase *c);
double px_tension_glass(const PxTensionCase *c);
double px_tension_glass_radius(const PxTensionCase *c);

/// Distance of neighbouring particles in a test, m.
double px_tension_spacing(int test);

/// Default simulated time of a test, s.
double px_tension_seconds(int test);

/// Approximate number of particles of a case.
double px_tension_particles(const PxTensionCase *c);

/// Called before the first step and after every step; false stops the run with PX_ERR_STOPPED.
typedef bool PxTensionStep(void *user, PxWorld *world);

/// Runs a case. *steps is a CSV of every step, *slice one of the particles near the middle
/// plane at the end; free both with free(). A run that becomes unstable is no error: *out says
/// how far it came.
PxStatus px_tension_run(const PxTensionCase *c, PxTensionStep *each, void *user,
                        PxTensionResult *out, char **steps, char **slice);

#endif
