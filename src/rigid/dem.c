/// Contact law "dem": springs and dampers of discrete elements (000 Eqs. 4.17 to 4.22).
///
/// With the overlap u and the speed of approach v the normal force is Hertz's with a damper,
///   f = k (u^(3/2) + 3/2 A u^(1/2) v),   k = 4/3 E sqrt(R),
///   1/E = (1 - nu1^2)/E1 + (1 - nu2^2)/E2,   1/R = 1/R1 + 1/R2,
/// and never pulls. A is the damping time of a viscoelastic ball (Brilliantov et al. 1996); 000
/// states the damper with a free factor, and with the opposite sign: approaching must add to the
/// push. 000 takes the kernel's support as the radius of every element, which would hold bodies
/// four spacings apart; here the overlap is that of the true shapes, and R that of balls as thick
/// as the bodies. The shear force is min(mu f, c |slip|) against the slip (Eq. 4.22).
#include "rigid/law.h"

#include <math.h>

enum { YOUNG, POISSON, DAMPING, SHEAR };

#define NUMBER(word, index, dimension, low, high, text)                                            \
    {                                                                                              \
        .key = word, .kind = PX_FIELD_NUMBER, .offset = (index) * sizeof(double),                  \
        .unit = dimension, .least = low, .most = high, .help = text                                \
    }

static const PxField fields[] = {
    NUMBER("young", YOUNG, "Pa", 1, 1e12, "Young's modulus of the contact."),
    NUMBER("poisson", POISSON, "", 0, 0.5, "Poisson's ratio of the contact."),
    NUMBER("damping", DAMPING, "s", 0, 1, "Damping time of the normal force; 0: elastic."),
    NUMBER("shear", SHEAR, "N s/m", 0, 1e9, "Viscous shear force per speed of the slip."),
};

static const double defaults[] = {[YOUNG] = 1e7, [POISSON] = 0.3, [DAMPING] = 2e-4, [SHEAR] = 1e3};

/* (1 - nu^2) / E */
static double compliance(const double *param)
{
    return (1 - param[POISSON] * param[POISSON]) / param[YOUNG];
}

static double stiffness(double compliance, double curvature)
{
    return 4.0 / 3.0 / compliance / sqrt(curvature);
}

static void pair(const double *own, const double *other, double radius, double other_radius,
                 PxContactPair *out)
{
    double soft = compliance(own) + (other != NULL ? compliance(other) : 0);
    out->stiffness = stiffness(soft, 1 / radius + 1 / other_radius);
    out->damping = other != NULL ? 0.5 * (own[DAMPING] + other[DAMPING]) : own[DAMPING];
    out->shear = other != NULL ? 0.5 * (own[SHEAR] + other[SHEAR]) : own[SHEAR];
}

static PxContactForce force(const PxContactPair *pair, const PxContactState *s)
{
    double root = sqrt(s->overlap);
    double normal =
        fmax(pair->stiffness * root * (s->overlap + 1.5 * pair->damping * s->approach), 0);
    return (PxContactForce){normal, fmin(s->friction * normal, pair->shear * s->slip)};
}

/* A part of the period at the deepest overlap of an impact: k u^(5/2) 2/5 = m v^2 / 2. */
static double step_limit(const double *own, double radius, double mass, double speed)
{
    double k = stiffness(compliance(own), 1 / radius);
    double deepest = pow(1.25 * mass * speed * speed / k, 0.4);
    return 0.1 * sqrt(mass / (1.5 * k * sqrt(deepest)));
}

const PxContactLaw px_contact_dem = {
    .info = {.name = "dem",
             .summary = "discrete elements: Hertz's springs with damping, viscous shear",
             .fields = fields,
             .field_count = PX_COUNT(fields),
             .defaults = defaults},
    .force = force,
    .pair = pair,
    .step_limit = step_limit};
