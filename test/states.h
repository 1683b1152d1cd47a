/// Small worlds that between them have every table and number of a saved world.
#ifndef PX_TEST_STATES_H
#define PX_TEST_STATES_H

#include "scenes.h"

#define OPENING "{\"phyxel\": 1, \"name\": \"saved\", \"time\": {\"frames\": 10, \"fps\": 50},"
#define GROUND                                                                                     \
    "{\"name\": \"floor\", \"shape\": {\"box\": [3, 0.2, 3], \"at\": [0, -0.1, 0]}, \"wall\": "    \
    "true}"
#define TANK                                                                                       \
    "{\"name\": \"tank\", \"shape\": {\"box\": [0.6, 1, 0.5], \"at\": [0, 0.5, 0]},"               \
    " \"wall\": true, \"inside\": true}"
#define PADDLE                                                                                     \
    "{\"name\": \"paddle\", \"shape\": {\"sphere\": 0.08, \"at\": [0.15, 0.15, 0]},"               \
    " \"wall\": true, \"keyframes\": [{\"at\": 0}, {\"at\": 0.5, \"move\": [-0.2, 0, 0]}]}"
#define TAP                                                                                        \
    "\"emitters\": [{\"name\": \"tap\", \"shape\": {\"box\": [0.15, 0.1, 0.15],"                   \
    " \"at\": [-0.1, 0.6, 0]}, \"direction\": [0, -1, 0], \"speed\": 2, \"material\": \"water\"}]"

typedef struct Case {
    const char *name, *scene;
    double first, second; /* s: when it is saved, and how long it goes on */
} Case;

static const Case cases[] = {
    {"fluid",
     OPENING
     "\"spacing\": 0.05, \"materials\": {\"water\": {\"density\": 1000}}, \"bodies\": [" TANK
     ", " PADDLE
     ", {\"name\": \"pool\", \"shape\": {\"box\": [0.6, 0.1, 0.5], \"at\": [0, 0.05, 0]},"
     " \"material\": \"water\"}], " TAP ","
     " \"sinks\": [{\"name\": \"drain\", \"shape\": {\"box\": [0.2, 0.1, 0.2],"
     " \"at\": [0.2, 0, 0]}}],"
     " \"events\": [{\"at\": 0.03, \"set\": \"gravity\", \"to\": [3, -5, 0]},"
     " {\"at\": 0.1, \"set\": \"materials.water.viscosity\", \"to\": 2}]}",
     0.06, 0.08},
    {"solid",
     OPENING "\"spacing\": 0.05, \"materials\": {\"jelly\": {\"density\": 1000, \"young\": 2e4, "
             "\"absorb\": 5}},"
             " \"bodies\": [" GROUND
             ", {\"name\": \"cube\", \"shape\": {\"box\": [0.3, 0.3, 0.3], \"at\": [0, 0.17, 0]},"
             " \"material\": \"jelly\", \"spin\": [0, 4, 1], \"surfels\": 600}],"
             " \"handles\": [{\"name\": \"hand\", \"shape\": {\"box\": [1, 0.1, 1],"
             " \"at\": [0, 0.3, 0]}, \"end\": 0.05, \"keyframes\": [{\"at\": 0}, {\"at\": 0.2,"
             " \"move\": [0, 0.2, 0]}]}],"
             " \"forces\": [{\"name\": \"wind\", \"shape\": {\"box\": [1, 1, 1]},"
             " \"force\": [3, 0, 0]}], \"fields\": [{\"kind\": \"noise\", \"strength\": 2,"
             " \"size\": 0.2, \"period\": 0.1, \"start\": 0.03}]}",
     0.04, 0.04},
    {"mixed",
     OPENING "\"spacing\": 0.05, \"materials\": {\"water\": {\"density\": 1000}, \"jelly\": "
             "{\"density\": 1000, \"young\": 1e4}},"
             " \"bodies\": [" TANK
             ", {\"name\": \"pool\", \"shape\": {\"box\": [0.6, 0.2, 0.5], \"at\": [0, 0.1, 0]},"
             " \"material\": \"water\"},"
             " {\"name\": \"cube\", \"shape\": {\"box\": [0.2, 0.2, 0.2], \"at\": [0, 0.32, 0]},"
             " \"material\": \"jelly\", \"velocity\": [0, -1, 0]}]}",
     0.05, 0.05},
    {"melting",
     OPENING
     "\"spacing\": 0.04, \"materials\": {\"wax\": {\"density\": 900, \"young\": 5e4,"
     " \"diffusivity\": 1e-3, \"melts\": {\"from\": 30, \"to\": 40,"
     " \"into\": {\"viscosity\": 5}}}},"
     " \"bodies\": [{\"name\": \"plate\", \"shape\": {\"box\": [1, 0.2, 1],"
     " \"at\": [0, -0.1, 0]}, \"wall\": true, \"temperature\": 90},"
     " {\"name\": \"cube\", \"shape\": {\"box\": [0.2, 0.2, 0.2], \"at\": [0, 0.1, 0]},"
     " \"material\": \"wax\"}],"
     " \"heaters\": [{\"name\": \"flame\", \"shape\": {\"sphere\": 0.1, \"at\": [0, 0.2, 0]},"
     " \"power\": 2000}]}",
     0.1, 0.1},
    {"coated",
     OPENING
     "\"spacing\": 0.05, \"materials\": {\"water\": {\"density\": 1000, \"coat\": \"surfels\"},"
     " \"jelly\": {\"density\": 1000, \"young\": 1e4, \"coat\": \"surfels\"}}, \"bodies\": [" GROUND
     ", {\"name\": \"pool\", \"shape\": {\"box\": [0.4, 0.2, 0.4], \"at\": [0, 0.1, 0]},"
     " \"material\": \"water\"},"
     " {\"name\": \"cube\", \"shape\": {\"box\": [0.2, 0.2, 0.2], \"at\": [1, 0.3, 0]},"
     " \"material\": \"jelly\", \"surfels\": 2000}], " TAP "}",
     0.04, 0.04},
    {"rigid",
     OPENING
     "\"spacing\": 0.05, \"materials\": {\"wood\": {\"density\": 500}, \"water\": {\"density\": "
     "1000}},"
     " \"bodies\": [" TANK
     ", {\"name\": \"pool\", \"shape\": {\"box\": [0.6, 0.1, 0.5], \"at\": [0, 0.05, 0]},"
     " \"material\": \"water\"},"
     " {\"name\": \"a\", \"shape\": {\"box\": [0.12, 0.12, 0.12], \"at\": [-0.15, 0.2, 0]},"
     " \"material\": \"wood\", \"rigid\": true, \"spin\": [1, 2, 3], \"friction\": 0.3},"
     " {\"name\": \"b\", \"shape\": {\"sphere\": 0.06, \"at\": [0.05, 0.17, 0]},"
     " \"material\": \"wood\", \"rigid\": true, \"velocity\": [-1, 0, 0]},"
     " {\"name\": \"c\", \"shape\": {\"sphere\": 0.06, \"at\": [0.05, 0.3, 0]},"
     " \"material\": \"wood\", \"rigid\": true}],"
     " \"joints\": [{\"name\": \"hinge\", \"kind\": \"hinge\", \"body\": \"a\", \"to\": \"b\","
     " \"at\": [-0.05, 0.2, 0], \"axis\": [0, 0, 1]}],"
     " \"gauges\": [{\"name\": \"load\", \"measures\": \"force\", \"body\": \"tank\"}]}",
     0.05, 0.05},
    {"cloth",
     OPENING
     "\"spacing\": 0.05, \"materials\": {\"cotton\": {\"density\": 100, \"friction\": 0.4,"
     " \"cloth\": {\"mass\": 0.2, \"self_collision\": true, \"integration\": \"bdf2\"}}, \"wood\": "
     "{\"density\": 500}},"
     " \"bodies\": [" GROUND
     ", {\"name\": \"globe\", \"shape\": {\"sphere\": 0.1, \"at\": [0, 0.11, 0]},"
     " \"material\": \"wood\", \"rigid\": true},"
     " {\"name\": \"sheet\", \"material\": \"cotton\", \"shape\": {\"sheet\": {\"width\": 0.4,"
     " \"length\": 0.4, \"columns\": 8, \"rows\": 8}, \"at\": [0, 0.22, 0]},"
     " \"velocity\": [0, -1, 0]}],"
     " \"handles\": [{\"name\": \"hand\", \"body\": \"sheet\", \"end\": 0.03,"
     " \"shape\": {\"box\": [0.1, 0.1, 1], \"at\": [-0.2, 0.22, 0]},"
     " \"keyframes\": [{\"at\": 0}, {\"at\": 0.2, \"move\": [0, 0.1, 0]}]}]}",
     0.06, 0.04},
    {"sewn",
     OPENING
     "\"spacing\": 0.05, \"materials\": {\"cotton\": {\"density\": 100, \"cloth\":"
     " {\"mass\": 0.2, \"self_collision\": true}}},"
     " \"bodies\": [{\"name\": \"front\", \"material\": \"cotton\", \"shape\": {\"sheet\":"
     " {\"width\": 0.4, \"length\": 0.4, \"columns\": 6, \"rows\": 6}}},"
     " {\"name\": \"back\", \"material\": \"cotton\", \"shape\": {\"sheet\":"
     " {\"width\": 0.4, \"length\": 0.4, \"columns\": 8, \"rows\": 8}, \"at\": [0, 0.05, 0]}}],"
     " \"seams\": [{\"name\": \"hem\", \"from\": \"front\", \"to\": \"back\","
     " \"time\": 0.06, \"strength\": 0.5}]}",
     0.04, 0.06},
    {"torn",
     OPENING
     "\"spacing\": 0.05, \"gravity\": [0, 0, 0], \"materials\": {\"cotton\": {\"density\": 100,"
     " \"cloth\": {\"mass\": 0.2, \"tear\": 2}}}, \"bodies\": [{\"name\": \"sheet\","
     " \"material\": \"cotton\", \"spin\": [0, 30, 0], \"shape\": {\"sheet\":"
     " {\"width\": 0.4, \"length\": 0.4, \"columns\": 6, \"rows\": 6}}},"
     " {\"name\": \"other\", \"material\": \"cotton\", \"shape\": {\"sheet\":"
     " {\"width\": 0.4, \"length\": 0.4, \"columns\": 4, \"rows\": 4}, \"at\": [0, 2, 0]}}]}",
     0.05, 0.05},
    {"wet",
     OPENING
     "\"spacing\": 0.04, \"materials\": {\"water\": {\"density\": 1000}, \"cotton\":"
     " {\"density\": 100, \"cloth\": {\"mass\": 2, \"pores\": 0.7, \"absorption\": 1e-4,"
     " \"diffusion\": 1e-3, \"drying\": 0.1}}},"
     " \"bodies\": [" GROUND
     ", {\"name\": \"drop\", \"shape\": {\"box\": [0.16, 0.12, 0.16], \"at\": [0, 0.3, 0]},"
     " \"material\": \"water\", \"velocity\": [0, -1, 0]},"
     " {\"name\": \"sheet\", \"material\": \"cotton\", \"shape\": {\"sheet\": {\"width\": 0.4,"
     " \"length\": 0.4, \"columns\": 8, \"rows\": 8}, \"at\": [0, 0.2, 0]}}],"
     " \"handles\": [{\"name\": \"hand\", \"body\": \"sheet\","
     " \"shape\": {\"box\": [0.1, 0.1, 1], \"at\": [-0.2, 0.2, 0]}}]}",
     0.08, 0.06},
    {"fracture",
     "{\"phyxel\": 1, \"time\": {\"frames\": 10, \"fps\": 50}, \"spacing\": 0.02,"
     " \"gravity\": [0, 0, 0], \"materials\": {\"stone\":"
     " {\"density\": 1000, \"young\": 1e6, \"poisson\": 0, \"damping\": 30,"
     " \"fracture\": {\"strength\": 2e4}}}, \"bodies\": [{\"name\": \"bar\", \"skin\": false,"
     " \"material\": \"stone\", \"shape\": {\"box\": [0.24, 0.06, 0.06]}}],"
     " \"handles\": [{\"name\": \"left\", \"shape\": {\"box\": [0.05, 0.2, 0.2],"
     " \"at\": [-0.12, 0, 0]}, \"keyframes\": [{\"at\": 0}, {\"at\": 1, \"move\": [-0.03, 0, 0]}]},"
     " {\"name\": \"right\", \"shape\": {\"box\": [0.05, 0.2, 0.2], \"at\": [0.12, 0, 0]},"
     " \"keyframes\": [{\"at\": 0}, {\"at\": 1, \"move\": [0.03, 0, 0]}]}],"
     " \"gauges\": [{\"name\": \"pull\", \"measures\": \"force\", \"handle\": \"left\","
     " \"every\": 0.003, \"over\": 0.001}]}",
     0.07, 0.03},
};

static inline PxWorld *state_world(const Case *c, int threads)
{
    PxWorld *world;
    PxScene *scene = scene_of(c->scene);
    CHECK_COUNT(scene, 0);
    CHECK_OK(px_scene_world(scene, threads, &world));
    px_scene_free(scene);
    return world;
}

#endif
