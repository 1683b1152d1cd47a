/// The name of the processor, for reports of measurements.
#ifndef PX_BASE_MACHINE_H
#define PX_BASE_MACHINE_H

#include <stddef.h>

/// The processor's name as Linux tells it, or the machine's kind: "AMD EPYC".
void px_machine_name(char *out, size_t size);

#endif
