#include "shaders.h"

/* clang-format off */
#define GLSL(...) #__VA_ARGS__ "\n"

/* One sun behind the viewer's shoulder and a sky that is brighter above: the sun's direction is
 * given in the scene's axes, so that shading does not swim when the camera turns. */
const char shader_common[] = "#version 330 core\n" GLSL(
    uniform vec3 eye;
    uniform vec3 sun;      /* unit vector towards it */
    uniform vec3 upward;   /* unit vector */
    uniform vec3 sky_top;  /* linear RGB */
    uniform vec3 sky_low;

    vec3 encode(vec3 c)
    {
        c = clamp(c, 0.0, 1.0);
        return mix(12.92 * c, 1.055 * pow(max(c, vec3(0.0031308)), vec3(1.0 / 2.4)) - 0.055,
                   step(vec3(0.0031308), c));
    }
    vec3 decode(vec3 c)
    {
        return mix(c / 12.92, pow((c + 0.055) / 1.055, vec3(2.4)), step(vec3(0.04045), c));
    }
    vec3 sky(vec3 direction)
    {
        float height = dot(direction, upward);
        return mix(sky_low, sky_top, smoothstep(-0.15, 0.7, height));
    }
    /* Diffuse sun and sky, and the sun's reflection [Blinn 1977]. */
    vec3 shade(vec3 albedo, vec3 n, vec3 place, float gloss, float metal)
    {
        vec3 v = normalize(eye - place);
        vec3 h = normalize(v + sun);
        float facing = max(dot(n, v), 0.0);
        float fresnel = 0.04 + 0.96 * pow(1.0 - facing, 5.0);
        float sunny = max(dot(n, sun), 0.0);
        vec3 around = mix(vec3(0.30), vec3(0.62), 0.5 + 0.5 * dot(n, upward));
        vec3 diffuse = albedo * (around + 0.75 * sunny);
        float power = mix(120.0, 12.0, gloss);
        float spot = pow(max(dot(n, h), 0.0), power) * (1.0 - gloss) * 0.55;
        vec3 mirror = sky(reflect(-v, n));
        vec3 dull = diffuse + vec3(spot) * sunny + fresnel * (1.0 - gloss) * 0.35 * mirror;
        vec3 bright = albedo * (0.25 * around + 0.8 * mirror + vec3(2.0 * spot));
        return mix(dull, bright, metal);
    }
);

const char shader_screen_vertex[] = "#version 330 core\n" GLSL(
    out vec2 at;
    void main()
    {
        at = vec2(gl_VertexID == 1 ? 3.0 : -1.0, gl_VertexID == 2 ? 3.0 : -1.0);
        gl_Position = vec4(at, 0.0, 1.0);
    }
);

const char shader_background[] = GLSL(
    in vec2 at;
    uniform vec3 right, above, forward; /* scaled by the slopes of the picture's edges */
    out vec4 result;
    void main()
    {
        result = vec4(encode(sky(normalize(forward + at.x * right + at.y * above))), 1.0);
    }
);

const char shader_mesh_vertex[] = "#version 330 core\n" GLSL(
    layout(location = 0) in vec3 position;
    layout(location = 1) in vec3 normal;
    uniform mat4 view;
    uniform mat4 projection;
    uniform vec4 turn;
    uniform vec3 pivot, move;
    out vec3 place, facing;
    vec3 rotate(vec3 v)
    {
        return v + 2.0 * cross(turn.xyz, cross(turn.xyz, v) + turn.w * v);
    }
    void main()
    {
        place = rotate(position - pivot) + pivot + move;
        facing = rotate(normal);
        gl_Position = projection * view * vec4(place, 1.0);
    }
);

const char shader_mesh[] = GLSL(
    in vec3 place, facing;
    uniform vec3 colour;
    uniform float alpha, gloss, metal;
    out vec4 result;
    void main()
    {
        vec3 n = normalize(facing);
        if (dot(n, eye - place) < 0.0) /* seen from behind: containers, open meshes */
            n = -n;
        vec3 c = shade(colour, n, place, gloss, metal);
        float edge = 1.0 - abs(dot(n, normalize(eye - place)));
        float opaque = alpha >= 1.0 ? 1.0 : mix(alpha, 0.75, edge * edge * edge);
        result = vec4(encode(c), opaque);
    }
);

/* A sphere as a square that faces the eye and covers its outline; the fragment shader intersects
 * the ray of each pixel with the sphere. */
const char shader_ball_vertex[] = "#version 330 core\n" GLSL(
    layout(location = 0) in vec4 ball; /* place and radius */
    layout(location = 1) in vec4 paint;
    uniform mat4 view;
    uniform mat4 projection;
    uniform float enlarge;
    flat out vec3 middle;
    flat out float radius;
    flat out vec4 tint;
    out vec3 ray; /* in view space */
    void main()
    {
        vec2 corner = vec2((gl_VertexID & 1) * 2 - 1, (gl_VertexID & 2) - 1);
        middle = (view * vec4(ball.xyz, 1.0)).xyz;
        radius = ball.w * enlarge;
        tint = vec4(paint.rgb * paint.rgb, paint.a);
        float far = length(middle);
        /* The tangent cone is wider than the sphere's own radius by far / sqrt(far^2 - r^2). */
        float wide = radius * far / sqrt(max(far * far - radius * radius, 1e-12 * far * far));
        vec3 forward = middle / far;
        vec3 side = normalize(abs(forward.y) < 0.99 ? cross(forward, vec3(0.0, 1.0, 0.0))
                                                    : cross(forward, vec3(1.0, 0.0, 0.0)));
        vec3 over = cross(side, forward);
        ray = middle + wide * (corner.x * side + corner.y * over);
        gl_Position = far > radius ? projection * vec4(ray, 1.0) : vec4(2.0, 2.0, 2.0, 1.0);
    }
);

const char shader_ball[] = GLSL(
    flat in vec3 middle;
    flat in float radius;
    flat in vec4 tint;
    in vec3 ray;
    uniform mat4 projection;
    uniform mat3 unview; /* rotates from view space to the scene's axes */
    uniform float gloss;
    out vec4 result;
    void main()
    {
        vec3 d = normalize(ray);
        float b = dot(d, middle);
        float root = b * b - dot(middle, middle) + radius * radius;
        if (root < 0.0)
            discard;
        vec3 hit = d * (b - sqrt(root));
        vec3 n = unview * ((hit - middle) / radius);
        vec3 place = eye + unview * hit;
        result = vec4(encode(shade(tint.rgb, n, place, gloss, 0.0)), 1.0);
        float z = projection[2][2] * hit.z + projection[3][2];
        gl_FragDepth = 0.5 - 0.5 * z / hit.z;
    }
);

const char shader_ground_vertex[] = "#version 330 core\n" GLSL(
    uniform mat4 view;
    uniform mat4 projection;
    uniform vec3 origin, side, away; /* of the ground: a square with these half axes */
    out vec3 place;
    void main()
    {
        vec2 corner = vec2((gl_VertexID & 1) * 2 - 1, (gl_VertexID & 2) - 1);
        place = origin + corner.x * side + corner.y * away;
        gl_Position = projection * view * vec4(place, 1.0);
    }
);

const char shader_ground[] = GLSL(
    in vec3 place;
    uniform vec3 origin, side, away, colour;
    uniform float tile, reach;
    out vec4 result;
    /* Part of a pixel that a line of the grid covers, filtered by the pixel's size. */
    float line(float x, float wide)
    {
        float size = max(fwidth(x), 1e-6);
        float off = abs(fract(x - 0.5) - 0.5);
        return (1.0 - smoothstep(0.5 * wide, 0.5 * wide + size, off)) * min(1.0, 0.25 / size);
    }
    void main()
    {
        vec3 d = place - origin;
        vec2 x = vec2(dot(d, normalize(side)), dot(d, normalize(away)));
        float far = length(x) / reach;
        float grid = max(line(x.x / tile, 0.012), line(x.y / tile, 0.012));
        vec3 c = shade(mix(colour, 0.7 * colour, grid), upward, place, 1.0, 0.0);
        if (dot(eye - place, upward) < 0.0)
            discard;
        result = vec4(encode(c), 1.0 - smoothstep(0.25, 1.0, far));
    }
);
