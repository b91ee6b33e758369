// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package org_test

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fovea-memory/fovea/internal/foveatest"
	"github.com/fovea-memory/fovea/org"
)

// generated returns n headlines with a drawer of five lines and a body of about 500
// bytes each, the same on every machine.
func generated(n int) string {
	body := strings.Repeat("The garden gate needs paint before the rain comes back. See [[id:3][the list]].\n", 6)
	var b strings.Builder
	b.WriteString("#+TITLE: Generated\n#+TODO: TODO NEXT | DONE\n#+FILETAGS: :bench:\n\n")
	for i := range n {
		fmt.Fprintf(&b, "%s %s [#%c] Paint gate number %d :garden:tools:\n", strings.Repeat("*", 1+i%4), []string{"TODO", "NEXT", "DONE"}[i%3], 'A'+i%3, i)
		fmt.Fprintf(&b, "SCHEDULED: <2026-01-%02d Thu>\n:PROPERTIES:\n:ID: 00000000-0000-4000-8000-%012d\n:Effort: 1:30\n:CREATED: [2026-01-01 Thu]\n"+
			":SOURCE: walk\n:OWNER: nadia\n:END:\n", 1+i%28, i)
		b.WriteString(body)
		b.WriteByte('\n')
	}
	return b.String()
}

func BenchmarkParse(b *testing.B) {
	b.Run("corpus", func(b *testing.B) {
		texts := corpusTexts(b)
		benchmarkParse(b, texts)
	})
	b.Run("generated", func(b *testing.B) { benchmarkParse(b, []string{generated(10_000)}) })
}

func benchmarkParse(b *testing.B, texts []string) {
	bytes, headlines := 0, 0
	for _, text := range texts {
		bytes += len(text)
		headlines += len(org.Parse(text, nil).Headlines)
	}
	b.SetBytes(int64(bytes))
	b.ReportAllocs()
	for b.Loop() {
		for _, text := range texts {
			org.Parse(text, nil)
		}
	}
	b.ReportMetric(float64(headlines)*float64(b.N)/b.Elapsed().Seconds(), "headlines/s")
}

// corpusTexts returns all files of the public corpus.
func corpusTexts(tb testing.TB) []string {
	tb.Helper()
	var texts []string
	err := filepath.WalkDir(filepath.Join(foveatest.Testdata(tb), "corpus", "org"), func(name string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Type().IsRegular() && strings.HasSuffix(name, ".org") {
			texts = append(texts, readFile(tb, name))
		}
		return err
	})
	if err != nil {
		tb.Fatalf("read corpus: %v", err)
	}
	return texts
}

func BenchmarkLinks(b *testing.B) {
	text := generated(1000)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		for range org.Links(text) {
		}
	}
}

// BenchmarkPathological shows that no kind of text is slow: compare the MB/s.
func BenchmarkPathological(b *testing.B) {
	for name, text := range pathological(1 << 20) {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				org.Parse(text, nil)
				for range org.Links(text) {
				}
			}
		})
	}
}
