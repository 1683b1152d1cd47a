/// Fluid particles as spheres that bounce off walls and slide along them (002 section 7.3), instead
/// of walls that fill a part of the kernel.
///
/// 002 resolves one triangle after the other, and in a concave corner each pushes the sphere into
/// the next, step after step (its Figure 7.5). Here the spots at which a sphere touches are
/// resolved together: impulses by projected Gauss-Seidel sweeps until none approaches, then the
/// place by the same sweeps over the planes. Spheres that approach a wall more slowly than free
/// fall over two steps do not bounce: otherwise a sphere at rest would be kicked by gravity in each
/// step.
#ifndef PX_CONTACT_SPHERES_H
#define PX_CONTACT_SPHERES_H

#include "contact/watch.h"
#include "dist/dist.h"
#include "matter/material.h"

/// The numbers of PxWallsDef, and what a step needs.
typedef struct PxSpheres {
    double radius;      ///< m
    double restitution; ///< 0 .. 1
    double friction;    ///< Coulomb's coefficient
    double dt;          ///< s
    PxVec3 gravity;
    const PxMaterial *material; ///< solids touch walls by themselves and are left alone
    const PxDist *dist;
    double work; ///< result: change of kinetic and potential energy over all ranks, J
} PxSpheres;

/// Call after particles have moved and before px_defend(), which still stops what would cross. All
/// rows of the watch whose wall is nearer than the radius are resolved. Returns their number.
uint64_t px_spheres_stop(PxParticles *p, PxWatch *watch, const PxThreads *threads,
                         PxSpheres *spheres);

#endif
