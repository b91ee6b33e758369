// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package chain

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"

	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/internal/store"
	"github.com/fovea-memory/fovea/merkle"
)

// Sections of an image (doc/format/nodes.md). A ledger's section has the ledger's name. The derived ones can be
// made again from the others.
const (
	sectionNodes   = "nodes."   // followed by the number of the part, from 0
	sectionDerived = "derived." // followed by that of the nodes it belongs to
	sectionIndex   = "lexical"
	sectionCommit  = "commit"
	sectionHead    = "head"
	sectionLog     = "log"
)

// A part of an image is small enough that several processors share a load
// evenly, and large enough that a large memory has few.
const (
	partBytes = 1 << 20
	partCount = 64
)

// stateSections are the sections of a state: nodes and derived fields in parts.
func stateSections(state *graph.State) []store.Section {
	var sections []store.Section
	for i, p := range state.Encode(partBytes, partCount) {
		n := strconv.Itoa(i)
		sections = append(sections,
			store.Section{Name: sectionNodes + n, Data: p.Nodes},
			store.Section{Name: sectionDerived + n, Data: p.Derived, Derived: true})
	}
	return sections
}

// ImageState reads the state of an image. Its digests are computed from its bytes; the caller compares the
// root. derived reports whether the derived fields are of this parser and these formats; those of a foreign
// image, which no root covers, are derived again.
func ImageState(img *store.Image, formats document.Formats, isForeign bool) (state *graph.State, derived bool, err error) {
	var parts []graph.Part
	for {
		n := strconv.Itoa(len(parts))
		nodes, ok := img.Section(sectionNodes + n)
		if !ok {
			return graph.Decode(parts, formats)
		}
		var fields []byte
		if !isForeign {
			fields, _ = img.Section(sectionDerived + n)
		}
		parts = append(parts, graph.Part{Nodes: nodes, Derived: fields})
	}
}

// loadImage returns the moment of an image. The state's digests are computed from its bytes; the root must be
// the one that the image names.
func (c *Chain) loadImage(img *store.Image) (*Moment, error) {
	data, _ := img.Section(sectionCommit)
	var head Commit
	if err := merkle.Decode(data, codeSummary(&head)); err != nil {
		return nil, fmt.Errorf("image: commit section: %w", err)
	}
	if head.Digest != img.Commit {
		return nil, errors.New("image: the commit section belongs to another commit")
	}
	var loaded any
	var wg sync.WaitGroup
	wg.Go(func() {
		data, _ := img.Section(sectionIndex)
		loaded = c.opts.Deriver.Load(data)
	})
	state, derived, err := ImageState(img, c.opts.Formats, c.opts.Foreign)
	wg.Wait()
	if err != nil {
		return nil, err
	}
	if state.Root() != head.Root {
		return nil, fmt.Errorf("image: nodes section: %w", graph.ErrRoot)
	}
	head.Documents = state.DocumentCount()
	if !derived { // words are counted by derived fields
		loaded = nil
	}
	m := &Moment{State: state, Commit: head}
	signed, _ := img.Section(sectionHead)
	m.Signed = string(signed)
	log, _ := img.Section(sectionLog)
	if merkle.Decode(log, m.log.code) != nil {
		m.log = Log{}
	}
	for i, e := range c.opts.Ledgers.list {
		data, _ := img.Section(e.Name)
		v, err := e.Decode(data)
		if err != nil {
			return nil, fmt.Errorf("image: %s section: %w", e.Name, err)
		}
		if m.values = append(m.values, v); e.Restore != nil {
			m.values[i] = e.Restore(m)
		}
	}
	m.Derived = c.opts.Deriver.Derive(m, loaded)
	return m, nil
}

// When the journal after the newest image is this long, another one is written: replaying it would take the
// next opening a few seconds.
const (
	behindBytes   = 64 << 20
	behindCommits = 50_000
)

// closeBytes is the length of journal after the newest image from which Close writes another: replaying it
// costs about as much as loading an image.
const closeBytes = 1 << 20

// ImageDue reports whether the journal after the newest image, in bytes and commits, is worth another.
func ImageDue(bytes int64, commits uint64) bool {
	return bytes > 0 && (bytes >= behindBytes || commits >= behindCommits)
}

// Images writes images of the head, in the background or not. It belongs to the writer.
type Images struct {
	c       *Chain
	behind  int64       // bytes of journal after the newest image
	newest  uint64      // its commit
	writing *background // nil for none
	failed  bool        // the last one could not be written
}

// background is an image that is written concurrently with the writer. Its moment does not change.
type background struct {
	at     *Moment
	end    store.Pos
	behind int64 // bytes of journal that it makes unnecessary
	done   chan struct{}
	err    error // once done is closed
}

// write encodes the image and makes it durable. Then it moves the journal that is older than both images into
// packs, where history is read by position. O(nodes), and the journal moved.
func (b *background) write(c *Chain) error {
	index, err := c.opts.Deriver.Encode(b.at.Derived)
	if err != nil {
		return err
	}
	commit := b.at.Commit
	sections := append(stateSections(b.at.State),
		store.Section{Name: sectionCommit, Data: merkle.Encode(codeSummary(&commit))},
		store.Section{Name: sectionIndex, Data: index, Derived: true},
		store.Section{Name: sectionHead, Data: []byte(b.at.Signed)},
		store.Section{Name: sectionLog, Data: merkle.Encode(b.at.log.code)})
	for _, e := range c.opts.Ledgers.list {
		sections = append(sections, store.Section{Name: e.Name, Data: e.Encode(b.at)})
	}
	if err := c.Store().WriteImage(store.Image{Seq: commit.Seq, Commit: commit.Digest, At: b.end, Sections: sections}); err != nil {
		return err
	}
	if err := c.Store().Pack(context.Background()); err != nil {
		c.opts.Log.Warn("old history stays in the journal", "error", err)
	}
	return nil
}

// start begins to write an image of the head in the background.
func (i *Images) start() {
	b := &background{at: i.c.Head(), end: i.c.Store().End(), behind: i.behind, done: make(chan struct{})}
	i.writing = b
	go func() {
		defer close(b.done)
		b.err = b.write(i.c)
	}()
}

// beside begins to write an image in the background when one is due, one at a time. After a failure only Write
// tries again: it reports the reason.
func (i *Images) beside() {
	if i.writing != nil {
		select {
		case <-i.writing.done:
			i.Wait()
		default:
			return
		}
	}
	if !i.failed && i.Due() {
		i.start()
	}
}

// Wait waits for an image that is being written, if any.
func (i *Images) Wait() {
	if b := i.writing; b != nil && i.written() != nil {
		i.c.opts.Log.Warn("could not save an image", "commit", b.at.Commit.Seq, "error", b.err)
	}
}

// written waits for the image that is being written and records the result.
func (i *Images) written() error {
	b := i.writing
	<-b.done
	i.writing, i.failed = nil, b.err != nil
	if b.err == nil {
		i.behind, i.newest = max(0, i.behind-b.behind), b.at.Commit.Seq
		i.c.opts.Log.Info("saved an image", "commit", i.newest, "nodes", b.at.State.Len())
	}
	return b.err
}

// Due reports whether the journal after the newest image is worth another.
func (i *Images) Due() bool { return ImageDue(i.behind, i.c.Head().Commit.Seq-i.newest) }

// Behind returns the bytes of journal after the newest image.
func (i *Images) Behind() int64 { return i.behind }

// Newest returns the number of the newest commit that an image holds; 0 for none.
func (i *Images) Newest() uint64 { return i.newest }

// Write writes an image of the head and waits for it.
func (i *Images) Write() error {
	i.Wait()
	i.start()
	return i.written()
}

// Finish waits for an image that is being written, and writes another if much of the journal is newer. It is
// the last thing a writer does.
func (i *Images) Finish() error {
	i.Wait()
	if i.behind < closeBytes || i.c.Store().Err() != nil {
		return nil
	}
	return i.Write()
}
