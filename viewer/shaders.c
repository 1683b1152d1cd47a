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
    layout(location = 2) in float weight; /* absorption of x-rays, 1/m */
    uniform mat4 view;
    uniform mat4 projection;
    uniform float enlarge;
    flat out vec3 middle;
    flat out float radius;
    flat out vec4 tint;
    flat out float absorbs;
    out vec3 ray; /* in view space */
    void main()
    {
        vec2 corner = vec2((gl_VertexID & 1) * 2 - 1, (gl_VertexID & 2) - 1);
        middle = (view * vec4(ball.xyz, 1.0)).xyz;
        radius = ball.w * enlarge;
        tint = vec4(paint.rgb * paint.rgb, paint.a);
        absorbs = weight;
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

/* The surface of a liquid. Reflection of the sky, and refraction of what is behind (002 section
 * 7.4.3), blended by Schlick's approximation of Fresnel's reflectance: refraction (1 - R) +
 * reflection R. (002 has the two exchanged.) What is refracted is dimmed by the thickness of the
 * liquid [Beer-Lambert]. */
const char shader_liquid_vertex[] = "#version 330 core\n" GLSL(
    layout(location = 0) in vec3 position;
    layout(location = 1) in vec3 normal;
    layout(location = 2) in vec4 paint;  /* colour, and 1: opaque */
    layout(location = 3) in vec4 medium; /* absorption, and thickness */
    uniform mat4 view;
    uniform mat4 projection;
    out vec3 place, facing;
    out vec4 tint, inner;
    void main()
    {
        place = position;
        facing = normal;
        tint = paint;
        inner = medium;
        gl_Position = projection * view * vec4(position, 1.0);
    }
);

const char shader_liquid[] = GLSL(
    in vec3 place, facing;
    in vec4 tint, inner;
    uniform mat4 view;
    uniform mat4 projection;
    uniform sampler2D behind;
    uniform float ior;
    out vec4 result;
    void main()
    {
        vec3 v = normalize(eye - place);
        vec3 n = normalize(facing + 1e-6 * v);
        float facing_eye = max(dot(n, v), 0.02);
        float f0 = (ior - 1.0) / (ior + 1.0);
        f0 *= f0;
        float mirror = f0 + (1.0 - f0) * pow(1.0 - facing_eye, 5.0);
        vec3 to = refract(-v, n, 1.0 / ior);
        vec4 there = projection * view * vec4(place + to * inner.w, 1.0);
        vec2 uv = clamp(0.5 + 0.5 * there.xy / there.w, 0.0, 1.0);
        vec3 through = decode(texture(behind, uv).rgb) * exp(-inner.rgb * inner.w);
        /* light that is scattered back, so that thick liquid is not black */
        vec3 haze = tint.rgb * (0.35 + 0.4 * max(dot(n, sun), 0.0));
        float murk = 1.0 - exp(-0.5 * inner.w * (inner.r + inner.g + inner.b) / 3.0);
        vec3 inside = mix(through, haze, 0.45 * murk);
        vec3 h = normalize(v + sun);
        float spot = pow(max(dot(n, h), 0.0), 160.0);
        vec3 clear = inside * (1.0 - mirror) + sky(reflect(-v, n)) * mirror + vec3(0.7 * spot);
        vec3 opaque = shade(tint.rgb, n, place, 0.25, 0.0);
        result = vec4(encode(mix(clear, opaque, tint.a)), 1.0);
    }
);

/* ---- radiograph: sums of absorption along each ray ---- */

/* A particle of radius r (half of its spacing) has the volume 8 r^3, which is spread over a disc of
 * radius R by 3 / (pi R^2) (1 - q^2)^2: the sum is the true thickness, without lumps. */

const char shader_chord[] = GLSL(
    flat in vec3 middle;
    flat in float radius;
    flat in vec4 tint;
    flat in float absorbs;
    in vec3 ray;
    uniform float enlarge;
    out vec4 result;
    void main()
    {
        vec3 d = normalize(ray);
        float b = dot(d, middle);
        float root = b * b - dot(middle, middle) + radius * radius;
        if (root < 0.0)
            discard;
        float q = root / (radius * radius); /* 1 - (distance of the ray / radius)^2 */
        float real = radius / enlarge;
        result = vec4(absorbs * 7.6394 * real * q * q / (enlarge * enlarge)); /* 24 / pi */
    }
);

/* The distance to where a ray leaves a closed mesh, minus that to where it enters. A container is
 * a shell of some thickness. */
const char shader_thickness[] = GLSL(
    in vec3 place, facing;
    uniform float absorbs, shell;
    out vec4 result;
    void main()
    {
        vec3 v = eye - place;
        float way = length(v);
        float slant = max(0.08, abs(dot(normalize(facing), v / way)));
        float solid = gl_FrontFacing ? -way : way;
        result = vec4(shell > 0.0 ? shell / slant : absorbs * solid);
    }
);

/* ---- films on walls: a thickness at each vertex ---- */

const char shader_film_vertex[] = "#version 330 core\n" GLSL(
    layout(location = 0) in vec3 position;
    layout(location = 1) in vec3 normal;
    layout(location = 2) in vec4 film; /* colour; thickness or absorption */
    uniform mat4 view;
    uniform mat4 projection;
    uniform vec4 turn;
    uniform vec3 pivot, move;
    out vec3 place, facing;
    out vec4 layer;
    vec3 turned(vec3 v)
    {
        return v + 2.0 * cross(turn.xyz, cross(turn.xyz, v) + turn.w * v);
    }
    void main()
    {
        place = turned(position - pivot) + pivot + move;
        facing = turned(normal);
        layer = film;
        gl_Position = projection * view * vec4(place, 1.0);
    }
);

const char shader_film[] = GLSL(
    in vec3 place, facing;
    in vec4 layer;
    out vec4 result;
    void main()
    {
        vec3 n = normalize(facing);
        if (dot(n, eye - place) < 0.0)
            n = -n;
        result = vec4(encode(shade(layer.rgb, n, place, 0.3, 0.0)), smoothstep(0.2, 0.8, layer.a));
    }
);

/* A film is crossed along its slant. */
const char shader_film_xray[] = GLSL(
    in vec3 place, facing;
    in vec4 layer;
    out vec4 result;
    void main()
    {
        vec3 v = normalize(eye - place);
        result = vec4(layer.a / max(0.08, abs(dot(normalize(facing), v))));
    }
);

/* Absorption along the ray of a pixel through a box of samples. */
const char shader_volume[] = GLSL(
    in vec2 at;
    uniform sampler3D volume;
    uniform mat3 inside; /* from m to the texture */
    uniform vec3 corner, right, above, forward;
    out vec4 result;
    const int STEPS = 192;
    void main()
    {
        vec3 d = normalize(forward + at.x * right + at.y * above);
        vec3 o = inside * (eye - corner), v = inside * d;
        vec3 one = -o / v, two = (vec3(1.0) - o) / v;
        vec3 first = min(one, two), last = max(one, two);
        float from = max(0.0, max(first.x, max(first.y, first.z)));
        float to = min(last.x, min(last.y, last.z));
        float sum = 0.0;
        for (int k = 0; k < STEPS && to > from; ++k) {
            float t = from + (to - from) * (float(k) + 0.5) / float(STEPS);
            sum += texture(volume, o + t * v).r;
        }
        result = vec4(to > from ? sum * (to - from) / float(STEPS) : 0.0);
    }
);

const char shader_add[] = GLSL(
    in vec2 at;
    uniform sampler2D more;
    out vec4 result;
    void main()
    {
        result = vec4(texture(more, 0.5 + 0.5 * at).r);
    }
);

/* The part of the rays that arrives; through a volume its logarithm, as digital radiographs show
 * it, up to the absorption `range`. */
const char shader_radiograph[] = GLSL(
    in vec2 at;
    uniform sampler2D absorbed;
    uniform float negative, range;
    out vec4 result;
    void main()
    {
        float lost = max(0.0, texture(absorbed, 0.5 + 0.5 * at).r);
        float left = range > 0.0 ? 1.0 - min(1.0, lost / range) : exp(-lost);
        float grey = mix(left, 1.0 - left, negative);
        vec3 shown = vec3(grey) * mix(vec3(0.97, 0.98, 1.0), vec3(1.0), grey);
        result = vec4(range > 0.0 ? shown : encode(shown), 1.0);
    }
);

/* ---- surfels as blended splats (002 section 6.2.2; Botsch et al. 2005) ---- */

const char shader_surfel_vertex[] = "#version 330 core\n" GLSL(
    layout(location = 0) in vec3 position;
    layout(location = 1) in vec3 normal;
    layout(location = 2) in float size;
    uniform mat4 view;
    uniform mat4 projection;
    uniform vec3 viewer;
    uniform float nearer; /* part of its radius by which a surfel is moved to the eye */
    out vec2 at;
    out vec3 facing;
    void main()
    {
        vec2 corner = vec2((gl_VertexID & 1) * 2 - 1, (gl_VertexID & 2) - 1);
        vec3 side = normalize(abs(normal.y) < 0.9 ? cross(normal, vec3(0.0, 1.0, 0.0))
                                                  : cross(normal, vec3(1.0, 0.0, 0.0)));
        vec3 over = cross(normal, side);
        vec3 v = normalize(viewer - position);
        vec3 place = position + size * (corner.x * side + corner.y * over) + nearer * size * v;
        at = corner;
        facing = normal;
        /* the back of the surface is not drawn */
        gl_Position = dot(normal, v) > 0.0 ? projection * view * vec4(place, 1.0)
                                           : vec4(2.0, 2.0, 2.0, 1.0);
    }
);

/* Visibility pass: depth only; attribute pass: normals, weighted. */
const char shader_surfel[] = GLSL(
    in vec2 at;
    in vec3 facing;
    out vec4 result;
    void main()
    {
        float q = dot(at, at);
        if (q > 1.0)
            discard;
        float weight = exp(-3.0 * q);
        result = vec4(weight * facing, weight);
    }
);

const char shader_splats[] = GLSL(
    in vec2 at;
    uniform sampler2D normals;
    uniform sampler2D depths;
    uniform vec3 right, above, forward, colour;
    uniform vec2 planes; /* of the projection: [2][2] and [3][2] */
    uniform float gloss, metal;
    out vec4 result;
    void main()
    {
        vec4 sum = texture(normals, 0.5 + 0.5 * at);
        float depth = texture(depths, 0.5 + 0.5 * at).r;
        if (sum.a < 1e-3 || depth >= 1.0)
            discard;
        float away = planes.y / (2.0 * depth - 1.0 + planes.x); /* along the view axis */
        vec3 place = eye + away * (forward + at.x * right + at.y * above);
        result = vec4(encode(shade(colour, normalize(sum.xyz), place, gloss, metal)), 1.0);
        gl_FragDepth = depth;
    }
);
