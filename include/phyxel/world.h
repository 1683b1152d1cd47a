/// The world: materials, bodies, and the step that moves them.
///
/// All quantities are in SI units. No function prints or exits. A wrong argument (NULL where a
/// pointer is not said to be optional, a number that is not finite, an id of something else) gives
/// PX_ERR_ARGUMENT; functions that return a value return 0, NULL or NAN. A world may be used by one
/// thread at a time; its step uses several threads inside.
#ifndef PHYXEL_WORLD_H
#define PHYXEL_WORLD_H

#include "phyxel/column.h"
#include "phyxel/def.h"
#include "phyxel/memory.h"
#include "phyxel/model.h"
#include "phyxel/shape.h"
#include "phyxel/status.h"
#include "phyxel/vector.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct PxWorld PxWorld;

/// Structures that a call fills may grow too: such calls are inline functions that pass the size of
/// the structure in the header that the program was compiled with to NAME_sized().

/// Ids are values; {0, 0} means none. The slot of something that was removed is used again with a
/// higher generation, so an old id is refused as stale, also after px_world_restore().
typedef struct PxMaterialId {
    uint32_t slot, generation;
} PxMaterialId;

typedef struct PxBodyId {
    uint32_t slot, generation;
} PxBodyId;

typedef struct PxEmitterId {
    uint32_t slot, generation;
} PxEmitterId;

typedef struct PxSinkId {
    uint32_t slot, generation;
} PxSinkId;

typedef struct PxHandleId {
    uint32_t slot, generation;
} PxHandleId;

typedef struct PxJointId {
    uint32_t slot, generation;
} PxJointId;

typedef struct PxSeamId {
    uint32_t slot, generation;
} PxSeamId;

typedef struct PxForceId {
    uint32_t slot, generation;
} PxForceId;

typedef struct PxForceFieldId {
    uint32_t slot, generation;
} PxForceFieldId;

typedef struct PxHeaterId {
    uint32_t slot, generation;
} PxHeaterId;

typedef struct PxGaugeId {
    uint32_t slot, generation;
} PxGaugeId;

/// A pressure model with its default numbers; an unknown word gives an empty
/// choice, which px_world_add_material() refuses.
PX_API PxModelChoice px_pressure_choice(const char *model);
/// The same for viscosity models.
PX_API PxModelChoice px_viscosity_choice(const char *model);

/// The same for surface-tension models: "none", "csf", "becker", "becker-cut", "akinci", "he".
PX_API PxModelChoice px_tension_choice(const char *model);

/// The same for time integration of solids: "leapfrog", "implicit".
PX_API PxModelChoice px_integration_choice(const char *model);
/// The same for contact laws of rigid bodies: "impulses", "dem".
PX_API PxModelChoice px_rigid_contact_choice(const char *model);

/// The same for the coat that represents a material's surface while it flows: "none", "surfels".
PX_API PxModelChoice px_coat_choice(const char *model);

/// How particles find the surface of a wall that is neither a box nor a plane.
typedef enum PxWallSearch {
    PX_SEARCH_TABLE,    ///< part of the kernel that the wall fills, tabulated; exact at edges
    PX_SEARCH_DISTANCE, ///< signed distance field; the wall is flat at the scale of a particle
    PX_SEARCH_GRID,     ///< the triangles near a particle, from a hash grid of cells
    PX_SEARCH_TREE      ///< the same from a bounding volume hierarchy
} PxWallSearch;

/// How a tree of triangles is split: along its longest side, or such that the sum, or the larger,
/// of the children's volumes is least.
typedef enum PxWallTree { PX_WALL_TREE_LONGEST, PX_WALL_TREE_SUM, PX_WALL_TREE_LARGER } PxWallTree;

/// What a wall does to a fluid: it fills a part of the kernel, or it stops spheres.
typedef enum PxWallResponse { PX_WALLS_FILL, PX_WALLS_SPHERES } PxWallResponse;

/// Walls as fluids meet them.
typedef struct PxWallsDef {
    bool stated;        ///< some of these values were stated, not left at their defaults
    int search;         ///< PxWallSearch
    int build;          ///< PxWallTree, of PX_SEARCH_TREE
    int response;       ///< PxWallResponse
    double radius;      ///< of spheres, in spacings, 0.1 .. 1
    double restitution; ///< of spheres, 0 .. 1
    double friction;    ///< Coulomb's, of spheres, 0 .. 10
    double reserved[4]; ///< must be 0
} PxWallsDef;

/// Parameters of an empty world. Start from px_world_def_default().
typedef struct PxWorldDef {
    PxDefHead head;
    double spacing;  ///< distance of neighbouring particles, m, > 0
    double support;  ///< radius of the kernel's support, in spacings, 1.5 .. 4
    PxVec3 gravity;  ///< m/s^2
    double max_step; ///< longest time step, s, > 0
    double min_step; ///< a step that must be shorter than this fails, s, > 0
    double courant;  ///< Courant factor: part of the stability limit that a step uses, 0 .. 1
    int threads;     ///< 0: one for every core
    const PxAllocator *allocator; ///< NULL: the system's
    double solid_support; ///< solids: radius within which strains are fitted, in spacings, 1.8 .. 4
    PxWallsDef walls;
} PxWorldDef;

PX_API void px_world_def_init(PxWorldDef *def, size_t size);
PX_DEF_DEFAULT(PxWorldDef, px_world_def)

/// Parameters of a material's molten state. NAN: the same as in its cold state.
typedef struct PxMeltInto {
    double young, poisson;
    double viscosity, cohesion;
    double tension; ///< strength: the first parameter of the tension model
    double damping, yield, creep, plastic_limit, absorb;
    double friction, restitution;
    double reserved[4]; ///< must be 0
} PxMeltInto;

/// Melting: between two temperatures a material's parameters change linearly from those of its
/// cold state to those of its molten state (000 Eq. 6.16).
typedef struct PxMeltDef {
    bool melts;      ///< false: the parameters do not depend on temperature
    double from, to; ///< melting range, degrees Celsius, from < to
    PxMeltInto into;
} PxMeltDef;

/// Returns a def that does not melt. If `melts` is set, the molten state has no elasticity and is
/// otherwise the same as the solid one.
PX_API PxMeltDef px_melt_def_default(void);

/// Strain measure of cloth: U - I with F = R U, or (F^T F - I) / 2.
typedef enum PxClothMembrane { PX_CLOTH_COROTATIONAL, PX_CLOTH_GREEN } PxClothMembrane;
/// Bending of cloth: by the angle between triangles, linear in the positions, or by the curvature
/// of triangles, the default, which does not depend on the mesh.
typedef enum PxClothBending { PX_CLOTH_DIHEDRAL, PX_CLOTH_LINEAR, PX_CLOTH_PLATE } PxClothBending;
/// Integration of cloth: implicit Euler, or the second backward difference formula, which damps
/// less.
typedef enum PxClothIntegration { PX_CLOTH_EULER, PX_CLOTH_BDF2 } PxClothIntegration;
/// Rest shape of cloth: the mesh as placed, or its texture coordinates in metres.
typedef enum PxClothRest { PX_CLOTH_REST_SHAPE, PX_CLOTH_REST_UV } PxClothRest;

/// Cloth: a material of sheets, which are triangle meshes without particles.
typedef struct PxClothDef {
    bool cloth;           ///< false: the material is no cloth
    double mass;          ///< per area, kg/m^2; 0: density times thickness
    double thickness;     ///< m, > 0
    double weft, warp;    ///< Young's moduli along both threads, N/m, > 0
    double shear;         ///< shear modulus, N/m, >= 0
    double poisson;       ///< narrowing along the warp when stretched along the weft
    double bend;          ///< flexural rigidity, N m, >= 0
    double bend_warp;     ///< the same along the warp; 0: as `bend`
    double crease;        ///< curvature beyond which it keeps its bend, 1/m, >= 0; 0: it never does
    double damping;       ///< Rayleigh damping of mass, 1/s, >= 0
    double stiff_damping; ///< Rayleigh damping of stiffness, s, >= 0
    double limit;         ///< strain along a thread beyond which it is 21 times as stiff, > 0
    double step;          ///< longest time step, s, > 0
    PxClothMembrane membrane;
    PxClothBending bending_model;
    PxClothIntegration integration;
    PxClothRest rest;
    bool self_collision;   ///< it does not pass through itself and other cloth
    double air;            ///< density of the air that drags it, kg/m^3, >= 0; 0: none
    PxVec3 wind;           ///< velocity of that air, m/s
    double fluid_grip;     ///< of viscous fluid on it: 0 slips .. 1 sticks
    double fluid_friction; ///< of fluid on it, by what presses it on: 0 .. 1
    double fluid_drag;     ///< of fluid on it, by its velocity, kg/s, >= 0
    double pressure;       ///< excess of the gas inside closed cloth at its start, Pa, >= 0
    double pores;          ///< part of its volume that takes up liquid, 0 .. 0.99; 0: none does
    double absorption;     ///< square of the depth that liquid enters in a second, m^2/s, >= 0
    double diffusion;      ///< of liquid along it, m^2/s, >= 0
    double rise;           ///< height to which it draws liquid up, m, > 0
    double drying;         ///< liquid that it loses, kg/(m^2 s), >= 0
    double wet_stretch;    ///< factor of the moduli at saturation, > 0
    double wet_bend;       ///< factor of the flexural rigidity at saturation, > 0
    double permeability;   ///< of saturated cloth to liquid through it, m^2, >= 0
    double wet;            ///< its saturation at the start, 0 .. 1
    double tear;           ///< tension at which it tears, per width at rest, N/m; 0: never
    double tear_warp;      ///< the same along the warp; 0: as `tear`
    double squeeze;        ///< pressure between layers that closes half of the pores, Pa; 0: none
    bool fluid_test;       ///< the ways of fluid are tested against it; false: pressure alone stops
} PxClothDef;

/// Returns a def of cotton with `cloth` false.
PX_API PxClothDef px_cloth_def_default(void);

/// How a crack between two particles weakens their bond: gradually behind the front, or at once.
typedef enum PxFractureModel { PX_FRACTURE_TRANSPARENCY, PX_FRACTURE_VISIBILITY } PxFractureModel;

/// Fracture: a solid cracks where it is pulled apart too strongly.
typedef struct PxFractureDef {
    bool fractures;        ///< false: it never breaks
    double strength;       ///< tensile strength, Pa, > 0
    double scatter;        ///< of the strength, as a part of it, 0 .. 0.9
    double speed;          ///< of a crack at a stress equal to the strength, m/s; 0: 0.2 of the
                           ///< speed of sound
    double arrest;         ///< part of the strength below which a crack stands still, 0 .. 1
    double history;        ///< 0: cracks follow the stress, 1: they go straight on
    double shield;         ///< distance from a crack in which no other begins, m; 0: two supports
    double opacity;        ///< of cracks near their front, > 0
    PxFractureModel model; ///<
    double rough;          ///< roughness of the faces of cracks in skins, in spacings, 0 .. 1
    PxVec3 score;          ///< distances of scored planes along x, y, z, m; 0: none
    double score_depth;    ///< part of the strength that a score takes away, 0 .. 0.99
    double score_width;    ///< of a score, m; 0: two spacings
    PxVec3 inside;         ///< colour of the faces of cracks in skins, sRGB; 0: that of the body
    double smallest;       ///< edge of a cube; smaller pieces do not come off, m; 0: shield / 4
    double rigid_below;    ///< edge of a cube; smaller pieces move as rigid bodies, m; 0: none does
    bool closed_skins;     ///< skins are not cut along cracks that do not divide them
    double toughness;      ///< energy that a crack takes from the solid, J/m^2 of its area; 0: none
    double resample;       ///< edge of the smallest cells into which those of an octree, or of a
                           ///< lattice, are split near cracks, m; 0: the spacing
} PxFractureDef;

/// Returns a def with `fractures` false.
PX_API PxFractureDef px_fracture_def_default(void);

/// One material. Start from px_material_def_default().
typedef struct PxMaterialDef {
    PxDefHead head;
    const char *name; ///< copied
    double density;   ///< at rest, kg/m^3, > 0
    double viscosity; ///< dynamic, Pa s, >= 0
    PxModelChoice viscosity_model;
    double cohesion; ///< attraction between particles of this fluid, separates fluids, Pa, >= 0
    PxModelChoice pressure; ///< pressure solver of a fluid
    PxModelChoice tension;  ///< surface-tension model of a fluid

    double young;        ///< Young's modulus, Pa, >= 0; 0: not a solid
    double poisson;      ///< Poisson's ratio, 0 .. 0.49
    PxVec3 young_axes;   ///< orthotropic: moduli along the shape's axes, Pa; {0, 0, 0}: isotropic
    PxVec3 poisson_axes; ///< orthotropic: Poisson's ratios nu_xy, nu_yz, nu_zx
    PxVec3 shear_axes;   ///< orthotropic: shear moduli G_xy, G_yz, G_zx, Pa
    double volume;       ///< extra volumetric stiffness of a solid, Pa, >= 0
    double damping;      ///< rate at which vibrations of a solid decay, 1/s, >= 0
    double yield;        ///< elastic strain beyond which it becomes plastic, >= 0
    double creep;        ///< rate at which elastic strain beyond `yield` becomes plastic, 1/s, >= 0
    double plastic_limit;      ///< largest plastic strain, > 0
    double absorb;             ///< steps between rest-shape updates; 0: never
    double friction;           ///< Coulomb friction of a solid on walls and other solids, 0 .. 1
    double restitution;        ///< coefficient of restitution of a solid on a wall, 0 .. 1
    PxModelChoice integration; ///< time integration of a solid
    PxModelChoice coat;        ///< representation of its surface while it flows

    double diffusivity;   ///< thermal diffusivity, m^2/s, >= 0; 0: no conduction
    double heat_capacity; ///< specific heat capacity, J/(kg K), > 0
    double latent_heat;   ///< latent heat of melting, J/kg, >= 0
    PxMeltDef melts;
    PxModelChoice rigid_contact; ///< contact law of rigid bodies

    bool merge;        ///< elastic pieces that touch become one where they are partly molten
    double merge_from; ///< both pieces must be at least this hot, degrees Celsius
    bool self_contact; ///< parts of a solid that are over three spacings apart at rest collide
    PxClothDef cloth;
    PxFractureDef fracture;
} PxMaterialDef;

PX_API void px_material_def_init(PxMaterialDef *def, size_t size);
PX_DEF_DEFAULT(PxMaterialDef, px_material_def)

/// Pose of a wall or handle: a point x of its rest frame, in which its shape was defined, is at
/// turn (x - pivot) + pivot + move. The pivot is `shape.at`.
typedef struct PxPose {
    PxVec3 move; ///< m
    PxQuat turn;
} PxPose;

/// A keyframe of a moving wall or handle. Between keyframes the displacement is interpolated
/// linearly and the rotation along the shorter arc.
typedef struct PxKeyframe {
    double time;     ///< s
    PxVec3 at;       ///< displacement from where the body was defined, m
    PxQuat rotation; ///< about the body's own `shape.at`
} PxKeyframe;

/// A keyframe of a temperature, which is linear in time between keyframes.
typedef struct PxTemperatureKey {
    double time; ///< s
    double to;   ///< degrees Celsius
} PxTemperatureKey;

/// Arrangement of a body's particles. An octree has small cells at the surface and larger ones
/// inside. A fitted lattice is cubic inside; its outer particles are moved so that all represent
/// equal parts of the shape. Both are for solids only.
typedef enum PxLatticeKind {
    PX_FILL_CUBIC,
    PX_FILL_HEXAGONAL,
    PX_FILL_OCTREE,
    PX_FILL_FITTED
} PxLatticeKind;

/// A body: a shape filled with a material, or a wall.
/// Start from px_body_def_default().
typedef struct PxBodyDef {
    PxDefHead head;
    const char *name;      ///< copied
    PxShapeDef shape;      ///< `mesh` is copied
    PxMaterialId material; ///< none for walls
    PxVec3 velocity;       ///< at the start, m/s
    PxVec3 spin;           ///< angular velocity at the start, about the middle of the shape, rad/s
    double temperature;    ///< degrees Celsius
    PxLatticeKind fill;
    double levels;       ///< octree: number of times that the cell size may double, 1 .. 6
    bool wall;           ///< an impermeable boundary that is fixed or follows keyframes
    bool inside;         ///< walls: keep matter inside the shape instead of out of it
    double friction;     ///< walls: 0 free slip, 1 no slip
    double cling;        ///< walls, rigid bodies, solids with a skin: how closely coats of molten
                         ///< matter follow their surface, 0 .. 1
    bool warm;           ///< walls: kept at `temperature`; else adiabatic
    double conductance;  ///< warm walls: contact conductance, W/(m^2 K); 1e12: perfect
    size_t temperatures; ///< warm walls: number of keys; 0: constant temperature
    const PxTemperatureKey *temperature_key; ///< in order of time; copied
    size_t keyframes;                        ///< walls, rigid: number of keyframes; 0: none
    const PxKeyframe *keyframe;              ///< in order of time; copied
    double surfels;      ///< solids: approximate number of surfels on its surface; 0: none
    bool skin;           ///< solids: the triangles of its shape follow the deformation
    const char *texture; ///< solids: PNG file with the colours of surfels and triangles; NULL: none
    double contact_angle; ///< walls: of fluids with tension "csf", degrees, 0 .. 180
    double adhesion;      ///< walls: drag on the wetted layer of such fluids, 0 .. 1
    bool rigid;           ///< has no particles; moves by gravity, fluids and contacts as one piece
    double restitution;   ///< rigid: coefficient of restitution of its contacts, 0 .. 1
    double release; ///< rigid: when its keyframes, or its place, let it go, s; negative: never with
                    ///< keyframes, else at once
    double hold;    ///< rigid: when they hold it again, s; before `release`: not
    double hand_over;       ///< rigid: time in which it then returns to its keyframes, s
    bool prints;            ///< hands its colours to coats of molten matter that cling to it
    double ballast;         ///< rigid: a point mass in addition to that of its shape, kg, >= 0
    PxVec3 ballast_at;      ///< rigid: where it is, in the shape before scale, turn and at, m
    bool carve;             ///< scenes: liquids in which it stands at the start make room for it
    size_t positions;       ///< matter: number of given particles; 0: the shape is filled
    const PxVec3 *position; ///< their places, m, each of the volume spacing^3; copied
    bool cloth;             ///< its material is cloth; set by px_world_add_body()
    bool blade;             ///< walls, rigid: cuts the solids with fracture that it passes
    const char *cracks;     ///< solids: PNG file with painted cracks, dark on light; NULL: none
    bool cracks_by_colour;  ///< solids: dark colours of the mesh's vertices are painted cracks
    const char *strength;   ///< solids: NRRD file with factors of the strength; NULL: none
} PxBodyDef;

PX_API void px_body_def_init(PxBodyDef *def, size_t size);
PX_DEF_DEFAULT(PxBodyDef, px_body_def)

/// An emitter: a straight pipe, box or cylinder. Particles are created at its back in layers at
/// rest density, move through it at `speed` while there is room in front, and are free once they
/// have passed its front. A pipe shorter than the support is treated as that long. Start from
/// px_emitter_def_default().
typedef struct PxEmitterDef {
    PxDefHead head;
    const char *name;      ///< copied; also the name of the body that the emitted particles form
    PxShapeDef shape;      ///< box or cylinder
    PxMaterialId material; ///< of the emitted particles
    PxVec3 direction;      ///< normal to a side of the box or an end of the cylinder, of any
                           ///< length; {0, 0, 0}: along the shape's own y
    double speed;          ///< m/s, >= 0; 0 when `rate` is given
    double rate;           ///< m^3/s, >= 0; 0 when `speed` is given
    double start, end;     ///< s: it is active between them
    double limit;          ///< largest number of particles that it emits
    double temperature;    ///< degrees Celsius
    double pressure;       ///< Pa, >= 0: of a reservoir that feeds it, instead of speed and rate
} PxEmitterDef;

PX_API void px_emitter_def_init(PxEmitterDef *def, size_t size);
PX_DEF_DEFAULT(PxEmitterDef, px_emitter_def)

/// A sink removes every particle whose centre enters its region.
/// Start from px_sink_def_default().
typedef struct PxSinkDef {
    PxDefHead head;
    const char *name;  ///< copied
    PxShapeDef shape;  ///< any closed one; `mesh` is copied
    double start, end; ///< s: it is active between them
    double shut;       ///< 1: it removes nothing, 0: it is open
} PxSinkDef;

PX_API void px_sink_def_init(PxSinkDef *def, size_t size);
PX_DEF_DEFAULT(PxSinkDef, px_sink_def)

/// A handle holds a part of a solid: at `start` it takes every particle of a solid that is in its
/// region and that no other handle holds. Until `end` these particles move rigidly with the
/// keyframes; without keyframes they stay where they are. Start from px_handle_def_default().
typedef struct PxHandleDef {
    PxDefHead head;
    const char *name;           ///< copied
    PxBodyId body;              ///< whose particles; none: those of any solid
    PxShapeDef shape;           ///< the region; any closed one; `mesh` is copied
    double start, end;          ///< s: it holds between them
    size_t keyframes;           ///< number of keyframes; 0: fixed
    const PxKeyframe *keyframe; ///< in order of time; the region follows them too; copied
    PxBodyId with; ///< of cloth, instead of keyframes: a wall or rigid body, with whose surface the
                   ///< vertices that it holds move; none: they follow the keyframes
} PxHandleDef;

PX_API void px_handle_def_init(PxHandleDef *def, size_t size);
PX_DEF_DEFAULT(PxHandleDef, px_handle_def)

/// What a joint leaves free.
typedef enum PxJointKind {
    PX_JOINT_BALL,   ///< all turns about a point
    PX_JOINT_HINGE,  ///< the turn about an axis
    PX_JOINT_SLIDER, ///< the motion along an axis
    PX_JOINT_WELD,   ///< nothing
    PX_JOINT_SPRING, ///< everything; a spring pulls two points together
} PxJointKind;

/// A joint of a rigid body with another, or with the world. The two do not touch each other.
/// Start from px_joint_def_default().
typedef struct PxJointDef {
    PxDefHead head;
    const char *name; ///< copied
    PxBodyId body;    ///< rigid
    PxBodyId to;      ///< rigid or a wall; none: the world
    PxJointKind kind;
    PxVec3 at;        ///< place of the joint now, m; of a spring, its end at `body`
    PxVec3 anchor;    ///< of a spring, its other end, m
    PxVec3 axis;      ///< of hinges and sliders, of any length but 0
    double low, high; ///< limits of hinges, degrees, and sliders, m; low > high: none
    double speed;     ///< of its motor: of `body` against `to`, rad/s or m/s
    double strength;  ///< largest torque, N m, or force, N, of its motor; 0: none
    double stiffness; ///< of a spring, N/m
    double damping;   ///< of a spring, N s/m
    double length;    ///< of a spring at rest, m; negative: as it is now
    double breaks;    ///< force at which it breaks, N; 0: never
} PxJointDef;

PX_API void px_joint_def_init(PxJointDef *def, size_t size);
PX_DEF_DEFAULT(PxJointDef, px_joint_def)

/// A seam sews borders of cloth together: stretches of the borders of two bodies, or two of one
/// body, matched by their arc lengths. Start from px_seam_def_default().
typedef struct PxSeamDef {
    PxDefHead head;
    const char *name; ///< copied
    PxBodyId from;    ///< cloth
    PxBodyId to;      ///< cloth; none: `from` itself
    bool part;        ///< only borders in `shape` are sewn; false: all
    PxShapeDef shape; ///< any closed one; `mesh` is copied
    double within;    ///< only borders that near to the other body's are sewn, m; 0: all
    double start;     ///< when sewing begins, s
    double time;      ///< in which the borders are drawn together, s
    double strength;  ///< tension at which it rips when it is closed, N/m; 0: never
} PxSeamDef;

PX_API void px_seam_def_init(PxSeamDef *def, size_t size);
PX_DEF_DEFAULT(PxSeamDef, px_seam_def)

/// A force on the particles of solids in a fixed region, distributed in proportion to mass.
/// Start from px_force_def_default().
typedef struct PxForceDef {
    PxDefHead head;
    const char *name;  ///< copied
    PxBodyId body;     ///< whose particles; none: those of any solid
    PxShapeDef shape;  ///< the region; any closed one; `mesh` is copied
    PxVec3 force;      ///< N, total
    double start, end; ///< s: it acts between them
} PxForceDef;

PX_API void px_force_def_init(PxForceDef *def, size_t size);
PX_DEF_DEFAULT(PxForceDef, px_force_def)

/// What a force field does.
typedef enum PxForceFieldKind {
    PX_FIELD_OF_WIND,      ///< draws matter along with a velocity
    PX_FIELD_OF_DRAG,      ///< slows matter
    PX_FIELD_OF_VORTEX,    ///< draws matter around an axis
    PX_FIELD_OF_ATTRACTOR, ///< pulls towards a point
    PX_FIELD_OF_NOISE      ///< accelerates in random directions, without divergence
} PxForceFieldKind;

/// A force field on all matter in a fixed region: fluids, solids, cloth and rigid bodies. Start
/// from px_force_field_def_default(), whose region is everywhere.
typedef struct PxForceFieldDef {
    PxDefHead head;
    const char *name; ///< copied
    int kind;         ///< PxForceFieldKind
    PxBodyId body;    ///< the only one that it acts on; none: all
    PxShapeDef shape; ///< the region; any closed one; `mesh` is copied
    double fade;      ///< distance inside the border in which it grows from 0 to its strength, m
    PxVec3 velocity;  ///< of the wind, m/s
    double rate;      ///< of the approach to the velocity of wind, vortex, or rest, 1/s
    PxVec3 at;        ///< centre of an attractor, point of a vortex' axis, m
    PxVec3 axis;      ///< of a vortex
    double spin;      ///< of a vortex, rad/s, counterclockwise about its axis
    double strength;  ///< acceleration by an attractor (negative: away from it) or noise, m/s^2
    double size;   ///< of the core of a vortex or attractor, of the eddies of noise, m; 0: no core
    double period; ///< in which noise changes, s; 0: it does not
    double seed;   ///< of noise
    double start, end; ///< s: it acts between them
} PxForceFieldDef;

PX_API void px_force_field_def_init(PxForceFieldDef *def, size_t size);
PX_DEF_DEFAULT(PxForceFieldDef, px_force_field_def)

/// A heater warms or cools the particles in a fixed region: it sets their temperature, makes it
/// relax towards a value, or gives them power. Start from px_heater_def_default().
typedef struct PxHeaterDef {
    PxDefHead head;
    const char *name;    ///< copied
    PxBodyId body;       ///< whose particles; none: any
    PxShapeDef shape;    ///< the region; any closed one; `mesh` is copied
    bool holds;          ///< sets or approaches `temperature`; else it gives `power`
    double temperature;  ///< degrees Celsius
    double within;       ///< s, time constant of the relaxation; 0: set at once
    double power;        ///< W, distributed in proportion to mass; negative cools
    double start, end;   ///< s: it acts between them
    size_t temperatures; ///< number of keys; 0: constant temperature
    const PxTemperatureKey *temperature_key; ///< in order of time; copied
} PxHeaterDef;

PX_API void px_heater_def_init(PxHeaterDef *def, size_t size);
PX_DEF_DEFAULT(PxHeaterDef, px_heater_def)

/// What a gauge measures. Its values, in this order, with their units:
typedef enum PxGaugeQuantity {
    PX_GAUGE_PRESSURE,    ///< of fluids, Pa
    PX_GAUGE_VELOCITY,    ///< x, y, z, m/s
    PX_GAUGE_TEMPERATURE, ///< degrees Celsius
    PX_GAUGE_LEVEL,       ///< height of the free surface above the point, against gravity, m
    PX_GAUGE_FLUX,        ///< through a plane along its normal: volume, m^3/s; mass, kg/s
    PX_GAUGE_FORCE,       ///< and torque on a wall, a handle or a body: x, y, z, N; x, y, z, N m
    PX_GAUGE_HEAT,        ///< that a wall or heater gives to matter, W
    PX_GAUGE_ENERGY,      ///< of a body: kinetic, potential, elastic, J
    PX_GAUGE_MOMENTUM     ///< of a body: x, y, z, kg m/s; angular about the origin, kg m^2/s
} PxGaugeQuantity;

/// Where a gauge measures.
typedef enum PxGaugePlace {
    PX_GAUGE_WHOLE, ///< a body, handle or heater as a whole: means over its mass, or sums
    PX_GAUGE_POINT, ///< `at`
    PX_GAUGE_LINE,  ///< `samples` points from `at` to `to`, each with its values
    PX_GAUGE_PLANE  ///< rectangle around `at`: means over the part of it that is in matter
} PxGaugePlace;

/// A gauge: measures without influence on the simulation. Each of its values is a mean over time,
/// weighted by the length of steps. A value is NAN while there is no matter: a point outside the
/// fluid has no pressure. Start from px_gauge_def_default().
typedef struct PxGaugeDef {
    PxDefHead head;
    const char *name; ///< copied
    PxGaugeQuantity measures;
    PxGaugePlace place;
    PxVec3 at;            ///< point, start of a line, middle of a plane, m
    PxVec3 to;            ///< end of a line, m
    double samples;       ///< number of points along a line, or along each side of a plane
    PxVec3 normal;        ///< of a plane, of any length
    double width, height; ///< of a plane, m; the height is along that direction in the plane that
                          ///< is nearest to up (of a horizontal plane: to z)
    PxBodyId body;        ///< whose matter counts; none: any
    PxHandleId handle;    ///< PX_GAUGE_FORCE
    PxHeaterId heater;    ///< PX_GAUGE_HEAT
    double over;          ///< s, duration of a mean, > 0, at most `every`
    double every;         ///< s, time from sample to sample
} PxGaugeDef;

PX_API void px_gauge_def_init(PxGaugeDef *def, size_t size);
PX_DEF_DEFAULT(PxGaugeDef, px_gauge_def)

/// At `time`, the value at `path` becomes `value` (1 or 3 numbers). Start from
/// px_event_def_default().
typedef struct PxEventDef {
    PxDefHead head;
    double time;      ///< s
    const char *path; ///< as for px_world_set(); copied
    double value[3];
    int values; ///< 1 or 3
} PxEventDef;

PX_API void px_event_def_init(PxEventDef *def, size_t size);
PX_DEF_DEFAULT(PxEventDef, px_event_def)

/// Makes an empty world. Errors: PX_ERR_ARGUMENT, PX_ERR_MEMORY.
PX_API PxStatus px_world_create(const PxWorldDef *def, PxWorld **out);
PX_API void px_world_free(PxWorld *world);

/// Adds a material, a body, an emitter, a sink, a handle, a force, a heater, a gauge, an event. On
/// failure
/// the world is unchanged and *out is the null id. A body's particles exist at once; the
/// first step moves particles apart that are compressed at a wall, and may remove some.
/// A body is refused if more than 2 per cent of it, or of another body that is smaller, lie inside
/// the other, and if more than 2 per cent lie in a wall; all where they are now.
PX_API PxStatus px_world_add_material(PxWorld *world, const PxMaterialDef *def, PxMaterialId *out);
PX_API PxStatus px_world_add_body(PxWorld *world, const PxBodyDef *def, PxBodyId *out);
PX_API PxStatus px_world_add_emitter(PxWorld *world, const PxEmitterDef *def, PxEmitterId *out);
PX_API PxStatus px_world_add_sink(PxWorld *world, const PxSinkDef *def, PxSinkId *out);
PX_API PxStatus px_world_add_handle(PxWorld *world, const PxHandleDef *def, PxHandleId *out);
PX_API PxStatus px_world_add_force(PxWorld *world, const PxForceDef *def, PxForceId *out);
PX_API PxStatus px_world_add_force_field(PxWorld *world, const PxForceFieldDef *def,
                                         PxForceFieldId *out);
PX_API PxStatus px_world_add_joint(PxWorld *world, const PxJointDef *def, PxJointId *out);
PX_API PxStatus px_world_add_seam(PxWorld *world, const PxSeamDef *def, PxSeamId *out);
PX_API PxStatus px_world_add_heater(PxWorld *world, const PxHeaterDef *def, PxHeaterId *out);
PX_API PxStatus px_world_add_gauge(PxWorld *world, const PxGaugeDef *def, PxGaugeId *out);
PX_API PxStatus px_world_add_event(PxWorld *world, const PxEventDef *def);

/// The body or material of that name; *out is the null id if there is none. Errors:
/// PX_ERR_ARGUMENT.
PX_API PxStatus px_world_find_body(const PxWorld *world, const char *name, PxBodyId *out);
PX_API PxStatus px_world_find_material(const PxWorld *world, const char *name, PxMaterialId *out);

/// The body that the particles of an emitter form. Errors: PX_ERR_ARGUMENT.
PX_API PxStatus px_world_emitter_body(const PxWorld *world, PxEmitterId emitter, PxBodyId *out);

/// Mean force, N, and torque, N m, on a wall in the last step, exerted by fluids and solids
/// through pressure, viscosity, contact and friction. The torque is about the `at` of the wall's
/// shape, where its keyframes had it at the start of that step. Zero before the first step. Errors:
/// PX_ERR_ARGUMENT if the body is not a wall.
PX_API PxStatus px_world_boundary_force(const PxWorld *world, PxBodyId body, PxVec3 *force,
                                        PxVec3 *torque);

/// Removes something from the world. Errors: PX_ERR_ARGUMENT for a stale id, and as stated
/// below; PX_ERR_MEMORY (bodies). On failure the world is unchanged.
///
/// Removing a body removes its particles, its skin or its wall; the particles count as removed.
/// Handles, forces and heaters restricted to this body stay, without effect. The particles of an
/// emitter are a body that outlives the emitter and can be removed after it. Removing a handle
/// releases its particles. A material that a body or an emitter uses cannot be removed.
PX_API PxStatus px_world_remove_material(PxWorld *world, PxMaterialId id);
PX_API PxStatus px_world_remove_body(PxWorld *world, PxBodyId id);
PX_API PxStatus px_world_remove_emitter(PxWorld *world, PxEmitterId id);
PX_API PxStatus px_world_remove_sink(PxWorld *world, PxSinkId id);
PX_API PxStatus px_world_remove_handle(PxWorld *world, PxHandleId id);
PX_API PxStatus px_world_remove_force(PxWorld *world, PxForceId id);
PX_API PxStatus px_world_remove_force_field(PxWorld *world, PxForceFieldId id);
PX_API PxStatus px_world_remove_joint(PxWorld *world, PxJointId id);
PX_API PxStatus px_world_remove_seam(PxWorld *world, PxSeamId id);
PX_API PxStatus px_world_remove_heater(PxWorld *world, PxHeaterId id);
PX_API PxStatus px_world_remove_gauge(PxWorld *world, PxGaugeId id);

/// Pose of a wall or a handle at the current time of the world. Errors: PX_ERR_ARGUMENT.
PX_API PxStatus px_world_wall_pose(const PxWorld *world, PxBodyId wall, PxPose *out);
PX_API PxStatus px_world_handle_pose(const PxWorld *world, PxHandleId handle, PxPose *out);

/// Moves a wall or a handle from its current pose to `to` at constant velocity within `within`
/// seconds, where it stays. Replaces its keyframes. For dragging, call this every frame.
/// Errors: PX_ERR_ARGUMENT, PX_ERR_MEMORY. On failure the world is unchanged.
PX_API PxStatus px_world_move_wall(PxWorld *world, PxBodyId wall, const PxPose *to, double within);
PX_API PxStatus px_world_move_handle(PxWorld *world, PxHandleId handle, const PxPose *to,
                                     double within);

/// Replaces the keyframes, which are copied. At the current time, the new path must pass through
/// the current pose of the wall or handle. Errors: as above.
PX_API PxStatus px_world_set_wall_path(PxWorld *world, PxBodyId wall, const PxKeyframe *key,
                                       size_t keys);
PX_API PxStatus px_world_set_handle_path(PxWorld *world, PxHandleId handle, const PxKeyframe *key,
                                         size_t keys);

/// State of a rigid body.
typedef struct PxRigidState {
    PxPose pose;             ///< from the orientation and place of its shape; its pivot is `centre`
    PxVec3 place;            ///< of the centre of mass now, m
    PxVec3 velocity;         ///< of the centre of mass, m/s
    PxVec3 spin;             ///< angular velocity, rad/s
    double mass;             ///< kg
    PxVec3 centre;           ///< of mass, where its shape was placed, m
    PxVec3 inertia;          ///< principal moments about the centre, largest first, kg m^2
    PxVec3 angular_momentum; ///< about its centre, kg m^2/s
    bool asleep;             ///< at rest, until something moves it
} PxRigidState;

/// Errors: PX_ERR_ARGUMENT for a body that is not rigid.
PX_API PxStatus px_world_rigid_state_sized(const PxWorld *world, PxBodyId body, PxRigidState *out,
                                           size_t size);
static inline PxStatus px_world_rigid_state(const PxWorld *world, PxBodyId body, PxRigidState *out)
{
    return px_world_rigid_state_sized(world, body, out, sizeof *out);
}

/// Sets a number, or a vector, by the path it has in a scene file: "gravity",
/// "gravity.1", "materials.water.viscosity", "materials.water.pressure.max_error",
/// "materials.wax.melts.into.viscosity", "bodies.paddle.friction", "emitters.tap.speed",
/// "forces.wind.force", "heaters.flame.power". The range is checked as in a scene file.
/// Values that are used only when the world is built (spacing, shapes) are refused.
PX_API PxStatus px_world_set(PxWorld *world, const char *path, const double *value, int values);

/// A number or vector that px_world_set() can change, with its present value. Numbers of models and
/// of molten states are not listed.
typedef struct PxWorldValue {
    char path[160];     ///< "materials.water.viscosity"
    const char *unit;   ///< SI; "" for a pure number
    const char *help;   ///< one line
    double least, most; ///< range; `least` itself may be excluded
    int values;         ///< 1, or 3 for a vector
    double value[3];
} PxWorldValue;

/// Fills `out` with up to `most` of them; returns how many there are. The texts are static.
PX_API size_t px_world_values_sized(const PxWorld *world, PxWorldValue *out, size_t size,
                                    size_t most);
static inline size_t px_world_values(const PxWorld *world, PxWorldValue *out, size_t most)
{
    return px_world_values_sized(world, out, sizeof *out, most);
}

/// Statistics of the last step and of the state after it.
typedef struct PxStats {
    uint64_t step;      ///< steps done so far
    double time;        ///< s
    double dt;          ///< of the last step, s
    uint64_t particles; ///< number of particles
    double neighbours;  ///< mean number per particle, itself included
    double speed_max;   ///< m/s
    double mass;        ///< kg
    double kinetic;     ///< J
    double potential;   ///< J, in the field of gravity, 0 at the origin
    double elastic;     ///< J, strain energy of solids
    double heat;        ///< J, relative to solid matter at 0 degrees C; 0 without heat conduction
    double heat_in;     ///< J so far, from walls, heaters, emitters and events, minus the
                        ///< heat that left
    double temperature_min;  ///< degrees C; 0 when there are no particles
    double temperature_max;  ///<
    PxVec3 momentum;         ///< kg m/s
    PxVec3 angular_momentum; ///< about the origin, kg m^2/s
    double density_error;    ///< mean compression, per cent of the rest density
    double density_error_max;
    double tension_force;  ///< mean magnitude of a particle's surface-tension force, N
    double pressure_force; ///< the same of the pressure force; both 0 if no material has tension
    double solve_error;    ///< residual of the last pressure solve: mean compression, per cent
    uint64_t iterations;   ///< of the pressure solve in the last step
    uint64_t viscosity_iterations;
    uint64_t heat_iterations;
    uint64_t not_converged; ///< steps so far in which a solver did not converge
    uint64_t caught;        ///< moves so far that the defence of a wall corrected
    uint64_t leaked;        ///< particles so far that crossed a wall: must stay 0
    uint64_t emitted;       ///< particles so far that emitters made
    uint64_t removed;   ///< particles so far that sinks removed, that did not fit at the start, or
                        ///< that emitters took back for lack of room
    double mass_in;     ///< kg, of those emitted
    double mass_out;    ///< kg, of those removed
    uint64_t held_back; ///< particles so far that emitters had no room for
    uint64_t waiting;   ///< emitters that are stopped now for lack of room
    /// Change of kinetic, potential and elastic energy in the last step, J, by what caused it:
    /// their sum is the whole change.
    double work_gravity;   ///< error of the integration: work of gravity less the potential energy
                           ///< that it took
    double work_cohesion;  ///<
    double work_tension;   ///<
    double work_viscosity; ///< without the drag of moving walls
    double work_damping;   ///< artificial viscosity
    double work_pressure;  ///< without that of moving walls
    double work_emitters;  ///< plungers, and what holds particles
    double work_walls;     ///< moving walls, by the fluid's pressure and drag on them
    double work_shifts;    ///< density correction by shifts, against gravity
    double work_elastic;   ///< sub-steps of solids: stress, damping, contact, handles, forces
    double work_defence;   ///< particles stopped at walls
    double work_inflow;    ///< energy of emitted particles
    double work_outflow;   ///< minus that of particles that sinks removed
    double work_events;    ///< events, settling, and changes of the world between steps
    double work_rounding;  ///< rounding of velocities and positions
    uint64_t rigid_bodies; ///< number of rigid bodies; the sums above do not include them
    uint64_t rigid_asleep; ///< of them, at rest
    uint64_t rigid_contacts;   ///< contact points that carry a load
    double rigid_overlap;      ///< deepest overlap at a contact, m
    double rigid_kinetic;      ///< J
    double rigid_potential;    ///< J, in the field of gravity, 0 at the origin
    uint64_t rigid_crossed;    ///< pairs so far that passed into or through each other
    uint64_t cloth_vertices;   ///< number; cloth is not in the sums above
    uint64_t cloth_iterations; ///< of the solve of cloth in the last step
    uint64_t cloth_contacts;   ///< vertices and places between that walls and bodies carry
    uint64_t cloth_crossed;    ///< so far: what walls pierce, crossings of cloth with cloth
    uint64_t cloth_torn;       ///< edges that have torn so far
    uint64_t seams_ripped;     ///< ties of seams that have ripped so far
    double cloth_kinetic, cloth_potential, cloth_elastic; ///< J
    double cloth_strain;                                  ///< largest along a thread
    PxVec3 cloth_momentum;                                ///< kg m/s
    double cloth_water;                                   ///< liquid in cloth, kg; not in `mass`
    uint64_t fragments;    ///< solids that hang together: whole bodies and pieces of broken ones
    uint64_t cracks;       ///< begun so far
    uint64_t crack_fronts; ///< at which cracks may grow now
    uint64_t
        crack_splits; ///< so far: fronts that left the body, or met a crack, and went on in parts
    uint64_t crack_merges;  ///< so far: fronts whose ends met
    uint64_t crack_ends;    ///< so far: fronts that came to an end
    double crack_area;      ///< of all cracks in the rest shape, one side, m^2
    uint64_t joints_broken; ///< joints of rigid bodies that have broken
    double work_fields;     ///< by force fields; one of the changes of energy above
    double rigid_work_fields, cloth_work_fields; ///< work of force fields on them, J
    uint64_t rigid_fragments; ///< of the fragments: pieces that move as rigid bodies
    uint64_t resampled;       ///< particles of solids so far that were split into eight
} PxStats;

/// Description of one member of PxStats, which is a column of stats.csv.
typedef struct PxStatsColumn {
    const char *name;    ///< "kinetic"
    const char *unit;    ///< SI: "J"; "" for a pure number
    const char *meaning; ///< one line
    size_t offset;       ///< in PxStats
    bool whole;          ///< true: a uint64_t; false: a double
} PxStatsColumn;

/// Column number k in the order of stats.csv; NULL after the last.
PX_API const PxStatsColumn *px_stats_column(size_t k);
/// Its value; NAN for NULL, and for a column that the program's PxStats does not have.
PX_API double px_stats_value_sized(const PxStats *stats, size_t size, const PxStatsColumn *column);
static inline double px_stats_value(const PxStats *stats, const PxStatsColumn *column)
{
    return px_stats_value_sized(stats, sizeof *stats, column);
}

/// The last complete sample of a gauge.
typedef struct PxGaugeSample {
    double time;     ///< end of its mean, s
    uint64_t number; ///< samples so far; 0: none yet, all values are NAN
    size_t values;   ///< number of values that the gauge has
} PxGaugeSample;

/// Reads the last sample of a gauge: up to `most` values into `value`, which may be NULL if `most`
/// is 0. Errors: PX_ERR_ARGUMENT.
PX_API PxStatus px_world_read_gauge_sized(const PxWorld *world, PxGaugeId gauge, double *value,
                                          size_t most, PxGaugeSample *out, size_t size);
static inline PxStatus px_world_read_gauge(const PxWorld *world, PxGaugeId gauge, double *value,
                                           size_t most, PxGaugeSample *out)
{
    return px_world_read_gauge_sized(world, gauge, value, most, out, sizeof *out);
}

/// Name and unit of value number k of a gauge, as in the header of gauges.csv: "wave.3", "m".
/// Errors: PX_ERR_ARGUMENT.
PX_API PxStatus px_world_gauge_column(const PxWorld *world, PxGaugeId gauge, size_t k,
                                      char name[96], const char **unit);

/// Moves a gauge: its point, the start of its line or the middle of its plane is then at `at`.
/// The sample that is being taken starts anew. Errors: PX_ERR_ARGUMENT for a gauge of a whole body
/// and for a place in a wall. On failure the world is unchanged.
PX_API PxStatus px_world_move_gauge(PxWorld *world, PxGaugeId gauge, PxVec3 at);

/// Does one step of adaptive length that does not go beyond `until` (s), which is later than now;
/// INFINITY: no limit.
/// Errors: PX_ERR_NUMERIC names the particle and the stage, or the reason for a step below
/// min_step; PX_ERR_MEMORY; PX_ERR_STOPPED. After a failure only the preparations of the step have
/// been done: due events are carried out, handles have taken hold, coarse octree cells that melt
/// are split, rows are sorted; all values are finite. After PX_ERR_MEMORY, repeating the step gives
/// the same bits as a step that did not fail; after PX_ERR_NUMERIC it fails again unless something
/// is changed.
PX_API PxStatus px_world_step(PxWorld *world, double until);

/// Sets the function that may stop steps of this world: it is asked between sub-steps and between
/// iterations of the solvers. A step that is stopped returns PX_ERR_STOPPED and leaves the world as
/// PX_ERR_MEMORY does, so that repeating it gives the same bits. NULL: nothing stops them.
/// Errors: PX_ERR_ARGUMENT.
PX_API PxStatus px_world_stop_when(PxWorld *world, PxStopFunction *stop, void *user);

/// Does steps until the time is exactly `until`, which is finite and not earlier than now. Errors:
/// as above.
PX_API PxStatus px_world_advance(PxWorld *world, double until);

PX_API double px_world_time(const PxWorld *world);

/// Statistics of the current state: sums and extremes over all particles. All 0 without a world.
PX_API void px_world_stats_sized(PxWorld *world, PxStats *out, size_t size);
static inline void px_world_stats(PxWorld *world, PxStats *out)
{
    px_world_stats_sized(world, out, sizeof *out);
}

/// Number of particles: the rows of all columns. Their order may change with every step; the column
/// "id" identifies a particle permanently.
PX_API uint32_t px_world_count(const PxWorld *world);

/// Fills `out` with up to `most` columns, those computed on demand last; returns how many there
/// are. The texts are valid as long as the world.
PX_API size_t px_world_columns_sized(const PxWorld *world, PxColumnInfo *out, size_t size,
                                     size_t most);
static inline size_t px_world_columns(const PxWorld *world, PxColumnInfo *out, size_t most)
{
    return px_world_columns_sized(world, out, sizeof *out, most);
}

/// Pointers to a column, one array per component; NULL when there is no such column of that type,
/// or when it is computed on demand. Valid until the world is next changed, or read with
/// px_world_read_column().
PX_API const float *px_world_floats(const PxWorld *world, const char *column, int component);
PX_API const uint32_t *px_world_words(const PxWorld *world, const char *column);
PX_API const uint64_t *px_world_ids(const PxWorld *world);

/// Copies any column in its own type, row after row with the components together (x y z x y z ...),
/// into `bytes` bytes, which must be exactly its size; derived columns are computed. The
/// rows are in the order that the other columns have after the call.
/// Errors: PX_ERR_ARGUMENT for an unknown column or a wrong size, PX_ERR_MEMORY.
PX_API PxStatus px_world_read_column(PxWorld *world, const char *column, void *to, size_t bytes);

/// Ends an interval: the column "pressure" becomes the mean of each particle's pressure since the
/// last call, "pressure_spread" its standard deviation, both weighted by the length of steps. The
/// pressure of a single step swings with its length. Runs call this at every frame. The next step
/// overwrites "pressure".
PX_API PxStatus px_world_take_means(PxWorld *world);

/// Includes a column that is computed on demand in stored frames: "strain", "stress", "von_mises",
/// "principal_stress". Errors: PX_ERR_ARGUMENT, PX_ERR_MEMORY.
PX_API PxStatus px_world_keep_column(PxWorld *world, const char *column);

/// A surface that the world keeps: the skin of a body, the coat of a material, or cloth.
typedef struct PxWorldSurface {
    PxBodyId body; ///< of a skin or cloth; none for a coat
    PxMaterialId material;
    uint32_t points;
    uint32_t triangles; ///< 0: the points are surfels
} PxWorldSurface;

/// Fills `out` with up to `most` surfaces: skins, coats, cloth; returns how many there are.
PX_API size_t px_world_surfaces_sized(const PxWorld *world, PxWorldSurface *out, size_t size,
                                      size_t most);
static inline size_t px_world_surfaces(const PxWorld *world, PxWorldSurface *out, size_t most)
{
    return px_world_surfaces_sized(world, out, sizeof *out, most);
}

/// Copies surface number k as it was last moved: 3 numbers per point, 1 radius per point, 3 point
/// indices per triangle; each array may be NULL. Errors: PX_ERR_ARGUMENT, PX_ERR_MEMORY (cloth).
PX_API PxStatus px_world_read_surface(const PxWorld *world, size_t k, float *position,
                                      float *normal, float *radius, uint32_t *triangle);

/// Moves all skins with the particles; may be called at any time and repeatedly.
/// Errors: PX_ERR_MEMORY, after which some skins have moved, one of them may lack surfels, and the
/// others are where they were. All can be read; the next call moves all.
PX_API PxStatus px_world_move_skins(PxWorld *world);

/// Advects all coats with the particles since the last call. Call it once per frame, since a coat
/// depends on its state in the previous frame. Errors: PX_ERR_NUMERIC, PX_ERR_MEMORY.
PX_API PxStatus px_world_move_coats(PxWorld *world);

/// Time spent in each stage since the world was made.
typedef struct PxStage {
    const char *name;
    double seconds;
    uint64_t calls;
} PxStage;

/// Fills `out` with up to `most` stages; returns how many there are.
PX_API size_t px_world_stages_sized(const PxWorld *world, PxStage *out, size_t size, size_t most);
static inline size_t px_world_stages(const PxWorld *world, PxStage *out, size_t most)
{
    return px_world_stages_sized(world, out, sizeof *out, most);
}

/// A snapshot of a world in memory, for undo and rollback. It belongs to the world that it was made
/// from: both are used by one thread at a time, and the snapshot is freed before the world.
typedef struct PxSavedWorld PxSavedWorld;

/// Saves everything: particles, emitters, skins, coats, parameters and the list of objects.
/// *saved is NULL or an earlier snapshot of this world, which is overwritten; no memory is
/// allocated for tables that have not grown. On failure *saved is unchanged. Errors:
/// PX_ERR_ARGUMENT for a snapshot of another world, PX_ERR_MEMORY.
PX_API PxStatus px_world_save(const PxWorld *world, PxSavedWorld **saved);

/// Restores the saved state, any number of times. The world continues with the same bits, even if
/// objects were added, changed or removed in between. Ids of objects that were added after the
/// snapshot become stale. On failure the world is unchanged. Errors: as above.
PX_API PxStatus px_world_restore(PxWorld *world, const PxSavedWorld *saved);

/// Bytes of memory that the snapshot holds.
PX_API size_t px_saved_bytes(const PxSavedWorld *saved);

/// Accepts NULL.
PX_API void px_saved_free(PxSavedWorld *saved);

/// Bytes of memory that the world holds now: particles, lists, scratch.
PX_API size_t px_world_bytes(const PxWorld *world);

#ifdef __cplusplus
}
#endif
#endif
