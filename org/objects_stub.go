// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package org

// inline parses the objects of b.src[start:end] below parent.
func (b *builder) inline(parent int32, start, end int) {}
