// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package faultfs

import (
	"errors"
	"fmt"
	"io"
	"syscall"
)

// ErrFault is an error for hooks that need no other.
var ErrFault = errors.New("injected fault")

// ErrNoSpace is returned by writes when the space set by SetFree is used up.
// It wraps the system's error, by which a full disk is known.
var ErrNoSpace = fmt.Errorf("injected: %w", syscall.ENOSPC)

// ErrShortWrite makes a write to which a hook answers with it, or with an error
// that wraps it, write the first half of its bytes before it fails.
var ErrShortWrite = io.ErrShortWrite

// Kind is what an operation does.
type Kind string

// The operations that are counted. OpOpen is also that of ReadFile, followed by
// OpRead.
const (
	OpOpen     Kind = "open"
	OpRead     Kind = "read"
	OpWrite    Kind = "write"
	OpTruncate Kind = "truncate"
	OpChmod    Kind = "chmod"
	OpSync     Kind = "sync"
	OpClose    Kind = "close"
	OpStat     Kind = "stat"
	OpReadDir  Kind = "readdir"
	OpMkdir    Kind = "mkdir"
	OpRemove   Kind = "remove"
	OpRename   Kind = "rename"
	OpLink     Kind = "link"
	OpSyncDir  Kind = "syncdir"
	OpLock     Kind = "lock"
)

// Changes reports whether an operation of the kind can change what is stored
// or what is durable. An OpOpen counts, since it may make the file.
func (k Kind) Changes() bool {
	switch k {
	case OpRead, OpClose, OpStat, OpReadDir, OpLock:
		return false
	}
	return true
}

// Op is an operation that is about to happen.
type Op struct {
	// N is its number, from 0.
	N int
	// Kind is what it does.
	Kind Kind
	// Name is the file or folder; of a rename, the old name.
	Name string
}

// OnOp calls hook before each operation from now on, until the next call of
// OnOp; nil ends it. An error that the hook returns is the operation's result, in
// a fs.PathError, and the operation does not happen; ErrShortWrite is the
// exception. Hooks run without a lock, so they may call Crash and Clone; under
// concurrent use several may run at once.
func (f *FS) OnOp(hook func(Op) error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.hook = hook
}

// FailOp makes the n-th operation from now fail with err, where 0 is the next one. It sets
// the hook; end removes it and reports whether the operation was reached. Safe where several
// operations run at once, when any of them may be the n-th.
func (f *FS) FailOp(n int, err error) (end func() (reached bool)) {
	at := f.Ops() + n
	f.OnOp(func(op Op) error {
		if op.N == at {
			return err
		}
		return nil
	})
	return func() bool {
		f.OnOp(nil)
		return f.Ops() > at
	}
}

// Ops returns how many operations there were.
func (f *FS) Ops() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.ops
}

// SetFree sets how many bytes all files together may still grow by; what does
// not fit is ErrNoSpace after the part that does. Negative means no bound, which
// is the default.
func (f *FS) SetFree(bytes int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.free = bytes
}

// begin counts an operation and asks the hook.
func (f *FS) begin(kind Kind, name string) error {
	f.mu.Lock()
	op, hook := Op{N: f.ops, Kind: kind, Name: name}, f.hook
	f.ops++
	f.mu.Unlock()
	if hook == nil {
		return nil
	}
	return hook(op)
}
