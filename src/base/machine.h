/// The name of the processor, for benchmark reports.
#ifndef PX_BASE_MACHINE_H
#define PX_BASE_MACHINE_H

#include <stddef.h>

/// The processor's name as reported by Linux ("AMD EPYC"), else the machine architecture.
void px_machine_name(char *out, size_t size);

#endif
