/// Sources of the shaders, GLSL 3.30.
#ifndef VIEWER_SHADERS_H
#define VIEWER_SHADERS_H

/// Put before all fragment shaders: light, colours, background.
extern const char shader_common[];
extern const char shader_screen_vertex[];
extern const char shader_background[];
extern const char shader_mesh_vertex[];
extern const char shader_mesh[];
extern const char shader_ball_vertex[];
extern const char shader_ball[];
extern const char shader_liquid_vertex[];
extern const char shader_liquid[];
extern const char shader_chord[];
extern const char shader_thickness[];
extern const char shader_film_vertex[], shader_film[], shader_film_xray[];
extern const char shader_volume[], shader_add[];
extern const char shader_radiograph[];
extern const char shader_surfel_vertex[];
extern const char shader_surfel[];
extern const char shader_splats[];
extern const char shader_ground_vertex[];
extern const char shader_ground[];

#endif
