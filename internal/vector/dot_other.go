// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

//go:build !amd64

package vector

// dot is the scalar product of a question and a row.
func dot(query []int16, row []int8) int32 { return plainDot(query, row) }
