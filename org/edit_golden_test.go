// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package org_test

import (
	"crypto/sha256"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
)

// referenceOrg is the version of Org that edits follow.
const referenceOrg = "9.8"

// editGolden says what Org 9.8 makes of edits of the generated files: a digest of the
// result, file and edit, parted by tabs. It was made with Org 9.8.12 of Debian
// (elpa-org) in Emacs 28.2:
//
//	FOVEA_ORG=FOLDER go test ./org -run TestEditAgreement -update-golden
const editGolden = "testdata/edit-golden.txt"

var updateGolden = flag.Bool("update-golden", false, "write "+editGolden+" from what Org answers")

// digest is a short digest of the files that an edit leads to. The folder of the test
// may stand in them.
func digest(dir, text, other string) string {
	clean := func(s string) string {
		return strings.TrimRight(strings.ReplaceAll(s, dir, "/memex"), "\r\n")
	}
	sum := sha256.Sum256([]byte(clean(text) + "\x00" + clean(other)))
	return fmt.Sprintf("%x", sum[:6])
}

// writeEditGolden writes the golden file from the answers of Org.
func writeEditGolden(t *testing.T, dir string, jobs []*editJob, answers []editAnswer) {
	t.Helper()
	var b strings.Builder
	for _, a := range answers {
		j := jobs[a.ID]
		if !strings.HasPrefix(j.name, "generated/") {
			continue
		}
		sum := "error"
		if a.Error == "" {
			sum = digest(dir, string(a.Text), string(a.Other))
		}
		fmt.Fprintf(&b, "%s\t%s\t%v\n", sum, j.name, j)
	}
	if err := os.WriteFile(editGolden, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestEditGolden compares edits of the generated files with what Org 9.8 made of them,
// where that Org is not installed too.
func TestEditGolden(t *testing.T) {
	text, err := os.ReadFile(editGolden)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{}
	for line := range strings.Lines(string(text)) {
		sum, key, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		want[key] = sum
	}
	listed := readEditDeviations(t, referenceOrg)
	dir, compared := t.TempDir(), 0
	for _, file := range editFiles(t, dir) {
		if !strings.HasPrefix(file.name, "generated/") {
			continue
		}
		for _, j := range drawEdits(t, dir, file) {
			key := j.name + "\t" + j.String()
			got := "error"
			if j.err == nil {
				got = digest(dir, j.got, j.gotOther)
			}
			switch sum, ok := want[key]; {
			case !ok:
				t.Errorf("%s: %v is not in the golden file; write it anew", j.name, j)
			case got != sum && !listed[key]:
				t.Errorf("%s: %v: not what Org %s makes of it:\n%s", j.name, j, referenceOrg, j.got)
			}
			compared++
		}
	}
	if compared != len(want) {
		t.Errorf("%d edits, %d in the golden file", compared, len(want))
	}
}
