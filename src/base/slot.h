/// Slots: where a world's lists keep their things, and the ids that name them.
///
/// A thing stays in its slot until it is removed; then the slot is vacant and the next thing that
/// is added takes it, with the next generation. An id holds both numbers, so that an id of a
/// removed thing never names the thing that took its place.
#ifndef PX_BASE_SLOT_H
#define PX_BASE_SLOT_H

#include "base/memory.h"

/// Longest name of a thing, with the 0 at its end.
#define PX_NAME_SIZE 64

typedef struct PxSlot {
    uint32_t generation; ///< 1 for the first thing in the slot
    bool live;           ///< or the slot is vacant
    char name[PX_NAME_SIZE];
} PxSlot;

/// The first members of every thing that has an id.
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

/// Index of the live thing that an id names. Errors: PX_ERR_ARGUMENT for the null id, for a slot
/// that never was, and for a stale id; `what` begins the message.
PxStatus px_slot_find(const void *data, size_t count, size_t size, uint32_t slot,
                      uint32_t generation, const char *what, uint32_t *index);

/// Errors: PX_ERR_ARGUMENT when a live thing has that name.
PxStatus px_slot_name_free(const void *data, size_t count, size_t size, const char *name,
                           const char *what);

/// The same for a PX_LIST of things.
#define PX_SLOT_FIND(list, id, what, index)                                                        \
    px_slot_find((list)->data, (list)->count, sizeof *(list)->data, (id).slot, (id).generation,    \
                 (what), (index))
#define PX_SLOT_NAME_FREE(list, name, what)                                                        \
    px_slot_name_free((list)->data, (list)->count, sizeof *(list)->data, (name), (what))

/// Room for one more thing, and the index that PX_SLOT_PUT() will give it; false when memory is
/// out.
#define PX_SLOT_RESERVE(list, index)                                                               \
    (*(index) = px_slot_vacant((list)->data, (list)->count, sizeof *(list)->data),                 \
     PX_LIST_RESERVE((list), 1))

/// Puts a thing into the slot that PX_SLOT_RESERVE() found.
#define PX_SLOT_PUT(list, index, thing)                                                            \
    do {                                                                                           \
        uint32_t generation_ = (index) < (list)->count ? (list)->data[index].generation : 0;       \
        (list)->data[index] = (thing);                                                             \
        (list)->data[index].generation = generation_ + 1;                                          \
        (list)->data[index].live = true;                                                           \
        (list)->count += (index) == (list)->count;                                                 \
    } while (0)

/// Makes a slot vacant: all of the thing becomes 0 but the generation.
#define PX_SLOT_CLEAR(list, index)                                                                 \
    do {                                                                                           \
        uint32_t generation_ = (list)->data[index].generation;                                     \
        memset(&(list)->data[index], 0, sizeof *(list)->data);                                     \
        (list)->data[index].generation = generation_;                                              \
    } while (0)

#endif
