/// What a run will still take, learned from what it took so far.
///
/// The rates of the later half of the time simulated so far are continued, so that what happens
/// once at the start (tables of walls, surfels of bodies) does not count for the rest. Where
/// emitters add particles, rates grow with their number as far as they did so before.
#ifndef PX_RUN_OUTLOOK_H
#define PX_RUN_OUTLOOK_H

#include <stdbool.h>
#include <stdint.h>

enum { PX_OUTLOOK_SAMPLES = 128 };

/// The state of a run at a time.
typedef struct PxOutlookSample {
    double time;  ///< of the scene, s
    double wall;  ///< s
    double bytes; ///< of all that grows with the number of frames and steps
    double particles;
} PxOutlookSample;

/// Initialise with {0}.
typedef struct PxOutlook {
    PxOutlookSample sample[PX_OUTLOOK_SAMPLES]; ///< ascending by time, about evenly spaced
    uint32_t count;
    uint64_t every, seen; ///< each how-manieth of those offered is kept; 0: the first was not yet
} PxOutlook;

/// Offers a sample; times ascend.
void px_outlook_add(PxOutlook *outlook, PxOutlookSample now);

/// Seconds that the run needs from `now`, which needs not be a sample, to the time `end`, and the
/// bytes that it adds to those of the last sample; negative where not known yet. False as long as
/// there is nothing to learn from.
bool px_outlook_left(const PxOutlook *outlook, PxOutlookSample now, double end, double *seconds,
                     double *bytes);

/// Bytes of the run's file of that number, of all kinds that a run stores.
double px_outlook_frame_bytes(const char *dir, uint32_t frame);

/// Bytes of stats.csv, gauges.csv and frames.xdmf, and of the checkpoints, which do not add up.
double px_outlook_table_bytes(const char *dir);
double px_outlook_checkpoint_bytes(const char *dir);

#endif
