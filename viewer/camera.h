/// The camera of a view: orbits a target, and the matrices that draw with it.
#ifndef VIEWER_CAMERA_H
#define VIEWER_CAMERA_H

#include "phyxel/phyxel.h"

/// Column-major, as OpenGL wants it.
typedef struct Mat4 {
    float m[16];
} Mat4;

typedef struct Camera {
    PxVec3 target;
    double yaw, pitch; ///< rad; pitch within a right angle
    double distance;   ///< from the target, m
    double fov;        ///< vertical, degrees
    char up;           ///< 'y' or 'z'
} Camera;

/// The camera that looks as a scene's camera does.
Camera camera_from(const PxSceneCamera *from, char up);
PxVec3 camera_eye(const Camera *camera);
/// Unit vectors of the picture: to the right, up, and forward into it.
void camera_axes(const Camera *camera, PxVec3 *right, PxVec3 *upward, PxVec3 *forward);

/// Rotates by an angle of each axis, rad.
void camera_orbit(Camera *camera, double yaw, double pitch);
/// Moves the target within the picture, as parts of its height.
void camera_pan(Camera *camera, double right, double upward);
/// Multiplies the distance.
void camera_zoom(Camera *camera, double factor);
/// Moves the target to the middle of a box and the eye so far away that the box is in view.
void camera_fit(Camera *camera, PxVec3 low, PxVec3 high, double aspect);

Mat4 camera_view(const Camera *camera);
Mat4 camera_projection(const Camera *camera, double aspect, double near, double far);

/// The ray through a place of the picture, 0 .. 1 from the left and from the top: direction of unit
/// length from the eye.
PxVec3 camera_ray(const Camera *camera, double aspect, double x, double y);

#endif
