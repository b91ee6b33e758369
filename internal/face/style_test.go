// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package face_test

import (
	"fmt"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/internal/face"
	"github.com/fovea-memory/fovea/internal/foveatest"
	"github.com/fovea-memory/fovea/node"
)

// coloured is what a row writes to a page with colour of a width, 0 for a pipe.
func coloured(r *face.Row, wide int, req, answer any) string {
	var out strings.Builder
	p := &face.Page{Stream: face.NewStream(&out, wide, wide > 0), Beside: face.NewStream(&out, wide, true), Note: func(string, ...any) {}}
	p.SetColour(true)
	r.Show(p, req, answer)
	return out.String()
}

var escapes = regexp.MustCompile("\x1b\\[(33|35|2|1;31|32|31)?m")

// TestColouredAnswers shows a filled answer of each operation to a terminal of 60 cells with colour. Without
// the colours it is what a terminal without them gets.
func TestColouredAnswers(t *testing.T) {
	const change = "--- a.org\n+++ a.org\n@@ -1,2 +1,2 @@\n * Oak\n-- old\n++ new"
	var got strings.Builder
	for _, r := range face.Rows() {
		if r.Operation == nil || r.Verb == "import okf FOLDER" {
			continue
		}
		req, answer := reflect.New(r.Request).Elem(), reflect.New(r.Answer).Elem()
		sample(answer, "answer")
		switch a := answer.Interface().(type) {
		case *api.Difference:
			a.Changed[0].Text = change
		case *api.GuardDiff:
			a.Changes[0].Text = change
		}
		if f := req.FieldByName("Text"); r.Operation == api.OpSearch.Operation {
			f.SetString("titles matched")
		}
		words, _ := r.Words()
		text := coloured(r, 60, req.Interface(), answer.Interface())
		plain := shown(r, 60, req.Interface(), answer.Interface())
		if bare, _, _ := strings.Cut(plain, "--- notes\n"); r.Operation != api.OpContext.Operation && escapes.ReplaceAllString(text, "") != bare {
			t.Errorf("%s: without its colours\n%q\nwithout colour\n%q", words, text, bare)
		}
		if escapes.MatchString(text) {
			fmt.Fprintf(&got, "=== %s (%s)\n%s", words, r.Name, strings.ReplaceAll(text, "\x1b", "␛"))
		}
	}
	foveatest.Golden(t, "colours.txt", []byte(got.String()))
}

// TestColourIsOurs: where styles are shown, in a pipe too, what was remembered brings no escape sequence.
func TestColourIsOurs(t *testing.T) {
	const evil = "\x1b[31mred\x1b[2J\u009b1m\u202e"
	for _, wide := range []int{0, 60} {
		at := node.Place{ID: evil, Title: "oak " + evil, Path: evil, Line: 1}
		hit := api.Hit{Node: api.Node{Place: at, Tags: []string{evil}}, Match: "oak " + evil, MatchLine: 2}
		found := coloured(face.Of(api.OpSearch.Operation), wide, api.SearchRequest{Text: "oak red"}, []api.Hit{hit})
		changed := coloured(face.Of(api.OpDiff.Operation), wide, api.DiffRequest{}, &api.Difference{Added: []api.Changed{
			{ID: evil, Title: evil, Path: evil, Was: evil, Text: "@@ -0 +1 @@\n+" + evil + "\n" + evil}}})
		read := coloured(face.Of(api.OpShow.Operation), wide, api.ShowRequest{}, &api.Shown{Place: at, Content: evil})
		for _, text := range []string{found, changed, read} {
			if !strings.Contains(text, "\x1b[m") {
				t.Errorf("no colour at width %d: %q", wide, text)
			}
			if acting := foveatest.ActingOnTerminal(escapes.ReplaceAllString(text, "")); acting != nil || strings.Contains(text, "\x1b[31mred\x1b") {
				t.Errorf("at width %d: %s", wide, acting)
			}
		}
	}
}
