#include "scene/read/strength.h"

#include "scene/read/values.h"

#include <string.h>

bool px_read_strength(PxScene *scene, const PxPath *path, const PxField *field, json_t *value,
                      void *object)
{
    PxModelChoice *cold = (PxModelChoice *)((char *)object + field->beside);
    double *strength = (double *)((char *)object + field->offset);
    bool none = strcmp(cold->model, "none") == 0;
    PxModelChoice hot = *cold;
    if (json_is_number(value) && !none)
        return px_read_number(scene, path, field, value, strength);
    if (json_is_number(value)) {
        px_complain(scene, PX_ERROR, path, PX_AT_VALUE,
                    "is a number, but the cold state has no %s model; wanted "
                    "{\"model\": \"%s\", ...} or another",
                    field->family->name, field->family->models[1]->name);
        return false;
    }
    if (!px_read_model(scene, path, field, value, &hot))
        return false;
    bool same = strcmp(hot.model, cold->model) == 0;
    if (!same && !none) {
        px_complain(scene, PX_ERROR, path, PX_AT_VALUE,
                    "is '%s', but that of the cold state is '%s': matter that melts keeps its "
                    "models; only their strength may change",
                    hot.model, cold->model);
        return false;
    }
    for (int k = 1; same && k < PX_MODEL_PARAMS; ++k)
        if (hot.param[k] != cold->param[k])
            px_complain(
                scene, PX_ERROR, path, PX_AT_VALUE,
                "has other numbers than that of the cold state; only its strength may change");
    if (strcmp(hot.model, "none") == 0)
        return true;
    *strength = hot.param[0];
    hot.param[0] = none ? 0 : cold->param[0];
    *cold = hot;
    return true;
}
