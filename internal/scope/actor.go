// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package scope

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/internal/chain"
	"github.com/fovea-memory/fovea/internal/store"
	"github.com/fovea-memory/fovea/internal/vfs"
	"github.com/fovea-memory/fovea/options"
)

// Prefixes of the op of a commit. A key has neither in it, so no caller can make a commit look
// like a token's.
const (
	opToken    = chain.VouchedOp // a token proves the author
	opAsserted = "asserted:"     // escapes a key that has one of the prefixes
)

// opOf returns the op of a commit that an actor makes with an idempotency key.
func opOf(a author.Actor, key string) string {
	switch {
	case a.Vouched:
		return opToken + key
	case strings.HasPrefix(key, opToken), strings.HasPrefix(key, opAsserted):
		return opAsserted + key
	}
	return key
}

// Actor returns the actor of an operation: the context's, else that of Options.
func (s *Scope) Actor(ctx context.Context) author.Actor {
	a := author.ActorOf(ctx).Or(s.Options.Actor)
	a.Author = cmp.Or(a.Author, Owner)
	return a
}

// TakeLock makes this process the owner of a state folder, at once or retrying for Options.Wait. The
// error names the current owner.
func TakeLock(ctx context.Context, opts *options.Open, in vfs.FS) (*vfs.FileLock, error) {
	holder := vfs.Holder{PID: os.Getpid(), Command: cmp.Or(opts.Command, filepath.Base(os.Args[0])), Since: opts.Now()}
	ctx, stop := context.WithTimeout(ctx, opts.Wait)
	defer stop()
	lock, err := vfs.LockFile(ctx, in, store.LockFile, holder)
	if held, ok := errors.AsType[*vfs.HeldError](err); ok {
		err = held
	}
	return lock, err
}
