// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package place

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
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
	own, err := NewKey()
	if err != nil {
		t.Fatal(err)
	}
	r := &Remote{Place: p, Memex: memex, State: state, Self: Member{Name: "owner", Key: public}}
	r.Own, r.Self.Seal = []Identity{own}, own.Recipient().String()
	if r.Signer, err = note.NewSigner(secret); err != nil {
		t.Fatal(err)
	}
	if r.Key, err = Join(t.Context(), p, memex, false, "pass"); err != nil {
		t.Fatal(err)
	}
	return r
}

// as is what a list has of a machine.
func (r *Remote) as(name string) Member {
	return Member{Name: name, Key: r.Self.Key, Seal: r.Self.Seal}
}

// members reads the list again.
func (r *Remote) members(t *testing.T) (Members, error) {
	t.Helper()
	r.known = false
	return r.Members(t.Context())
}

// TestMembersOnlyGrow: a list that is older, unsigned, signed by another key, of the same number or of another memory
// is refused by a machine that has seen one, and one that was removed stays in force until its owner writes it again.
func TestMembersOnlyGrow(t *testing.T) {
	defer SetWorkFactor(SetWorkFactor(2))
	p, err := OpenFolder(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	memex := merkle.Sum([]byte("memex"))
	owner, other := signing(t, p, memex), signing(t, p, memex)
	put := func(text string) {
		t.Helper()
		data, err := SealBytes([]byte(text), recipientsOf(owner.Key)...)
		_, tag, gerr := p.Get(t.Context(), membersName)
		if err != nil || gerr != nil && !errors.Is(gerr, ErrNone) || p.Put(t.Context(), membersName, tag, data) != nil {
			t.Fatal(err, gerr)
		}
	}
	admit := func(r *Remote, name string, one *Remote) (string, error) {
		r.known = false
		_, err := r.Amend(t.Context(), name, one.as(name))
		data, _, gerr := p.Get(t.Context(), membersName)
		text, oerr := open([]Identity{r.Key}, data)
		return string(text), errors.Join(err, gerr, oerr)
	}
	list := func(r *Remote, want uint64) error {
		t.Helper()
		got, err := r.members(t)
		if err == nil && got.Number != want {
			t.Errorf("the list has number %d, not %d", got.Number, want)
		}
		return err
	}
	if err := list(other, 0); err != nil {
		t.Error(err)
	}
	first, err := admit(owner, "other", other)
	if err := errors.Join(err, list(other, 1)); err != nil {
		t.Fatal(err)
	}
	if _, err := admit(other, "mine", other); !errors.Is(err, ErrMember) {
		t.Errorf("another machine changes the list: %v", err)
	}
	if _, err := admit(owner, "twin", other); err == nil || !strings.Contains(err.Error(), "one key") {
		t.Errorf("two machines with one key: %v", err)
	}
	if _, err := admit(owner, "owner", signing(t, p, memex)); err == nil || !strings.Contains(err.Error(), "the owner") {
		t.Errorf("another owner: %v", err)
	}
	second, err := admit(owner, "third", signing(t, p, memex))
	if err := errors.Join(err, list(other, 2)); err != nil {
		t.Fatal(err)
	}
	elsewhere := signing(t, p, memex)
	text, _, _ := strings.Cut(second, "\n")
	forged := func(text string) string {
		signed, err := signNote(other.Signer, text+"\n")
		if err != nil {
			t.Fatal(err)
		}
		return signed
	}
	newer := strings.Replace(text, `"number":2`, `"number":3`, 1)
	for name, text := range map[string]string{
		"older": first, "unsigned": newer + "\n", "empty": "", "signed by another": forged(newer),
		"changed under the signature": strings.Replace(second, `"number":2`, `"number":3`, 1),
		"another owner":               forged(strings.ReplaceAll(newer, owner.Self.Key, "x")),
		"another owner, well formed":  forged(strings.NewReplacer(owner.Self.Key, other.Self.Key, other.Self.Key, owner.Self.Key).Replace(newer)),
	} {
		put(text)
		if err := list(other, 2); !errors.Is(err, ErrMember) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", name, err)
		}
		if name == "older" || name == "another owner, well formed" {
			continue // who has seen none cannot know
		}
		if err := elsewhere.readMembers(t.Context()); !errors.Is(err, ErrMember) {
			t.Errorf("%s, seen first: %v", name, err)
		}
	}
	if err := errors.Join(p.Remove(t.Context(), membersName), list(other, 2)); err != nil {
		t.Error(err)
	}
	if _, err := admit(owner, "fourth", signing(t, p, memex)); err != nil || list(other, 3) != nil {
		t.Error(err)
	}
}

// TestExpelledCannotRead: after one is expelled, what is sealed has a key that it has not, and that all who remain and who come
// later have; with one removed key, all that was sealed before still opens for them.
func TestExpelledCannotRead(t *testing.T) {
	defer SetWorkFactor(SetWorkFactor(2))
	p, err := OpenFolder(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	memex := merkle.Sum([]byte("memex"))
	owner, stays, leaves, late := signing(t, p, memex), signing(t, p, memex), signing(t, p, memex), signing(t, p, memex)
	var sealed [][]byte
	amend := func(name string, as ...Member) {
		t.Helper()
		_, err := owner.Amend(t.Context(), name, as...)
		data, serr := SealBytes([]byte(name), recipientsOf(owner.newest)...)
		if err := errors.Join(err, serr); err != nil {
			t.Fatal(err)
		}
		sealed = append(sealed, data)
	}
	amend("stays", stays.as("stays"))
	amend("leaves", leaves.as("leaves"))
	if _, err := leaves.members(t); err != nil {
		t.Fatal(err)
	}
	amend("leaves")
	amend("late", late.as("late"))
	amend("late", late.as("late")) // in its own place, which makes another key
	for name, r := range map[string]*Remote{"owner": owner, "stays": stays, "late": late} {
		if _, err := r.members(t); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		for i, data := range sealed {
			if text, err := open(r.keys, data); err != nil || len(text) == 0 {
				t.Errorf("%s, %d: %v", name, i, err)
			}
		}
		if r.newest == r.Key || r.newest.String() != owner.newest.String() {
			t.Errorf("%s seals with an old key", name)
		}
	}
	if _, err := leaves.members(t); !errors.Is(err, ErrMember) {
		t.Errorf("the one who was expelled goes on: %v", err)
	}
	for i, data := range sealed {
		if _, err := open(leaves.keys, data); (err == nil) != (i < 2) {
			t.Errorf("the one who was expelled, %d: %v", i, err)
		}
	}
	if _, err := owner.Amend(t.Context(), "unsealed", Member{Name: "unsealed", Key: leaves.Self.Key}); err == nil || !strings.Contains(err.Error(), "--seal") {
		t.Errorf("a member that gets no keys: %v", err)
	}
}

// TestLogIsSigned: a signature is of all of a log, as it is read again.
func TestLogIsSigned(t *testing.T) {
	defer SetWorkFactor(SetWorkFactor(2))
	p, err := OpenFolder(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	memex := merkle.Sum([]byte("memex"))
	a, b, none := signing(t, p, memex), signing(t, p, memex), signing(t, p, memex)
	reader := &Remote{list: Members{Number: 1, List: []Member{a.as("a"), b.as("b")}}}
	made := func(by *Remote, set func(*Head)) Head {
		t.Helper()
		h := Head{Format: HeadFormat, Machine: "x.0123456789ab", Count: 3, Nonce: "n", Time: time.UnixMilli(1).UTC()}
		h.Manifest = ManifestOf([]Source{{Scope: Scope{Name: "memex", First: memex, Seq: 1, Head: memex, Root: memex}}}, true)
		h.Packs = []Pack{{Series: ownPieces(h.Machine) + random(8), Size: 1, Scopes: []Span{{Scope: "memex", Seq: 1, Head: memex}}}}
		signed, err := signNote(by.Signer, h.signedText())
		if h.Signed = signed; set != nil {
			set(&h)
		}
		again, derr := DecodeHead(h.Encode())
		if err := errors.Join(err, derr); err != nil {
			t.Fatal(err)
		}
		return again
	}
	for want, by := range map[string]*Remote{"a": a, "b": b} {
		if one, err := reader.list.signer(made(by, nil)); err != nil || one.Name != want {
			t.Error(one, err)
		}
	}
	for name, h := range map[string]Head{
		"no member": made(none, nil), "machine": made(a, func(h *Head) { h.Machine = "y.0123456789ab" }),
		"count": made(a, func(h *Head) { h.Count++ }), "time": made(a, func(h *Head) { h.Time = h.Time.AddDate(1, 0, 0) }),
		"unsigned": made(a, func(h *Head) { h.Signed = "" }), "root": made(a, func(h *Head) { h.Scopes[0].Root = merkle.Sum(nil) }),
	} {
		if _, err := reader.list.signer(h); !errors.Is(err, ErrMember) {
			t.Errorf("%s: %v", name, err)
		}
	}
	takesOver(t, a, made(a, nil), made(b, func(h *Head) { h.Count++ }))
}

// takesOver replaces the log of one by a log of another member, or of nobody on the list.
func takesOver(t *testing.T, owner *Remote, was, next Head) {
	t.Helper()
	reader := signing(t, owner.Place, owner.Memex)
	for name, one := range map[string]*Remote{"other": reader, "third": signing(t, owner.Place, owner.Memex)} {
		if _, err := owner.Amend(t.Context(), name, one.as(name)); err != nil {
			t.Fatal(err)
		}
	}
	next.Signed, _ = signNote(reader.Signer, next.signedText())
	if _, err := vfs.Sub(reader.State, copiesFolder); err != nil {
		t.Fatal(err)
	}
	err := vfs.WriteJSON(reader.State, copiesFolder+"/"+was.Machine+"."+copyFile, copied{Head: was, Sum: "x"})
	data, serr := SealBytes(next.Encode(), recipientsOf(owner.newest)...)
	if err := errors.Join(err, serr, owner.Place.Put(t.Context(), HeadFolder+was.Machine, "", data)); err != nil {
		t.Fatal(err)
	}
	all, err := reader.Pull(t.Context())
	if err != nil || len(all) != 1 || all[0].New || !errors.Is(all[0].Problem, ErrMember) || !strings.Contains(all[0].Problem.Error(), "that of owner") {
		t.Errorf("%+v, %v", all, err)
	}
}

// TestListOfAStranger: what anybody who can write there may put, first or where a list was, does not lock a machine out for good, nor
// keep a list away.
func TestListOfAStranger(t *testing.T) {
	defer SetWorkFactor(SetWorkFactor(2))
	p, err := OpenFolder(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	memex := merkle.Sum([]byte("memex"))
	owner, other, forger := signing(t, p, memex), signing(t, p, memex), signing(t, p, memex)
	list := Members{Format: 1, Memex: memex.String(), Number: 1, List: []Member{forger.as("owner")}}
	put := func(set func(*Members)) {
		t.Helper()
		_, forger.listTag, _ = p.Get(t.Context(), membersName)
		forged := list
		if set(&forged); forged.put(t.Context(), forger) != nil {
			t.Fatal("not written")
		}
	}
	refused := func(r *Remote, want error, why string) {
		t.Helper()
		if _, err := r.members(t); !errors.Is(err, want) || !strings.Contains(err.Error(), why) || strings.Contains(err.Error(), "nil") {
			t.Errorf("%v, not %v, %s", err, want, why)
		}
	}
	keys, err := SealBytes([]byte("x"), forger.Key.Recipient())
	if err != nil {
		t.Fatal(err)
	}
	put(func(m *Members) { m.Keys = keys })
	refused(owner, ErrMember, "its keys are not")
	if _, err := (&Members{}).next(nil, plainList(t, forger, list, keys), memex); !errors.Is(err, ErrMember) || !strings.Contains(err.Error(), "plain") {
		t.Errorf("keys on a plain place: %v", err)
	}
	put(func(m *Members) { m.Format = 2 })
	refused(owner, ErrFormat, "members.note: format 2")
	put(func(m *Members) { m.List = slices.Repeat(m.List, MaxRecipients+1) })
	refused(owner, ErrMember, "65 members, not 1 to 64")
	if err := p.Remove(t.Context(), membersName); err != nil {
		t.Fatal(err)
	}
	owner.known = false
	if _, err := owner.Amend(t.Context(), "other", other.as("other")); err != nil {
		t.Fatalf("after a forged list was removed: %v", err)
	}
	if _, err := other.members(t); err != nil {
		t.Fatal(err)
	}
	put(func(m *Members) { m.Number = 9 })
	refused(other, ErrMember, "not signed by its owner")
	_, tag, _ := p.Get(t.Context(), membersName)
	if err := p.Put(t.Context(), membersName, tag, []byte("damaged")); err != nil {
		t.Fatal(err)
	}
	refused(other, ErrMember, "remove members.note there")
	if err := p.Remove(t.Context(), membersName); err != nil {
		t.Fatal(err)
	}
	for _, r := range []*Remote{other, owner, signing(t, p, memex)} {
		got, err := r.members(t)
		if _, _, gerr := p.Get(t.Context(), membersName); err != nil || got.Number != 1 || errors.Is(gerr, ErrNone) == (r != other) {
			t.Errorf("after the list was removed: %+v, %v, %v", got, err, gerr)
		}
	}
	if err := vfs.WriteJSON(other.State, membersFile, Members{Format: 1, Number: 3}); err != nil {
		t.Fatal(err)
	}
	refused(other, ErrFormat, "members.json")
}

// plainList is a list on a plain place.
func plainList(t *testing.T, by *Remote, list Members, keys []byte) []byte {
	t.Helper()
	list.Keys = keys
	text, err := json.Marshal(list)
	signed, serr := signNote(by.Signer, string(text)+"\n")
	if err := errors.Join(err, serr); err != nil {
		t.Fatal(err)
	}
	return []byte(signed)
}

// TestManyMembers: a list has at most as many members as keys can be sealed for, so each of them can be expelled.
func TestManyMembers(t *testing.T) {
	defer SetWorkFactor(SetWorkFactor(2))
	p, err := OpenFolder(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	owner := signing(t, p, merkle.Sum([]byte("memex")))
	for i := range MaxRecipients {
		name := fmt.Sprint("m", i)
		_, public, err := note.GenerateKey(rand.Reader, "fovea-test")
		if err != nil {
			t.Fatal(err)
		}
		_, err = owner.Amend(t.Context(), name, Member{Name: name, Key: public, Seal: owner.Self.Seal})
		if (err == nil) != (i < MaxRecipients-1) {
			t.Fatalf("%d: %v", i, err)
		}
	}
	if _, err := owner.Amend(t.Context(), "m0"); err != nil {
		t.Error(err)
	}
}
