/// A choice among models: which solver, which law, and its numbers.
#ifndef PHYXEL_MODEL_H
#define PHYXEL_MODEL_H

/// A model of a family, chosen by its word, and its numbers in the order in
/// which the model lists them. Start from px_pressure_choice("dfsph").
#define PX_MODEL_PARAMS 8
typedef struct PxModelChoice {
    char model[24];
    double param[PX_MODEL_PARAMS];
} PxModelChoice;

#endif
