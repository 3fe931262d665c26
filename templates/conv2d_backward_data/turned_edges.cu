/* What a convolution of images calls its padding is that of the gradient by the results here: where the images have p
 * pixels around them, a filter of three, turned about, needs 2 - p around the results. */
#undef PAD_H
#undef PAD_W
#define PAD_H TURNED_PAD_H
#define PAD_W TURNED_PAD_W
