/// The fields of the world's defs, as scene files, events and px_world_set() see them.
#ifndef PX_WORLD_FIELDS_H
#define PX_WORLD_FIELDS_H

#include "base/field.h"
#include "phyxel/world.h"

extern const PxField px_world_fields[];
extern const size_t px_world_field_count;
extern const PxField px_material_fields[];
extern const size_t px_material_field_count;

/// Of a material's melting. Their offsets are those in PxMaterialDef, too; of the numbers of the
/// molten state, NAN is "as in the cold one". `tension` is the last of them.
extern const PxField px_melt_fields[];
extern const size_t px_melt_field_count;
extern const PxField px_melt_into_fields[];
extern const size_t px_melt_into_field_count;

/// Are the numbers of the material's melting in their ranges? Errors: PX_ERR_ARGUMENT.
PxStatus px_melt_check(const PxMaterialDef *def, const char *what);

extern const PxField px_body_fields[];
extern const size_t px_body_field_count;
extern const PxField px_emitter_fields[];
extern const size_t px_emitter_field_count;
extern const PxField px_sink_fields[];
extern const size_t px_sink_field_count;
extern const PxField px_handle_fields[];
extern const size_t px_handle_field_count;
extern const PxField px_force_fields[];
extern const size_t px_force_field_count;

extern const PxField px_heater_fields[];
extern const size_t px_heater_field_count;
/// May what is made of `before` become `after` while the world runs? `path` is what the event sets.
/// Errors: PX_ERR_ARGUMENT.
PxStatus px_material_may_become(const char *path, const PxMaterialDef *before,
                                const PxMaterialDef *after);

#endif
