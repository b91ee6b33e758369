// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package place

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"golang.org/x/mod/sumdb/note"

	"github.com/fovea-memory/fovea/internal/fault"
	"github.com/fovea-memory/fovea/internal/vfs"
	"github.com/fovea-memory/fovea/merkle"
)

// The list of members on a place, and the newest list seen, in the state folder.
const membersName, membersFile, membersFormat = "members.note", "members.json", 1

// ErrMember is returned if the list of members does not allow an access or does not accept a log.
var ErrMember = errors.New("fovea remote members shows the list, which its owner changes with fovea remote admit and expel")

// Members lists the machines whose logs are merged. The first is the owner, who signs the list, a note with the JSON as its text.
type Members struct {
	Format int      `json:"fovea_members" jsonschema:"its format, 1; 0 if there is no list"`
	Memex  string   `json:"memex" jsonschema:"the first commit of the memory"`
	Number uint64   `json:"number" jsonschema:"one more with each change; 0 if there is no list: then each log is merged"`
	List   []Member `json:"members" jsonschema:"whose logs are merged; the first is the owner, whose key you compare with key.pub there"`
	Keys   []byte   `json:"keys,omitempty" jsonschema:"the keys that seal since a member was expelled, sealed for all members"`
}

// Member is a machine whose log is merged.
type Member struct {
	Name   string   `json:"name" jsonschema:"the name of the member"`
	Key    string   `json:"key" jsonschema:"the public key of its machine, the line of its file key.pub"`
	Seal   string   `json:"seal,omitempty" jsonschema:"the recipient for whom new keys of a sealed place are sealed"`
	Agents []string `json:"agents,omitempty" jsonschema:"the agents that it acts for; without any it acts as the owner"`
}

// signer returns the member who signed a log; the zero Member if there is no list. Errors: ErrMember.
func (m *Members) signer(h Head) (by Member, err error) {
	var text string
	if m.Number > 0 {
		text, err = h.signedText(), fmt.Errorf("no member of the list signed its log: %w", ErrMember)
	}
	for _, one := range m.List {
		if isSigned(h.Signed, text, one.Key) {
			return one, nil
		}
	}
	return by, err
}

// check rejects a list that is empty or too long, or that has an invalid or repeated name or key.
func (m *Members) check() error {
	if m.Format != membersFormat || len(m.List) == 0 || len(m.List) > MaxRecipients {
		return fmt.Errorf("a list of format %d has %d members, not 1 to %d of format %d", m.Format, len(m.List), MaxRecipients, membersFormat)
	}
	for i, one := range m.List {
		if _, err := note.NewVerifier(one.Key); err != nil || CheckName(one.Name) != nil {
			return fmt.Errorf("%q: its name is 1 to 32 lower-case letters, digits and hyphens, its key the line of its file key.pub", one.Name)
		}
		if slices.ContainsFunc(m.List[:i], func(other Member) bool { return other.Name == one.Name || other.Key == one.Key }) {
			return fmt.Errorf("%s: another member has its name, or two machines have one key; each needs its own", one.Name)
		}
	}
	return nil
}

// next reads the list on a place, which must be this list or a later one. The owner never changes.
func (m *Members) next(keys []Identity, data []byte, memex merkle.Digest) (list Members, err error) {
	text, err := open(keys, data)
	line, _, _ := strings.Cut(string(text), "\n")
	if err == nil {
		err = decodeJSON([]byte(line), &list)
	}
	if list.Format > membersFormat {
		return *m, fmt.Errorf("%s: format %d: %w", membersName, list.Format, ErrFormat)
	}
	err = cmp.Or(err, list.check())
	if err == nil && list.Memex == memex.String() && isSigned(string(text), line+"\n", list.List[0].Key) &&
		(list.Keys == nil || len(keys) > 0) &&
		(reflect.DeepEqual(list, *m) || list.Number > m.Number && (m.Number == 0 || list.List[0].Key == m.List[0].Key)) {
		return list, nil
	}
	return *m, fmt.Errorf("the list of members there (number %d: %v) is not the one that was seen here, nor a newer one by its owner; "+
		"remove %s there, and the owner's next sync writes it again: %w", list.Number,
		cmp.Or(err, errors.New("older, of another memory, with keys on a plain place, or not signed by its owner")), membersName, ErrMember)
}

// seal adds the keys of a sealed place to a list, sealed for all members: all but the first, which the passphrase opens,
// and a new key if a member was removed.
func (m *Members) seal(keys []Identity, isGone bool) error {
	var to []Recipient
	for _, one := range m.List {
		key, err := ParseRecipient(one.Seal)
		if err != nil {
			return fmt.Errorf("%s: --seal is the line that fovea bundle key prints on its machine: %w", one.Name, err)
		}
		to = append(to, key)
	}
	key, err := NewKey()
	if isGone {
		keys = append(keys, key)
	}
	var text []byte
	for _, key := range keys[1:] {
		text = fmt.Appendln(text, key)
	}
	if err == nil && len(text) > 0 {
		m.Keys, err = SealBytes(text, to...)
	}
	return err
}

// readMembers reads the list of members and its keys for this machine. If the list was removed from the place, the known one
// stays in force, and its owner writes it again.
func (r *Remote) readMembers(ctx context.Context) error {
	r.keys, r.newest, r.list = nil, r.Key, Members{}
	if r.Key != nil {
		r.keys = append(r.keys, r.Key)
	}
	err := vfs.ReadJSON(r.State, membersFile, &r.list)
	was := r.list.Number
	if err == nil && was > 0 {
		err = r.list.check()
	}
	if err != nil {
		return fmt.Errorf("%s: %w: %w", membersFile, ErrFormat, err)
	}
	data, tag, err := r.Place.Get(ctx, membersName)
	if r.listTag = tag; errors.Is(err, ErrNone) && was > 0 && r.Signer != nil && r.list.List[0].Key == r.Self.Key {
		if err = r.list.put(ctx, r); err == nil {
			data, r.listTag, err = r.Place.Get(ctx, membersName)
		}
	}
	if err == nil {
		r.list, err = r.list.next(r.keys, data, r.Memex)
	}
	if err != nil && !errors.Is(err, ErrNone) {
		return err
	}
	var text []byte
	if err = nil; len(r.list.Keys) > 0 {
		text, err = OpenBytes(r.list.Keys, r.Own...)
	}
	for one := range strings.FieldsSeq(string(text)) {
		if r.newest, err = ParseKey(one); err != nil {
			break
		}
		r.keys = append(r.keys, r.newest)
	}
	if err != nil {
		err = fmt.Errorf("its keys are not for this machine, which was expelled or is not a member yet (%v): %w", err, ErrMember)
	} else if r.list.Number > was {
		err = r.Pin(r.State, "")
	}
	return err
}

// Pin stores the list that was read as the newest one seen, in a folder whose name ends with a slash.
func (r *Remote) Pin(in vfs.FS, folder string) error {
	return vfs.WriteJSON(in, folder+membersFile, r.list)
}

// Members returns the list of members. Errors: those of Pull.
func (r *Remote) Members(ctx context.Context) (Members, error) {
	err := r.same(ctx)
	return r.list, err
}

// Amend removes the member of a name from the list, adds or replaces it, and signs the list. Who writes the first list becomes
// its owner. If there was such a member, objects are sealed with a new key from then on, which all members get. Errors:
// ErrMember, ErrChanged, those of Members, Invalid.
func (r *Remote) Amend(ctx context.Context, name string, as ...Member) (Members, error) {
	list, err := r.Members(ctx)
	if err != nil {
		return list, err
	}
	if list.Number == 0 {
		list = Members{Format: membersFormat, Memex: r.Memex.String(), List: []Member{r.Self}}
	}
	owner, had := list.List[0], len(list.List)
	if r.Signer == nil || owner.Key != r.Self.Key {
		return r.list, fmt.Errorf("only the machine that wrote the first list can change it, with its signing key: %w", ErrMember)
	}
	list.List = slices.DeleteFunc(slices.Clone(list.List), func(m Member) bool { return m.Name == name })
	isGone := len(list.List) < had
	if name == owner.Name || !isGone && len(as) == 0 {
		return r.list, fault.Errorf("members", name, fault.Invalid, "it is not a member, or it is the owner, which cannot be changed")
	}
	list.Number, list.List = list.Number+1, append(list.List, as...)
	err = list.check()
	if err == nil && r.Key != nil {
		err = list.seal(r.keys, isGone)
	}
	if err != nil {
		return r.list, fault.Wrap("members", name, fault.Invalid, err)
	}
	if err = list.put(ctx, r); err == nil {
		err = r.readMembers(ctx)
	}
	return r.list, err
}

// put signs a list and replaces the one that a remote has read.
func (m *Members) put(ctx context.Context, r *Remote) error {
	text, err := json.Marshal(m)
	signed, signErr := signNote(r.Signer, string(text)+"\n")
	data, sealErr := SealBytes([]byte(signed), recipientsOf(r.Key)...)
	if err = cmp.Or(err, signErr, sealErr); err == nil {
		err = r.Place.Put(ctx, membersName, r.listTag, data)
	}
	return err
}

// signedText returns what the signature of a log covers: everything else in the log.
func (h Head) signedText() string {
	h.Signed = ""
	return wordLog + "\n" + tagOf(h.Encode()) + "\n"
}

// signNote returns a note signed by a key, "" without a key.
func signNote(by note.Signer, text string) (string, error) {
	if by == nil {
		return "", nil
	}
	signed, err := note.Sign(&note.Note{Text: text}, by)
	return string(signed), err
}

// isSigned reports whether a note has a text and is signed by a key.
func isSigned(signed, text, key string) bool {
	v, err := note.NewVerifier(key)
	if err != nil {
		return false
	}
	n, err := note.Open([]byte(signed), note.VerifierList(v))
	return err == nil && n.Text == text
}
