// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package outline

import "testing"

// BenchmarkText measures the outlines of files of each language, in bytes of source a second.
func BenchmarkText(b *testing.B) {
	files := map[string][][]byte{}
	for _, f := range samples(b) {
		files[f.language] = append(files[f.language], f.src)
	}
	for name := range languages {
		b.Run(name, func(b *testing.B) {
			size := 0
			for _, src := range files[name] {
				size += len(src)
			}
			b.SetBytes(int64(size))
			for b.Loop() {
				for _, src := range files[name] {
					Text(name, src)
				}
			}
		})
	}
}
