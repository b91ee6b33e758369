// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package corpus

import (
	"errors"
	"strings"
)

// Errors of Open and Read. They come wrapped with the operation and the path.
var (
	// ErrNoFolder is returned when the folder to open does not exist.
	ErrNoFolder = errors.New("no such folder; create it or name another one")
	// ErrReplaced is returned where the path of a memex no longer leads to the folder
	// that was opened: it was moved, removed, or another one was put there.
	ErrReplaced = errors.New("the folder is not the one that was opened")
	// ErrNotFolder is returned when the path to open is not a folder.
	ErrNotFolder = errors.New("not a folder; name the folder that holds the Org files")
	// ErrUnreadable is returned when permission is missing.
	ErrUnreadable = errors.New("permission denied; let this user read it")
	// ErrVanished is returned when the file to read is not there any more.
	ErrVanished = errors.New("the file is gone")
	// ErrTooLarge is returned when the file to read is larger than the limit.
	ErrTooLarge = errors.New("the file is larger than the limit")
	// ErrUnstable is returned when a file changed each time while it was read.
	ErrUnstable = errors.New("the file keeps changing while it is read")
	// ErrOutside is returned when a path or a link leads out of the root.
	ErrOutside = errors.New("leads out of the memex")
	// ErrDangling is returned when a link leads to nothing.
	ErrDangling = errors.New("the link leads to nothing")
	// ErrLoop is returned when links lead to each other.
	ErrLoop = errors.New("the link leads back to itself")
	// ErrSpecial is returned when the path is a socket, pipe or device.
	ErrSpecial = errors.New("not a regular file")
	// ErrName is returned when a name cannot be used: it holds a control
	// character, is not UTF-8, or makes the path longer than 4096 bytes.
	ErrName = errors.New("the name holds a control character, is not UTF-8, or is too long; rename it")
	// ErrElsewhere is returned when the path to write leads to a file of another path.
	ErrElsewhere = errors.New("a link leads to another file of the memex")
	// ErrTable is returned by Table.UnmarshalBinary for bytes that are no
	// table of this version, or a damaged one.
	ErrTable = errors.New("the table of files is damaged or of another version")
)

// Kind says what is the matter with a path. The values are stable names.
type Kind string

// The kinds of problems.
const (
	Unreadable Kind = "unreadable" // permission is missing, or the disk fails
	Outside    Kind = "outside"    // a link leads out of the root
	Dangling   Kind = "dangling"   // a link leads to nothing
	Loop       Kind = "loop"       // links lead to each other
	Special    Kind = "special"    // a socket, pipe or device has the name of a file
	Name       Kind = "name"       // the name cannot be used
	Vanished   Kind = "vanished"   // a file went away, or one that Options name is not there
	TooLarge   Kind = "too-large"  // a file is larger than the limit
	Unstable   Kind = "unstable"   // a file changed each time while it was read
)

// Problem is a path that a scan or a read passed over, and why. Path is
// relative to the root; "." is the root. Err can be shown to a person.
type Problem struct {
	Path string
	Kind Kind
	Err  error
}

// kinds gives the kind of problem that a sentinel stands for.
var kinds = []struct {
	err  error
	kind Kind
}{
	{ErrOutside, Outside},
	{ErrDangling, Dangling},
	{ErrLoop, Loop},
	{ErrSpecial, Special},
	{ErrName, Name},
	{ErrVanished, Vanished},
	{ErrTooLarge, TooLarge},
	{ErrUnstable, Unstable},
}

// ProblemOf turns an error of [Root.Read] into a problem of the file path, so
// that one bad file does not end the work on the others. The problem names the
// path, so its error need not. An error that it does not know counts as
// Unreadable.
func ProblemOf(path string, err error) Problem {
	if inner := errors.Unwrap(err); inner != nil && strings.HasPrefix(err.Error(), readPrefix) {
		err = inner
	}
	for _, k := range kinds {
		if errors.Is(err, k.err) {
			return Problem{path, k.kind, err}
		}
	}
	return Problem{path, Unreadable, err}
}
