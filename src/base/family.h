/// Families of models: lists of models compiled for every instruction set, and their selection by
/// name.
///
/// A model is a struct that begins with its PxModelInfo; a file compiled once for each instruction
/// set defines it as PX_ISA_NAME(px_word). The family's own file lists the models,
///
///   #define MODELS(X) X(PxPressureModel, px_dfsph) X(PxPressureModel, px_iisph)
///   PX_FAMILY(px_pressure_family, "pressure", MODELS, )
///
/// and casts the result of px_family_pick() to the model's struct.
#ifndef PX_BASE_FAMILY_H
#define PX_BASE_FAMILY_H

#include "base/field.h"
#include "base/simd.h"
#include "phyxel/model.h"

#define PX_FAMILY_BASE_DECLARE(type, model) extern const type model##_base;
#define PX_FAMILY_BASE_INFO(type, model) &model##_base.info,
#define PX_FAMILY_AVX2_DECLARE(type, model) extern const type model##_avx2;
#define PX_FAMILY_AVX2_INFO(type, model) &model##_avx2.info,

/// Defines the family `family`; `first` are infos placed before those of the models, each with a
/// trailing comma.
#ifdef PX_HAVE_AVX2
#define PX_FAMILY(family, word, models, first)                                                     \
    models(PX_FAMILY_BASE_DECLARE)                                                                 \
        models(PX_FAMILY_AVX2_DECLARE) static const PxModelInfo *const family##_base[] = {         \
            first models(PX_FAMILY_BASE_INFO)};                                                    \
    static const PxModelInfo *const family##_avx2[] = {first models(PX_FAMILY_AVX2_INFO)};         \
    const PxFamily family = {word, family##_base, family##_avx2, PX_COUNT(family##_base)};
#else
#define PX_FAMILY(family, word, models, first)                                                     \
    models(PX_FAMILY_BASE_DECLARE) static const PxModelInfo *const family##_base[] = {             \
        first models(PX_FAMILY_BASE_INFO)};                                                        \
    const PxFamily family = {word, family##_base, family##_base, PX_COUNT(family##_base)};
#endif

/// The info at the start of the struct of the model of that name, for an instruction set; NULL if
/// there is none.
const PxModelInfo *px_family_pick(const PxFamily *family, const char *name, PxIsa isa);

/// The model of that name with its default parameters; the word is "" if there is none.
PxModelChoice px_family_choice(const PxFamily *family, const char *name);

#endif
