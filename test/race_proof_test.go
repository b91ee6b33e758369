// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/merkle"
)

// crowd is writers of all kinds on one memory. What each was told is noted.
type crowd struct {
	w *world

	mu   sync.Mutex
	told map[uint64]merkle.Digest
}

func (c *crowd) commit(done fovea.Commit) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if done.Seq != 0 {
		c.told[done.Seq] = done.Digest
	}
}

// write does the n-th thing that a writer does.
func (c *crowd) write(writer, n int) error {
	ctx, m := fovea.WithActor(c.w.t.Context(), author.Actor{Author: author.Named(fmt.Sprint("agent", writer)), May: anywhere}), c.w.m
	own := fmt.Sprintf("w%d", writer)
	done, err := fovea.Commit{}, error(nil)
	switch {
	case writer == 0: // takes all of it back, and that back
		if done, _, err = m.History().Rollback(ctx, "0", nil); err == nil {
			c.commit(done)
			done, _, err = m.History().Rollback(ctx, "0", nil)
		}
	case writer == 1:
		_, err = m.History().Snapshot(ctx, fmt.Sprint("name-", n))
	case writer%2 == 0: // its own headline of a file that all share
		done, err = m.Notes().Edit(ctx, own, nil, document.SetTitle{Title: fmt.Sprintf("%s, %d times", own, n)})
	case n%2 == 0:
		_, _, done, err = m.IngestTree(ctx, parsed(c.w.t, fmt.Sprintf(`{"type":"headline","properties":{"ID":"t%d","TITLE":"gauge %d"},`+
			`"contents":[{"type":"paragraph","raw-content":"%d"}]}`, writer, n, n)), "", nil)
	default:
		done, _, err = m.Notes().Insert(ctx, fmt.Sprintf("t%d", writer), document.InsertHeadline{Title: "grown"}, nil)
	}
	c.commit(done)
	return err
}

// read looks at whatever is there, and demands that it is of one moment.
func (c *crowd) read() error {
	v := c.w.m.View()
	root, n := v.Root(), 0
	for range v.All() {
		n++
	}
	if n != v.Len() || root != v.Root() {
		return fmt.Errorf("a view of %d nodes has %d", v.Len(), n)
	}
	if _, err := v.Search("gauge", 5, nil, time.Time{}); err != nil {
		return err
	}
	if _, err := c.w.m.History().At(c.w.t.Context(), "head"); err != nil {
		return err
	}
	over, err := c.w.m.Over(c.w.t.Context(), "session/s")
	if err == nil && over.Len() == 0 {
		err = fmt.Errorf("nothing is there")
	}
	c.w.m.Status()
	c.w.m.History().Snapshots()
	return err
}

// TestManyWritersAndReaders: eight writers and eight readers on one memory. No write
// fails but for what another one did, every one that was told is in the history, and
// memory, history and files agree in the end.
func TestManyWritersAndReaders(t *testing.T) {
	files := map[string]string{}
	for i := range 8 {
		files["shared.org"] += fmt.Sprintf("* TODO w%d gauge\n:PROPERTIES:\n:ID: w%d\n:END:\n", i, i)
	}
	w := newWorld(t, files)
	w.ingest()
	c := &crowd{w: w, told: map[uint64]merkle.Digest{}}
	stop := make(chan struct{})
	var writers, readers sync.WaitGroup
	for range 8 {
		readers.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				if err := c.read(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for i := range 8 {
		writers.Go(func() {
			for n := range 12 {
				if err := c.write(i, n); !expected(err) {
					t.Errorf("writer %d: %v", i, err)
				}
			}
		})
	}
	writers.Wait()
	close(stop)
	readers.Wait()
	log, err := w.m.History().Log(t.Context(), "", 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, done := range log {
		if want, told := c.told[done.Seq]; told && want != done.Digest {
			t.Errorf("commit %d was told as %v, the log has %v", done.Seq, want, done.Digest)
		}
		delete(c.told, done.Seq)
	}
	if len(c.told) > 0 {
		t.Errorf("told, and not in the history: %v", c.told)
	}
	if _, problems, err := w.m.Mending().VerifyFiles(t.Context()); err != nil || len(problems) > 0 {
		t.Errorf("verify files: %v, %v", problems, err)
	}
	root := w.m.View().Root()
	w.reopen()
	if _, problems, err := w.m.Mending().Verify(t.Context()); err != nil || len(problems) > 0 || w.ingest().Root() != root {
		t.Errorf("verify: %v, %v", problems, err)
	}
}
