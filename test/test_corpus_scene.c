/// What the corpus of scenes must contain to be worth replaying (replay_scene
/// runs it): scenes that are read, that are refused, and that are not JSON.
#include "scenes.h"

#include "base/fail.h"

#include <dirent.h>

TEST(the_corpus_has_good_scenes_bad_ones_and_rubbish)
{
    DIR *folder = opendir(PX_SOURCE_DIR "/fuzz/corpus/scene");
    CHECK(folder != NULL);
    int good = 0, bad = 0, rubbish = 0;
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        char path[600];
        PxScene *scene = NULL;
        if (entry->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, PX_SOURCE_DIR "/fuzz/corpus/scene/%s", entry->d_name);
        PxStatus status = px_scene_read(path, &scene);
        CHECK(scene != NULL);
        if (status == PX_OK)
            good++;
        else if (strstr(px_scene_complaint(scene, 0)->text, "this is not JSON") != NULL)
            rubbish++;
        else
            bad++;
        px_scene_free(scene);
    }
    closedir(folder);
    CHECK(good >= 10);
    CHECK(bad >= 15);
    CHECK(rubbish >= 8);
}

TEST_MAIN()
