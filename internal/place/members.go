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

	"filippo.io/age"
	"golang.org/x/mod/sumdb/note"

	"github.com/fovea-memory/fovea/internal/fault"
	"github.com/fovea-memory/fovea/internal/vfs"
)

// membersName is the list of members, on a place; membersFile the newest that was seen, in the state folder.
const (
	membersName = "members.note"
	membersFile = "members.json"
)

// Errors of lists of members.
var (
	// ErrMember is returned for what counts for nothing by the list of members, or may not be read by this machine.
	ErrMember = errors.New("fovea remote members shows the list; its owner changes it with fovea remote admit and expel")
	// ErrMembers is returned for a list that does not continue the one that was seen here.
	ErrMembers = errors.New("the list of members there is not the one that was seen here, nor a newer one by its owner; " +
		"somebody has put another there: remove members.note there, and the owner admits or expels somebody to write it again")
	// ErrListOwner is returned to a machine that does not own the list.
	ErrListOwner = errors.New("only the machine that wrote the first list of members changes it, and it needs a key that signs")
)

// Members is a list of those whose logs are merged. The first one is the owner, who signs it. The text of the note is its JSON.
type Members struct {
	Memex  string   `json:"memex"`
	Number uint64   `json:"number"` // one more each time, 0 of no list
	List   []Member `json:"members"`
	Keys   []byte   `json:"keys,omitempty"` // that seal since one was expelled, a line each, sealed for all members
}

// Member is a machine that takes part.
type Member struct {
	Name   string   `json:"name" jsonschema:"of the member"`
	Key    string   `json:"key" jsonschema:"the public key of its machine, the line of its file key.pub"`
	Seal   string   `json:"seal,omitempty" jsonschema:"for whom new keys of a sealed place are sealed"`
	Agents []string `json:"agents,omitempty" jsonschema:"those it acts for; without any it acts as the owner"`
}

// Members returns the list of members. Errors: ErrMembers, those of Pull.
func (r *Remote) Members(ctx context.Context) (Members, error) {
	err := r.same(ctx)
	return r.list, err
}

// Me is the member that this machine is by the list that was read last; the zero Member for none.
func (r *Remote) Me() (me Member) {
	for _, one := range r.list.List {
		if one.Key == r.Self.Key {
			me = one
		}
	}
	return me
}

// Opens takes the key of this machine, for which a list of members has the keys of a sealed place.
func (r *Remote) Opens(own Identity) {
	if key, ok := own.(*age.X25519Identity); ok {
		r.own, r.Self.Seal = []Identity{key}, key.Recipient().String()
	}
}

// readMembers reads the list of members, and the keys that it has for this machine. Who signed the first list seen is its
// owner for good. A list that somebody removed counts on.
func (r *Remote) readMembers(ctx context.Context) (err error) {
	r.list, r.keys, r.newest = Members{}, nil, r.Key
	if r.Key != nil {
		r.keys = append(r.keys, r.Key)
	}
	if r.State != nil {
		err = vfs.ReadJSON(r.State, membersFile, &r.list)
	}
	if err != nil {
		return err
	}
	data, tag, err := r.Place.Get(ctx, membersName)
	if err == nil {
		err = r.take(data)
	}
	if err != nil && !errors.Is(err, ErrNone) {
		return err
	}
	r.listTag = tag
	return r.takeKeys()
}

// take makes a list the one that counts, if it continues the one that does or is that.
func (r *Remote) take(data []byte) error {
	var list Members
	text, err := open(r.keys, data)
	line, _, _ := strings.Cut(string(text), "\n")
	err = cmp.Or(err, decodeJSON([]byte(line), &list), list.check())
	switch {
	case err != nil || len(list.List) == 0 || list.Memex != r.Memex.String() || !isSigned(string(text), line+"\n", list.List[0].Key):
	case reflect.DeepEqual(list, r.list):
		return nil
	case list.Number > r.list.Number && (r.list.Number == 0 || list.List[0].Key == r.list.List[0].Key):
		if r.list = list; r.State != nil {
			return vfs.WriteJSON(r.State, membersFile, list)
		}
		return nil
	}
	return fmt.Errorf("%w (number %d, %v)", ErrMembers, list.Number, err)
}

// takeKeys opens the keys of the list.
func (r *Remote) takeKeys() error {
	if len(r.list.Keys) == 0 {
		return nil
	}
	text, err := OpenBytes(r.list.Keys, r.own...)
	for _, one := range strings.Fields(string(text)) {
		r.newest, err = ParseKey(one)
		r.keys = append(r.keys, r.newest)
	}
	if err != nil {
		err = fmt.Errorf("its keys are not for one who was expelled, or is no member yet (%v): %w", err, ErrMember)
	}
	return err
}

// isSigned reports whether a note has a text, and the signature of a key.
func isSigned(signed, text, key string) bool {
	v, err := note.NewVerifier(key)
	if err != nil {
		return false
	}
	n, err := note.Open([]byte(signed), note.VerifierList(v))
	return err == nil && n.Text == text
}

// check refuses a list that has a name or a key twice, or something that is none.
func (m *Members) check() error {
	for i, one := range m.List {
		if _, err := note.NewVerifier(one.Key); err != nil || CheckName(one.Name) != nil {
			return fmt.Errorf("%q: its name is 1 to 32 lower-case letters, digits and hyphens, its key the line of its file key.pub", one.Name)
		}
		if slices.ContainsFunc(m.List[:i], func(other Member) bool { return other.Name == one.Name || other.Key == one.Key }) {
			return fmt.Errorf("%s: another member has its name or its key, so two machines have one key; each has its own", one.Name)
		}
	}
	return nil
}

// Amend takes the member of a name from the list, or puts another one in its place, and signs it. The first list makes this
// machine its owner. If there was such a member, what is sealed from then on has a new key, which all members get. Errors:
// ErrListOwner, ErrChanged, those of Members, Invalid.
func (r *Remote) Amend(ctx context.Context, name string, as ...Member) (Members, error) {
	if err := r.same(ctx); err != nil {
		return r.list, err
	}
	list := r.list
	if list.Number == 0 {
		list = Members{Memex: r.Memex.String(), List: []Member{r.Self}}
	}
	owner, had := list.List[0], len(list.List)
	if r.Signer == nil || owner.Key != r.Self.Key {
		return r.list, ErrListOwner
	}
	list.List = slices.DeleteFunc(slices.Clone(list.List), func(m Member) bool { return m.Name == name })
	isGone := len(list.List) < had
	if name == owner.Name || !isGone && len(as) == 0 {
		return r.list, fault.Errorf("members", name, fault.Invalid, "it is no member, or the owner of the list, who stays as it is")
	}
	list.Number, list.List = list.Number+1, append(list.List, as...)
	err := list.check()
	if err == nil && r.Key != nil {
		err = r.sealKeys(&list, isGone)
	}
	if err != nil {
		return r.list, fault.Wrap("members", name, fault.Invalid, err)
	}
	text, err := json.Marshal(list)
	signed, signErr := r.sign(string(text) + "\n")
	data, sealErr := seal(r.Key, []byte(signed))
	if err = cmp.Or(err, signErr, sealErr); err == nil {
		err = r.Place.Put(ctx, membersName, r.listTag, data)
	}
	if err == nil {
		err = r.readMembers(ctx)
	}
	return r.list, err
}

// sealKeys gives a list the keys of the place, sealed for its members, with a new one if somebody is gone.
func (r *Remote) sealKeys(list *Members, isGone bool) error {
	var to []Recipient
	for _, one := range list.List {
		key, err := ParseRecipient(one.Seal)
		if err != nil {
			return fmt.Errorf("%s: --seal is the line that fovea bundle key prints on its machine: %w", one.Name, err)
		}
		to = append(to, key)
	}
	var text []byte
	for _, key := range r.keys[1:] { // all have that of the passphrase
		text = fmt.Appendln(text, key)
	}
	key, err := NewKey()
	if isGone {
		text = fmt.Appendln(text, key)
	}
	if err == nil && len(text) > 0 {
		list.Keys, err = SealBytes(text, to...)
	}
	return err
}

// sign returns a note that this machine signed, empty without a key.
func (r *Remote) sign(text string) (string, error) {
	if r.Signer == nil {
		return "", nil
	}
	signed, err := note.Sign(&note.Note{Text: text}, r.Signer)
	return string(signed), err
}

// signedText is what the signature of a log is about: all of it but the signature.
func (h Head) signedText() string {
	h.Signed = ""
	return wordLog + "\n" + tagOf(h.Encode()) + "\n"
}

// signer returns the member that signed a log, the zero Member where there is no list. Errors: ErrMember.
func (r *Remote) signer(h Head) (by Member, err error) {
	if r.list.Number > 0 {
		err = fmt.Errorf("no member of the list signed its log: %w", ErrMember)
	}
	for _, one := range r.list.List {
		if isSigned(h.Signed, h.signedText(), one.Key) {
			return one, nil
		}
	}
	return by, err
}
