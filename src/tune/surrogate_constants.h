/* SPDX-License-Identifier: Apache-2.0 */
/* The constants of the surrogate search. */
#ifndef PAWL_TUNE_SURROGATE_CONSTANTS_H
#define PAWL_TUNE_SURROGATE_CONSTANTS_H

#define SAMPLED 12000u    /* of a large space, drawn for the pool ... */
#define PARENTS 10u       /* ... beside the neighbours of so many of the best */
#define SCORE 0.35        /* of the response: one standard deviation of the results */
#define SLOWEST 0.8       /* the response of a time without end */
#define FEW_QUESTIONS 30u /* up to which the fit of their results has only half a say */
#define REPORT_SWEEPS \
  8u /* of the only fit of a report; a search fits again and again, and goes gently */
#define FIRST_FIT 4u        /* results */
#define EXPLORED 24u        /* candidates for one of the first questions ... */
#define COVERED 300u        /* ... and configurations about which something is to be learnt */
#define ROUND 3.0           /* how much round numbers are preferred among them */
#define LEAST_ROUND 0.3     /* what a configuration without round numbers counts, later */
#define ROUND_QUESTIONS 10u /* from so many on round numbers are preferred only where ... */
#define ROUND_REACH \
  16.0 /* ... a parameter has a value as large: it counts threads or bytes, not repetitions */
#define APART_RESULTS \
  30u /* below which a question stays away from those that wait for their answer, ... */
#define HALF_APART 10u /* ... and from so many on only each second one */
#define WIDER_RESULTS \
  10u             /* below which the deviation is wider for a question asked beside others, ... */
#define WIDER 0.2 /* ... by so much of the deviation for each of them */
#define LEARN_RESULTS                                                                            \
  10u                    /* below which each second question beside others is asked to learn ... \
                          */
#define LEARN_ABOUT 100u /* ... about so many of the most promising places ... */
#define LEARN_FROM 1000u /* ... from one of so many */
#define KNOWN_POINTS \
  200u /* of an earlier search: the fastest half of so many, and an even selection */
#define KNOWN_SWEEPS 4u
#define KNOWN_FIRST \
  2u /* an earlier search guides until so many configurations are tried or held, ... */
#define KNOWN_AGAIN 10u /* ... and again from so many answers on ... */
#define KNOWN_END 15u   /* ... to so many */
#define TRUST 1.0       /* in what an earlier search knew, before any result ... */
#define TRUST_WEIGHT 0.5
#define MOST_TRUST 2.0 /* ... and at most */

#endif
