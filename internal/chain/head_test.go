// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package chain

import (
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/mod/sumdb/note"

	"github.com/fovea-memory/fovea/merkle"
)

// The keys of RFC 8032's first test, as package note writes them.
const (
	goldenSecret = "PRIVATE+KEY+machine+1aa4341c+AZ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g"
	goldenPublic = "machine+1aa4341c+AddamAGCsQq31Uv+08lkBzoO4XLz2qYjJa8CGmj3B1Ea"
)

func goldenHead() SignedHead {
	return SignedHead{
		First: merkle.Sum([]byte("first")), Seq: 12, Commit: merkle.Sum([]byte("commit")), Root: merkle.Sum([]byte("root")),
		Time: time.UnixMilli(1_800_000_000_123).UTC(),
	}
}

const goldenText = `fovea head 0 bafyreifhsn5wjogkuwhqg4q3w25m6xdyzmrv727a44frxbgntfkbiynary
12
bafyreievaxfmw7drb3ixcjp4y3ftm2pi3xfgzdgyv5vdd5vtzvsgatbqta
bafyreicicneu2e36cyy3xiyb2wwkw3t3w6vhjtqrqxkfmvs66uoxg5txwi
2027-01-15T08:00:00.123Z

— machine GqQ0HE/i0IycMHzsMlKqd1C20+jZuBWpY8bLgSPG/MyvNdQHW0Zkjpb3TVxHkf2BI4uM/ef145h80t3Ad7RMyD1BAwg=
`

// TestGoldenHead: the vector of doc/format/nodes.md.
func TestGoldenHead(t *testing.T) {
	page, err := os.ReadFile("../../doc/format/nodes.md")
	if err != nil || !strings.Contains(string(page), goldenText) || !strings.Contains(string(page), goldenPublic) {
		t.Errorf("the page lacks the vector or its key: %v", err)
	}
	signer, err := note.NewSigner(goldenSecret)
	if err != nil {
		t.Fatal(err)
	}
	got, err := note.Sign(&note.Note{Text: goldenHead().text()}, signer)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(goldenText, string(got)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestParseHead(t *testing.T) {
	good := goldenHead().text()
	if h, err := parseHead(good); err != nil || h.text() != good {
		t.Errorf("got %+v, %v", h, err)
	}
	for _, said := range [][][2]string{{{"baselines", "b"}}, {{"told", "t"}, {"baselines", "none"}}, {{"told", "t"}}} {
		want := goldenHead()
		for _, one := range said {
			want.Add(one[0], one[1])
		}
		h, err := parseHead(want.text())
		if err != nil || h.text() != want.text() {
			t.Errorf("%v: got %+v, %v", said, h, err)
		}
		for _, one := range said {
			if h.Get(one[0]) != one[1] {
				t.Errorf("%v: %s is %q", said, one[0], h.Get(one[0]))
			}
		}
	}
	if _, err := parseHead(good + "a 1\nb 1\nc 1\nd 1\ne 1\nf 1\ng 1\nh 1\n"); err != nil {
		t.Errorf("as much as may be said: %v", err)
	}
	lines := strings.SplitAfter(good, "\n")
	with := func(i int, line string) string {
		return strings.Join(lines[:i], "") + line + strings.Join(lines[i+1:], "")
	}
	for name, text := range map[string]string{
		"nothing":            "",
		"another format":     with(0, strings.Replace(lines[0], "0", "1", 1)),
		"no origin":          strings.Join(lines[1:], ""),
		"a number with sign": with(1, "+12\n"),
		"a leading zero":     with(1, "012\n"),
		"no digest":          with(2, "bafyrei\n"),
		"another digest":     with(3, strings.ToUpper(lines[3])),
		"another zone":       with(4, "2027-01-15T10:00:00.123+02:00\n"),
		"a line more":        good + "x\n",
		"another order":      good + "told t\nbaselines b\n",
		"told twice":         good + "told t\ntold t\n",
		"told nothing":       good + "told \n",
		"told by nobody":     good + " x\n",
		"cut":                strings.Join(lines[:4], ""),
		"too much to say":    good + "a 1\nb 1\nc 1\nd 1\ne 1\nf 1\ng 1\nh 1\ni 1\n",
		"no end":             strings.TrimSuffix(good, "\n"),
	} {
		if _, err := parseHead(text); !errors.Is(err, errHead) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestSplitNotes(t *testing.T) {
	const a, b = "x\n\n— k A\n", "y\nz\n\n— k B\n— l C\n"
	for _, tc := range []struct {
		name, text string
		want       []string
		says       string
	}{
		{"one", a, []string{a}, ""},
		{"two", a + b, []string{a, b}, ""},
		{"blank lines between", "\n" + a + "\n\n" + b + "\n", []string{a, b}, ""},
		{"none", "\n", nil, "no signed head"},
		{"text behind", a + "x\n", nil, "without a signature"},
		{"no signature", "x\n", nil, "without a signature"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, err := SplitNotes(tc.text)
			if diff := cmp.Diff(tc.want, got); diff != "" || (err == nil) != (tc.says == "") || err != nil && !strings.Contains(err.Error(), tc.says) {
				t.Errorf("%v (-want +got)\n%s", err, diff)
			}
		})
	}
}

// FuzzOpenHead: whatever is read as a signed head says why it does not count, and
// what counts is what the key has signed.
func FuzzOpenHead(f *testing.F) {
	f.Add(goldenText)
	f.Add(goldenHead().text())
	f.Add(strings.Replace(goldenText, "12", "13", 1))
	v, err := note.NewVerifier(goldenPublic)
	if err != nil {
		f.Fatal(err)
	}
	known := note.VerifierList(v)
	f.Fuzz(func(t *testing.T, signed string) {
		if h, err := parseHead(signed); err == nil && h.text() != signed {
			t.Fatalf("%q is read, and %q written", signed, h.text())
		}
		notes, _ := SplitNotes(signed)
		for _, one := range append(notes, signed) {
			h, by, err := OpenHead(one, known)
			bad, told := errors.AsType[*Untrusted](err)
			switch {
			case err == nil && (h.text() != goldenHead().text() || by == ""):
				t.Fatalf("%q counts, signed by %q", one, by)
			case err != nil && (!told || bad.Kind == "" || bad.Reason == ""):
				t.Fatalf("%v", err)
			}
		}
	})
}
