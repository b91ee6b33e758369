// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package fovea

import (
	"errors"
	"fmt"
	"strings"
)

// Kind classes an error by what can be done about it. The values are stable:
// they travel to exit codes and HTTP status.
type Kind uint8

// The kinds of errors.
const (
	Other     Kind = iota // none of the others: a file system or a programming fault
	Invalid               // the request is malformed: mend it
	NotFound              // what it names does not exist
	Ambiguous             // what it names exists more than once: name it by id
	Conflict              // what it was based on has changed, or another holds it: try again
	Budget                // the pinned parts do not fit the token budget: raise it, or degrade
	Held                  // a scan found too much gone: look, then accept the deletions
	Corrupt               // the store is damaged or of an unknown format
	ReadOnly              // the store stopped writing after a fault: reopen it when the cause is gone; or a file is read-only
	Busy                  // an editor has unsaved changes of the file: save or revert them there
	Denied                // the caller may not do this: a person may grant it
	Locked                // a protected file was changed by somebody else: look, then adopt or reject that
)

// String returns the kind in words.
func (k Kind) String() string {
	names := [...]string{"other", "invalid", "not found", "ambiguous", "conflict", "budget", "held", "corrupt", "read-only", "busy", "denied", "locked"}
	if int(k) < len(names) {
		return names[k]
	}
	return fmt.Sprintf("kind %d", uint8(k))
}

// Error is what the operations of a Memory return: which operation, about
// what, of which kind, and why. Read it with errors.AsType[*fovea.Error].
type Error struct {
	Op   string // the operation, such as "rollback"
	What string // the node, path, snapshot or store it is about; may be empty
	Kind Kind
	Err  error // why; never nil
	// Of a Conflict over a node's text: what the edit would have made of the
	// version it was based on ("" where that is not known), and the node's own
	// text as it is now.
	Mine, Theirs string
}

// Error returns the operation, what it is about, and why, each said once.
func (e *Error) Error() string {
	said := e.Op + ": "
	if e.What != "" {
		said += e.What + ": "
	}
	return said + e.why()
}

// why is the cause without what Error says before it: the packages below begin
// their errors with their own name, the operation and the thing.
func (e *Error) why() string {
	why := e.Err.Error()
	for {
		rest := why
		for _, said := range []string{e.Op, e.What, e.Op + " " + e.What, "window", "query", "token", "corpus"} {
			if said != "" {
				rest = strings.TrimPrefix(rest, said+": ")
			}
		}
		if rest == why {
			return why
		}
		why = rest
	}
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// KindOf returns the kind of an error that came from a Memory, Other for any
// other error.
func KindOf(err error) Kind {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Kind
	}
	return Other
}

// fail builds an *Error; an error that is one already passes unchanged, so
// that nothing is said twice.
func fail(op, what string, kind Kind, err error) error {
	if err == nil {
		return nil
	}
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	return &Error{Op: op, What: what, Kind: kind, Err: err}
}

var (
	errClosed   = errors.New("the memory is closed")
	errEmpty    = errors.New("the memory is empty; ingest a folder first")
	errNoCommit = errors.New("no such commit, snapshot, name or date; see fovea log and fovea snapshot list")
	errDrop     = errors.New("more than half of the documents are gone from the folder")
)
