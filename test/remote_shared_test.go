// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package test

import (
	"os"
	"path/filepath"
	"testing"
)

// TestRemotePiecesOfTwo: on a plain place two machines of one history write the same pieces. One
// that writes all of its log again takes away none that the other's log names.
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

// TestRemoteDamagedPiece: a piece that is there and is damaged is written again.
func TestRemoteDamagedPiece(t *testing.T) {
	a := newMachine(t, map[string]string{"a.org": "* One\n"})
	b := a.copy("b")
	p, dir := openPlace(t)
	ra, rb := a.at(p, ""), b.at(p, "")
	if _, err := a.push(ra); err != nil {
		t.Fatal(err)
	}
	pieces, err := os.ReadDir(filepath.Join(dir, "packs"))
	if err != nil || len(pieces) != 1 {
		t.Fatal(pieces, err)
	}
	if err := os.Truncate(filepath.Join(dir, "packs", pieces[0].Name()), 100); err != nil {
		t.Fatal(err)
	}
	if _, err := b.push(rb); err != nil {
		t.Fatal(err)
	}
	if others, err := rb.Pull(t.Context()); err != nil || len(others) != 1 || others[0].Problem != nil {
		t.Errorf("%v: %+v", err, others)
	}
}

func second[T any](_ T, err error) error { return err }
