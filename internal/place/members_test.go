// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package place

import (
	"crypto/rand"
	"errors"
	"strings"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/note"

	"github.com/fovea-memory/fovea/internal/vfs"
	"github.com/fovea-memory/fovea/merkle"
)

// signing returns a place as a machine with a key of its own sees it.
func signing(t *testing.T, p Place, memex merkle.Digest) *Remote {
	t.Helper()
	state, err := vfs.Dir(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = state.Close() })
	secret, public, err := note.GenerateKey(rand.Reader, "fovea-test")
	if err != nil {
		t.Fatal(err)
	}
	r := &Remote{Place: p, Memex: memex, State: state, Public: public}
	if r.Signer, err = note.NewSigner(secret); err != nil {
		t.Fatal(err)
	}
	if r.Key, err = Join(t.Context(), p, memex, false, "pass"); err != nil {
		t.Fatal(err)
	}
	return r
}

// TestMembersOnlyGrow: a list that is older, unsigned, signed by another key, of the same number or of another memory
// is refused by a machine that has seen one, and one that was removed counts on.
func TestMembersOnlyGrow(t *testing.T) {
	defer SetWorkFactor(SetWorkFactor(2))
	p, err := OpenFolder(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	memex := merkle.Sum([]byte("memex"))
	owner, other := signing(t, p, memex), signing(t, p, memex)
	put := func(r *Remote, text string) {
		t.Helper()
		data, err := seal(r.Key, []byte(text))
		_, tag, gerr := p.Get(t.Context(), membersName)
		if err != nil || gerr != nil && !errors.Is(gerr, ErrNone) || p.Put(t.Context(), membersName, tag, data) != nil {
			t.Fatal(err, gerr)
		}
	}
	admit := func(r *Remote, name, key string) (string, error) {
		_, err := r.Amend(t.Context(), func(m *Members) error {
			m.List = append(m.List, Member{Name: name, Key: key})
			return nil
		})
		var seen known
		return seen.List, errors.Join(err, vfs.ReadJSON(r.State, membersFile, &seen))
	}
	list := func(r *Remote, want uint64) error {
		t.Helper()
		got, _, err := r.Members(t.Context())
		if err == nil && got.Number != want {
			t.Errorf("the list has number %d, not %d", got.Number, want)
		}
		return err
	}
	if err := list(other, 0); err != nil {
		t.Error(err)
	}
	_, err = admit(owner, "other", other.Public)
	var first known
	if err := errors.Join(err, list(other, 1), vfs.ReadJSON(other.State, membersFile, &first)); err != nil {
		t.Fatal(err)
	}
	if _, err := admit(other, "mine", other.Public); !errors.Is(err, ErrListOwner) {
		t.Errorf("another machine changes the list: %v", err)
	}
	if _, err := admit(owner, "twin", other.Public); err == nil || !strings.Contains(err.Error(), "one key") {
		t.Errorf("two machines with one key: %v", err)
	}
	third := signing(t, p, memex)
	_, err = admit(owner, "third", third.Public)
	var second known
	if err := errors.Join(err, list(other, 2), vfs.ReadJSON(other.State, membersFile, &second)); err != nil {
		t.Fatal(err)
	}
	elsewhere := &Remote{Place: p, Memex: memex, Key: owner.Key}
	text, _, _ := strings.Cut(second.List, "\n")
	forged := func(text string) string {
		signed, err := note.Sign(&note.Note{Text: text + "\n"}, other.Signer)
		if err != nil {
			t.Fatal(err)
		}
		return string(signed)
	}
	newer := strings.Replace(text, `"number":2`, `"number":3`, 1)
	for name, text := range map[string]string{
		"older": first.List, "unsigned": newer + "\n", "empty": "", "signed by another": forged(newer),
		"changed under the signature": strings.Replace(second.List, `"number":2`, `"number":3`, 1),
		"another owner":               forged(strings.ReplaceAll(newer, owner.Public, other.Public)),
	} {
		put(owner, text)
		if err := list(other, 2); !errors.Is(err, ErrMembers) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", name, err)
		}
		if name != "older" {
			if err := list(elsewhere, 0); !errors.Is(err, ErrMembers) {
				t.Errorf("%s, seen first: %v", name, err)
			}
		}
	}
	if err := errors.Join(p.Remove(t.Context(), membersName), list(other, 2)); err != nil {
		t.Error(err)
	}
	if _, err := admit(owner, "fourth", signing(t, p, memex).Public); err != nil || list(other, 3) != nil {
		t.Error(err)
	}
}

// TestLogIsSigned: a signature is of all of a log, as it is read again, and no other member takes over a log.
func TestLogIsSigned(t *testing.T) {
	defer SetWorkFactor(SetWorkFactor(2))
	p, err := OpenFolder(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	memex := merkle.Sum([]byte("memex"))
	a, b, none := signing(t, p, memex), signing(t, p, memex), signing(t, p, memex)
	list := Members{Number: 1, List: []Member{{Name: "a", Key: a.Public}, {Name: "b", Key: b.Public, Agents: []string{"ada"}}}}
	made := func(by *Remote, set func(*Head)) Head {
		t.Helper()
		h := Head{Format: HeadFormat, Machine: "x.0123456789ab", Count: 3, Nonce: "n", Time: time.UnixMilli(1).UTC()}
		h.Manifest = ManifestOf([]Source{{Scope: Scope{Name: "memex", First: memex, Seq: 1, Head: memex, Root: memex}}}, true)
		h.Packs = []Pack{{Series: ownPieces(h.Machine) + random(8), Size: 1, Scopes: []Span{{Scope: "memex", Seq: 1, Head: memex}}}}
		signed, err := h.sign(by.Signer)
		if h.Signed = signed; set != nil {
			set(&h)
		}
		again, derr := DecodeHead(h.Encode())
		if err := errors.Join(err, derr); err != nil {
			t.Fatal(err)
		}
		return again
	}
	if key, err := list.signer(made(a, nil), a.Public); err != nil || key != a.Public || list.mayBegin(made(a, nil)) != nil {
		t.Error(err)
	}
	if err := list.mayBegin(made(b, nil)); !errors.Is(err, ErrMember) {
		t.Error(err)
	}
	for name, h := range map[string]Head{
		"no member": made(none, nil), "another member": made(b, nil), "machine": made(a, func(h *Head) { h.Machine = "y.0123456789ab" }),
		"count": made(a, func(h *Head) { h.Count++ }), "time": made(a, func(h *Head) { h.Time = h.Time.AddDate(1, 0, 0) }),
		"unsigned": made(a, func(h *Head) { h.Signed = "" }), "root": made(a, func(h *Head) { h.Scopes[0].Root = merkle.Sum(nil) }),
	} {
		if _, err := list.signer(h, a.Public); !errors.Is(err, ErrMember) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
