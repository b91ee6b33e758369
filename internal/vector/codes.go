// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package vector

type codes struct{ n int }

func (c *codes) serves(k int) bool                                  { return false }
func (s *Set) byCodes(queries []*Query, mask Bitmap, k int) [][]Hit { return nil }
