/* SPDX-License-Identifier: Apache-2.0 */
/* The constants of the surrogate search. bench/tuning/constants.py measures the effect of half and
   of twice each value on the recorded spaces. */
#pragma once

/* The pool of a large space: a random sample, and the neighbours of the best results. */
#define SAMPLED 12000u
#define PARENTS 10u

/* The response of a time: the weight of its rank, and the limit for slow times. */
#define SCORE 0.35
#define SLOWEST 0.8

/* Up to this number of questions the search mixes the fit with the prior's process. */
#define FEW_QUESTIONS 30u

/* A report fits once, with these sweeps. A search fits often, with one sweep each. */
#define REPORT_SWEEPS 8u
/* The number of results before the first fit. */
#define FIRST_FIT 4u

/* A first question is the best of EXPLORED candidates at explaining COVERED configurations. Round
   numbers count more, at most by the factor 1 + ROUND. */
#define EXPLORED 24u
#define COVERED 300u
#define ROUND 3.0

/* The factor for a configuration without round numbers in later questions. */
#define LEAST_ROUND 0.3

/* Below APART_RESULTS results a question keeps its distance from questions without an answer. */
#define APART_RESULTS 30u

/* Below LEARN_RESULTS results every second question beside others explores: of the LEARN_FROM most
   promising configurations it is the one that tells most about the best LEARN_ABOUT. */
#define LEARN_RESULTS 10u
#define LEARN_ABOUT 100u
#define LEARN_FROM 1000u

/* The model of an earlier search: the number of its results and the sweeps of its fit. */
#define KNOWN_POINTS 200u
#define KNOWN_SWEEPS 4u
/* An earlier search guides until KNOWN_FIRST configurations are timed or open, and again from
   KNOWN_AGAIN answers to KNOWN_END. */
#define KNOWN_FIRST 2u
#define KNOWN_AGAIN 10u
#define KNOWN_END 15u
/* The slope of the trend of an earlier search: the prior mean, its weight and the largest value. */
#define TRUST 1.0
#define TRUST_WEIGHT 0.5
#define MOST_TRUST 2.0
