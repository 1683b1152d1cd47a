#include "solid/fracture/heal.h"

static bool is_solid_at(const PxCracks *c, const PxFractureField *f, uint32_t crack,
                        uint32_t vertex)
{
    uint32_t body = c->list.data[crack].body;
    return px_fracture_sample(f, body, px_crack_place(c, vertex)).strength > 0;
}

static void heal_triangles(PxCracks *c, const PxFractureField *f)
{
    size_t left = 0;
    for (size_t k = 0; k < c->triangles.count; ++k) {
        const PxCrackTriangle t = c->triangles.data[k];
        if (is_solid_at(c, f, t.crack, t.corner[0]) || is_solid_at(c, f, t.crack, t.corner[1]) ||
            is_solid_at(c, f, t.crack, t.corner[2]))
            c->triangles.data[left++] = t;
    }
    c->triangles.count = left;
}

uint32_t px_cracks_heal(PxCracks *c, const PxFractureField *f)
{
    size_t left = 0;
    uint32_t front = 0, removed = 0;
    heal_triangles(c, f);
    for (uint32_t first = 0, size; first < c->nodes.count; first += size) {
        bool solid = true;
        size = px_crack_front_size(c, first);
        for (uint32_t k = first; solid && k < first + size; ++k)
            solid = is_solid_at(c, f, c->nodes.data[k].crack, c->nodes.data[k].vertex);
        removed += !solid;
        for (uint32_t k = first; solid && k < first + size; ++k) {
            c->nodes.data[left] = c->nodes.data[k];
            c->nodes.data[left++].front = front;
        }
        front += solid;
    }
    c->nodes.count = left;
    return removed;
}
