#include "study/peer_scenes.h"

#include "base/fail.h"
#include "phyxel/scene.h"

#include <string.h>

/* A scene as it stands in a file. */
#define SCENE(...) #__VA_ARGS__

/* clang-format off */

/* A cube that tension makes a sphere, without gravity. */
#define DROP(model_) SCENE(                                                                        \
      {"phyxel": 1, "time": {"frames": 1, "fps": 5}, "spacing": 0.05, "support": 2.07,             \
      "max_step": 0.001, "gravity": [0, 0, 0], "materials": {"water": {"density": 1000,            \
      "viscosity": 0.001, "pressure": {"model": model_}, "tension": {"model": "akinci"}}},         \
      "bodies": [{"name": "drop", "shape": {"box": [1.5, 1.5, 1.5]}, "material": "water"}]})

static const PxPeerScene scenes[] = {
    {.name = "dam break 100k, 10 Pa s",
     .seconds = 1, .peer_seconds = 178, .peer_steps = 346, .peer_iterations = 26,
     .peer_viscosity = 5, .tolerance = 0.01,
     .text = SCENE(
      {"phyxel": 1, "time": {"frames": 1, "fps": 1.0}, "spacing": 0.05, "support": 2,
      "max_step": 0.005, "gravity": [0, -9.81, 0], "materials": {"water": {"density": 1000,
      "viscosity": 10, "pressure": {"model": "dfsph", "max_error": 0.01, "max_divergence": 0.1,
      "damping": 0}}}, "bodies": [{"name": "tank", "shape": {"box": [5.05, 4.05, 2.5],
      "at": [0.0, 2.05, 0.0]}, "wall": true, "inside": true, "friction": 0}, {"name": "column",
      "shape": {"box": [2.5, 2.0, 2.5], "at": [-1.275, 1.025, -0.0]}, "material": "water"}]})},
    {.name = "dam break 100k, water",
     .seconds = 1, .peer_seconds = 225, .peer_steps = 775, .peer_iterations = 9, .tolerance = 0.01,
     .text = SCENE(
      {"phyxel": 1, "time": {"frames": 1, "fps": 1.0}, "spacing": 0.05, "support": 2,
      "max_step": 0.005, "gravity": [0, -9.81, 0], "materials": {"water": {"density": 1000,
      "viscosity": 0.001, "pressure": {"model": "dfsph", "max_error": 0.01,
      "max_divergence": 0.1}}}, "bodies": [{"name": "tank", "shape": {"box": [5.05, 4.05, 2.5],
      "at": [0.0, 2.05, 0.0]}, "wall": true, "inside": true, "friction": 0}, {"name": "column",
      "shape": {"box": [2.5, 2.0, 2.5], "at": [-1.275, 1.025, -0.0]}, "material": "water"}]})},
    {.name = "dam break 1M, 10 Pa s",
     .seconds = 0.3, .peer_seconds = 290, .peer_steps = 66, .peer_iterations = 14,
     .tolerance = 0.01,
     .text = SCENE(
      {"phyxel": 1, "time": {"frames": 1, "fps": 3.333333333}, "spacing": 0.05, "support": 2,
      "max_step": 0.005, "gravity": [0, -9.81, 0], "materials": {"water": {"density": 1000,
      "viscosity": 10, "pressure": {"model": "dfsph", "max_error": 0.01, "max_divergence": 0.1,
      "damping": 0}}}, "bodies": [{"name": "tank", "shape": {"box": [10.05, 10.05, 5.0],
      "at": [0.0, 5.05, 0.0]}, "wall": true, "inside": true, "friction": 0}, {"name": "column",
      "shape": {"box": [5.0, 5.0, 5.0], "at": [-2.525, 2.525, -0.0]}, "material": "water"}]})},
    {.name = "double dam break 42k, 10 Pa s",
     .seconds = 1, .quick = true, .peer_seconds = 33.6, .peer_steps = 389, .tolerance = 0.05,
     .text = SCENE(
      {"phyxel": 1, "time": {"frames": 1, "fps": 1.0}, "spacing": 0.025, "support": 2,
      "max_step": 0.005, "gravity": [0, -9.81, 0], "materials": {"water": {"density": 1000,
      "viscosity": 10, "pressure": {"model": "dfsph", "max_error": 0.05, "max_divergence": 0.1,
      "damping": 0}}}, "bodies": [{"name": "tank", "shape": {"box": [3.1, 3.1, 3.1], "at": [0.0,
      1.5, 0.0]}, "wall": true, "inside": true, "friction": 0}, {"name": "dam 1",
      "shape": {"box": [0.675, 0.725, 0.675], "at": [-1.15, 0.375, -1.15]}, "material": "water"},
      {"name": "dam 2", "shape": {"box": [0.675, 0.725, 0.675], "at": [1.15, 0.375, 1.15]},
      "material": "water"}]})},
    {.name = "buckling sheet 27k, 5 kPa s",
     .seconds = 1, .peer_seconds = 25.7, .peer_steps = 381, .peer_viscosity = 1.5,
     .tolerance = 0.01,
     .text = SCENE(
      {"phyxel": 1, "time": {"frames": 1, "fps": 1.0}, "spacing": 0.025, "support": 2,
      "max_step": 0.005, "gravity": [0.1, -9.81, 0], "materials": {"goo": {"density": 1000,
      "viscosity": 5000, "viscosity_model": {"model": "implicit", "error": 0.0005,
      "iterations": 500}, "pressure": {"model": "dfsph", "max_error": 0.01,
      "max_divergence": 0.1, "damping": 0}}}, "bodies": [{"name": "floor", "shape": {"box": [3,
      0.5, 3], "at": [0, -0.25, 0]}, "wall": true, "friction": 1}, {"name": "sheet",
      "shape": {"box": [0.125, 5.975, 0.575], "at": [0.0, 3.11, 0.0]}, "material": "goo"}]})},
    {.name = "beam 8k, implicit",
     .seconds = 1, .quick = true, .peer_seconds = 10.6, .peer_steps = 501,
     .text = SCENE(
      {"phyxel": 1, "time": {"frames": 1, "fps": 1}, "spacing": 0.05, "support": 2,
      "max_step": 0.002, "gravity": [0, -9.81, 0], "materials": {"beam": {"density": 800,
      "young": 5000000.0, "poisson": 0.33, "viscosity": 0,
      "integration": {"model": "implicit"}}}, "bodies": [{"name": "beam", "shape": {"box": [4,
      0.5, 0.5], "at": [0, 0.5, 0]}, "material": "beam", "skin": false}],
      "handles": [{"name": "clamp", "body": "beam", "shape": {"box": [0.6, 2, 2], "at": [-1.8,
      0.5, 0]}}]})},
    {.name = "beam 8k, leapfrog",
     .seconds = 1, .quick = true,
     .text = SCENE(
      {"phyxel": 1, "time": {"frames": 1, "fps": 1}, "spacing": 0.05, "support": 2,
      "max_step": 0.002, "gravity": [0, -9.81, 0], "materials": {"beam": {"density": 800,
      "young": 5000000.0, "poisson": 0.33, "viscosity": 0, "integration": "leapfrog"}},
      "bodies": [{"name": "beam", "shape": {"box": [4, 0.5, 0.5], "at": [0, 0.5, 0]},
      "material": "beam", "skin": false}], "handles": [{"name": "clamp", "body": "beam",
      "shape": {"box": [0.6, 2, 2], "at": [-1.8, 0.5, 0]}}]})},
    {.name = "drop 27k, dfsph, 1 ms", .seconds = 0.2, .quick = true, .peer_seconds = 7.2,
     .peer_steps = 200, .text = DROP("dfsph")},
    {.name = "drop 27k, iisph, 1 ms", .seconds = 0.2, .peer_seconds = 17.2,
     .peer_steps = 200, .text = DROP("iisph")},
    {.name = "drop 27k, pcisph, 1 ms", .seconds = 0.2, .peer_seconds = 15.8,
     .peer_steps = 200, .text = DROP("pcisph")},
};
/* clang-format on */

const PxPeerScene *px_peer_scene(size_t k)
{
    return k < PX_COUNT(scenes) ? &scenes[k] : NULL;
}

PxStatus px_peer_world(const PxPeerScene *scene, int threads, PxWorld **out)
{
    PxScene *read = NULL;
    const char *text = scene->text;
    PxStatus status = px_scene_read_text(scene->name, NULL, text, strlen(text), &read);
    if (status == PX_OK)
        status = px_scene_world(read, threads, out);
    px_scene_free(read);
    return status;
}
