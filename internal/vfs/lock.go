// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package vfs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"
)

// Holder identifies who holds a lock. It is written into the lock file as one JSON object for others who find
// the lock taken; the lock itself belongs to the operating system and does not depend on it.
type Holder struct {
	// PID is the process id of the owner.
	PID int `json:"pid"`
	// Command is the owner's command line, such as "fovea serve".
	Command string `json:"command"`
	// Since is when the owner took the lock.
	Since time.Time `json:"since"`
}

// HeldError is returned when a lock is taken. It wraps ErrLocked.
type HeldError struct {
	// Name is the lock file.
	Name string
	// Holder is the zero Holder if the owner has not written it yet, or it cannot be read.
	Holder Holder
}

// Error names the file and, where known, the owner's command, process and time.
func (e *HeldError) Error() string {
	if e.Holder.PID == 0 {
		return fmt.Sprintf("lock %s: %v", e.Name, ErrLocked)
	}
	return fmt.Sprintf("lock %s: held by process %d (%s) since %s", e.Name, e.Holder.PID, e.Holder.Command, e.Holder.Since.Format(time.RFC3339))
}

// Unwrap returns ErrLocked.
func (e *HeldError) Unwrap() error { return ErrLocked }

// FileLock is a lock that is held. It is safe for concurrent use.
type FileLock struct{ held io.Closer }

// TryLock takes the exclusive lock of the file, which it creates if missing, and writes the holder into it. If
// another owner has it, in this process or another, it immediately returns a HeldError, which wraps ErrLocked.
// A holder that cannot be written is no error: a full disk can still be read.
func TryLock(in FS, name string, holder Holder) (*FileLock, error) {
	held, err := in.Lock(name)
	if errors.Is(err, ErrLocked) {
		return nil, &HeldError{Name: name, Holder: readHolder(in, name)}
	}
	if err != nil {
		return nil, fmt.Errorf("lock %s: %w", name, err)
	}
	writeHolder(in, name, holder)
	return &FileLock{held: held}, nil
}

// LockFile is TryLock that waits for the owner to release the lock. It tries again after 10 ms, then in growing
// intervals of up to 200 ms. When the context ends first it returns the HeldError joined with the context's
// error. holder.Since is written as given, so it is the time of the call.
func LockFile(ctx context.Context, in FS, name string, holder Holder) (*FileLock, error) {
	const first, longest = 10 * time.Millisecond, 200 * time.Millisecond
	for interval := first; ; interval = min(2*interval, longest) {
		lock, err := TryLock(in, name, holder)
		if !errors.Is(err, ErrLocked) {
			return lock, err
		}
		select {
		case <-ctx.Done():
			return nil, errors.Join(err, ctx.Err())
		case <-time.After(interval):
		}
	}
}

// Unlock releases the lock; the file stays. A second call does nothing.
func (l *FileLock) Unlock() error {
	if err := l.held.Close(); err != nil {
		return fmt.Errorf("unlock: %w", err)
	}
	return nil
}

// writeHolder writes the holder if it can; an owner without a name still holds the lock.
func writeHolder(in FS, name string, holder Holder) {
	text, err := json.Marshal(holder)
	if err != nil {
		return
	}
	f, err := in.OpenFile(name, os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return
	}
	_, _ = f.Write(append(text, '\n'))
	_ = f.Close()
}

// readHolder returns the zero Holder for a file that is missing, empty or half written.
func readHolder(in FS, name string) Holder {
	var holder Holder
	if ReadJSON(in, name, &holder) != nil {
		return Holder{}
	}
	return holder
}
