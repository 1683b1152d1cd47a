/// A player simulates a scene, or reads a stored run, in a thread of its own, and hands out shots.
///
/// All functions are for the window's thread; none waits for the simulation, except player_close()
/// and player_wait(). A scene is simulated frame by frame, with the same bits as `phyxel run`.
#ifndef VIEWER_PLAYER_H
#define VIEWER_PLAYER_H

#include "hands.h"
#include "shot.h"

typedef struct Player Player;

/// What the status line shows.
typedef struct PlayerStatus {
    bool live;            ///< simulated here; false: a stored run
    bool playing;         ///< frames are being shown or computed
    bool busy;            ///< the thread works at something
    bool failed;          ///< the simulation stopped; `message` says why
    uint32_t frame;       ///< that is shown
    uint32_t first, last; ///< frames that can be shown now
    uint32_t total;       ///< frames of the scene
    double time;          ///< of the newest frame, s
    double steps;         ///< a second, of wall-clock time; 0: not known
    double ratio;         ///< simulated time over wall-clock time; 0: not known
    char message[512];    ///< the last failure, or ""
} PlayerStatus;

/// Starts with a scene, which it takes over, or with a result folder (`dir` is not NULL). Paused at
/// the first frame, or at its last one for a folder. NULL with px_error_message() on failure.
/// `threads`: 0: one for every core.
Player *player_open(PxScene *scene, const char *dir, int threads);
/// Stops at once, within a step. Accepts NULL.
void player_close(Player *player);

const PxDisplay *player_display(const Player *player);
const PxScene *player_scene(const Player *player);

void player_play(Player *player, bool playing);
/// One frame on; pauses.
void player_step(Player *player);
/// Shows a frame that was kept or stored; pauses. A simulation goes on from its newest frame.
void player_seek(Player *player, uint32_t frame);
/// Back to the start of the scene or run; pauses.
void player_restart(Player *player);
/// The column shown as colour; NULL or "": none.
void player_colour(Player *player, const char *column);
/// Arrows that are shown.
void player_arrows(Player *player, ArrowKind arrows);
/// Plays faster than real time if the machine can.
void player_unpaced(Player *player, bool unpaced);

/// ---- hands: only for a simulation
/// Does something by hand, before the next frame is computed; a failure becomes the message of the
/// status. While it is paused, one frame is not computed for it, except that values show at once.
void player_act(Player *player, const Act *act);
/// Undoes the last thing that was done by hand: the simulation returns to the moment before it.
void player_undo(Player *player);
/// Values that can be set, as they are now: fills `out` with up to `most`; returns how many there
/// are.
size_t player_values(Player *player, PxWorldValue *out, size_t most);
/// How often undo is possible.
size_t player_undos(Player *player);
/// The scene's text with everything that was done by hand; free it. NULL: no memory.
char *player_scene_text(Player *player, const char *text);

/// Names of columns that can be shown as colour, NULL-terminated. Valid as long as the player.
const char *const *player_columns(const Player *player);

/// The shot to draw, and whether it is another one than at the last call (`fresh` may be NULL);
/// NULL: none yet. Valid until the next call.
const Shot *player_shot(Player *player, bool *fresh);
PlayerStatus player_status(Player *player);

/// Waits until the newest frame is at that time or later, the end is reached, or it has failed;
/// false when it has failed.
bool player_wait(Player *player, double time);

#endif
