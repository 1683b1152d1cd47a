/// Slots: storage of the objects of a world's lists, and the ids that refer to them.
///
/// An object keeps its slot until it is removed; the next object added reuses the slot with a
/// higher generation number. An id holds slot and generation, so that the id of a removed object
/// never refers to its successor.
#ifndef PX_BASE_SLOT_H
#define PX_BASE_SLOT_H

#include "base/memory.h"

/// Size of an object's name, with the terminating zero.
#define PX_NAME_SIZE 64

typedef struct PxSlot {
    uint32_t generation; ///< never used twice in a world
    bool live;           ///< false: the slot is vacant
    char name[PX_NAME_SIZE];
} PxSlot;

/// The first members of every object that has an id.
#define PX_SLOT_MEMBERS                                                                            \
    union {                                                                                        \
        PxSlot slot;                                                                               \
        struct {                                                                                   \
            uint32_t generation;                                                                   \
            bool live;                                                                             \
            char name[PX_NAME_SIZE];                                                               \
        };                                                                                         \
    }

/// Index of the first vacant slot, or `count`.
uint32_t px_slot_vacant(const void *data, size_t count, size_t size);

/// Index of the live object that an id refers to. Errors: PX_ERR_ARGUMENT for the null id, a slot
/// out of range and a stale id; `what` begins the message.
PxStatus px_slot_find(const void *data, size_t count, size_t size, uint32_t slot,
                      uint32_t generation, const char *what, uint32_t *index);

/// Checks that a name is unused. Errors: PX_ERR_ARGUMENT when a live object has that name.
PxStatus px_slot_name_free(const void *data, size_t count, size_t size, const char *name,
                           const char *what);

/// The same for a PX_LIST of objects.
#define PX_SLOT_FIND(list, id, what, index)                                                        \
    px_slot_find((list)->data, (list)->count, sizeof *(list)->data, (id).slot, (id).generation,    \
                 (what), (index))
#define PX_SLOT_NAME_FREE(list, name, what)                                                        \
    px_slot_name_free((list)->data, (list)->count, sizeof *(list)->data, (name), (what))

/// Reserves a slot for one more object; *index is where it goes. False when out of memory.
#define PX_SLOT_RESERVE(list, index)                                                               \
    (*(index) = px_slot_vacant((list)->data, (list)->count, sizeof *(list)->data),                 \
     PX_LIST_RESERVE((list), 1))

/// Makes a slot vacant: zeroes the object except for its generation.
#define PX_SLOT_CLEAR(list, index)                                                                 \
    do {                                                                                           \
        uint32_t generation_ = (list)->data[index].generation;                                     \
        memset(&(list)->data[index], 0, sizeof *(list)->data);                                     \
        (list)->data[index].generation = generation_;                                              \
    } while (0)

#endif
