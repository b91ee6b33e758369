// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package looking lets the agents of a test look at a note before they change it. An agent
// replaces only text that it was shown, which a test of something else need not care about.
//
// [First] wraps a service.
//
// Invariants: what the wrapped service answers is passed on unchanged.
//
// Elsewhere: the rule itself is package internal/travel.
package looking
