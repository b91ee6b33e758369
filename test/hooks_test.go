// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package test

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"runtime"
	"runtime/pprof"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/travel"
	"github.com/fovea-memory/fovea/internal/vfs"
	"github.com/fovea-memory/fovea/internal/view"
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
	return view.New(view.StateOf(view.Of(v)), v.Head(), "", view.HandlesOf(view.Of(v))...)
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

// rememberings numbers the calls of rememberTogether.
var rememberings atomic.Int64

// rememberTogether remembers notes of these titles that arrive while another writer is busy.
func rememberTogether(ctx context.Context, m *fovea.Memory, under string, titles ...string) error {
	hold := holding{ctx, new(sync.Once), make(chan struct{}), make(chan struct{})}
	label := strconv.FormatInt(rememberings.Add(1), 10)
	var all sync.WaitGroup
	all.Go(func() { _, _, _ = m.Mending().VerifyFiles(hold) })
	<-hold.begun
	errs := make([]error, len(titles))
	for i, title := range titles {
		all.Go(func() {
			pprof.Do(ctx, pprof.Labels("together", label), func(ctx context.Context) {
				_, _, _, errs[i] = m.Notes().Remember(ctx, under, document.InsertHeadline{Title: title, Body: "of " + title}, nil)
			})
		})
		for waitingWriters(label) <= i {
			runtime.Gosched()
		}
	}
	close(hold.release)
	all.Wait()
	return errors.Join(errs...)
}

// profiled matches the goroutines of one stack: how many there are, their labels, the stack.
var profiled = regexp.MustCompile(`(?m)^(\d+) @ .*\n# labels: \{"together":"(\d+)"\}\n((?:#.*\n)*)`)

// waitingWriters counts the goroutines with a label that wait to become the writer.
func waitingWriters(label string) int {
	var b strings.Builder
	_ = pprof.Lookup("goroutine").WriteTo(&b, 1) // a builder returns no error
	waiting := 0
	for _, m := range profiled.FindAllStringSubmatch(b.String(), -1) {
		if n, err := strconv.Atoi(m[1]); err == nil && m[2] == label && strings.Contains(m[3], "chain.(*Chain).Begin") {
			waiting += n
		}
	}
	return waiting
}
