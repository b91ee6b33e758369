// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/travel"
	"github.com/fovea-memory/fovea/internal/vfs"
	"github.com/fovea-memory/fovea/internal/view"
	"github.com/fovea-memory/fovea/internal/write"
)

// assignIDs changes several files in one step: their documents get ids.
func assignIDs(ctx context.Context, m *fovea.Memory, paths ...string) error {
	var ids []string
	for n := range m.View().Documents() {
		if slices.Contains(paths, n.Path) {
			ids = append(ids, n.ID)
		}
	}
	if len(ids) != len(paths) {
		return fmt.Errorf("no documents of %v", paths)
	}
	_, _, err := m.Notes().AssignIDs(ctx, ids, nil)
	return err
}

func mergeStore(ctx context.Context, m *fovea.Memory, state vfs.FS, opts *fovea.WriteOptions) (fovea.Commit, []string, []document.Conflict, error) {
	return travel.MergeStore(ctx, travel.Of(m.History()), state, "copy", opts)
}

// fresh returns the same view with indexes made from nothing.
func fresh(v fovea.View) fovea.View {
	return view.New(view.Of(v).State, v.Head(), "", view.HandlesOf(view.Of(v))...)
}

// large is a text that takes so much of the journal that Close writes an image.
func large(title any) string {
	return fmt.Sprintf("* %v\n", title) + strings.Repeat("0123456789 0123456789 0123456789 0123456789 0123456789 012345678\n", 1<<14+1<<12)
}

// holding is a context that holds up its first user.
type holding struct {
	context.Context
	once           *sync.Once
	begun, release chan struct{}
}

func (h holding) Err() error {
	h.once.Do(func() { close(h.begun) })
	<-h.release
	return h.Context.Err()
}

// rememberTogether remembers notes of these titles that arrive while another writer is busy.
func rememberTogether(ctx context.Context, m *fovea.Memory, under string, titles ...string) error {
	hold := holding{ctx, new(sync.Once), make(chan struct{}), make(chan struct{})}
	writer := m.Notes().(interface{ Writer() *write.Writer }).Writer()
	var all sync.WaitGroup
	all.Go(func() { _, _, _ = m.Mending().VerifyFiles(hold) })
	<-hold.begun
	errs := make([]error, len(titles))
	for i, title := range titles {
		all.Go(func() {
			_, _, _, errs[i] = m.Notes().Remember(ctx, under, document.InsertHeadline{Title: title, Body: "of " + title}, nil)
		})
		for writer.Waiting() <= i {
			runtime.Gosched()
		}
	}
	close(hold.release)
	all.Wait()
	return errors.Join(errs...)
}
