// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

//go:build !linux

package slab

// Of returns n zero values. The caller owns them.
func Of[T any](n int) []T { return make([]T, n) }
