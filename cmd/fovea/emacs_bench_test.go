// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package main

import (
	"path/filepath"
	"regexp"
	"strconv"
	"testing"

	"github.com/fovea-memory/fovea/internal/foveatest"
)

// BenchmarkEmacs measures emacs/fovea.el over 10,000 notes, in an Emacs without a window: from a
// key to the results of a search; the processor's time to receive an answer, as a ratio to that
// with a filter that does nothing; from an agent's write to the buffer.
func BenchmarkEmacs(b *testing.B) {
	emacs := foveatest.Part(b, "emacs")
	client, load := emacsFiles(b)
	notes := b.TempDir()
	if err := foveatest.GenFiles(notes, foveatest.Size(300, 9), 33); err != nil {
		b.Fatal(err)
	}
	b.Setenv("FOVEA_BENCH_NOTES", notes)
	bench := filepath.Join(filepath.Dir(client), "test", "fovea-bench.el")
	compiled := filepath.Join(b.TempDir(), "fovea.elc")
	runEmacs(b, emacs, "--eval", `(setq byte-compile-dest-file-function (lambda (_) "`+compiled+`"))`, "-f", "batch-byte-compile", client)
	for b.Loop() {
		said := runEmacs(b, emacs, append(append([]string{"-l", compiled}, load...), "-L", filepath.Dir(bench), "-l", bench)...)
		figures := regexp.MustCompile(`(?m)^(\S+) ([0-9.]+)$`).FindAllStringSubmatch(said, -1)
		if len(figures) != 5 {
			b.Fatalf("Emacs prints %d figures: %s", len(figures), said)
		}
		for _, figure := range figures {
			value, err := strconv.ParseFloat(figure[2], 64)
			if err != nil {
				b.Fatal(err)
			}
			b.ReportMetric(value, figure[1])
		}
	}
}
