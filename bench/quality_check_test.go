// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package bench

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/fovea-memory/fovea/internal/foveatest"
)

// qualityFile holds the figures of mainRows: a line for each, with tabs between row, name
// and value.
const qualityFile = "testdata/quality.txt"

// How much worse than recorded a figure may be: a point for a share, and half a token for a
// cost.
const (
	maxFall = .010
	maxRise = .5
)

// figure is a recorded mean.
type figure struct {
	row, name string
	value     float64
}

func (f figure) String() string { return fmt.Sprintf("%s\t%s\t%.3f", f.row, f.name, f.value) }

// TestQuality fails when search or windows find less than what is recorded.
func TestQuality(t *testing.T) {
	foveatest.Testdata(t)
	if testing.Short() {
		t.Skip("-short leaves out what the recorded figures are of")
	}
	var got []figure
	mainRows(t, func(row string, f *figures) {
		t.Log("\n" + f.row(row))
		for _, name := range f.names {
			got = append(got, figure{row, name, f.mean(name)})
		}
	})
	if foveatest.Updating() {
		var text strings.Builder
		for _, f := range got {
			fmt.Fprintln(&text, f)
		}
		err := os.MkdirAll(filepath.Dir(qualityFile), 0o755)
		if err == nil {
			err = os.WriteFile(qualityFile, []byte(text.String()), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
		return
	}
	for _, problem := range worse(readQuality(t), got) {
		t.Error(problem)
	}
}

func readQuality(t *testing.T) (recorded []figure) {
	t.Helper()
	text, err := os.ReadFile(qualityFile)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		fields := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(fields) != 3 {
			t.Fatalf("%s: a line has %d fields, want 3: %q", qualityFile, len(fields), line)
		}
		value, err := strconv.ParseFloat(fields[2], 64)
		if err != nil {
			t.Fatalf("%s: %v", qualityFile, err)
		}
		recorded = append(recorded, figure{fields[0], fields[1], value})
	}
	return recorded
}

// worse describes the recorded figures that got does not reach, and those that only one of
// both has.
func worse(recorded, got []figure) (problems []string) {
	const how = "; if that is intended, cd bench && go test -run '^TestQuality$' -update . records what is measured"
	measured := map[[2]string]float64{}
	for _, f := range got {
		measured[[2]string{f.row, f.name}] = f.value
	}
	for _, f := range recorded {
		key := [2]string{f.row, f.name}
		value, ok := measured[key]
		delete(measured, key)
		switch {
		case !ok:
			problems = append(problems, fmt.Sprintf("%s: %s is recorded and was not measured%s", f.row, f.name, how))
		case isCost(f.name) && value > f.value+maxRise+1e-9, !isCost(f.name) && value < f.value-maxFall-1e-9:
			problems = append(problems, fmt.Sprintf("%s: %s was %.3f and is %.3f%s", f.row, f.name, f.value, value, how))
		}
	}
	for _, f := range got {
		if _, left := measured[[2]string{f.row, f.name}]; left {
			problems = append(problems, fmt.Sprintf("%s: %s is not recorded%s", f.row, f.name, how))
		}
	}
	return problems
}

func TestWorse(t *testing.T) {
	for name, c := range map[string]struct {
		recorded, got []figure
		want          string // the first problem begins so; "" for none
	}{
		"equal":            {[]figure{{"a", "R@10", .5}}, []figure{{"a", "R@10", .5}}, ""},
		"a point less":     {[]figure{{"a", "R@10", .5}}, []figure{{"a", "R@10", .49}}, ""},
		"more than that":   {[]figure{{"a", "R@10", .5}}, []figure{{"a", "R@10", .489}}, "a: R@10 was 0.500 and is 0.489"},
		"better":           {[]figure{{"a", "R@10", .5}}, []figure{{"a", "R@10", .9}}, ""},
		"another row":      {[]figure{{"a", "R@10", .5}}, []figure{{"b", "R@10", .5}}, "a: R@10 is recorded and was not measured"},
		"a new figure":     {nil, []figure{{"b", "R@10", .5}}, "b: R@10 is not recorded"},
		"fewer tokens":     {[]figure{{"a", "tokens a fact", 71}}, []figure{{"a", "tokens a fact", 8}}, ""},
		"half a token":     {[]figure{{"a", "tokens a fact", 8}}, []figure{{"a", "tokens a fact", 8.5}}, ""},
		"too many of them": {[]figure{{"a", "tokens a fact", 8}}, []figure{{"a", "tokens a fact", 8.6}}, "a: tokens a fact was 8.000 and is 8.600"},
	} {
		t.Run(name, func(t *testing.T) {
			problems := worse(c.recorded, c.got)
			if (c.want == "") != (len(problems) == 0) || len(problems) > 0 && !strings.HasPrefix(problems[0], c.want) {
				t.Errorf("got %q, want %q", problems, c.want)
			}
		})
	}
}
