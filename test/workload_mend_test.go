// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package test

import (
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/document"
)

// revert takes back one commit, or two of them.
func (w *workload) revert() error {
	head := int(w.m.View().Head().Seq)
	seqs := []uint64{uint64(1 + w.rand.IntN(head+1)), uint64(1 + w.rand.IntN(head+1))}
	c, _, _, err := w.m.History().Revert(w.t.Context(), seqs[w.rand.IntN(2):], nil)
	w.told.commit(c)
	return err
}

func (w *workload) adopt() error {
	c, _, err := w.m.History().AdoptDrift(w.t.Context(), nil)
	w.told.commit(c)
	return err
}

func (w *workload) apply() error {
	_, err := w.m.History().ApplyDrift(w.t.Context())
	return err
}

// purge takes the versions of a node out of history, where it is there no more.
func (w *workload) purge() error {
	id := w.drawnTree()
	if w.rand.IntN(2) == 0 {
		id = w.drawn()
	}
	c, _, err := w.m.Mending().Purge(w.t.Context(), []string{id}, "", nil)
	w.told.commit(c)
	return err
}

// retain thins what is older than a few hours.
func (w *workload) retain() error {
	c, _, _, err := w.m.Mending().Retain(w.t.Context(), time.Duration(1+w.rand.IntN(20))*time.Hour, 0, 0, nil)
	w.told.commit(c)
	return err
}

// repair mends a memory, an image of which was damaged while it was closed.
func (w *workload) repair() error {
	err := w.m.Close()
	if err == nil {
		err = w.spoilImage()
	}
	if err = w.reopen(err); err != nil {
		return err
	}
	before := w.m.View().Root()
	problems, err := w.m.Mending().Repair(w.t.Context(), nil)
	for _, p := range problems {
		if p.Kind == "lost" {
			w.t.Fatalf("the repair of an image lost something: %v; the root was %v", p, before)
		}
	}
	w.told.head = max(w.told.head, w.m.View().Head().Seq)
	return err
}

// spoilImage changes a byte of an image.
func (w *workload) spoilImage() error {
	entries, err := w.d.state.ReadDir("image")
	if err != nil || len(entries) == 0 {
		return nil // there is none
	}
	name := path.Join("image", entries[w.rand.IntN(len(entries))].Name())
	b, err := w.d.state.ReadFile(name)
	if err != nil || len(b) == 0 {
		return err
	}
	f, err := w.d.state.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	at := w.rand.IntN(len(b))
	_, err = f.WriteAt([]byte{b[at] ^ 1}, int64(at))
	if err == nil {
		err = f.Sync()
	}
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	return err
}

// damaged leaves out of what verify found what was taken out of history on request,
// and images, which the workload itself damages.
func damaged(problems []document.Problem) []document.Problem {
	return slices.DeleteFunc(slices.Clone(problems), func(p document.Problem) bool {
		return p.Kind == "purged" || p.Kind == "thinned" || strings.HasPrefix(p.Path, "image")
	})
}

// taken reports whether an earlier moment cannot be had since content of that time was
// taken out on request.
func taken(err error, problems []document.Problem) bool {
	return fovea.KindOf(err) == fovea.NotFound && slices.ContainsFunc(problems,
		func(p document.Problem) bool { return p.Kind == "purged" || p.Kind == "thinned" })
}
