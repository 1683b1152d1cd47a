/// A choice of model, such as a pressure solver, with its parameters.
#ifndef PHYXEL_MODEL_H
#define PHYXEL_MODEL_H

/// A model of a family, chosen by name, and its parameters in the order in which the model lists
/// them. Start from px_pressure_choice("auto").
#define PX_MODEL_PARAMS 8
typedef struct PxModelChoice {
    char model[24];
    double param[PX_MODEL_PARAMS];
} PxModelChoice;

#endif
