/// The elastic set: all elastic particles of a world in an order of their own.
///
/// The particles of a world lie sorted by cell. Elastic passes walk bonds instead, so they work on
/// a copy whose rows lie component by component, neighbours of the rest shape close together:
///
///    particles   sorted by cell   [ . e . . e e . e . ]     e: elastic
///                                     | gather   ^ scatter
///    set         by rest shape    [ e e | e e ]             one bar a component
///                                   bonds, weights, rigid fit of each component
///
/// Every step gathers where the rows are and how they move, and scatters what became of it. All
/// else of the copy (rest places, plastic strain, ...) changes only in the set or when it is
/// rebuilt.
///
/// Every rank holds the whole set, with the elastic rows of all ranks in the same order: each
/// gathers its own rows, px_dist_share() completes the set, and the elastic passes do the same on
/// all ranks.
#ifndef PX_COUPLING_ELASTIC_SET_H
#define PX_COUPLING_ELASTIC_SET_H

#include "coupling/fractions.h"
#include "matter/pairs.h"
#include "solid/bonds.h"
#include "solid/lists.h"
#include "solid/solid.h"

/// What particles carry for the set, beside those of solid/solid_columns.h.
typedef struct PxElasticColumns {
    uint32_t
        *component; ///< 1 and more: what hangs together by bonds has one number; 0: not elastic
    uint32_t *slot; ///< row of the set, + 1; 0: not in it
    float *molten;  ///< molten fraction at the last rest-shape update
    float *load[3]; ///< low-pass filtered acceleration by gravity and fluids, m/s^2
} PxElasticColumns;

typedef struct PxElasticSet {
    PxParticles rows;      ///< the copy
    PX_LIST(uint32_t) row; ///< by row of the set: the particle it is; PX_ELSEWHERE: of another rank
    PxBonds bonds;         ///< between rows of the set
    PxBonds next;          ///< used while bonds are made anew
    PxSolidLists lists;    ///< derived from bonds and rest shapes
    PX_LIST(PxSolidFrame) components; ///< with the rigid fit of each
    PX_LIST(PxSolidLaw) laws;         ///< by material
    uint64_t version;                 ///< rises whenever the set is rebuilt
    bool due;                         ///< it is to be rebuilt before it is used
    bool in_order;                    ///< row k of the set is row k of the particles
    bool stale;                       ///< all columns are to be gathered, not only the motion
    bool shared;                      ///< other ranks own some of its rows
} PxElasticSet;

/// What the coupling of elastic and flowing matter works on; all of it belongs to the world.
typedef struct PxCoupling {
    PxParticles *particles;
    const PxMaterial *material;
    size_t materials;
    const PxPairs *pairs; ///< neighbours in space; only where something flows
    uint32_t copies;      ///< rows of other ranks behind the particles', in `pairs` only
    bool flows;           ///< the stages of fluids run: matter flows, melts or conducts heat
    bool sizes;           ///< particles differ in size: some body is filled with an octree
    double spacing;       ///< m
    double support;       ///< radius of a neighbourhood, in spacings
    PxVec3 gravity;       ///< m/s^2
    PxArena *scratch;
    const PxThreads *threads;
    const PxDist *dist;
    PxIsa isa;
} PxCoupling;

PxStatus px_elastic_set_init(PxElasticSet *set, const PxAllocator *allocator);
void px_elastic_set_free(PxElasticSet *set);
size_t px_elastic_set_bytes(const PxElasticSet *set);

/// Adds the columns that elastic particles need, if they are not there yet.
PxStatus px_elastic_columns_add(PxTable *particles);

/// False when the table has none. The pointers are good until rows are sorted, appended or deleted.
bool px_elastic_columns(const PxTable *particles, PxElasticColumns *out);

/// Validates the component columns of stored particles.
PxStatus px_elastic_columns_check(const PxTable *particles, size_t bodies);

/// Makes the rows from `first` on, a new body at rest, elastic: their rest shape is where they are
/// as seen from `origin`, each fills a cube of the spacing, all are one component.
PxStatus px_elastic_put(const PxCoupling *c, PxElasticSet *set, uint32_t first, PxVec3 origin);

/// Rebuilds the set if it is due or elastic particles came or went: order, bonds, lists. Where they
/// came or went, parts of a component that no bond joins become components of their own. *count is
/// how many there were after the last step, and becomes how many there are.
PxStatus px_elastic_set_update(PxElasticSet *set, const PxCoupling *c, uint64_t *count);

/// Rebuilds the set. Bonds of rows that were in it go on, except those of rows marked in `fresh`
/// (by row of the particles; NULL: none); they, and rows new to the set, get bonds with all
/// neighbours in the rest shape of their component.
PxStatus px_elastic_set_rebuild(PxElasticSet *set, const PxCoupling *c, const uint8_t *fresh);

/// Finds the particles of the set's rows after they were sorted.
void px_elastic_set_locate(PxElasticSet *set, const PxParticles *particles);

/// Copies particles into the set; and back what an elastic step changes: with plastic strains if
/// `strained`, and with rest shapes if `rest_shapes`.
PxStatus px_elastic_set_gather(PxElasticSet *set, const PxCoupling *c);
void px_elastic_set_scatter(PxElasticSet *set, const PxCoupling *c, bool strained,
                            bool rest_shapes);

/// The set, gathered, as the elastic passes see it: in scratch, with the rigid fit of every
/// component. The caller adds time, step length and what rows may touch.
PxStatus px_elastic_set_open(PxElasticSet *set, const PxCoupling *c, PxSolid *out);

/// Forgets all bonds: particles were replaced. The next update makes them anew from rest shapes.
void px_elastic_set_forget(PxElasticSet *set);

/// The stored graph of bonds: see px_bonds_save(). Restoring comes after the particles', and after
/// px_elastic_set_forget().
PxStatus px_elastic_set_save(const PxElasticSet *set, const PxParticles *particles, PxTable *bonds);
PxStatus px_elastic_set_restore(PxElasticSet *set, const PxCoupling *c, const PxTable *bonds);

#endif
