// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

//go:build !linux

package bound

// Slab returns a slice of n zero values, owned by the caller.
func Slab[T any](n int) []T { return make([]T, n) }
