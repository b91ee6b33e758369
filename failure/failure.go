// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package failure

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

// Kind classifies an error by what a caller can do about it. The values are
// stable: exit codes and HTTP status follow them.
type Kind uint8

// The kinds of errors.
const (
	Other       Kind = iota // none of the kinds below: a fault of the file system or of the program
	Invalid                 // the request is malformed: correct it
	NotFound                // the named thing does not exist
	Ambiguous               // several things have that name: use an id
	Conflict                // the base of the request has changed, or another process holds the store: try again
	Budget                  // the pinned parts exceed the token budget: raise it, or degrade
	Held                    // a scan found too many documents gone: check, then accept the deletions
	Corrupt                 // the store is damaged or of an unknown format
	ReadOnly                // the store stopped writing after a fault: reopen it once the cause is gone; or a file is read-only
	Busy                    // an editor has unsaved changes of the file: save or revert them there
	Denied                  // the caller has no right to do this: a person can grant it
	Locked                  // a protected file was changed outside Fovea: review, then adopt or reject the change
	Unreachable             // another machine or program does not answer: try again when it does
)

// String returns the kind in words.
func (k Kind) String() string {
	names := [...]string{"other", "invalid", "not found", "ambiguous", "conflict", "budget", "held", "corrupt", "read-only",
		"busy", "denied", "locked", "unreachable"}
	if int(k) < len(names) {
		return names[k]
	}
	return fmt.Sprintf("kind %d", uint8(k))
}

// Error is an operation that failed: its name, its subject, the kind of failure and the cause. Get it with
// errors.AsType[*failure.Error].
type Error struct {
	Op   string `json:"op,omitempty" jsonschema:"the operation"`       // such as "rollback"
	What string `json:"what,omitempty" jsonschema:"what it was about"` // a node, path, snapshot or store; may be empty
	Kind Kind   `json:"-"`
	Err  error  `json:"-"` // the cause; never nil
	// Mine and Theirs are set in a Conflict over a node's text. Mine is the base
	// version with the edit applied, "" if the base is unknown; Theirs is the
	// node's present text.
	Mine   string `json:"mine,omitempty" jsonschema:"of a conflict: what the edit would have made"`
	Theirs string `json:"theirs,omitempty" jsonschema:"of a conflict: what is there now"`
}

// Error returns the operation, its subject and the cause. A subject with control characters, such
// as a name of two lines, is quoted.
func (e *Error) Error() string {
	message, what := e.Op+": ", e.What
	if strings.ContainsFunc(what, unicode.IsControl) {
		what = strconv.Quote(what)
	}
	if what != "" {
		message += what + ": "
	}
	return message + e.cause()
}

// cause returns the text of Err without the package, operation and subject that Error prints in front of it.
func (e *Error) cause() string {
	cause := e.Err.Error()
	for {
		rest := cause
		for _, prefix := range []string{e.Op, e.What, e.Op + " " + e.What, "window", "query", "token", "corpus"} {
			if prefix != "" {
				rest = strings.TrimPrefix(rest, prefix+": ")
			}
		}
		if rest == cause {
			return cause
		}
		cause = rest
	}
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// KindOf returns the kind of an *Error in the chain of err, else Other.
func KindOf(err error) Kind {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Kind
	}
	return Other
}
