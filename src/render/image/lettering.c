#include "render/image/lettering.h"

/* A letter as polylines on a grid: each point is a digit for x (0 .. 4) and one for y (2 is the
 * baseline, 6 the x-height, 8 the cap height, 0 the descender); a space lifts the pen. */
typedef struct Letter {
    char letter;
    const char *strokes;
} Letter;

static const Letter letters[] = {
    {'0', "180703123243473818"},
    {'1', "072822 1232"},
    {'2', "07183847460242"},
    {'3', "07183847463515 354443321203"},
    {'4', "380444 3832"},
    {'5', "480805354443321203"},
    {'6', "473818070312324344351504"},
    {'7', "084812"},
    {'8', "15060718384746351504031232434435"},
    {'9', "031232434738180706153546"},
    {'.', "2223"},
    {',', "2311"},
    {':', "2524 2223"},
    {'-', "0545"},
    {'+', "0545 2723"},
    {'=', "0444 0646"},
    {'/', "0148"},
    {'^', "162836"},
    {'(', "38272332"},
    {')', "18272312"},
    {'_', "0141"},
    {'%', "0248 1817 3332"},
    {'a', "361605031232434536 4642"},
    {'b', "361605031232434536 0802"},
    {'c', "4536160503123243"},
    {'d', "361605031232434536 4842"},
    {'e', "04444536160503123243"},
    {'f', "38281712 0626"},
    {'g', "361605031232434536 4641301001"},
    {'h', "0802 0516364542"},
    {'i', "2622 2827"},
    {'j', "36312010 3837"},
    {'k', "0802 3604 1432"},
    {'l', "2822"},
    {'m', "0602 05162522 25364542"},
    {'n', "0602 0516364542"},
    {'o', "361605031232434536"},
    {'p', "361605031232434536 0600"},
    {'q', "361605031232434536 4640"},
    {'r', "0602 04163645"},
    {'s', "45361605143443321203"},
    {'t', "18132232 0636"},
    {'u', "0603123243 4642"},
    {'v', "062246"},
    {'w', "0612243246"},
    {'x', "0642 4602"},
    {'y', "0622 4610"},
    {'z', "06460242"},
    {'A', "022842 1434"},
    {'B', "02083847463505 3544433202"},
    {'C', "4738180703123243"},
    {'D', "02082846442202"},
    {'E', "48080242 0535"},
    {'F', "480802 0535"},
    {'G', "47381807031232434525"},
    {'H', "0802 4842 0545"},
    {'I', "2822 1838 1232"},
    {'J', "4843321203"},
    {'K', "0802 4805 0542"},
    {'L', "080242"},
    {'M', "0208254842"},
    {'N', "02084248"},
    {'O', "180703123243473818"},
    {'P', "02083847463505"},
    {'Q', "180703123243473818 2442"},
    {'R', "02083847463505 2542"},
    {'S', "473818070615354443321203"},
    {'T', "0848 2822"},
    {'U', "080312324348"},
    {'V', "082248"},
    {'W', "0812253248"},
    {'X', "0842 4802"},
    {'Y', "082548 2522"},
    {'Z', "08480242"},
};

#define ADVANCE 5.6f /* advance width, in grid units */
#define CAPITAL 6.0f /* cap height, in grid units */

static const char *strokes_of(char letter)
{
    for (size_t k = 0; k < PX_COUNT(letters); ++k)
        if (letters[k].letter == letter)
            return letters[k].strokes;
    return "";
}

static float distance_to(float x, float y, float x0, float y0, float x1, float y1)
{
    float dx = x1 - x0, dy = y1 - y0, square = dx * dx + dy * dy;
    float t = square > 0 ? px_clampf(((x - x0) * dx + (y - y0) * dy) / square, 0, 1) : 0;
    return hypotf(x - x0 - t * dx, y - y0 - t * dy);
}

void px_stroke_draw(PxPicture *picture, float x0, float y0, float x1, float y1, float width,
                    PxV3 colour)
{
    float reach = 0.5f * width + 1;
    int left = (int)floorf(fminf(x0, x1) - reach), right = (int)ceilf(fmaxf(x0, x1) + reach);
    int top = (int)floorf(fminf(y0, y1) - reach), bottom = (int)ceilf(fmaxf(y0, y1) + reach);
    const float c[3] = {255 * colour.x, 255 * colour.y, 255 * colour.z};
    for (int y = top < 0 ? 0 : top; y <= bottom && y < (int)picture->height; ++y)
        for (int x = left < 0 ? 0 : left; x <= right && x < (int)picture->width; ++x) {
            float d = distance_to((float)x + 0.5f, (float)y + 0.5f, x0, y0, x1, y1);
            float part = px_clampf(0.5f * width + 0.5f - d, 0, 1);
            uint8_t *to =
                picture->pixel + ((size_t)y * picture->width + (size_t)x) * picture->channels;
            for (int k = 0; k < 3 && part > 0; ++k)
                to[k] = (uint8_t)(to[k] + (c[k] - to[k]) * part + 0.5f);
            if (picture->channels == 4 && part > 0)
                to[3] = (uint8_t)fmaxf(to[3], 255 * part);
        }
}

void px_letters_draw(PxPicture *picture, float x, float y, float height, PxV3 colour,
                     const char *text)
{
    float step = height / CAPITAL, width = fmaxf(1.1f, 0.13f * height);
    for (; *text != '\0'; ++text, x += ADVANCE * step) {
        const char *s = strokes_of(*text);
        float x0 = 0, y0 = 0;
        bool down = false;
        for (; *s != '\0'; ++s) {
            if (*s == ' ') {
                down = false;
                continue;
            }
            float x1 = x + (float)(s[0] - '0') * step, y1 = y - (float)(s[1] - '2') * step;
            if (down)
                px_stroke_draw(picture, x0, y0, x1, y1, width, colour);
            x0 = x1;
            y0 = y1;
            down = true;
            ++s;
        }
    }
}

float px_letters_width(float height, const char *text)
{
    size_t count = 0;
    while (text[count] != '\0')
        ++count;
    return count > 0 ? ((float)count * ADVANCE - 1.6f) * height / CAPITAL : 0;
}
