// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package vector

import "golang.org/x/sys/cpu"

// dotAVX2 is plainDot of n numbers, a multiple of 32 and at least 32.
//
//go:noescape
func dotAVX2(query *int16, row *int8, n int) int32

// dot is the scalar product of a question and a row.
func dot(query []int16, row []int8) int32 {
	if !hasAVX2 || len(row) < lane || len(query) < len(row) {
		return plainDot(query, row)
	}
	return dotAVX2(&query[0], &row[0], len(row))
}

var hasAVX2 = cpu.X86.HasAVX2
