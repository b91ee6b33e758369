// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package org_test

import (
	"testing"

	"github.com/fovea-memory/fovea/org"
)

// BenchmarkObjects reads the elements of all files of the public corpus, then the
// same with their objects: the difference is the cost of the objects.
func BenchmarkObjects(b *testing.B) {
	texts := corpusTexts(b)
	size := 0
	documents := make([]*org.Document, len(texts))
	for i, text := range texts {
		size += len(text)
		documents[i] = org.Parse(text, nil)
	}
	for name, read := range map[string]func(*org.Document, int) *org.Tree{
		"elements": (*org.Document).Elements, "objects": (*org.Document).Objects,
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(size))
			b.ReportAllocs()
			for b.Loop() {
				for _, d := range documents {
					for i := -1; i < len(d.Headlines); i++ {
						read(d, i)
					}
				}
			}
		})
	}
}
