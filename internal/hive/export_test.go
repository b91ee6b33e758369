// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package hive

// Hold keeps operations waiting, so that they become one group, until release is called.
func Hold(h *Hive) (release func()) { return h.writer.Hold() }

// Waiting returns how many operations wait for the chain's writer.
func Waiting(h *Hive) int { return h.writer.Waiting() }
