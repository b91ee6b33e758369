// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package place

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Place holds objects under names such as "heads/laptop". Its methods are safe for
// concurrent use by several machines. After an error that is not one of this
// package's, it is unknown whether a write was done.
type Place interface {
	// Get returns an object of at most MaxObject bytes, with a tag of this version of it.
	// Errors: ErrNone.
	Get(ctx context.Context, name string) (data []byte, tag string, err error)
	// Put writes an object in place of the version with the tag; of the empty tag, if there is
	// none. Errors: ErrChanged if there is another version, or one where none was expected.
	Put(ctx context.Context, name, tag string, data []byte) error
	// List returns the names that begin with a prefix, sorted.
	List(ctx context.Context, prefix string) ([]string, error)
	// Remove removes an object. One that is not there is no error.
	Remove(ctx context.Context, name string) error
	// Close releases the resources of the place.
	Close() error
}

// Watcher is a place that tells of changes as they happen.
type Watcher interface {
	// Watch calls changed with the prefix once the watch is in force, then with the name of each object
	// below it that is written, also by this machine or last before, and with "" when the place may not have what was
	// written, as after another server took over. It ends, with the reason, when ctx does or the place fails.
	Watch(ctx context.Context, prefix string, changed func(name string)) error
}

// Keeper is a place that knows what this machine has read or written there last.
type Keeper interface {
	// Kept returns the last version of an object that this machine has read or written, as long as no failed
	// request, broken connection or other server gives a reason to read it again.
	Kept(name string) (data []byte, tag string, ok bool)
}

// MaxLease is the longest lease of a claim, refereeWait how long a referee is waited for.
const MaxLease, refereeWait = 24 * time.Hour, 4 * time.Second

// Referee is a place that keeps a claim of a task from all other machines until its lease ends, which the
// holder counts from before it asks.
type Referee interface {
	// Grant claims a task under a number that is at least the one given, and greater than in all claims of
	// it before, or renews the lease of the claim with that number, which it claims again if it no longer
	// keeps it. ctx ends before the lease. Errors: ErrChanged if it keeps another claim; after others, it may keep this one.
	Grant(ctx context.Context, task string, lease time.Duration, number uint64, renews bool) (uint64, error)
	// Release ends a claim. Errors: ErrChanged or ErrNone if it is over.
	Release(ctx context.Context, task string, number uint64) error
}

// known returns an object that only this machine writes, or that is written once, as the place keeps it, or reads it.
func known(ctx context.Context, p Place, name string) (data []byte, tag string, isKept bool, err error) {
	if k, ok := p.(Keeper); ok {
		if data, tag, isKept = k.Kept(name); isKept {
			return data, tag, true, nil
		}
	}
	data, tag, err = p.Get(ctx, name)
	return data, tag, false, err
}

// MaxObject is the largest object of a place, in bytes.
const MaxObject = 16 << 20

// Errors of places and of their content.
var (
	// ErrNone is returned if an object does not exist.
	ErrNone = errors.New("there is no such object")
	// ErrChanged is returned if the place has another version of the object.
	ErrChanged = errors.New("it was changed meanwhile")
	// ErrURL is returned for an address that names no place.
	ErrURL = errors.New("a remote is a folder, ssh://HOST/FOLDER, s3://BUCKET/PREFIX, nats://HOST/NAME or git+https://HOST/PATH")
	// ErrOther is returned for a place of another memory.
	ErrOther = errors.New("it holds another memory")
	// ErrFormat is returned for what this version does not read.
	ErrFormat = errors.New("it was written by a later version, or is no remote of Fovea")
	// ErrDamaged is returned for a pack whose bytes are not the ones that its head names.
	ErrDamaged = errors.New("the bytes are not those that were written")
	// ErrBack is returned for a log that has less than it had.
	ErrBack = errors.New("its history went back, or is another one; somebody has put an older copy there")
	// ErrLocked is returned for a sealed place without a key.
	ErrLocked = errors.New("it is sealed; give its passphrase with --passphrase-file")
	// ErrFolder is returned for a folder that is not there.
	ErrFolder = errors.New("there is no such folder; mount the disk if it is on one, else fovea remote add with the same name makes it again")
	// ErrNoAnswer is returned for a bucket that does not answer now, and for a machine to which
	// ssh finds no way.
	ErrNoAnswer = errors.New("no answer")
	// ErrAway is returned for a place that no longer has a marker.
	ErrAway = errors.New("nothing is prepared there any longer; mount the disk if it is on one, else fovea remote add with the same name prepares it again")
	// ErrPart is returned for a place that lacks a part that was written first.
	ErrPart = errors.New("a part of it is missing; wait until the sync program has brought all, or empty it")
	// ErrReplaced is returned for a place whose key is another one than when it was added.
	ErrReplaced = errors.New("it is sealed by another key than when it was added, as when two machines prepared it at once; " +
		"fovea remote remove, then fovea remote add joins it as it is now")
	// ErrLies is returned for a bucket that does not keep the conditions of writes.
	ErrLies = errors.New("it does not do what it says, so machines would overwrite one another there")
	// ErrRight is returned for a bucket that does not let this machine in, or not do all.
	ErrRight = errors.New("no access")
)

// Openers open the places of other kinds, each by the scheme of its addresses. With create they may
// make what is missing.
type Openers map[string]func(ctx context.Context, address string, create bool) (Place, error)

// Open opens the place that an address names: a folder by its path or as file:///PATH, a folder
// behind SSH as ssh://[USER@]HOST[:PORT]/PATH, and the schemes of others. Errors: ErrURL, ErrFolder, those of
// the place.
func Open(ctx context.Context, address string, others Openers) (Place, error) {
	return openAt(ctx, address, others, false)
}

// Create is Open that makes what is missing: a folder, a stream.
func Create(ctx context.Context, address string, others Openers) (Place, error) {
	return openAt(ctx, address, others, true)
}

func openAt(ctx context.Context, address string, others Openers, create bool) (Place, error) {
	if dir := strings.TrimPrefix(address, "file://"); filepath.IsAbs(dir) {
		if info, err := os.Stat(dir); !create && (err != nil || !info.IsDir()) {
			return nil, fmt.Errorf("%s: %w", dir, ErrFolder)
		}
		return OpenFolder(dir)
	}
	scheme, _, _ := strings.Cut(address, "://")
	if scheme == "ssh" {
		return openSSH(ctx, address)
	}
	if open := others[scheme]; open != nil {
		return within(ctx, address, func() (Place, error) { return open(ctx, address, create) })
	}
	return nil, fmt.Errorf("%s: %w", Shown(address), ErrURL)
}

// within opens a place unless ctx ends before. What is open later is closed.
func within(ctx context.Context, address string, open func() (Place, error)) (Place, error) {
	var p Place
	var err error
	done := make(chan struct{})
	go func() {
		p, err = open()
		close(done)
	}()
	select {
	case <-done:
		return p, err
	case <-ctx.Done():
	}
	go func() {
		if <-done; err == nil {
			_ = p.Close()
		}
	}()
	return nil, fmt.Errorf("%s: %w: %w", Shown(address), ErrNoAnswer, ctx.Err())
}

// Shown is an address as a message may have it: without what could be a password or a key, which
// is before an @ or after a question mark.
func Shown(address string) string {
	scheme, rest, has := strings.Cut(address, "://")
	if !has {
		return address
	}
	rest, _, _ = strings.Cut(rest, "?")
	if at := strings.LastIndexByte(rest, '@'); at >= 0 {
		rest = "..." + rest[at:]
	}
	return scheme + "://" + rest
}

// tagOf is the tag of a place that has none of its own.
func tagOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// Objects returns those of names that objects with a prefix have, sorted, each once.
func Objects(names []string, prefix string) []string {
	slices.Sort(names)
	return slices.Compact(slices.DeleteFunc(names, func(name string) bool { return !strings.HasPrefix(name, prefix) || CheckObject(name) != nil }))
}

// CheckObject refuses names that no object has.
func CheckObject(name string) error {
	plain := func(r rune) bool {
		return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune("-_.", r)
	}
	parts := strings.Split(name, "/")
	isWrong := slices.ContainsFunc(parts, func(part string) bool {
		return part == "" || part[0] == '.' || len(part) > 128 || strings.ContainsFunc(part, func(r rune) bool { return !plain(r) })
	})
	if isWrong || len(parts) > 2 {
		return fmt.Errorf("%q is no name of an object", name)
	}
	return nil
}
