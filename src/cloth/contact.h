/// Contacts of cloth within the solve of a step: one-sided springs, friction, ties.
///
/// A contact is between a point of cloth, a weighted mean of up to four vertices, and another such
/// point or a boundary. With the normal n and the weights fixed for a step, its gap at the end of
/// the step is g = gap + dt n u, u the relative velocity. Below the distance h that is to be kept,
///     f(g) = k h (h / g - 1)
/// pushes the two points apart. It is a barrier like that of Li et al. (2020): its stiffness is k
/// at g = h, and the force grows without bound as the gap closes. Its energy is convex, and so is
/// the step with it: Newton's method, a solve with the tangent of each f a round, finds where
/// forces and motion agree. What contacts push is thereby known to the elastic forces, and what is
/// pushed does not stretch.
///
/// Friction of a normal impulse P is -mu P u_t / max(|u_t|, CREEP), with P and the divisor those of
/// the round before (Li et al. 2020, section 5.4): it only takes energy away.
///
/// A tie takes the relative velocity of two vertices away, as far as its strength goes.
#ifndef PX_CLOTH_CONTACT_H
#define PX_CLOTH_CONTACT_H

#include "cloth/cloth.h"

typedef enum PxClothContactKind {
    PX_CLOTH_VERTEX_FACE, ///< vertex 0 and triangle 1, 2, 3
    PX_CLOTH_EDGE_EDGE,   ///< edges 0, 1 and 2, 3
    PX_CLOTH_TIE,         ///< vertices 0 and 1
    PX_CLOTH_UNTANGLE,    ///< edge 0, 1 and the triangle around 2, 3 and `third`
    PX_CLOTH_BOUNDARY,    ///< a point between up to three vertices, and a boundary
    PX_CLOTH_SEAM         ///< a tie of a seam between edges 0, 1 and 2, 3 (cloth/seam.h)
} PxClothContactKind;

typedef struct PxClothContact {
    PxClothContactKind kind;
    uint32_t vertex[5]; ///< those with weight 0 do not count
    double weight[5];   ///< 0 in sum, unless the other side is a boundary
    PxVec3 normal;      ///< from the second to the first
    double gap;         ///< along the normal at the start, m
    double keep;        ///< h, m; of a seam, the length of its thread
    double stiff;       ///< k, N/m; of a tie, its strength, kg
    double friction;    ///< coefficient
    PxVec3 velocity;    ///< of the boundary, m/s
    PxVec3 place;       ///< of the boundary, m; of a seam, its gap at the start
    uint32_t boundary;
    uint32_t body;    ///< 1 + its index in the solve (bodies.h), if the boundary yields; 0: none
    PxVec3 lever;     ///< and the place relative to its centre, m
    double start;     ///< relative velocity along the normal at that of the tangent, m/s
    double along;     ///< gap at which the tangent touches the law, m; of the present round
    double load;      ///< normal impulse of the last solve, N s; negative: it is new
    PxVec3 base;      ///< impulse at u = 0, N s
    PxVec3 impulse;   ///< at the velocities of the tangent, N s
    double most;      ///< impulse along the normal of the law at the place of the tangent, N s
    PxVec3 bias;      ///< impulse at the velocities to which the solve is relative, N s
    double matrix[6]; ///< C: the impulse is base - C u; xx, xy, xz, yy, yz, zz
} PxClothContact;

typedef struct PxClothContacts {
    PxClothContact *contact; ///< in an order that depends on nothing but themselves
    uint32_t count, most;
    uint32_t rows;    ///< rows of the matrix with contacts
    uint32_t *row;    ///< which
    uint32_t *first;  ///< by row of that list: first use, and one more
    PxClothUse *use;  ///< contact and corner
    float *part;      ///< by contact: C, 5 weights, and room for the product
    uint32_t *column; ///< 5 by contact: rows of its vertices
    bool listed;      ///< the lists are those of the present contacts
} PxClothContacts;

/// Vertices that count.
static inline int px_cloth_contact_corners(const PxClothContact *c)
{
    return c->kind == PX_CLOTH_TIE        ? 2
           : c->kind == PX_CLOTH_BOUNDARY ? 3
           : c->kind == PX_CLOTH_UNTANGLE ? 5
                                          : 4;
}

/// Adds a contact. Errors: PX_ERR_MEMORY.
PxStatus px_cloth_contacts_add(PxClothStep *step, const PxClothContact *contact);
/// Their order: by kind, vertices and boundary.
int px_cloth_contact_compare(const void *a, const void *b);
/// Sorts contacts, after some were added. Errors: PX_ERR_MEMORY.
PxStatus px_cloth_contacts_sort(PxClothStep *step);

/// Stiffens contacts with boundaries from the given one on, so that each carries what presses on it
/// at a gap of about half the distance that is kept, however small that is. After b is assembled.
void px_cloth_contacts_stiffen(PxClothStep *step, uint32_t first);

/// Makes a contact with a boundary steeper by a factor at the gap of the start, and leaves its
/// force there: it stores no more energy than before.
void px_cloth_contact_harden(PxClothContact *contact, double factor);

/// Takes the tangents at the present w, and enters them into the system; returns the number of
/// contacts whose impulse differs from that of the last solve by much. Errors: PX_ERR_MEMORY.
PxStatus px_cloth_contacts_linearise(PxClothStep *step, uint32_t *changed);

/// The relative velocity of its two sides at the velocities w, m/s.
PxVec3 px_cloth_contact_motion(const PxClothStep *step, const PxClothContact *contact);
/// The impulse of a contact on its first side at the velocities w, N s.
PxVec3 px_cloth_contact_impulse(const PxClothStep *step, const PxClothContact *contact);

/// The impulse of the tangent less that of the law along the normal, at a relative velocity along
/// it, N s.
double px_cloth_contact_bend(const PxClothStep *step, const PxClothContact *contact, double across);

/// Energy of all contacts at the end of the motion w, J; 0 where there is none.
double px_cloth_contacts_energy(const PxClothStep *step);

/// What contact k adds to the product of the matrix with z: C times the relative z, 3 floats.
const float *px_cloth_contact_product(const PxClothContacts *contacts, uint32_t k);

/// Rows `more` of the solve: what contacts and gas (gas.h) add to the product of the matrix with z.
void px_cloth_contacts_product(PxClothStep *step);

#endif
