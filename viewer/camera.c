#include "camera.h"

#include <math.h>

#define DEGREE (3.14159265358979323846 / 180)
#define STEEPEST (89.5 * DEGREE)

static PxVec3 vec(double x, double y, double z)
{
    return (PxVec3){x, y, z};
}

static PxVec3 add(PxVec3 a, PxVec3 b, double factor)
{
    return vec(a.x + factor * b.x, a.y + factor * b.y, a.z + factor * b.z);
}

static double dot(PxVec3 a, PxVec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static PxVec3 cross(PxVec3 a, PxVec3 b)
{
    return vec(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

/* From axes with y up to the scene's. */
static PxVec3 turned(char up, PxVec3 v)
{
    return up == 'z' ? vec(v.x, -v.z, v.y) : v;
}

Camera camera_from(const PxSceneCamera *from, char up)
{
    Camera c = {.target = from->to, .fov = from->fov, .up = up};
    PxVec3 d = add(from->from, from->to, -1);
    if (up == 'z')
        d = vec(d.x, d.z, -d.y);
    c.distance = sqrt(dot(d, d));
    if (!(c.distance > 0))
        c.distance = 1, d = vec(0, 0, 1);
    c.yaw = atan2(d.x, d.z);
    c.pitch = asin(fmax(-1, fmin(1, d.y / c.distance)));
    c.pitch = fmax(-STEEPEST, fmin(STEEPEST, c.pitch));
    return c;
}

void camera_axes(const Camera *c, PxVec3 *right, PxVec3 *upward, PxVec3 *forward)
{
    PxVec3 back = vec(sin(c->yaw) * cos(c->pitch), sin(c->pitch), cos(c->yaw) * cos(c->pitch));
    PxVec3 side = vec(cos(c->yaw), 0, -sin(c->yaw));
    *right = turned(c->up, side);
    *upward = turned(c->up, cross(back, side));
    *forward = turned(c->up, vec(-back.x, -back.y, -back.z));
}

PxVec3 camera_eye(const Camera *c)
{
    PxVec3 right, upward, forward;
    camera_axes(c, &right, &upward, &forward);
    return add(c->target, forward, -c->distance);
}

void camera_orbit(Camera *c, double yaw, double pitch)
{
    c->yaw = remainder(c->yaw + yaw, 360 * DEGREE);
    c->pitch = fmax(-STEEPEST, fmin(STEEPEST, c->pitch + pitch));
}

void camera_pan(Camera *c, double x, double y)
{
    PxVec3 right, upward, forward;
    camera_axes(c, &right, &upward, &forward);
    double height = 2 * c->distance * tan(0.5 * c->fov * DEGREE);
    c->target = add(add(c->target, right, x * height), upward, y * height);
}

void camera_zoom(Camera *c, double factor)
{
    c->distance = fmax(1e-6, fmin(1e9, c->distance * factor));
}

void camera_fit(Camera *c, PxVec3 low, PxVec3 high, double aspect)
{
    PxVec3 size = add(high, low, -1);
    double radius = 0.5 * sqrt(dot(size, size));
    double half = 0.5 * c->fov * DEGREE, side = atan(tan(half) * aspect);
    c->target = add(low, size, 0.5);
    if (radius > 0)
        c->distance = 1.05 * radius / sin(fmin(half, side));
}

Mat4 camera_view(const Camera *c)
{
    PxVec3 r, u, f, eye = camera_eye(c);
    camera_axes(c, &r, &u, &f);
    return (Mat4){{(float)r.x, (float)u.x, (float)-f.x, 0, (float)r.y, (float)u.y, (float)-f.y, 0,
                   (float)r.z, (float)u.z, (float)-f.z, 0, (float)-dot(r, eye), (float)-dot(u, eye),
                   (float)dot(f, eye), 1}};
}

Mat4 camera_projection(const Camera *c, double aspect, double near, double far)
{
    double f = 1 / tan(0.5 * c->fov * DEGREE);
    Mat4 m = {{0}};
    m.m[0] = (float)(f / aspect);
    m.m[5] = (float)f;
    m.m[10] = (float)((far + near) / (near - far));
    m.m[11] = -1;
    m.m[14] = (float)(2 * far * near / (near - far));
    return m;
}

PxVec3 camera_ray(const Camera *c, double aspect, double x, double y)
{
    PxVec3 r, u, f;
    camera_axes(c, &r, &u, &f);
    double slope = tan(0.5 * c->fov * DEGREE);
    PxVec3 d = add(add(f, r, (2 * x - 1) * slope * aspect), u, (1 - 2 * y) * slope);
    double length = sqrt(dot(d, d));
    return vec(d.x / length, d.y / length, d.z / length);
}
