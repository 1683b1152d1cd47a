/// Pressure from an equation of state (SESPH).
#include "fluid/pressure/pressure.h"

#include <math.h>

enum { GAMMA, FLUCTUATION, TOP_SPEED, DAMPING };

static const PxField fields[] = {
    {.key = "gamma",
     .kind = PX_FIELD_NUMBER,
     .flags = PX_FIELD_LIVE,
     .offset = GAMMA * sizeof(double),
     .unit = "",
     .least = 1,
     .most = 7,
     .help = "Exponent of the equation of state."},
    {.key = "fluctuation",
     .kind = PX_FIELD_NUMBER,
     .flags = PX_FIELD_LIVE | PX_FIELD_ABOVE,
     .offset = FLUCTUATION * sizeof(double),
     .unit = "per cent",
     .least = 0,
     .most = 10,
     .help = "Compression allowed at the top speed; sets the stiffness."},
    {.key = "top_speed",
     .kind = PX_FIELD_NUMBER,
     .flags = PX_FIELD_LIVE,
     .offset = TOP_SPEED * sizeof(double),
     .unit = "m/s",
     .least = 0,
     .most = 1e5,
     .help = "Fastest flow expected; 0 estimates it from the scene."},
    {.key = "damping",
     .kind = PX_FIELD_NUMBER,
     .flags = PX_FIELD_LIVE,
     .offset = DAMPING * sizeof(double),
     .unit = "",
     .least = 0,
     .most = 1,
     .help = "Artificial viscosity that quiets sound waves (Monaghan's alpha)."},
};

static const double defaults[] = {
    [GAMMA] = 7, [FLUCTUATION] = 1, [TOP_SPEED] = 0, [DAMPING] = 0.05};

extern const PxPressureModel PX_ISA_NAME(px_sesph);
const PxPressureModel PX_ISA_NAME(px_sesph) = {
    .info = {"sesph", "equation of state", fields, PX_COUNT(fields), defaults},
};
