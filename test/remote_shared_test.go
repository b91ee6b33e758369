// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/fovea-memory/fovea/internal/place"
)

// TestRemotePiecesOfTwo: two machines of one history share no piece. One that writes all of its log
// again takes away none that the other's log names.
func TestRemotePiecesOfTwo(t *testing.T) {
	a := newMachine(t, map[string]string{"a.org": "* One\nsecret\n"})
	a.write("a.org", "* One\n")
	b := a.copy("b")
	p, _ := openPlace(t)
	ra, rb := a.at(p, ""), b.at(p, "")
	for _, err := range []error{second(a.push(ra)), second(b.push(rb))} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if _, _, err := a.m.Mending().Purge(t.Context(), nil, "secret", nil); err != nil {
		t.Fatal(err)
	}
	if _, err := a.push(ra); err != nil {
		t.Fatal(err)
	}
	others, err := ra.Pull(t.Context())
	if err != nil || len(others) != 1 || others[0].Problem != nil {
		t.Errorf("%v: the log of the other machine is damaged: %+v", err, others)
	}
}

// TestRemoteDamagedPiece: a piece of a push that was cut short, which is there and damaged, is written
// again by the push that goes on. One that a log names is when somebody removes the log's head, as
// the other machines are told to.
func TestRemoteDamagedPiece(t *testing.T) {
	a := newMachine(t, map[string]string{"a.org": "* One\n"})
	b, c := a.copy("b"), a.copy("c")
	p, dir := openPlace(t)
	l := &late{Place: p, on: true}
	ra, rb := a.at(l, ""), b.at(p, "")
	damage := func() {
		t.Helper()
		pieces, err := os.ReadDir(filepath.Join(dir, "packs"))
		if err != nil || len(pieces) != 1 {
			t.Fatal(pieces, err)
		}
		if err := os.Truncate(filepath.Join(dir, "packs", pieces[0].Name()), 100); err != nil {
			t.Fatal(err)
		}
	}
	problem := func() error {
		t.Helper()
		others, err := rb.Pull(t.Context())
		if err != nil || len(others) != 1 {
			t.Fatal(others, err)
		}
		return others[0].Problem
	}
	if _, err := a.push(ra); !errors.Is(err, errLost) {
		t.Fatal(err)
	}
	damage()
	l.on = false
	if _, err := a.push(ra); err != nil {
		t.Fatal(err)
	}
	if err := problem(); err != nil {
		t.Error(err)
	}
	damage()
	others, err := c.at(p, "").Pull(t.Context())
	if err != nil || len(others) != 1 || !errors.Is(others[0].Problem, place.ErrDamaged) {
		t.Errorf("a damaged piece: %+v, %v", others, err)
	}
	if err := p.Remove(t.Context(), "heads/"+ra.Machine); err != nil {
		t.Fatal(err)
	}
	if _, err := a.push(ra); err != nil {
		t.Fatal(err)
	}
	if err := problem(); err != nil {
		t.Error(err)
	}
}

// TestRemoteMissingPiece: a piece that a log names is gone, as where two copies of one machine met
// in a folder that a sync program carries. The next push writes all again, also with nothing new.
func TestRemoteMissingPiece(t *testing.T) {
	a := newMachine(t, map[string]string{"a.org": "* One\n"})
	b := a.copy("b")
	p, _ := openPlace(t)
	ra, rb := a.at(p, ""), b.at(p, "")
	for _, text := range []string{"* Two\n", "* Three\n"} {
		if _, err := a.push(ra); err != nil {
			t.Fatal(err)
		}
		a.write("b.org", text)
	}
	if _, err := a.push(ra); err != nil {
		t.Fatal(err)
	}
	pieces, err := p.List(t.Context(), "packs/")
	if err != nil || len(pieces) != 3 {
		t.Fatal(pieces, err)
	}
	if err := p.Remove(t.Context(), pieces[1]); err != nil {
		t.Fatal(err)
	}
	if done, err := a.push(ra); err != nil || !done.Joined {
		t.Fatal(done, err)
	}
	if err := b.exchange(rb); err != nil || b.root() != a.root() {
		t.Errorf("another machine gets %s, %v", b.root(), err)
	}
	if left, err := p.List(t.Context(), "packs/"); err != nil || slices.ContainsFunc(pieces, func(name string) bool { return slices.Contains(left, name) }) {
		t.Errorf("%q are left, %v", left, err)
	}
}

// TestRemotePutBack: a head of before is put back, as from a backup or by a sync program. The
// machine that wrote it keeps its log and goes on from there, and the others read it again.
func TestRemotePutBack(t *testing.T) {
	a := newMachine(t, map[string]string{"a.org": "* One\n"})
	b := a.copy("b")
	p, _ := openPlace(t)
	ra, rb := a.at(p, ""), b.at(p, "")
	var old []byte
	for _, text := range []string{"* Two\n", "* Three\n", "* Four\n"} {
		a.write("b.org", text)
		if _, err := a.push(ra); err != nil {
			t.Fatal(err)
		}
		if old == nil {
			var err error
			if old, _, err = p.Get(t.Context(), "heads/"+ra.Machine); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := b.exchange(rb); err != nil {
		t.Fatal(err)
	}
	name := ra.Machine
	_, tag, err := p.Get(t.Context(), "heads/"+name)
	if err == nil {
		err = p.Put(t.Context(), "heads/"+name, tag, old)
	}
	if err != nil {
		t.Fatal(err)
	}
	if others, err := rb.Pull(t.Context()); err != nil || !errors.Is(others[0].Problem, place.ErrBack) {
		t.Fatal(others, err)
	}
	if _, err := a.push(ra); err != nil || ra.Machine != name {
		t.Fatalf("%v, %s is now %s", err, name, ra.Machine)
	}
	if others, err := rb.Pull(t.Context()); err != nil || len(others) != 1 || others[0].Problem != nil {
		t.Errorf("%+v, %v", others, err)
	}
}

func second[T any](_ T, err error) error { return err }
