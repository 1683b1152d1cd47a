/// Molten fraction, parameters and enthalpy of a material as functions of temperature.
///
/// Latent heat is spread evenly over the melting range, so that enthalpy and temperature are
/// functions of each other.
#ifndef PX_MATTER_MELT_H
#define PX_MATTER_MELT_H

#include "matter/material.h"

#include <math.h>

/// Molten fraction at a temperature, 0 .. 1 (000 section 6.5).
static inline double px_melted(const PxMaterialDef *def, double temperature)
{
    if (!def->melts.melts)
        return 0;
    double part = (temperature - def->melts.from) / (def->melts.to - def->melts.from);
    return part > 0 ? part < 1 ? part : 1 : 0;
}

/// Solid fraction from which on matter hangs together and bears tension. A mush begins to do so
/// when its grains touch, at solid fractions of 0.2 to 0.5, and its strength grows from there on
/// (Dahle and Arnberg 1997).
#define PX_COHERENT 0.4f

/// Part of the strength that is left at a solid fraction.
static inline double px_melt_strength(double solid)
{
    double part = (solid - (double)PX_COHERENT) / (1 - (double)PX_COHERENT);
    return part > 0 ? part < 1 ? part : 1 : 0;
}

/// Linear interpolation between the parameters of the cold and the molten state (000 Eq. 6.16).
/// `hot` is NAN if the molten state has the same value.
static inline double px_between(double cold, double hot, double melted)
{
    return isnan(hot) ? cold : cold + melted * (hot - cold);
}

/// The material with its parameters at that molten fraction.
PxMaterial px_melt_at(const PxMaterial *material, double melted);

/// Number of states that a limit must consider: one, or those of the smallest and the largest
/// molten fraction present. All other parameters lie between theirs.
static inline int px_melt_states(const PxMaterial *material)
{
    return material->melted[0] < material->melted[1] ? 2 : 1;
}

static inline PxMaterial px_melt_state(const PxMaterial *material, int state)
{
    return px_melt_at(material, material->melted[state]);
}

/// Enthalpy, J/kg, relative to solid matter at 0 degrees C.
static inline double px_heat_of(const PxMaterialDef *def, double temperature)
{
    return def->heat_capacity * temperature + def->latent_heat * px_melted(def, temperature);
}

/// Temperature at that enthalpy, degrees C.
static inline double px_heat_temperature(const PxMaterialDef *def, double heat)
{
    double c = def->heat_capacity, latent = def->melts.melts ? def->latent_heat : 0;
    if (!(latent > 0) || heat <= c * def->melts.from)
        return heat / c;
    double low = c * def->melts.from, high = c * def->melts.to + latent;
    if (heat >= high)
        return (heat - latent) / c;
    return def->melts.from + (heat - low) / (high - low) * (def->melts.to - def->melts.from);
}

#endif
