// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package corpus

import (
	"errors"
	"io/fs"
	"strings"
	"syscall"

	"github.com/fovea-memory/fovea/internal/vfs"
)

// converted returns a function that converts errors of the system to errors of this package, by pairs. The
// first matching pair counts; other errors are returned unchanged.
func converted(pairs ...[2]error) func(error) error {
	return func(err error) error {
		for _, p := range pairs {
			if errors.Is(err, p[0]) {
				return p[1]
			}
		}
		return err
	}
}

// The conversions of errors of opening a folder, following a link, and reading and writing a file.
var (
	openError = converted([2]error{fs.ErrNotExist, ErrNoFolder}, [2]error{vfs.ErrNotFolder, ErrNotFolder},
		[2]error{syscall.ENOTDIR, ErrNotFolder}, [2]error{fs.ErrPermission, ErrUnreadable})
	linkError = converted([2]error{fs.ErrNotExist, ErrDangling}, [2]error{syscall.ENOTDIR, ErrDangling})
	readError = converted([2]error{fs.ErrNotExist, ErrVanished}, [2]error{fs.ErrPermission, ErrUnreadable},
		[2]error{syscall.ENXIO, ErrSpecial}, [2]error{syscall.ENAMETOOLONG, ErrName}) // ENXIO: a socket
	writeError = converted([2]error{syscall.ENOSPC, ErrNoSpace}, [2]error{syscall.EDQUOT, ErrNoSpace},
		[2]error{fs.ErrPermission, ErrReadOnlyFile}, [2]error{syscall.EROFS, ErrReadOnlyFile},
		[2]error{fs.ErrNotExist, ErrVanished}, [2]error{syscall.ENAMETOOLONG, ErrName})
)

// Errors of Open and Read, wrapped with the operation and the path.
var (
	// ErrNoFolder is returned when the folder to open does not exist.
	ErrNoFolder = errors.New("no such folder; create it or name another one")
	// ErrReplaced is returned when the path of a memex no longer leads to the opened
	// folder, because that folder was moved, removed or replaced.
	ErrReplaced = errors.New("the folder is not the one that was opened")
	// ErrNotFolder is returned when the path to open is not a folder.
	ErrNotFolder = errors.New("not a folder; name the folder that holds the Org files")
	// ErrUnreadable is returned when permission is missing.
	ErrUnreadable = errors.New("permission denied; let this user read it")
	// ErrVanished is returned when the file to read no longer exists.
	ErrVanished = errors.New("the file is gone")
	// ErrTooLarge is returned when the file to read is larger than the limit.
	ErrTooLarge = errors.New("the file is larger than the limit")
	// ErrUnstable is returned when a file changed during every attempt to read it.
	ErrUnstable = errors.New("the file keeps changing while it is read")
	// ErrOutside is returned when a path or a link leads out of the root.
	ErrOutside = errors.New("leads out of the memex")
	// ErrDangling is returned when the target of a link does not exist.
	ErrDangling = errors.New("the link leads to nothing")
	// ErrLoop is returned when links lead to each other.
	ErrLoop = errors.New("the link leads back to itself")
	// ErrSpecial is returned when the path is a socket, pipe or device.
	ErrSpecial = errors.New("not a regular file")
	// ErrName is returned when a name contains a control character, is not UTF-8, or
	// makes the path longer than 4096 bytes.
	ErrName = errors.New("the name contains a control character, is not UTF-8, or is too long; rename it")
	// ErrElsewhere is returned when the path to write is a link to a file that has
	// another path in the memex.
	ErrElsewhere = errors.New("name that file instead")
	// ErrTable is returned by Table.UnmarshalBinary for data that is damaged or not a
	// table of this version.
	ErrTable = errors.New("the table of files is damaged or of another version")
)

// Kind is the kind of a problem with a path. The values are stable.
type Kind string

// Unreadable means that permission is missing, or the disk fails.
const Unreadable Kind = "unreadable"

// Problem is a path that a scan or a read skipped, and the reason. Path is relative to
// the root; "." is the root. Err can be shown to the user.
type Problem struct {
	Path string
	Kind Kind
	Err  error
}

// kinds maps each sentinel error to its kind of problem.
var kinds = []struct {
	err  error
	kind Kind
}{
	{ErrOutside, "outside"},
	{ErrDangling, "dangling"},
	{ErrLoop, "loop"},
	{ErrSpecial, "special"},
	{ErrName, "name"},
	{ErrVanished, "vanished"}, // also a file that is named in Options and missing
	{ErrTooLarge, "too-large"},
	{ErrUnstable, "unstable"},
}

// ProblemOf converts an error of [Root.Read] for the file at path into a Problem, so
// that one bad file does not stop the work on the others. It strips the path from the
// error, because the Problem has it. An unknown error becomes Unreadable.
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
