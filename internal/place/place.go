// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package place

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Place holds objects under names such as "heads/laptop". Several machines may use it
// concurrently. After an error of another package, it is unknown whether a write was done.
type Place interface {
	// Get returns an object of at most MaxObject bytes, and the tag of its version.
	// Errors: ErrNone.
	Get(ctx context.Context, name string) (data []byte, tag string, err error)
	// Put replaces the version of an object with the tag; with the empty tag it creates the object.
	// Errors: ErrChanged if the place has another version.
	Put(ctx context.Context, name, tag string, data []byte) error
	// List returns the names that begin with a prefix, sorted.
	List(ctx context.Context, prefix string) ([]string, error)
	// Remove removes an object. A missing object is not an error.
	Remove(ctx context.Context, name string) error
	// Close releases the resources of the place.
	Close() error
}

// Watcher is a place that reports changes as they happen.
type Watcher interface {
	// Watch calls changed with the prefix once the watch is in force, then with the name of the last object written
	// below it before, of each written from then on, also by this machine, and with "" when the place may have lost
	// writes, as after another server took over. It returns the reason when ctx ends or the place fails.
	Watch(ctx context.Context, prefix string, changed func(name string)) error
}

// Keeper is a place that caches what this machine has read or written there last.
type Keeper interface {
	// Kept returns the last version of an object that this machine has read or written. A failed request, a
	// broken connection or another server clears the cache.
	Kept(name string) (data []byte, tag string, ok bool)
}

// MaxLease is the longest lease of a claim, and refereeWait the timeout of a referee.
const MaxLease, refereeWait = 24 * time.Hour, 4 * time.Second

// Referee is a place that grants a claim of a task to one machine until its lease ends. The holder
// counts the lease from before its request.
type Referee interface {
	// Grant claims a task under a number that is at least the one given, and greater than those of all earlier
	// claims, or renews the lease of the claim with that number, which it claims again if it has ended. ctx
	// ends before the lease. Errors: ErrChanged if there is another claim; after other errors this one may be in force.
	Grant(ctx context.Context, task string, lease time.Duration, number uint64, renews bool) (uint64, error)
	// Release ends a claim. Errors: ErrChanged or ErrNone if it has ended already.
	Release(ctx context.Context, task string, number uint64) error
}

// known returns an object from the cache of the place, else reads it. Only this machine may write it, or it is written once.
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
	// ErrURL is returned for an invalid address.
	ErrURL = errors.New("a remote is a folder, ssh://HOST/FOLDER, s3://BUCKET/PREFIX, nats://HOST/NAME or git+https://HOST/PATH")
	// ErrOther is returned for the place of another memory.
	ErrOther = errors.New("it holds another memory")
	// ErrFormat is returned for data that this version cannot read.
	ErrFormat = errors.New("it was written by a later version, or is not a remote of Fovea")
	// ErrDamaged is returned for data that differs from what was written.
	ErrDamaged = errors.New("the bytes are not those that were written")
	// ErrBack is returned for a log that has lost commits.
	ErrBack = errors.New("its history went back or was replaced; someone has put an older copy there")
	// ErrLocked is returned for a sealed place without a key.
	ErrLocked = errors.New("it is sealed; give its passphrase with --passphrase-file")
	// ErrFolder is returned for a missing folder.
	ErrFolder = errors.New("there is no such folder; mount the disk if it is on one, else fovea remote add with the same name makes it again")
	// ErrNoAnswer is returned for a server or a machine that does not answer or cannot be reached.
	ErrNoAnswer = errors.New("no answer")
	// ErrAway is returned for a place without its marker.
	ErrAway = errors.New("the remote is no longer there; mount the disk if it is on one, else fovea remote add with the same name prepares it again")
	// ErrPart is returned for a place that lacks an object that was written earlier than others.
	ErrPart = errors.New("a part of it is missing; wait until the sync program has copied everything, or empty it")
	// ErrReplaced is returned for a place whose key has changed since it was added.
	ErrReplaced = errors.New("its key has changed since it was added, for example because two machines prepared it at once; " +
		"run fovea remote remove, then fovea remote add")
	// ErrLies is returned for a bucket that ignores the conditions of writes.
	ErrLies = errors.New("it does not keep its promises, so machines would overwrite each other's data")
	// ErrRight is returned if this machine has no access or lacks a right.
	ErrRight = errors.New("no access")
)

// Openers open other kinds of places, by the scheme of the address. With create they may create
// what is missing.
type Openers map[string]func(ctx context.Context, address string, create bool) (Place, error)

// Open opens the place at an address: a folder by its path or as file:///PATH, a folder behind SSH
// as ssh://[USER@]HOST[:PORT]/PATH, or one of the schemes of others. Errors: ErrURL, ErrFolder,
// those of the place.
func Open(ctx context.Context, address string, others Openers) (Place, error) {
	return openAt(ctx, address, others, false)
}

// Create is Open, but creates a missing folder or stream.
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

// within opens a place unless ctx ends first. A place that opens later is closed.
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

// IsLoopback reports whether a host is this machine.
func IsLoopback(host string) bool {
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.IsLoopback()
}

// Shown returns an address for a message, without anything before an @ or after a question mark,
// which may be a password or a key.
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

// tagOf returns the tag of an object on a place without its own tags: its SHA-256.
func tagOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// Objects returns the valid object names that begin with a prefix, sorted, each once.
func Objects(names []string, prefix string) []string {
	slices.Sort(names)
	return slices.Compact(slices.DeleteFunc(names, func(name string) bool { return !strings.HasPrefix(name, prefix) || CheckObject(name) != nil }))
}

// CheckObject rejects invalid names of objects.
func CheckObject(name string) error {
	plain := func(r rune) bool {
		return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune("-_.", r)
	}
	parts := strings.Split(name, "/")
	isWrong := slices.ContainsFunc(parts, func(part string) bool {
		return part == "" || part[0] == '.' || len(part) > 128 || strings.ContainsFunc(part, func(r rune) bool { return !plain(r) })
	})
	if isWrong || len(parts) > 2 {
		return fmt.Errorf("%q is not a name of an object", name)
	}
	return nil
}
