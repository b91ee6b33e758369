// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package vector

import "golang.org/x/sys/cpu"

// distances512 writes the near distances of n rows, at least 1, from words. It needs VPOPCNTQ.
//
//go:noescape
func distances512(to *uint16, near *uint64, n int, words *uint64)

// distances writes the near distances from words of the up to 64 rows whose words are in near. One
// instruction counts what eight take in Go, so that the scan waits for memory alone.
var distances = func() func(to *[64]uint16, near []uint64, words *[nearWords]uint64) {
	if !cpu.X86.HasAVX512F || !cpu.X86.HasAVX512VPOPCNTDQ {
		return plainDistances
	}
	return func(to *[64]uint16, near []uint64, words *[nearWords]uint64) {
		if n := min(len(to), len(near)/nearWords); n > 0 {
			distances512(&to[0], &near[0], n, &words[0])
		}
	}
}()
