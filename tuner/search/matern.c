#include "tuner/search/matern.h"

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Where the covariance is below 1e-30, and the argument of the exponential ends. */
static const float FARTHEST = 69;

/* exp(-d) for d from 0 to FARTHEST, to about 2e-7 of itself, in operations that there are for
 * vectors: 2 to a whole number, which is an exponent's bits, times 2 to at most half a one, which
 * is the series of Taylor. */
static float decay(float d) {
    float t = -d * 1.44269504f;
    int32_t whole = (int32_t)(t - 0.5f);
    float x = (t - (float)whole) * 0.693147181f;
    float y =
        1 +
        x * (1 + x * (1 / 2.0f + x * (1 / 6.0f + x * (1 / 24.0f + x * (1 / 120.0f + x / 720)))));
    uint32_t bits = (uint32_t)(whole + 127) << 23;
    float power;
    memcpy(&power, &bits, sizeof power);
    return y * power;
}

void matern_block(const float *x, int stride, const float *at, const float *scales, int dimensions,
                  float *out) {
    float squares[MATERN_BLOCK] = {0};
    for (int i = 0; i < dimensions; i++) {
        const float *coordinate = x + (ptrdiff_t)i * stride;
        float here = at[i], scale = scales[i];
        for (int c = 0; c < MATERN_BLOCK; c++) {
            float distance = (coordinate[c] - here) * scale;
            squares[c] += distance * distance;
        }
    }
    for (int c = 0; c < MATERN_BLOCK; c++) {
        float d = sqrtf(5 * squares[c]);
        d = d < FARTHEST ? d : FARTHEST;
        out[c] = (1 + d + d * d / 3) * decay(d);
    }
}
