/// Screen space meshes: the surface of a liquid as seen by a camera [Mueller, Schirm and Duthaler
/// 2007; 002 section 6.1.2].
///
/// Particles are drawn as spheres into a coarse depth map; the map is smoothed within connected
/// parts, cut along silhouettes (modified marching squares), and transformed back to the scene.
/// Near parts get more triangles than distant ones.
#ifndef VIEWER_SCREEN_MESH_H
#define VIEWER_SCREEN_MESH_H

#include "camera.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct ScreenMeshDef {
    int width, height;   ///< of the picture, pixels
    double cell;         ///< of the depth map, pixels
    double enlarge;      ///< factor of the particles' radii
    double jump;         ///< depths further apart than that are not connected, m (z_max)
    int depth_smoothing; ///< passes of the binomial filter over depths
    int edge_smoothing;  ///< iterations that replace positions by means of their neighbours
    double near;         ///< particles nearer than that are left out, m
} ScreenMeshDef;

ScreenMeshDef screen_mesh_def_default(void);

/// Particles of a liquid. Only those with a mark of 1 are taken; NULL: all.
typedef struct ScreenParticles {
    uint32_t count;
    const float *place; ///< x, y, z, radius
    const uint8_t *mark;
} ScreenParticles;

/// Start with {0}; its arrays are used again.
typedef struct ScreenMesh {
    uint32_t vertices, triangles;
    float *position, *normal; ///< 3 numbers per vertex, in the scene's axes
    float *thickness;         ///< of the liquid behind the vertex, m
    uint32_t *particle;       ///< that is nearest to the eye there
    uint32_t *triangle;
    void *work; ///< of the maker
} ScreenMesh;

/// Makes the mesh for a camera; false when memory is out.
bool screen_mesh_make(ScreenMesh *mesh, const ScreenMeshDef *def, const Camera *camera,
                      const ScreenParticles *particles);
void screen_mesh_free(ScreenMesh *mesh);

#endif
