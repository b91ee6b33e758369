// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package looking shows the agents of a test a note before they change it. Agents may replace only
// text that they were shown; tests of other rules use this package.
//
// [First] wraps a service.
//
// Invariants: answers of the wrapped service are unchanged.
//
// Elsewhere: the rule itself is package internal/travel.
package looking
