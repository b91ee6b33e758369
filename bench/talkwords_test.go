// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package bench

// otherWords is how another person says the same, by kind of statement; choose is a question. In braces: a what is asked for, b an animal,
// d a day, i an item, j a job, n a name, p a price, r a rule, t a thing, w an appointment.
var otherWords = map[string][]string{
	"dislike": {
		"honestly, I'm really not a fan of {t}.",
		"whenever there is {t} in a dish I end up picking it out.",
		"we had {t} again at lunch and I pushed the plate away.",
		"I strongly dislike {t}.",
		"anything with {t} is wasted on me.",
		"I have gone off {t} completely.",
		"{t}? Not if I can help it.",
	},
	"like": {
		"I tend to go for {t} whenever I can.",
		"give me {t} any day.",
		"I am happiest with {t}.",
		"{t} just works best for me.",
		"I have been really into {t} lately.",
		"I would pick {t} over nearly anything.",
	},
	"choose": {
		"I need ideas for {a}.",
		"What would you take if you were me: {a}?",
		"Help me with {a}, would you?",
		"Any thoughts on {a}?",
		"What might suit me as {a}?",
	},
	"rule": {
		"one thing about your answers in general: {r}.",
		"as a habit when you write to me, {r}.",
		"I keep having to ask, so once and for all: {r}.",
		"a small wish for whatever you send me: {r}.",
	},
	"date": {
		"we settled on {d} for {w} with {n}.",
		"{n} can make {d}, so that is {w}.",
		"wrote {w} with {n} into my calendar, {d}.",
	},
	"moved": {
		"{n} cannot come then, {w} slipped to {d}.",
		"scrap that, {w} with {n} happens {d} instead.",
		"they shuffled everything: {w} with {n}, {d}.",
	},
	"buy": {
		"{n} let me have the {i} for {p}, used.",
		"ended up paying {p} for {n}'s old {i}.",
		"the {i} came from {n}, {p} euros and no box.",
	},
	"pet": {
		"there is a {b} living with us since Sunday, answers to {n}.",
		"{n} moved in, a {b}, and has already eaten a slipper.",
	},
	"work": {
		"{n} {j}, it turns out.",
		"ran into {n}, who {j} nowadays.",
	},
}
