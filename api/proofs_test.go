// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package api_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/api/ops"
	"github.com/fovea-memory/fovea/author"
)

// TestProofs: a note is proved as it is and as it was, to who may read it; an absent id to
// the owner alone; and one history in another.
func TestProofs(t *testing.T) {
	r := newReading(t, common(nil), &fovea.Options{})
	head, err := api.OpHead.Call(t.Context(), r.owner, api.None{})
	if err != nil {
		t.Fatal(err)
	}
	then := fmt.Sprintf("seq:%d", r.memory.View().Head().Seq)
	r.save("notes/n.org", "* Note\n:PROPERTIES:\n:ID: note\n:END:\nanother text\n")
	r.step("changed")
	ada := author.WithGrant(t.Context(), api.Grant{Agent: "ada", Role: api.Reader})
	svc := ops.Guarded(r.owner)
	for name, tc := range map[string]struct {
		req         api.ProofRequest
		claim, text string
		owner       bool // it is for the owner alone
	}{
		"a note":       {req: api.ProofRequest{ID: "note"}, claim: `the note "note" with these 49 bytes stood in "notes/n.org"`, text: "another text\n"},
		"a title":      {req: api.ProofRequest{ID: "Note"}, claim: `the note "note" with these 49 bytes`, text: "another text\n"},
		"a note then":  {req: api.ProofRequest{ID: "note", At: then}, claim: `the note "note" with these 41 bytes`, text: "text\n"},
		"absent":       {req: api.ProofRequest{ID: "none", Absent: true}, claim: `no note with the id "none" was in memory`, owner: true},
		"absent then":  {req: api.ProofRequest{ID: "none", Absent: true, At: then}, claim: `no note with the id "none" was in memory`, owner: true},
		"two heads":    {req: api.ProofRequest{From: head.Note}, claim: "the history of memory "},
		"heads itself": {req: api.ProofRequest{From: head.Note, To: head.Note}, claim: "the history of memory "},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := api.OpProve.Call(t.Context(), r.owner, tc.req)
			if err != nil {
				t.Fatal(err)
			}
			v, err := api.OpCheckProof.Call(t.Context(), r.owner, api.CheckProofRequest{Proof: p.Proof})
			if err != nil || !v.Holds || !strings.HasPrefix(v.Claim, tc.claim) || v.Claim != p.Claim ||
				!strings.HasSuffix(v.Note, tc.text) || (v.Note == "") != (tc.text == "") {
				t.Errorf("%+v, %v", v, err)
			}
			if _, err := api.OpProve.Call(ada, svc, tc.req); (fovea.KindOf(err) == fovea.Denied) != tc.owner || (err != nil) != tc.owner {
				t.Errorf("to an agent: %v", err)
			}
		})
	}
	text := strings.Repeat("x", 20<<10)
	for name, tc := range map[string]struct {
		req  api.ProofRequest
		want fovea.Kind
	}{
		"nothing":            {api.ProofRequest{}, fovea.Invalid},
		"no such note":       {api.ProofRequest{ID: "none"}, fovea.NotFound},
		"no such moment":     {api.ProofRequest{ID: "note", At: "seq:99"}, fovea.NotFound},
		"absence of a note":  {api.ProofRequest{ID: "note", Absent: true}, fovea.Conflict},
		"a head and a note":  {api.ProofRequest{ID: "note", From: head.Note}, fovea.Invalid},
		"no head":            {api.ProofRequest{From: "x"}, fovea.Invalid},
		"a long head":        {api.ProofRequest{From: text}, fovea.Invalid},
		"heads turned round": {api.ProofRequest{From: mustHead(t, r), To: head.Note}, fovea.Invalid},
	} {
		if _, err := api.OpProve.Call(t.Context(), r.owner, tc.req); fovea.KindOf(err) != tc.want {
			t.Errorf("%s: %v, want %v", name, err, tc.want)
		}
	}
	if v, err := api.OpCheckProof.Call(t.Context(), r.owner, api.CheckProofRequest{Proof: "{}"}); err != nil || v.Holds || v.Why == "" {
		t.Errorf("no proof: %+v, %v", v, err)
	}
	if _, err := api.OpCheckProof.Call(t.Context(), r.owner, api.CheckProofRequest{Proof: "{}", Key: "x"}); fovea.KindOf(err) != fovea.Invalid {
		t.Errorf("no key: %v", err)
	}
}

func mustHead(t *testing.T, r *reading) string {
	t.Helper()
	head, err := api.OpHead.Call(t.Context(), r.owner, api.None{})
	if err != nil {
		t.Fatal(err)
	}
	return head.Note
}
