/// The camera of a scene over time.
#include "scene/content.h"

#include "base/vec.h"
#include "scene/ease.h"

/* The seven numbers of a camera. */
static void numbers_of(const PxSceneCamera *c, double out[7])
{
    const double all[7] = {c->from.x, c->from.y, c->from.z, c->to.x, c->to.y, c->to.z, c->fov};
    for (int k = 0; k < 7; ++k)
        out[k] = all[k];
}

PxSceneCamera px_scene_camera_at(const PxScene *scene, double time)
{
    const PxSceneView *view = scene->view;
    size_t count = scene->views, k = 0;
    if (count < 2 || !(time > view[0].at))
        return view[0].camera;
    if (time >= view[count - 1].at)
        return view[count - 1].camera;
    while (time >= view[k + 1].at)
        ++k;
    bool first = k == 0, last = k + 2 == count;
    const PxSceneView *four[4] = {&view[first ? k : k - 1], &view[k], &view[k + 1],
                                  &view[last ? k + 1 : k + 2]};
    double u = (time - view[k].at) / (view[k + 1].at - view[k].at), t[4], all[4][7], out[7];
    for (int n = 0; n < 4; ++n) {
        t[n] = four[n]->at;
        numbers_of(&four[n]->camera, all[n]);
    }
    if (view[k + 1].ease == PX_EASE_STOP)
        u = px_ease_stop(u);
    for (int n = 0; n < 7; ++n) {
        const double p[4] = {all[0][n], all[1][n], all[2][n], all[3][n]};
        out[n] = view[k + 1].ease == PX_EASE_SMOOTH ? px_ease_curve(p, t, first, last, u)
                                                    : p[1] + (p[2] - p[1]) * u;
    }
    return (PxSceneCamera){px_vec(out[0], out[1], out[2]), px_vec(out[3], out[4], out[5]), out[6]};
}
