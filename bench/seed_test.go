// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

//go:build unix

package bench

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/foveatest"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/org"
)

// seedHeadlines is how many headlines both sides are given.
func seedHeadlines() int { return foveatest.Size(10_000, 500) }

// seedSystems is what the seed's code is built on; the names are ASDF's.
const seedSystems = "(:ironclad :uuid :cl-ppcre :bordeaux-threads :flexi-streams)"

// BenchmarkSeedImage compares saving and loading 10,000 headlines with the seed's
// own code by turns: the same tree of the same words, here as one document. The
// seed saves no index of words, syncs nothing and believes what it loads.
func BenchmarkSeedImage(b *testing.B) {
	seed := newSeed(b)
	draft := graph.Empty(document.Formats{org.Format{}}).Edit(1)
	draft.Put("tree.org", document.File(foveatest.GenTree(seedHeadlines()), false))
	state, _ := draft.Seal()
	seed.run(b) // compiles the libraries the first time
	for b.Loop() {
		keepers := newKeepers(b, state)[:2] // without gob
		var theirs []seedFigures
		for range rounds() {
			theirs = append(theirs, seed.run(b))
			for _, k := range keepers {
				k.saves = append(k.saves, spend(b, k.save))
				k.loads = append(k.loads, spend(b, k.load))
			}
		}
		save := middle(theirs, func(f seedFigures) float64 { return f.saveMS })
		load := middle(theirs, func(f seedFigures) float64 { return f.loadMS })
		b.ReportMetric(save, "seed-save-cpu-ms")
		b.ReportMetric(load, "seed-load-cpu-ms")
		b.ReportMetric(theirs[0].sizeMiB, "seed-MiB")
		for _, k := range keepers {
			k.report(b)
			b.ReportMetric(save/middle(k.saves, cost.processorMS), "save-seed/"+k.name)
			b.ReportMetric(load/middle(k.loads, cost.processorMS), "load-seed/"+k.name)
			b.ReportMetric(theirs[0].sizeMiB/mib(k.size()), "size-seed/"+k.name)
		}
	}
	b.ReportMetric(0, "ns/op")
}

// seed runs the code of the seed documents. What is taken out of them is kept
// only while the benchmark runs.
type seed struct {
	sbcl, driver string
	env          []string
}

// newSeed takes the code out of the documents. It skips by name what is missing.
func newSeed(tb testing.TB) *seed {
	tools := filepath.Join(foveatest.Testdata(tb), "tools")
	python := foveatest.Part(tb, "python3")
	s := &seed{sbcl: foveatest.Part(tb, "sbcl"), driver: filepath.Join(tools, "seed-baseline.lisp")}
	find := "(dolist (s '" + seedSystems + ") (unless (asdf:find-system s nil) (princ s) (exit :code 3)))"
	if out, err := exec.CommandContext(tb.Context(), s.sbcl, "--non-interactive", "--no-userinit",
		"--eval", "(require :asdf)", "--eval", find).CombinedOutput(); err != nil {
		tb.Skipf("SBCL lacks a library that the seed's code needs: %s", out)
	}
	code := tb.TempDir()
	if out, err := exec.CommandContext(tb.Context(), python, filepath.Join(tools, "extract_seed.py"),
		filepath.Join(tools, "..", "seeds"), code).CombinedOutput(); err != nil {
		tb.Fatalf("take the code out of the seed documents: %v\n%s", err, out)
	}
	// b is document 004, the core memory, as it saves itself.
	s.env = append(os.Environ(), "SEED_LISP_DIR="+code, "BENCH_TMP="+tb.TempDir(), "VARIANT=b", "RUNS=1",
		"NODES="+strconv.Itoa(seedHeadlines()))
	return s
}

// seedFigures is what one run of the seed says of itself: processor time and the
// size of its file.
type seedFigures struct{ ingestMS, againMS, leafMS, saveMS, loadMS, sizeMiB float64 }

func (s *seed) run(tb testing.TB) (f seedFigures) {
	tb.Helper()
	r := measure(tb, s.env, s.sbcl, "--dynamic-space-size", "4GB", "--script", s.driver)
	for line := range strings.Lines(r.out) {
		field := strings.Split(strings.TrimSpace(line), "\t")
		if len(field) < 7 {
			continue
		}
		var err error
		switch field[2] {
		case "ingest, empty store":
			f.ingestMS, err = processorOf(field)
		case "re-ingest, nothing changed":
			f.againMS, err = processorOf(field)
		case "one leaf edited, its root's tree re-ingested":
			f.leafMS, err = processorOf(field)
		case "save-memory-to-disk":
			f.saveMS, err = processorOf(field)
		case "load-memory-from-disk":
			f.loadMS, err = processorOf(field)
		case "file size":
			f.sizeMiB, err = strconv.ParseFloat(field[3], 64)
		}
		must(tb, err)
	}
	if min(f.ingestMS, f.againMS, f.leafMS, f.saveMS, f.loadMS, f.sizeMiB) == 0 {
		tb.Fatalf("the seed does not say what it took:\n%s", r.out)
	}
	return f
}

// processorOf reads the last field of a line of the driver, "cpu 250.1".
func processorOf(field []string) (float64, error) {
	text, ok := strings.CutPrefix(field[len(field)-1], "cpu ")
	if !ok {
		return 0, fmt.Errorf("no processor time in %q", field)
	}
	return strconv.ParseFloat(text, 64)
}
