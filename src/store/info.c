/// The frames of a result folder, one after the other, for people and scripts.
#include "store/frame.h"

#include "phyxel/store.h"

#include <stdio.h>

PxStatus px_info(const char *dir, PxInfoFunction *each, void *user)
{
    PxThreads threads = {px_threads_available()};
    PxNumbers numbers;
    PX_TRY(px_frame_list(dir, &numbers));
    PxStatus status = PX_OK;
    for (size_t k = 0; k < numbers.count && status == PX_OK; ++k) {
        PxFrameInfo info = {.number = numbers.data[k]};
        PxFrameMeta meta;
        PxTable particles;
        px_table_init(&particles, NULL);
        status = px_frame_read(dir, info.number, &meta, &particles, &threads);
        if (status == PX_OK) {
            uint64_t hash[2];
            px_table_hash(&particles, PX_COLUMN_FRAME, hash);
            snprintf(info.hash, sizeof info.hash, "%016llx%016llx", (unsigned long long)hash[0],
                     (unsigned long long)hash[1]);
            info.step = meta.step;
            info.time = meta.time;
            info.particles = particles.count;
        } else if (status == PX_ERR_FORMAT || status == PX_ERR_IO) { /* a bad disk, too */
            info.problem = px_error_message();
            status = PX_OK;
        }
        if (status == PX_OK && !each(user, &info))
            status = px_fail(PX_ERR_STOPPED, "info: stopped at frame %u", info.number);
        px_table_free(&particles);
    }
    PX_LIST_FREE(&numbers);
    return status;
}
