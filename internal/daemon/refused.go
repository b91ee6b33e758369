// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package daemon

import (
	"context"
	"errors"
	"fmt"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/internal/corpus"
	"github.com/fovea-memory/fovea/internal/fault"
	"github.com/fovea-memory/fovea/internal/store"
	"github.com/fovea-memory/fovea/internal/vfs"
)

// errReopen is the next step after a write error: only reopening the memory finds out how much of
// the last write was done.
var errReopen = errors.New("free some space or repair the disk, then run fovea serve --stop; the next command opens the memory again")

// errAgain is the next step if this user may not write the state folder.
var errAgain = errors.New("when it can be written, run fovea serve --stop; the next command opens the memory again")

// errPutBack is the next step if files of the store or the memex were moved or replaced.
var errPutBack = errors.New("put it back, or leave what is there now; then run fovea serve --stop, and the next command opens the memory again")

// nextStep returns the next step for a store that accepts no writes, nil if reopening the memory does
// not help: for a damaged store, or one of a newer version.
func nextStep(err error) error {
	switch {
	case errors.Is(err, store.ErrReplaced), errors.Is(err, corpus.ErrReplaced):
		return errPutBack
	case errors.Is(err, store.ErrReadOnly) && vfs.Unwritable(err):
		return errAgain
	case !errors.Is(err, store.ErrReadOnly), errors.Is(err, store.ErrCorrupt), errors.Is(err, store.ErrUnknownFormat):
		return nil
	}
	return errReopen
}

// advise adds the next step to an error.
func advise(err error) error {
	next := nextStep(err)
	if next == nil || errors.Is(err, next) {
		return err
	}
	if e, ok := err.(*fovea.Error); ok { // errors.As would drop the text of a wrapper
		advised := *e
		advised.Err = advise(e.Err)
		return &advised
	}
	return fmt.Errorf("%w; %w", err, next)
}

// advised is middleware that adds the next step to errors if the memory accepts no writes, and the
// advice about the configuration to a status.
func (d *daemon) advised(m *fovea.Memory, next api.Service) api.Service {
	return func(ctx context.Context, c api.Call) (any, error) {
		answer, err := next(ctx, c)
		if st, ok := answer.(*api.Status); ok && err == nil {
			st.Configuration = *d.terms.advice.Load()
			if why := m.Writable(); why != nil && st.ReadOnly != "" {
				st.ReadOnly = advise(why).Error()
			}
		}
		return answer, advise(err)
	}
}

// isReady returns an error if some requests cannot be served. Its text is public.
func (d *daemon) isReady() error {
	now := d.terms.now.Load()
	why := now.live.memory.Writable()
	if why == nil {
		return now.live.isReady()
	}
	next := nextStep(why)
	if next == nil {
		next = errors.New("see fovea status")
	}
	return fault.Errorf("ready", "", fault.ReadOnly, "the memory takes no writes; %w", next)
}
