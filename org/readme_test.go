// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package org_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fovea-memory/fovea/internal/foveatest"
)

// readmeRows are the rows of the table of headlines in README.md: what the values of
// some fields are called together, and the fields that have the same ones.
var readmeRows = []struct {
	label         string
	counted, same []string
}{
	{"headlines, level, begin, end", []string{"level"}, []string{"headlines", "begin", "end"}},
	{"todo keywords, done keywords of the file", []string{"todo keywords"}, []string{"done keywords"}},
	{"file tags", []string{"file tags"}, nil},
	{"file properties", []string{"file properties"}, nil},
	{"todo", []string{"todo"}, nil},
	{"done", []string{"done"}, nil},
	{"priority", []string{"priority"}, nil},
	{"title", []string{"title"}, nil},
	{"own tags", []string{"tags"}, nil},
	{"all tags", []string{"all tags"}, nil},
	{"commented, archived, footnotes", []string{"commented", "archived", "footnotes"}, nil},
	{"scheduled, deadline, closed", []string{"scheduled", "deadline", "closed"}, nil},
	{"properties", []string{"properties"}, nil},
}

// TestReadmeTable compares the table of headlines in README.md with the agreement
// that TestAgreement measures.
func TestReadmeTable(t *testing.T) {
	dir := foveatest.Testdata(t)
	var want, files strings.Builder
	var measured []*agreement
	for _, corpus := range corpora {
		measured = append(measured, measure(t, dir, corpus))
	}
	for _, row := range readmeRows {
		want.WriteString("| " + row.label + " |")
		for _, a := range measured {
			present, _ := a.sum(row.counted)
			whole, equal := a.sum(slices.Concat(row.counted, row.same))
			fmt.Fprintf(&want, " %s | %s |", grouped(present), share(equal, whole))
		}
		want.WriteString("\n")
	}
	public, agenda := measured[0], measured[1]
	fmt.Fprintf(&files, "| **files with all of it equal** | %s | **%s** | %s | **%s** |\n",
		grouped(public.files), share(public.equalFiles, public.files), grouped(agenda.files), grouped(agenda.equalFiles))
	if diff := cmp.Diff(want.String()+files.String(), readmeTable(t, "| field |")); diff != "" {
		t.Errorf("the table of README.md (-measured +written):\n%s", diff)
	}
}

// readmeTable returns the rows of the table in README.md whose first line begins with
// head.
func readmeTable(t *testing.T, head string) string {
	t.Helper()
	_, table, ok := strings.Cut(readFile(t, "README.md"), "\n"+head)
	if !ok {
		t.Fatalf("README.md has no table %q", head)
	}
	table, _, _ = strings.Cut(table, "\n\n")
	lines := strings.SplitAfterN(table+"\n", "\n", 3)
	return lines[len(lines)-1]
}

// sum returns how many values of some fields are present and how many are equal.
func (a *agreement) sum(fields []string) (present, equal int) {
	for _, field := range fields {
		present += a.present[field]
		equal += a.equal[field]
	}
	return present, equal
}

// share writes a share in percent.
func share(part, whole int) string {
	if part == whole {
		return "100 %"
	}
	return fmt.Sprintf("%.3f %%", percent(part, whole))
}

// grouped writes a number with commas between the thousands.
func grouped(n int) string {
	if n < 1000 {
		return strconv.Itoa(n)
	}
	return fmt.Sprintf("%s,%03d", grouped(n/1000), n%1000)
}
