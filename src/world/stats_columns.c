/// The columns of stats.csv, described once: name, unit, meaning, and where PxStats has the value.
#include "world/stats_columns.h"

#include "base/fail.h"
#include "phyxel/world.h"

#include <math.h>

#define REAL(member, name, unit, meaning)                                                          \
    {                                                                                              \
        name, unit, meaning, offsetof(PxStats, member), false                                      \
    }
#define WHOLE(member, meaning)                                                                     \
    {                                                                                              \
#member, "", meaning, offsetof(PxStats, member), true                                      \
    }

#define WORK(name, meaning) REAL(work_##name, "work_" #name, "J", meaning)

const PxWallColumn px_wall_columns[PX_WALL_COLUMNS] = {
    {"_force_x", "N", "Mean force on the wall in this step, along x."},
    {"_force_y", "N", "The same along y."},
    {"_force_z", "N", "The same along z."},
    {"_torque_x", "N m", "Mean torque on the wall in this step, about x."},
    {"_torque_y", "N m", "The same about y."},
    {"_torque_z", "N m", "The same about z."},
};

static const PxStatsColumn columns[] = {
    WHOLE(step, "Steps since the start of the run."),
    REAL(time, "time", "s", "Time after this step."),
    REAL(dt, "dt", "s", "Length of this step."),
    WHOLE(particles, "Number of particles."),
    REAL(neighbours, "neighbours", "",
         "Mean number of particles within the support of one, itself included."),
    REAL(speed_max, "speed_max", "m/s", "Speed of the fastest particle."),
    REAL(mass, "mass", "kg", "Mass of all particles."),
    REAL(kinetic, "kinetic", "J", "Kinetic energy."),
    REAL(potential, "potential", "J", "Potential energy in gravity; 0 at the origin."),
    REAL(elastic, "elastic", "J", "Elastic energy of deformed solids."),
    REAL(heat, "heat", "J",
         "Heat of all particles, latent heat included, relative to cold matter at 0 degrees C. 0 "
         "where no material conducts or melts and there are no heaters."),
    REAL(heat_in, "heat_in", "J",
         "Heat so far from walls, heaters, emitters and events, less what left with sinks: `heat` "
         "less `heat_in` is constant."),
    REAL(temperature_min, "temperature_min", "degrees C", "Temperature of the coldest particle."),
    REAL(temperature_max, "temperature_max", "degrees C", "Temperature of the hottest particle."),
    REAL(momentum.x, "momentum_x", "kg m/s", "Momentum, x."),
    REAL(momentum.y, "momentum_y", "kg m/s", "Momentum, y."),
    REAL(momentum.z, "momentum_z", "kg m/s", "Momentum, z."),
    REAL(angular_momentum.x, "angular_x", "kg m^2/s", "Angular momentum about the origin, x."),
    REAL(angular_momentum.y, "angular_y", "kg m^2/s", "Angular momentum about the origin, y."),
    REAL(angular_momentum.z, "angular_z", "kg m^2/s", "Angular momentum about the origin, z."),
    REAL(density_error, "density_error", "%",
         "Mean compression: density above the rest density, of all particles of fluids."),
    REAL(density_error_max, "density_error_max", "%", "Largest compression."),
    REAL(tension_force, "tension_force", "N",
         "Mean size of a particle's surface tension force. 0 where no material has tension."),
    REAL(pressure_force, "pressure_force", "N",
         "Mean size of a particle's pressure force. 0 where no material has tension."),
    REAL(solve_error, "solve_error", "%",
         "Mean compression that the pressure solve left: what `max_error` bounds. 0 with `sesph`."),
    WHOLE(iterations, "Iterations of the pressure solve."),
    WHOLE(viscosity_iterations, "Iterations of the viscosity solve."),
    WHOLE(heat_iterations, "Iterations of the heat solve; 0 where heat spreads slowly."),
    WHOLE(not_converged, "Steps so far in which a solve stopped at its largest number of "
                         "iterations."),
    WHOLE(caught, "Moves so far that ended in or beyond a wall and were corrected."),
    WHOLE(leaked, "Particles so far that crossed a wall or cloth all the same. Walls that "
                  "close on each other and leave no room stop the run instead."),
    WHOLE(emitted, "Particles so far that emitters made."),
    WHOLE(removed, "Particles so far that sinks took, that found no place at the start, or that "
                   "emitters took back."),
    REAL(mass_in, "mass_in", "kg", "Mass of the emitted particles."),
    REAL(mass_out, "mass_out", "kg", "Mass of the removed particles."),
    WHOLE(held_back, "Particles so far that emitters had no room for."),
    WHOLE(waiting, "Emitters that stand still now, for want of room."),
    WORK(gravity, "Change of `kinetic` + `potential` + `elastic` in this step by gravity: its work "
                  "less the potential energy that it took, an error of the time integration. The "
                  "columns `work_...` add up to the whole change."),
    WORK(cohesion, "The same by cohesion."),
    WORK(tension, "The same by surface tension, whose own energy is not counted."),
    WORK(viscosity, "The same by viscosity, without the drag of moving walls."),
    WORK(damping, "The same by artificial viscosity (`damping`)."),
    WORK(pressure, "The same by pressure, without that of moving walls."),
    WORK(emitters, "The same by plungers of emitters, and by what else holds particles."),
    WORK(walls, "The same by moving walls, through pressure and drag of fluids."),
    WORK(shifts, "The same by shifts, which correct the density against gravity."),
    WORK(elastic, "The same in the sub-steps of solids: stress, damping, plastic flow, gravity, "
                  "contact with walls, handles, forces on regions."),
    WORK(defence, "The same by stopping particles at walls."),
    WORK(inflow, "Energy of the particles that emitters made in this step."),
    WORK(outflow, "Minus the energy of the particles that sinks took in this step."),
    WORK(events, "Change of energy since the step before by events, by settling, and by changes of "
                 "the world between steps."),
    WORK(rounding, "Change of energy by rounding of velocities and positions."),
    WHOLE(rigid_bodies, "Number of rigid bodies. Their mass, momentum and energy are not in the "
                        "columns above."),
    WHOLE(rigid_asleep, "Rigid bodies that are at rest and wait to be touched."),
    WHOLE(rigid_contacts, "Contact points of rigid bodies that carry a load."),
    REAL(rigid_overlap, "rigid_overlap", "m", "Deepest overlap at such a point."),
    REAL(rigid_kinetic, "rigid_kinetic", "J", "Kinetic energy of rigid bodies."),
    REAL(rigid_potential, "rigid_potential", "J",
         "Potential energy of rigid bodies in gravity; 0 at the origin."),
    WHOLE(cloth_vertices,
          "Number of vertices of cloth. Its mass, momentum and energy are not in the "
          "columns above."),
    WHOLE(cloth_iterations, "Iterations of the solve of cloth."),
    WHOLE(cloth_contacts,
          "Vertices of cloth, and places between them, that walls and rigid bodies carry."),
    WHOLE(cloth_crossed,
          "Vertices of cloth so far that were inside a wall or rigid body after a "
          "step, edges and triangles that one pierced by more than half the thickness, and "
          "crossings of cloth with cloth, added up over the steps; 0 unless cloth starts crossed, "
          "torn pieces are pressed together, or there is a bug."),
    WHOLE(cloth_torn, "Edges of cloth that have torn so far."),
    WHOLE(seams_ripped, "Ties of seams that have ripped so far."),
    REAL(cloth_kinetic, "cloth_kinetic", "J", "Kinetic energy of cloth."),
    REAL(cloth_potential, "cloth_potential", "J",
         "Potential energy of cloth in gravity; 0 at the origin."),
    REAL(cloth_elastic, "cloth_elastic", "J",
         "Elastic energy of cloth, and the energy of gas in it, p_0 V_0 ln(V_0 / V)."),
    REAL(cloth_strain, "cloth_strain", "", "Largest strain of cloth along a thread."),
    REAL(cloth_momentum.x, "cloth_momentum_x", "kg m/s", "Momentum of cloth, x."),
    REAL(cloth_momentum.y, "cloth_momentum_y", "kg m/s", "Momentum of cloth, y."),
    REAL(cloth_momentum.z, "cloth_momentum_z", "kg m/s", "Momentum of cloth, z."),
    WHOLE(rigid_crossed, "Pairs of rigid bodies, or a body and a wall, so far of which one passed "
                         "into or through the other; 0 unless there is a bug."),
    REAL(cloth_water, "cloth_water", "kg", "Liquid in cloth; not in `mass`."),
    WHOLE(fragments, "Solids that hang together: whole bodies, and pieces of broken ones."),
    WHOLE(rigid_fragments, "Of the fragments: pieces that move as rigid bodies."),
    WHOLE(cracks, "Cracks that began so far."),
    WHOLE(crack_fronts, "Crack fronts at present."),
    WHOLE(crack_splits, "Crack fronts so far that left the body, or met another crack, and went on "
                        "in parts."),
    WHOLE(crack_merges, "Crack fronts so far whose ends met."),
    WHOLE(crack_ends, "Crack fronts so far that came to an end."),
    WHOLE(resampled, "Particles of solids so far that were split into eight."),
    REAL(crack_area, "crack_area", "m^2", "Area of all cracks in the rest shape, one side."),
    WHOLE(joints_broken, "Joints of rigid bodies that have broken."),
    WORK(fields, "Change of `kinetic` + `potential` + `elastic` in this step by force fields; one "
                 "of the columns `work_...` above."),
    REAL(rigid_work_fields, "rigid_work_fields", "J",
         "Work of force fields on rigid bodies in this step."),
    REAL(cloth_work_fields, "cloth_work_fields", "J", "The same on cloth."),
};

const PxStatsColumn *px_stats_column(size_t k)
{
    return k < PX_COUNT(columns) ? &columns[k] : NULL;
}

double px_stats_value_sized(const PxStats *stats, size_t size, const PxStatsColumn *column)
{
    if (stats == NULL || column == NULL || column->offset + sizeof(double) > size)
        return (double)NAN;
    const char *at = (const char *)stats + column->offset;
    return column->whole ? (double)*(const uint64_t *)at : *(const double *)at;
}
