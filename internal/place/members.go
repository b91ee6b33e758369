// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package place

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/mod/sumdb/note"

	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/internal/fault"
	"github.com/fovea-memory/fovea/internal/vfs"
)

// membersName is the list of members, on a place; membersFile the newest that was seen, in the state folder.
const (
	membersName = "members.note"
	membersFile = "members.json"
)

// MaxMembers is how many members a list has at most.
const MaxMembers = 1024

// Errors of lists of members.
var (
	// ErrMember is returned for a log that counts for nothing by the list of members.
	ErrMember = errors.New("fovea remote members shows the list; its owner changes it with fovea remote admit and expel")
	// ErrMembers is returned for a list that does not continue the one that was seen here.
	ErrMembers = errors.New("the list of members there is not the one that was seen here, nor a newer one by its owner; " +
		"somebody has put another there: remove members.note there, and the owner admits or expels somebody to write it again")
	// ErrListOwner is returned to a machine that does not own the list.
	ErrListOwner = errors.New("only the machine that wrote the first list of members changes it, and it needs a key that signs")
)

// Members is a list of those whose logs are merged. The text of a note is its JSON.
type Members struct {
	Memex  string   `json:"memex"`
	Number uint64   `json:"number"` // one more each time
	Owner  string   `json:"owner"`  // the public key that signs the list, of the first member
	List   []Member `json:"members"`
}

// Member is a machine that takes part.
type Member struct {
	Name   string   `json:"name" jsonschema:"of the member"`
	Key    string   `json:"key" jsonschema:"the public key of its machine, the line of its file key.pub"`
	Agents []string `json:"agents,omitempty" jsonschema:"those it acts for; without any it acts as the owner"`
}

// Fingerprint is what two persons compare of a public key, as fovea guard adopt-key prints it.
func Fingerprint(key string) string {
	sum := sha256.Sum256([]byte(key))
	return "SHA256:" + base64.RawStdEncoding.EncodeToString(sum[:])
}

// known is the newest list that was seen, as a signed note.
type known struct {
	List string `json:"list"`
}

// Members returns the list of members, with number 0 where there is none, and its tag. The key that signed the
// first list seen is its owner for good. A list that somebody removed counts on. Errors: ErrMembers, those
// of the place and of the seal.
func (r *Remote) Members(ctx context.Context) (list Members, tag string, err error) {
	var seen known
	if r.State != nil {
		err = vfs.ReadJSON(r.State, membersFile, &seen)
	}
	if err == nil && seen.List != "" {
		list, err = r.readMembers(seen.List, "")
	}
	if err != nil {
		return list, "", err
	}
	data, tag, err := r.Place.Get(ctx, membersName)
	if errors.Is(err, ErrNone) {
		return list, "", nil
	}
	if err == nil {
		data, err = open(r.Key, data)
	}
	if err != nil {
		return list, "", err
	}
	there, err := r.readMembers(string(data), list.Owner)
	switch {
	case seen.List != "" && string(data) == seen.List:
		return list, tag, nil
	case err != nil || there.Number <= list.Number:
		return list, "", fmt.Errorf("%w (number %d, %v)", ErrMembers, there.Number, err)
	case r.State != nil:
		err = vfs.WriteJSON(r.State, membersFile, known{string(data)})
	}
	return there, tag, err
}

// readMembers reads a list that an owner has signed, the one that it names itself if none is given.
func (r *Remote) readMembers(text, owner string) (list Members, err error) {
	line, _, _ := strings.Cut(text, "\n")
	if err := json.Unmarshal([]byte(line), &list); err != nil {
		return Members{}, fmt.Errorf("%s: %w", membersName, ErrFormat)
	}
	if owner == "" {
		owner = list.Owner
	}
	signed, err := openNote(text, owner)
	if err == nil && (signed != line+"\n" || list.Owner != owner || list.Memex != r.Memex.String()) {
		err = ErrFormat
	}
	if err == nil {
		err = list.check()
	}
	if err != nil {
		return Members{}, fmt.Errorf("%s: %w", membersName, err)
	}
	return list, nil
}

// openNote returns the text of a note that one of some keys signed.
func openNote(text string, keys ...string) (string, error) {
	var all []note.Verifier
	for _, key := range keys {
		v, err := note.NewVerifier(key)
		if err != nil {
			return "", err
		}
		all = append(all, v)
	}
	n, err := note.Open([]byte(text), note.VerifierList(all...))
	if err != nil {
		return "", err
	}
	return n.Text, nil
}

// check refuses a list that has a name or a key twice, or something that is none.
func (m *Members) check() error {
	if len(m.List) == 0 || len(m.List) > MaxMembers || m.Number == 0 {
		return ErrFormat
	}
	for i, one := range m.List {
		if err := CheckName(one.Name); err != nil {
			return err
		}
		if _, err := note.NewVerifier(one.Key); err != nil {
			return fmt.Errorf("%s: its key is no public key; give the line of its file key.pub", one.Name)
		}
		for _, agent := range one.Agents {
			if err := author.Check(agent); err != nil {
				return err
			}
		}
		for _, other := range m.List[:i] {
			if other.Name == one.Name || other.Key == one.Key {
				return fmt.Errorf("%s and %s have one name or one key; each machine has its own", other.Name, one.Name)
			}
		}
	}
	return nil
}

// by returns the member with a key, nil for none.
func (m *Members) by(key string) *Member {
	for i := range m.List {
		if m.List[i].Key == key {
			return &m.List[i]
		}
	}
	return nil
}

// Amend changes the list of members and signs it; the first one makes this machine its owner and a member. Errors:
// ErrListOwner, ErrChanged, those of Members, of change and of a list that is none.
func (r *Remote) Amend(ctx context.Context, change func(*Members) error) (Members, error) {
	if err := r.same(ctx); err != nil {
		return Members{}, err
	}
	list, tag, err := r.Members(ctx)
	if err != nil {
		return list, err
	}
	if r.Signer == nil || list.Number > 0 && list.Owner != r.Public {
		return list, ErrListOwner
	}
	if list.Number == 0 {
		list = Members{Memex: r.Memex.String(), Owner: r.Public, List: []Member{{Name: "owner", Key: r.Public}}}
	}
	list.Number++
	list.List = slices.Clone(list.List)
	if err = change(&list); err == nil {
		err = fault.Wrap("members", membersName, fault.Invalid, list.check())
	}
	if err != nil {
		return list, err
	}
	text, err := json.Marshal(list)
	if err != nil {
		return list, err
	}
	signed, err := note.Sign(&note.Note{Text: string(text) + "\n"}, r.Signer)
	if err != nil {
		return list, err
	}
	data, err := seal(r.Key, signed)
	if err == nil {
		err = r.Place.Put(ctx, membersName, tag, data)
	}
	if err == nil {
		err = vfs.WriteJSON(r.State, membersFile, known{string(signed)})
	}
	return list, err
}

// signedText is what the signature of a log is about: all of it but the signature.
func (h Head) signedText() string {
	h.Signed = ""
	return fmt.Sprintf("%s\n%x\n", wordLog, sha256.Sum256(h.Encode()))
}

// sign returns the signature of a log, empty without a key.
func (h Head) sign(by note.Signer) (string, error) {
	if by == nil {
		return "", nil
	}
	signed, err := note.Sign(&note.Note{Text: h.signedText()}, by)
	return string(signed), err
}

// signer returns the key of the member that signed a log. before is the key that signed the version that was seen
// last: another member cannot take over the log. Errors: ErrMember.
func (m *Members) signer(h Head, before string) (string, error) {
	for _, one := range m.List {
		if text, err := openNote(h.Signed, one.Key); err != nil || text != h.signedText() {
			continue
		}
		if was := m.by(before); was != nil && before != one.Key {
			return "", fmt.Errorf("%s signed its log, which is that of %s: %w", one.Name, was.Name, ErrMember)
		}
		return one.Key, nil
	}
	return "", fmt.Errorf("no member of the list signed its log: %w", ErrMember)
}

// mayBegin refuses a log of nobody who acts as the owner.
func (m *Members) mayBegin(h Head) error {
	key, err := m.signer(h, "")
	if err == nil && len(m.by(key).Agents) > 0 {
		err = fmt.Errorf("%s acts for agents alone: %w", m.by(key).Name, ErrMember)
	}
	return err
}

// oneKey reports logs of two machines that one key signed, the own one included. Both are merged: each is a member's.
func oneKey(own string, all []Other) {
	at := map[string]string{own: "this machine"}
	for i := range all {
		o := &all[i]
		if o.Member == nil || o.Problem != nil {
			continue
		}
		if other := at[o.Member.Key]; other != "" {
			o.Problem = fmt.Errorf("its log has the same key as that of %s; if it is an old log, remove it there, "+
				"else move the file key away on one of the two and admit its new key: %w", other, ErrMember)
		}
		at[o.Member.Key] = o.Machine
	}
}
