/// Keeps particles from passing through moving sheets of cloth (004 sections 4.3.2 and 4.3.3).
///
/// After particles and cloth have moved, the straight way of every particle is tested against the
/// triangles between their places at the start and at the end of the step. The first moment of
/// touch is found by conservative advancement (Li et al. 2021), which advances by less than the
/// distance that is left: unlike the roots of the cubic of Provot (1997), it can miss no crossing
/// by rounding. A particle that touches is stopped there, and slides along the triangle for the
/// rest of the step. The pair then gets impulses that stop its approach, with the reduced mass of
/// the particle and the weighted corners (004 Eq. 4.1 says the sum of the masses, which would not
/// stop it), and friction; Gauss-Seidel in the order of the particles.
///
/// In the first step particles may lie in a triangle, as where a sheet is within a liquid: they
/// have no side yet, and get the one that the triangle's normal points to.
///
/// The cubic is solved as well, for every part of the way that remains: what crosses is counted.
#ifndef PX_CONTACT_SHEET_CATCH_H
#define PX_CONTACT_SHEET_CATCH_H

#include "contact/sheets.h"

typedef struct PxSheetCatch {
    PxSheets *sheets;
    const PxVec3 *at; ///< vertices at the end of the step
    PxVec3 *w;        ///< their velocities then; get impulses
    PxParticles *particles;
    const float *far;            ///< by row: lower bound of the distance to a sheet at the start, m
    double beyond;               ///< the bound of rows whose far is INFINITY, m
    const float *from[6];        ///< positions at the start: x, y, z, and what floats left of them
    const double *keep;          ///< by cloth: distance that is kept, m
    PxBoundary *const *boundary; ///< walls, at the end of the step
    size_t boundaries;
    PxArena *scratch;
    const PxThreads *threads;
    bool only_count; ///< counts those that cross and stops none
    bool first;      ///< of the run: particles may start in a sheet
    uint64_t caught; ///< result: number of particles that were stopped
    uint64_t leaked; ///< result: number of particles that crossed a sheet
} PxSheetCatch;

/// Errors: PX_ERR_MEMORY.
PxStatus px_sheet_catch(PxSheetCatch *c);

#endif
