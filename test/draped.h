/// A sheet that is pinned at a corner for 0.1 s falls on a ball and a floor.
#ifndef PX_TEST_DRAPED_H
#define PX_TEST_DRAPED_H

#include "text_world.h"
#include "world/world_parts.h"

/// Its scene; `cloth` is the section of the material.
#define DRAPED(cloth)                                                                              \
    "{\"phyxel\": 1, \"spacing\": 0.05, \"materials\": {\"silk\": {\"density\": 100, " cloth       \
    "}}, "                                                                                         \
    "\"bodies\": [{\"name\": \"a\", \"material\": \"silk\", \"shape\": {\"sheet\": {\"width\": "   \
    "0.6, \"length\": 0.6, \"columns\": 14, \"rows\": 14}, \"at\": [0, 0.33, 0]}}, "               \
    "{\"name\": \"ball\", \"wall\": true, \"shape\": {\"sphere\": 0.15, \"at\": [0, 0.17, 0]}}, "  \
    "{\"name\": \"floor\", \"wall\": true, \"shape\": {\"plane\": [0, 1, 0]}}], "                  \
    "\"handles\": [{\"name\": \"pin\", \"body\": \"a\", \"shape\": {\"box\": [0.02, 0.02, 0.02], " \
    "\"at\": [0.3, 0.33, 0.3]}, \"end\": 0.1}]}"

/// Energy of all cloth and rigid bodies, J.
static inline double energy_of(PxWorld *world)
{
    PxStats s = stats_of(world);
    return s.cloth_kinetic + s.cloth_potential + s.cloth_elastic + s.rigid_kinetic +
           s.rigid_potential;
}

static inline void hash_of(PxWorld *world, uint64_t hash[2])
{
    px_table_hash(&world->cloth_vertices, PX_COLUMN_STATE, hash);
}

#endif
