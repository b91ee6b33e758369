// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package recall

// Touched returns the positions that an arm gave anything. It must not be changed.
func (b *Board) Touched() []uint32 { return b.touched }
