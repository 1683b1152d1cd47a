/// All cloth of a world as one system: forces, stiffness matrix, and the linear solve of a step.
///
/// A step of implicit Euler after Baraff and Witkin (1998) (004 Eq. 2.109): with the stiffness K of
/// the present shape, mass M, damping alpha M + beta K and step dt, the change d = w - v of the
/// velocities solves
///     A d = dt f - (alpha dt M + (dt^2 + beta dt) K) v,   A = (1 + alpha dt) M + (dt^2 + beta dt)
///     K.
/// Vertices may be held: along a normal, or entirely. BDF2 (integrate.c) has the same form.
///
/// K is 0 for translations. Its products are sums of K_ij (d_j - d_i), which makes them so in
/// floats too: the blocks of A are floats, and what they round away is relative to deformations.
///
/// Air of density rho and velocity c pushes a triangle of area S and normal n by
///     1/2 rho S |(c - v) n| ((c - v) n) n,
/// the pressure of a plate across the flow with a drag coefficient of 1. The first factor is that
/// of the velocities v at the start of the step, the second that of w: c - v is on the right side,
/// d adds dt 1/2 rho S |..| n n^T to A, so drag never turns a velocity around, however light the
/// cloth is.
///
/// Every loop is over rows or pairs that it writes alone, and sums are those of blocks that do not
/// depend on the number of threads, so neither do the bits.
#ifndef PX_CLOTH_CLOTH_H
#define PX_CLOTH_CLOTH_H

#include "base/arena.h"
#include "base/parallel.h"
#include "base/simd.h"
#include "base/vec.h"
#include "cloth/pattern.h"
#include "cloth/sheet.h"

/// One piece of cloth in a world.
typedef struct PxCloth {
    uint32_t body; ///< slot
    uint32_t material;
    uint32_t number; ///< of the body, from which ids of vertices are derived
    uint32_t first;  ///< of its vertices
    PxClothSheet *sheet;
} PxCloth;

/// Numbers of a material as the forces need them.
typedef struct PxClothLaw {
    double mass;        ///< kg/m^2
    double thickness;   ///< m
    double c[4];        ///< C_1111, C_1122, C_2222, C_1212 (004 Eqs. 2.81, 2.82), N/m
    double bend[2];     ///< flexural rigidity along weft and warp, N m
    double crease;      ///< curvature beyond which bending is plastic, 1/m; 0: never
    double alpha, beta; ///< Rayleigh damping, 1/s and s
    double limit;       ///< strain from which it is stiffer
    double wet_stretch; ///< factor of c when saturated with liquid
    double wet_bend;    ///< the same of bend
    PxClothMembrane membrane;
    PxClothBending bending;
    PxClothIntegration integration;
    double friction;
    double tear[2];  ///< strength along weft and warp, N/m; 0: it does not tear
    double pressure; ///< excess pressure inside at the start, Pa
    double air;      ///< density, kg/m^3
    PxVec3 wind;     ///< m/s
    double step;     ///< the longest step, s
    bool collides;   ///< with itself and other cloth
} PxClothLaw;

/// Errors: PX_ERR_ARGUMENT if the moduli are those of no material. `what` begins the message.
PxStatus px_cloth_law(const PxMaterialDef *def, const char *what, PxClothLaw *out);

/// A triangle or hinge of a vertex.
typedef struct PxClothUse {
    uint32_t of;     ///< index of face or hinge
    uint32_t corner; ///< of the vertex in it
} PxClothUse;

/// A node of the hierarchy of hulls: its first child follows it, `next` is the node after all below
/// it.
typedef struct PxClothNode {
    uint32_t face; ///< of a leaf; UINT32_MAX: none
    uint32_t next;
    uint32_t piece; ///< the connected piece that all its triangles belong to; UINT32_MAX: several
} PxClothNode;

/// An edge of one or two triangles, which it is the side `side` of.
typedef struct PxClothEdge {
    uint32_t face[2], side[2]; ///< second face UINT32_MAX: a border
    uint32_t hinge;            ///< UINT32_MAX: none
} PxClothEdge;

/// State of a triangle.
typedef struct PxClothFaceState {
    PxVec3 f[2];      ///< deformation gradient, or its rotation for co-rotational strain
    PxVec3 normal;    ///< unit; 0 if the triangle has collapsed
    PxVec3 force[2];  ///< P: of corner k it is -area P grad N_k, N/m
    double taut[3];   ///< tensile part of the second Piola-Kirchhoff stress: uu, vv, uv; N/m
    double spin;      ///< co-rotational: stiffness against turning in the plane, N/m
    double c[4];      ///< tangent, N/m
    double strain[3]; ///< uu, vv, 2 uv
    double stretch;   ///< energy of the membrane, J
    double energy;    ///< that and of bending as a plate, J
} PxClothFaceState;

/// State of a hinge.
typedef struct PxClothHingeState {
    PxVec3 slope[4]; ///< of the angle by corner, 1/m; linear model: slope[0] is the bending vector
    double angle;    ///< from that at rest, rad; plates only
    double moment;   ///< dE/d(angle), N m; linear model: stiffness, N/m
    double stiff;    ///< second derivative, N m, >= 0
    double energy;   ///< J
} PxClothHingeState;

/// Second derivatives of the energy of a triangle that bends as a plate, by the angles at its edges
/// (plate.c), N m.
typedef struct PxClothPlate {
    double own[3];
    double other[3]; ///< by those at edge k and the next one
    double sign[3];  ///< of the lean of edge k seen from this triangle
} PxClothPlate;

/// States of all triangles and hinges, and what they were evaluated from.
typedef struct PxClothSeen {
    bool any;
    PxVec3 *x;
    double *wetness;
    PxClothLaw *law;
    PxClothFaceState *face;
    PxClothHingeState *hinge;
    double *rest, *from; ///< by edge, as in PxClothStep
    uint8_t *held;       ///< by vertex: a handle holds it
    bool any_held;
    double *lean, *half, *scale, *by, *move; ///< by edge (plate.c)
    PxClothPlate *plate;                     ///< by face; 0 where it does not bend as one
    double *moment;                          ///< three a face (plate.c)
    double *bent;                            ///< by face (plate.c)
} PxClothSeen;

/// Most triangles of a branch.
#define PX_CLOTH_BRANCH 8

/// A branch, or a node above branches.
typedef struct PxClothUpper {
    uint32_t next;   ///< the first that is not below it
    uint32_t branch; ///< UINT32_MAX: it is above branches, and its children are the next one and
                     ///< the `next` of that
} PxClothUpper;

/// Branches of the hierarchy: subtrees of at most PX_CLOTH_BRANCH triangles, of parents that have
/// more. A subtree of t triangles has 2 t - 1 nodes.
typedef struct PxClothBranches {
    uint32_t count;
    uint32_t *node;   ///< by branch
    uint32_t *first;  ///< by branch, and one more: its first entry in `vertex`
    uint32_t *vertex; ///< corners of the triangles of each branch, each once
    uint32_t uppers;  ///< branches and the nodes above them, in the order of nodes
    PxClothUpper *upper;
    uint32_t *upper_of; ///< by branch
} PxClothBranches;

/// Topology of all cloth: sheets one after another. Built when pieces come or go.
typedef struct PxClothSystem {
    PxArena memory;
    uint32_t vertices, faces, hinges, edges, cloths;
    PxClothFace *face;     ///< corners are global
    PxClothHinge *hinge;   ///< the same
    PxClothEdge *edges_of; ///< by edge: hinges and borders, piece after piece
    uint32_t *edge_of_hinge;
    uint8_t *torn;       ///< by edge: it is a border that a tear made
    double *share;       ///< by vertex, m^2
    uint32_t *of_vertex; ///< index of its cloth
    uint32_t *piece;     ///< by vertex: number of its connected piece
    uint32_t pieces;
    uint32_t *of_face, *of_hinge;
    uint32_t *first_face, *first_hinge; ///< first PxClothUse of each vertex
    PxClothUse *faces_of, *hinges_of;
    PxClothPattern pattern; ///< of the matrix
    PxClothSeen *seen;      ///< the last evaluation
    double *edge;           ///< by cloth: mean length of its edges, m
    double *volume; ///< by cloth: volume inside closed cloth at the start, m^3; 0: it is not closed
    uint32_t nodes;
    PxClothNode *node;
    uint32_t *leaf_of; ///< by face
    PxClothBranches branch;
    uint8_t *owns;   ///< by face: its corners (bits 0 to 2) and edges (3 to 5) in collisions
    uint32_t *pairs; ///< found by the last search for collisions: room with which the next begins
} PxClothSystem;

void px_cloth_system_init(PxClothSystem *system, const PxAllocator *allocator);
void px_cloth_system_free(PxClothSystem *system);
/// Builds the topology; `cloth` are in the order of their first vertices. Errors: PX_ERR_MEMORY.
PxStatus px_cloth_system_build(PxClothSystem *system, const PxCloth *cloth, size_t cloths);

/// How a vertex is held in a solve.
typedef enum PxClothHold {
    PX_CLOTH_FREE,
    PX_CLOTH_NORMAL, ///< its velocity along `normal` is that of `target`
    PX_CLOTH_FIXED   ///< its velocity is `target`
} PxClothHold;

/// What a triangle adds to the right side of a step, besides its matrix.
typedef struct PxClothFaceLoad {
    PxVec3 impulse[3]; ///< on each corner: of the stress at the end of the step if vertices moved
                       ///< at u, and of the air, N s
    PxVec3 across; ///< normal times the root of the drag's 1/2 rho S |(c - v) n|, (kg/s)^1/2; only
                   ///< with air
} PxClothFaceLoad;

/// A mass that depends on the direction, a symmetric matrix: xx, xy, xz, yy, yz, zz, kg.
typedef struct PxClothAdded {
    double m[6];
} PxClothAdded;

/// One step of all cloth. Arrays by vertex are in scratch.
typedef struct PxClothStep {
    const PxClothSystem *system;
    const PxClothLaw *law; ///< by cloth
    const PxThreads *threads;
    PxArena *scratch;
    double dt;
    PxVec3 gravity;
    const double *wetness; ///< saturation by vertex, 0 .. 1; NULL: no stiffness depends on it
    PxVec3 *x, *v;         ///< at the start
    PxVec3 *u;             ///< velocities at the end if nothing but gravity acted
    PxVec3 *w;             ///< velocities u + d at which vertices move; initially the guess
    double *inertia;       ///< factor of the mass (integrate.c)
    PxVec3 *carried;       ///< the part of the motion that is the past's (integrate.c), m/s
    PxVec3 *tangent;       ///< motion at which forces are taken (newton.h); NULL: that of the start
    PxVec3 *spun;        ///< exact motion by which what flies turns (flight.h), m/s; NULL: nothing
    PxVec3 *push;        ///< forces besides gravity and elasticity, N
    double *mass;        ///< kg
    double *keep;        ///< distance that it keeps from boundaries, m
    PxClothAdded *added; ///< mass of fluid that moves with a vertex
    PxVec3 *added_velocity;
    uint8_t *hold; ///< PxClothHold
    PxVec3 *normal, *target;
    double *rub;                      ///< friction across `normal`, by relative velocity, kg
    struct PxClothContacts *contacts; ///< in the solve (contact.h); NULL: none
    struct PxClothBodies *bodies;     ///< that they touch (bodies.h); NULL: none
    struct PxClothGas *gas;           ///< in closed cloth (gas.h); NULL: none
    PxVec3 *touch;                    ///< what they add to the right side, N s
    uint8_t *in_contact;              ///< by vertex: it belongs to one of them
    PxVec3 *pressed;                  ///< their impulses at the velocities w of the last round, N s
    const double *rest;               ///< by edge: change of the angle at rest, rad
    const double *lean;               ///< by edge: angle of its normal at first (plate.c), rad
    const uint32_t *handle;           ///< by vertex: not 0 if one holds it; NULL: none does
    PxClothFaceState *face;           ///< those of system->seen
    PxClothHingeState *hinge;         ///< the same
    PxClothFaceLoad *face_load;
    struct PxClothFacePart *face_part; ///< of the matrix (blocks.h)
    struct PxClothHingePart *hinge_part;
    PxVec3 *hinge_load; ///< x: dt moment + (dt^2 + beta dt) d(moment)/dt; linear model: its vector
    PxVec3 *b;          ///< right side without friction, N s
    PxVec3 *r;          ///< after a solve b - A d with friction, of held ones too
    const uint32_t *sewn_first; ///< by vertex: first of `sewn`, and one more; NULL: no seams
    const uint32_t *sewn;       ///< vertices that seams join it to: they do not repel each other
    PxClothRows rows;           ///< of the solve
    PxIsa isa;
    bool again;       ///< another solve of the same step: the blocks between vertices are known
    double tolerance; ///< of the residual, relative to the impulses of all forces and gravity
    double fell;      ///< by how much the last solve again made the merit less (newton.c), J
    double gain;      ///< of the last solve: decrease of the slope along its change (stride.h), J
    uint32_t iterations, most_iterations;
    bool converged;
    bool hard; ///< it took more than the usual rounds: contacts that gave way, ties, forces taken
               ///< anew
} PxClothStep;

/// Takes the arrays from scratch and sets all vertices free. Errors: PX_ERR_MEMORY.
PxStatus px_cloth_step_begin(PxClothStep *step);

/// How a vertex came here: its place and velocity at the start of the last step, that step, s.
typedef struct PxClothPast {
    PxVec3 x, v;
    double dt; ///< 0: there is no past without kinks
} PxClothPast;

/// Sets u of a vertex, from x, v and its past, by the integration of its material (integrate.c).
void px_cloth_predict(PxClothStep *step, uint32_t vertex, const PxClothPast *past);
/// Integrates a vertex by implicit Euler in this step: the past does not count.
void px_cloth_restart(PxClothStep *step, uint32_t vertex);
/// Is its past used in this step?
bool px_cloth_has_past(const PxClothStep *step, uint32_t vertex);
/// Velocity at the end of a step of a vertex that the solve moved at `solved`, and contact after it
/// at w.
PxVec3 px_cloth_velocity(const PxClothStep *step, uint32_t vertex, PxVec3 solved);

/// Sets the friction of a sliding vertex in the assembled matrix. Its impulse is tangential to
/// `normal`, -rub (w - target), and can only take energy away.
void px_cloth_rub(PxClothStep *step, uint32_t vertex, double rub);
/// That impulse at a velocity w, N s.
PxVec3 px_cloth_friction(const PxClothStep *step, uint32_t vertex, PxVec3 w);

/// Evaluates strain, angles, forces and energies of the positions x, unless they were the last
/// evaluated ones.
void px_cloth_evaluate(PxClothStep *step);

/// The mass of fluid that moves with a vertex, times a velocity, N s.
PxVec3 px_cloth_added(const PxClothStep *step, uint32_t vertex, PxVec3 velocity);

/// Volume that closed triangles enclose, m^3; negative if they face inward.
double px_cloth_volume(const PxClothFace *face, uint32_t faces, const PxVec3 *x);

/// Builds A and b. Fluid that moves with a vertex is in both: its mass in A, its momentum at
/// added_velocity in b.
void px_cloth_assemble(PxClothStep *step);

/// Inverts a symmetric matrix (xx, xy, xz, yy, yz, zz) into the preconditioner of a row.
void px_cloth_invert(const double a[6], float *out);

/// The velocity w of a vertex, with the part that its hold prescribes replaced.
PxVec3 px_cloth_obey(const PxClothStep *step, uint32_t vertex, PxVec3 w);

/// Solves for w with the present holds, from the present w. Errors: PX_ERR_STOPPED, PX_ERR_MEMORY.
PxStatus px_cloth_solve(PxClothStep *step);

/// The law of a triangle or hinge with `count` corners, of a piece of cloth: that of the piece, or
/// `wet`, which is set to its law at the mean saturation of the corners.
const PxClothLaw *px_cloth_law_at(const PxClothStep *step, uint32_t cloth, const uint32_t *corner,
                                  int count, PxClothLaw *wet);

/// Sets the state of a hinge from its corners; the moment of one that bends as a plate is not its
/// own (plate.c).
void px_cloth_hinge_at(const PxClothStep *step, uint32_t hinge, const PxVec3 x[4],
                       PxClothHingeState *out);

/// Sets the state of a face from its corners (membrane.c).
void px_cloth_membrane(const PxClothLaw *law, const PxClothFace *face, const PxVec3 x[3],
                       PxClothFaceState *out);

/// Change of the stress P of a face when its deformation gradient changes by `change`: the tangent
/// of the solve, in which compression does not count against turning.
void px_cloth_stress_rate(const PxClothLaw *law, const PxClothFaceState *state,
                          const PxVec3 change[2], PxVec3 out[2]);
/// Sets the state of a hinge from its corners (bending.c).
void px_cloth_bending(const PxClothLaw *law, const PxClothHinge *hinge, const PxVec3 x[4],
                      PxClothHingeState *out);

/// Sets moments of hinges and adds energies of triangles that bend as plates (plate.c). `same_law`:
/// laws and saturations are those of the last evaluation.
void px_cloth_plates(PxClothStep *step, bool same_law);

/// The change of the angle at rest of a hinge that is now bent by `angle` from it: beyond the
/// curvature `crease` bending is plastic.
double px_cloth_yield(const PxClothHinge *hinge, double crease, double angle);

/// Angle between two triangles (0, 1, 2) and (1, 0, 3), rad: 0 is flat, positive if their edge is a
/// valley seen from the side of the normals.
double px_cloth_angle(const PxVec3 x[4]);

/// Factor of the stiffness in the matrix, s^2.
static inline double px_cloth_factor(const PxClothStep *s, const PxClothLaw *law)
{
    return s->dt * s->dt + law->beta * s->dt;
}

/// Gradients of the three shape functions with respect to u and v, 1/m.
static inline void px_cloth_gradients(const PxClothFace *f, double g[3][2])
{
    for (int k = 0; k < 2; ++k) {
        g[1][k] = f->inverse[0][k];
        g[2][k] = f->inverse[1][k];
        g[0][k] = -g[1][k] - g[2][k];
    }
}

#endif
