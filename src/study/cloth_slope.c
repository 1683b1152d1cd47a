#include "study/cloth_slope.h"

#include "store/file.h"
#include "study/gnuplot.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- fits ------------------------------------------------------------------------------------ */

typedef struct Fit {
    double n, x, y, xx, xy;
} Fit;

static void fit_add(Fit *f, double x, double y)
{
    f->n += 1;
    f->x += x;
    f->y += y;
    f->xx += x * x;
    f->xy += x * y;
}

static void fit_line(const Fit *f, double *a, double *b)
{
    double below = f->n * f->xx - f->x * f->x;
    *b = below > 0 ? (f->n * f->xy - f->x * f->y) / below : 0;
    *a = f->n > 0 ? (f->y - *b * f->x) / f->n : 0;
}

void px_cloth_slope_line(const PxClothSlope *slope, size_t count, double *a, double *b)
{
    Fit f = {0};
    for (size_t k = 0; k < count; ++k)
        if (!(slope[k].drag > 0) && slope[k].friction < 0.65 && !(slope[k].side > slope[0].side))
            fit_add(&f, slope[k].friction, slope[k].mean);
    fit_line(&f, a, b);
}

void px_cloth_slope_decay(const PxClothSlope *slope, size_t count, double most, double *v,
                          double *k)
{
    Fit f = {0};
    double a, b;
    for (size_t n = 0; n < count; ++n)
        if (!(slope[n].friction > 0) && slope[n].drag < 1.001 * most && slope[n].mean > 0 &&
            !(slope[n].side > slope[0].side))
            fit_add(&f, slope[n].drag, log(slope[n].mean));
    fit_line(&f, &a, &b);
    *v = exp(a);
    *k = -b;
}

/* ---- files ----------------------------------------------------------------------------------- */

static PxStatus write_text(const char *folder, const char *name, FILE *out, char **text,
                           const size_t *size)
{
    char path[PX_PATH_MAX];
    PxStatus status = fclose(out) != 0 ? px_fail(PX_ERR_MEMORY, "bench: no room for %s", name)
                                       : px_path_join(path, folder, "%s", name);
    if (status == PX_OK)
        status = px_file_write_atomic(path, *text, *size);
    free(*text);
    *text = NULL;
    return status;
}

static PxStatus open_text(FILE **out, char **text, size_t *size)
{
    *out = open_memstream(text, size);
    return *out != NULL ? PX_OK : px_fail(PX_ERR_MEMORY, "bench: no room for a plot");
}

static PxStatus write_means(const char *folder, const PxClothSlope *slope, size_t count)
{
    FILE *out;
    char *text;
    size_t size;
    PX_TRY(open_text(&out, &text, &size));
    fprintf(out,
            "side_m,mu,delta_kg_per_s,mean_speed_m_per_s,far_speed_m_per_s,particles,leaked\n");
    for (size_t k = 0; k < count; ++k) {
        fprintf(out, "%g,%g,%g,%.4f,", slope[k].side, slope[k].friction, slope[k].drag,
                slope[k].mean);
        if (isfinite(slope[k].far))
            fprintf(out, "%.4f", slope[k].far);
        fprintf(out, ",%.0f,%.0f\n", slope[k].particles, slope[k].leaked);
    }
    return write_text(folder, "slope.csv", out, &text, &size);
}

static PxStatus write_times(const char *folder, const PxClothSlope *slope, size_t count)
{
    FILE *out;
    char *text;
    size_t size;
    PX_TRY(open_text(&out, &text, &size));
    fprintf(out, "side_m,mu,delta_kg_per_s,time_s,speed_m_per_s\n");
    for (size_t k = 0; k < count; ++k)
        for (size_t n = 0; n < slope[k].samples; ++n)
            if (isfinite(slope[k].speed[n]))
                fprintf(out, "%g,%g,%g,%.2f,%.4f\n", slope[k].side, slope[k].friction,
                        slope[k].drag, slope[k].time[n], slope[k].speed[n]);
    return write_text(folder, "slope-time.csv", out, &text, &size);
}

/* ---- the plot -------------------------------------------------------------------------------- */

/* Curves over time of the runs with friction, or with drag. */
static void plot_times(FILE *out, const PxClothSlope *slope, size_t count, bool drag)
{
    bool any = false;
    double most = 0;
    for (size_t k = 0; k < count; ++k)
        most = fmax(most, slope[k].drag);
    fprintf(out, "plot");
    for (size_t k = 0; k < count; ++k) {
        bool own = (drag ? !(slope[k].friction > 0) : !(slope[k].drag > 0)) &&
                   !(slope[k].side > slope[0].side);
        double part = drag ? sqrt(slope[k].drag / most) : slope[k].friction;
        if (!own || (!drag && fmod(10 * slope[k].friction + 0.5, 2) > 1)) /* every other */
            continue;
        fprintf(out,
                "%s 'slope-time.csv' using (abs($1-%g)<1e-6 && abs($2-%g)<1e-6 && abs($3-%g)<1e-9 "
                "? $4 : "
                "NaN):5 "
                "with lines lw 1.6 lc rgb '#%02x%02x%02x' title '%s%g'",
                any ? "," : "", slope[0].side, slope[k].friction, slope[k].drag,
                (int)(30 + 190 * part), (int)(110 - 40 * part), (int)(190 - 140 * part),
                drag ? "{/Symbol d} " : "\u00b5 ", drag ? slope[k].drag : slope[k].friction);
        any = true;
    }
    fprintf(out, "\n");
}

static PxStatus write_plot(const char *folder, const PxClothSlope *slope, size_t count)
{
    FILE *out;
    char *text;
    size_t size;
    double a, b, v, k, end = slope[0].time[slope[0].samples - 1], side = slope[0].side;
    px_cloth_slope_line(slope, count, &a, &b);
    px_cloth_slope_decay(slope, count, 0.05, &v, &k);
    PX_TRY(open_text(&out, &text, &size));
    fprintf(out,
            "# draws slope.png; run in this folder\n"
            "set terminal pngcairo size 1000,720 enhanced font 'sans,10' background 'white'\n"
            "set output 'slope.png'\nset encoding utf8\nset datafile separator comma\n"
            "set border 3 lc rgb '#444444'\nset tics nomirror textcolor rgb '#222222'\n"
            "set grid ytics lc rgb '#dddddd' lt 1\nset key top right samplen 1.5\n"
            "set yrange [0:]\nset ylabel 'mean speed of the particles that touch, m/s'\n"
            "set multiplot layout 2,2\nset key outside right top\n"
            "set xlabel 'time, s'\nset xrange [0:%g]\n"
            "set title '(a) friction by what presses, \u00b5'\n",
            end);
    plot_times(out, slope, count, false);
    fprintf(out, "set title '(b) friction by velocity, {/Symbol d} in kg/s'\n");
    plot_times(out, slope, count, true);
    fprintf(out,
            "set key inside top right\nset xrange [0:1.02]\nset xlabel '\u00b5'\nset title '(c) "
            "mean from %g to %g s, by \u00b5'\n"
            "plot 'slope.csv' using ($3==0 && $1<=%g ? $2 : NaN):4 with points pt 7 ps 1.1 lc rgb "
            "'#a5402d' title 'cloth of %g m', "
            "'' using ($3==0 && $1>%g ? $2 : NaN):4 with points pt 6 ps 1.1 lc rgb '#2d60a5' title "
            "'of %g m', "
            "[0:0.6] %.4f%+.4f*x with lines lw 1.4 lc rgb '#777777' title '%.2f - %.2f \u00b5'\n"
            "set xrange [0:*]\nset xlabel '{/Symbol d}, kg/s'\n"
            "set title '(d) mean from %g to %g s, by {/Symbol d}'\n"
            "plot 'slope.csv' using ($2==0 && $1<=%g ? $3 : NaN):4 with points pt 7 ps 1.1 lc rgb "
            "'#a5402d' title 'cloth of %g m', "
            "%.4f*exp(-%.4f*x) with lines lw 1.4 lc rgb '#777777' title '%.2f exp(-%.1f {/Symbol "
            "d})'\n"
            "unset multiplot\n",
            0.5 * end, end, side, side, side, 2 * side, a, b, a, -b, 0.5 * end, end, side, side, v,
            k, v, k);
    return write_text(folder, "slope.gp", out, &text, &size);
}

PxStatus px_cloth_slope_write(const char *folder, const PxClothSlope *slope, size_t count,
                              bool *drawn)
{
    *drawn = false;
    PX_TRY(px_folder_make(folder));
    PX_TRY(write_means(folder, slope, count));
    PX_TRY(write_times(folder, slope, count));
    PX_TRY(write_plot(folder, slope, count));
    *drawn = px_gnuplot(folder, "slope.gp");
    return PX_OK;
}
