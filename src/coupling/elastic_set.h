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
/// Every step gathers positions, velocities and accelerations into the copy and scatters the new
/// positions and velocities back. The other columns (rest places, plastic strain, ...) change only
/// in the set, or when it is rebuilt.
///
/// Every rank holds the whole set, with the elastic rows of all ranks in the same order: each
/// gathers its own rows, px_dist_share() completes the set, and elastic passes do the same on all
/// ranks.
#ifndef PX_COUPLING_ELASTIC_SET_H
#define PX_COUPLING_ELASTIC_SET_H

#include "coupling/fractions.h"
#include "matter/pairs.h"
#include "solid/bonds.h"
#include "solid/lists.h"
#include "solid/solid.h"

/// Columns of the particles that belong to the set, in addition to those of solid/solid_columns.h.
typedef struct PxElasticColumns {
    uint32_t *component; ///< number of the component, from 1 on; 0: not elastic
    uint32_t *slot;      ///< its row in the set, + 1; 0: not in the set
    float *molten;       ///< molten fraction at the last rest-shape update
    float *load[3];      ///< low-pass filtered acceleration by gravity and fluids, m/s^2
    float *reaction[3];  ///< the same by elastic forces and contact, m/s^2
} PxElasticColumns;

typedef struct PxElasticSet {
    PxParticles rows;                 ///< the copy
    PX_LIST(uint32_t) row;            ///< by row of the set: the particle's row, or PX_ELSEWHERE
    PxBonds bonds;                    ///< between rows of the set
    PxBonds next;                     ///< the new graph while it is being built
    PxSolidLists lists;               ///< derived from bonds and rest shapes
    PX_LIST(PxSolidFrame) components; ///< with the rigid fit of each
    PX_LIST(PxSolidLaw) laws;         ///< by material
    uint64_t following;               ///< hash of which materials' rest shapes follow
    uint64_t version;                 ///< rises whenever the set is rebuilt
    uint64_t bonds_made;              ///< rises whenever `bonds` and `next` are exchanged
    PX_LIST(uint8_t) weaker;          ///< by row: its bonds were lowered; used if `weakened`
    bool weakened;                    ///< bonds were lowered: lists of some rows must be updated
    bool split_due;                   ///< components may have fallen apart
    bool due;                         ///< must be rebuilt before it is used
    bool in_order;                    ///< row k of the set is row k of the particles
    bool stale;                       ///< the next gather must copy all columns, not only motion
    bool shared;                      ///< other ranks own some of its rows
} PxElasticSet;

/// The parts of a world that the coupling of elastic and flowing matter uses. The world owns them.
typedef struct PxCoupling {
    PxParticles *particles;
    const PxMaterial *material;
    size_t materials;
    const PxPairs *pairs; ///< neighbours in space; only where something flows
    uint32_t copies;      ///< copies of other ranks' rows behind the particles, in `pairs` only
    bool flows;           ///< the fluid stages run, because something flows, melts or conducts heat
    bool sizes;           ///< particles differ in size: some body is filled with an octree
    double spacing;       ///< m
    double support;       ///< support of the kernel, in spacings
    double solid_support; ///< support of the fits of solids, in spacings
    PxVec3 gravity;       ///< m/s^2
    PxArena *scratch;
    const PxThreads *threads;
    const PxDist *dist;
    PxIsa isa;
} PxCoupling;

PxStatus px_elastic_set_init(PxElasticSet *set, const PxAllocator *allocator);
void px_elastic_set_free(PxElasticSet *set);
size_t px_elastic_set_bytes(const PxElasticSet *set);

/// Adds the columns that elastic particles need, where missing. Errors: PX_ERR_MEMORY.
PxStatus px_elastic_columns_add(PxTable *particles);

/// Finds the columns; false: the table has none. The pointers are valid until rows are sorted,
/// appended or deleted.
bool px_elastic_columns(const PxTable *particles, PxElasticColumns *out);

/// Validates the component columns of a checkpoint. Errors: PX_ERR_FORMAT.
PxStatus px_elastic_columns_check(const PxTable *particles, size_t bodies);

/// Takes back the last change of the bonds, if there was one since `bonds_made`, when particles
/// have been put back as they were then.
void px_elastic_set_undo(PxElasticSet *set, uint64_t bonds_made);

/// Makes the rows from `first` on, which are a new body at rest, elastic. Their present positions
/// relative to `origin` become the rest shape, each fills a cube of one spacing, and all form one
/// component.
PxStatus px_elastic_put(const PxCoupling *c, PxElasticSet *set, uint32_t first, PxVec3 origin);

/// Rebuilds order, bonds and lists of the set if it is due or the number of elastic particles has
/// changed. In the latter case components are also split into their connected parts. *count is the
/// number of elastic particles: on entry that after the last step, on return the present one.
PxStatus px_elastic_set_update(PxElasticSet *set, const PxCoupling *c, uint64_t *count);

/// Rebuilds the set. Bonds between rows that were in it are kept, except those of rows marked in
/// `fresh` (by row of the particles; NULL: none). Marked rows and rows new to the set get bonds
/// with all neighbours in the rest shape of their component.
PxStatus px_elastic_set_rebuild(PxElasticSet *set, const PxCoupling *c, const uint8_t *fresh);

/// Updates set->row after the particles were sorted.
void px_elastic_set_locate(PxElasticSet *set, const PxParticles *particles);

/// Gather copies particles into the set. Scatter copies back the columns that an elastic step
/// changes, with plastic strains if `strained`, with `stuck` if friction acts, and with rest places
/// if `rest_shapes`.
PxStatus px_elastic_set_gather(PxElasticSet *set, const PxCoupling *c);
void px_elastic_set_scatter(PxElasticSet *set, const PxCoupling *c, bool strained, bool stuck,
                            bool last, bool rest_shapes);

/// Prepares the gathered set for the elastic passes: arrays from scratch, laws of the materials,
/// and the rigid fit of every component. The caller adds time, step length and contacts.
PxStatus px_elastic_set_open(PxElasticSet *set, const PxCoupling *c, PxSolid *out);

/// Forgets all bonds, after the particles were replaced. The next update creates them anew from the
/// rest shapes, unless px_elastic_set_restore() comes before it.
void px_elastic_set_forget(PxElasticSet *set);

/// Stores the bond graph as a table and reads it back (px_bonds_save()). Restore the particles
/// first and call px_elastic_set_forget(), then restore the bonds.
PxStatus px_elastic_set_save(const PxElasticSet *set, const PxParticles *particles, PxTable *bonds);
PxStatus px_elastic_set_restore(PxElasticSet *set, const PxCoupling *c, const PxTable *bonds);

#endif
