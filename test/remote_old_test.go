// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package test

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/fovea-memory/fovea/internal/place"
	"github.com/fovea-memory/fovea/internal/vfs"
)

// What a build before heads of format 2 kept of the log of a machine.
const (
	oldHead = `{"fovea_head":1,"memex":"MEMEX","machine":"MACHINE","count":2,"time":"2026-11-27T01:02:03.004Z","nonce":"00aa","packs":PACKS}`
	oldPack = `{"series":"SERIES","pieces":[{"name":"NAME","size":SIZE}],"scopes":[{"scope":"memex",SINCE"seq":SEQ,"head":"HEAD"}]}`
	noHead  = `{"fovea_head":0,"memex":"","machine":"","count":2,"time":"0001-01-01T00:00:00Z","nonce":"","packs":null}`
	oldEnds = `,"ends":{"memex":{"segment":1,"offset":64}}`
)

// TestRemoteOfABuildBefore: the log that an earlier build wrote, as its pushed.json says, goes on after
// the upgrade, and the other machines read it: also where a push, or writing all again, was cut short.
func TestRemoteOfABuildBefore(t *testing.T) {
	for name, file := range map[string]string{
		"written":       `{"machine":"MACHINE","head":OLD,"sum":"SUM"` + oldEnds + `,"gone":0}`,
		"not answered":  `{"machine":"MACHINE","head":NONE,"sum":"","gone":0,"unsure":[{"head":OLD,"sum":"SUM"` + oldEnds + `,"gone":0}]}`,
		"written again": `{"machine":"MACHINE","head":NONE,"sum":"","gone":0,"unsure":[{"head":OLD,"sum":"OTHER","gone":0}],"before":["SUM"]}`,
	} {
		t.Run(name, func(t *testing.T) {
			p, _ := openPlace(t)
			a := newMachine(t, map[string]string{"a.org": "* One\n"})
			b, c := a.copy("b"), a.copy("c")
			r := a.at(p, "")
			for range 2 {
				if _, err := a.push(r); err != nil {
					t.Fatal(err)
				}
				a.write("b.org", "* Two\n")
			}
			upgrade(t, p, r, file)
			rb := b.at(p, "")
			for _, text := range []string{"* Three\n", "* Four\n"} {
				if behind, err := r.Behind(map[string]uint64{"memex": 1 << 20}); err != nil || behind == 0 {
					t.Errorf("%d behind, %v", behind, err)
				}
				if _, err := a.push(r); err != nil {
					t.Fatal(err)
				}
				if err := b.exchange(rb); err != nil || a.root() != b.root() {
					t.Errorf("another machine has %s, %v, want %s", b.root(), err, a.root())
				}
				a.write("c.org", text)
			}
			if err := c.exchange(c.at(p, "")); err != nil || c.root() != b.root() {
				t.Errorf("a third machine has %s, %v, want %s", c.root(), err, b.root())
			}
		})
	}
}

// upgrade makes the log of a machine, and what it knows of it, those of a build before.
func upgrade(t *testing.T, p place.Place, r *place.Remote, file string) {
	t.Helper()
	object := "heads/" + r.Machine
	data, tag, err := p.Get(t.Context(), object)
	if err != nil {
		t.Fatal(err)
	}
	h, err := place.DecodeHead(data)
	if err != nil {
		t.Fatal(err)
	}
	var packs []string
	for _, pack := range h.Packs {
		span, since := pack.Scopes[0], ""
		if span.SinceSeq > 0 {
			since = fmt.Sprintf(`"since_seq":%d,"since":%q,`, span.SinceSeq, h.Packs[0].Scopes[0].Head)
		}
		packs = append(packs, strings.NewReplacer("SERIES", pack.Series, "NAME", pack.Pieces[0].Name, "SIZE", fmt.Sprint(pack.Pieces[0].Size),
			"SINCE", since, "SEQ", fmt.Sprint(span.Seq), "HEAD", span.Head.String()).Replace(oldPack))
	}
	old := strings.NewReplacer("MEMEX", h.Memex.String(), "MACHINE", r.Machine, "PACKS", "["+strings.Join(packs, ",")+"]").Replace(oldHead)
	sum := fmt.Sprintf("%x", sha256.Sum256([]byte(old)))
	file = strings.NewReplacer("MACHINE", r.Machine, "OLD", old, "NONE", noHead, "SUM", sum, "OTHER", strings.Repeat("0", 64)).Replace(file)
	if !json.Valid([]byte(file)) || len(packs) != 2 {
		t.Fatalf("%d packs: %s", len(packs), file)
	}
	if err := vfs.WriteAtomic(r.State, "pushed.json", []byte(file), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := p.Put(t.Context(), object, tag, []byte(old)); err != nil {
		t.Fatal(err)
	}
}
