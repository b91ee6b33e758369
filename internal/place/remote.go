// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package place

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"filippo.io/age"
	"golang.org/x/mod/sumdb/note"

	"github.com/fovea-memory/fovea/internal/vfs"
	"github.com/fovea-memory/fovea/merkle"
)

// Remote is a place for one memory on one machine. It is for one goroutine.
type Remote struct {
	Place Place
	// Memex is the first commit of the memory.
	Memex merkle.Digest
	// Machine is the name of this machine's log. Push changes it if another copy of the memory
	// uses it.
	Machine string
	// Key seals and opens the objects of the place, nil for a plain place.
	Key *age.X25519Identity
	// State is the state folder of the remote, with records about the place and copies of the
	// other machines' histories.
	State vfs.FS
	// Signer signs this machine's log, and the list of members if it owns that; nil for none. Self is the entry of this
	// machine as owner of a list. Own opens the keys in the list.
	Signer note.Signer
	Self   Member
	Own    []Identity
	// Now is the clock.
	Now func() time.Time

	known   bool // the place was checked, see same
	list    Members
	listTag string
	keys    []Identity          // open the objects of the place; none if it is plain
	newest  *age.X25519Identity // the last of keys, which seals
}

// Join prepares a place for a memory, or joins a prepared one, and returns the key of a sealed place.
// With plain, a new place is not sealed. passphrase locks or opens the key. Join writes nothing to
// the place of another memory. Errors: ErrOther, ErrLocked, ErrFormat, ErrPart, ErrPassphrase and
// others of a seal, those of the place.
func Join(ctx context.Context, p Place, memex merkle.Digest, plain bool, passphrase string) (*age.X25519Identity, error) {
	m, err := ReadMarker(ctx, p)
	if errors.Is(err, ErrNone) {
		key, err := prepare(ctx, p, memex, plain, passphrase)
		if !errors.Is(err, ErrChanged) {
			return key, err
		}
	}
	if errors.Is(err, ErrNone) { // another machine was faster
		m, err = ReadMarker(ctx, p)
	}
	switch {
	case err != nil:
		return nil, err
	case m.Memex != memex.String():
		return nil, ErrOther
	case !m.Sealed:
		return nil, nil
	}
	return Unlock(ctx, p, passphrase)
}

// ReadMarker returns the marker of a place. Errors: ErrNone, ErrFormat, those of the place.
func ReadMarker(ctx context.Context, p Place) (Marker, error) {
	var m Marker
	data, _, _, err := known(ctx, p, markerName)
	if err == nil {
		err = decodeJSON(data, &m)
	}
	if err == nil && m.Format != Format {
		err = fmt.Errorf("format %d: %w", m.Format, ErrFormat)
	}
	return m, err
}

// Unlock reads the key of a sealed place. Errors: ErrLocked without a passphrase, those of
// UnlockKey and of the place.
func Unlock(ctx context.Context, p Place, passphrase string) (*age.X25519Identity, error) {
	if passphrase == "" {
		return nil, ErrLocked
	}
	locked, _, err := p.Get(ctx, keyName)
	if err != nil {
		return nil, err
	}
	return UnlockKey(locked, passphrase)
}

// prepare writes the key, then the marker: of two machines at once, one wins.
func prepare(ctx context.Context, p Place, memex merkle.Digest, plain bool, passphrase string) (key *age.X25519Identity, err error) {
	if logs, err := p.List(ctx, HeadFolder); err != nil {
		return nil, err
	} else if len(logs) > 0 {
		return nil, ErrPart
	}
	if !plain {
		if passphrase == "" {
			return nil, ErrLocked
		}
		if key, err = NewKey(); err != nil {
			return nil, err
		}
		locked, err := LockKey(key, passphrase)
		if err == nil {
			err = p.Put(ctx, keyName, "", locked)
		}
		if errors.Is(err, ErrChanged) { // an earlier attempt wrote the key, but no marker
			key, err = Unlock(ctx, p, passphrase)
		}
		if err != nil {
			return nil, err
		}
	}
	marker, err := json.Marshal(Marker{Format: Format, Memex: memex.String(), Sealed: !plain})
	if err != nil {
		return nil, err
	}
	return key, p.Put(ctx, markerName, "", marker)
}

const placeFile = "place.json"

// placed records objects that are written once.
type placed struct {
	Key string `json:"key"` // sum of the locked key
}

// Anew removes the record of a place's locked key; in is the state folder of the remote.
func Anew(in vfs.FS) error { return vfs.RemoveIfThere(in, placeFile) }

// same checks that the place is the one that was added: not the empty mount point of a disk, not the
// place of another memory, and with the same key. If another machine prepared it at the same time and
// replaced the key, machines that join later could not open what this one writes.
func (r *Remote) same(ctx context.Context) error {
	if r.known {
		return nil
	}
	m, err := ReadMarker(ctx, r.Place)
	switch {
	case errors.Is(err, ErrNone):
		return ErrAway
	case err != nil:
		return err
	case m.Memex != r.Memex.String():
		return ErrOther
	case m.Sealed != (r.Key != nil):
		return ErrReplaced
	}
	if r.Key != nil {
		if err := r.sameKey(ctx); err != nil {
			return err
		}
	}
	err = r.readMembers(ctx)
	r.known = err == nil
	return err
}

func (r *Remote) sameKey(ctx context.Context) error {
	data, _, _, err := known(ctx, r.Place, keyName)
	if errors.Is(err, ErrNone) {
		return fmt.Errorf("%w: %s is missing", ErrPart, keyName)
	}
	if err != nil {
		return err
	}
	var was placed
	if err := vfs.ReadJSON(r.State, placeFile, &was); err != nil {
		return err
	}
	switch was.Key {
	case tagOf(data):
		return nil
	case "":
		return vfs.WriteJSON(r.State, placeFile, placed{Key: tagOf(data)})
	}
	return ErrReplaced
}

// head reads a machine's head, its bytes, and the member who signed it if there is a list, before anything else of that log.
func (r *Remote) head(ctx context.Context, machine string) (h Head, data []byte, by Member, err error) {
	data, _, err = r.Place.Get(ctx, HeadFolder+machine)
	if err != nil {
		return h, nil, by, err
	}
	text, err := open(r.keys, data)
	if err == nil {
		h, err = DecodeHead(text)
	}
	if err == nil {
		err = h.check(r.Memex, machine)
	}
	if err == nil {
		by, err = r.list.signer(h)
	}
	if err != nil {
		err = fmt.Errorf("%s%s: %w", HeadFolder, machine, err)
	}
	return h, data, by, err
}

// Folder in the state folder has a folder for each remote, in which RemoteFile has the address.
const Folder, RemoteFile = "remotes", "remote.json"

// Names lists the remotes in a state folder. It sends no request.
func Names(state vfs.FS) (all []string, err error) {
	entries, err := vfs.Entries(state, Folder)
	for _, e := range entries {
		if e.IsDir() && remoteName.MatchString(e.Name()) {
			all = append(all, e.Name())
		}
	}
	return all, err
}

var remoteName = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,31}$`)

// CheckName rejects invalid names of remotes.
func CheckName(name string) error {
	if !remoteName.MatchString(name) {
		return errors.New("the name of a remote is 1 to 32 lower-case letters, digits and hyphens")
	}
	return nil
}

// RefereeOf returns the referee of a memory: the first of its remotes that can be one, nil for none.
func RefereeOf(state vfs.FS, places Openers) Referee {
	names, _ := Names(state) // the list of remotes reports the error
	for _, name := range names {
		var kept struct{ URL string }
		if vfs.ReadJSON(state, Folder+"/"+name+"/"+RemoteFile, &kept) == nil && strings.HasPrefix(kept.URL, "nats://") {
			return remoteReferee{kept.URL, places}
		}
	}
	return nil
}

// remoteReferee is the referee at an address, which it opens for each request.
type remoteReferee struct {
	address string
	places  Openers
}

func (r remoteReferee) Grant(ctx context.Context, task string, lease time.Duration, number uint64, renews bool) (uint64, error) {
	return r.ask(ctx, min(lease, refereeWait), func(ctx context.Context, by Referee) (uint64, error) {
		return by.Grant(ctx, task, lease, number, renews)
	})
}

func (r remoteReferee) Release(ctx context.Context, task string, number uint64) error {
	_, err := r.ask(ctx, refereeWait, func(ctx context.Context, by Referee) (uint64, error) { return 0, by.Release(ctx, task, number) })
	return err
}

// ask sends a request. wait bounds it, with the time for a connection.
func (r remoteReferee) ask(ctx context.Context, wait time.Duration, question func(context.Context, Referee) (uint64, error)) (uint64, error) {
	ctx, stop := context.WithTimeout(ctx, wait)
	defer stop()
	p, err := Open(ctx, r.address, r.places)
	if err != nil {
		return 0, err
	}
	defer p.Close()
	return question(ctx, p.(Referee))
}
