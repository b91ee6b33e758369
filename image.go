// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package fovea

import (
	"errors"
	"fmt"
	"strconv"
	"sync"

	"github.com/fovea-memory/fovea/internal/corpus"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/internal/guard"
	"github.com/fovea-memory/fovea/internal/index"
	"github.com/fovea-memory/fovea/internal/store"
	"github.com/fovea-memory/fovea/internal/vfs"
	"github.com/fovea-memory/fovea/merkle"
	"github.com/fovea-memory/fovea/org"
)

// Sections of an image (doc/format/nodes.md). The derived ones can be
// made again from the others.
const (
	sectionNodes   = "nodes."   // and the number of the part, from 0
	sectionDerived = "derived." // and that of the nodes it belongs to
	sectionLexical = "lexical"
	sectionMeta    = "meta"
	sectionHead    = "head"
	sectionGuard   = "guard"

	sectionForgotten = "forgotten"
)

// A part of an image is small enough that several processors share a load
// evenly, and large enough that a large memory has few.
const (
	partBytes = 1 << 20
	partCount = 64
)

// tableFile holds what the last scan saw. It is derived: without it, or when
// it is damaged, the next scan reads every file again.
const tableFile = "cache/files"

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

// imageState reads the state of an image. Its digests are computed from its
// bytes; who calls compares the root.
// derived says that the derived fields are of this parser and these defaults.
func imageState(img *store.Image, defaults *org.Defaults) (state *graph.State, derived bool, err error) {
	var parts []graph.Part
	for {
		n := strconv.Itoa(len(parts))
		nodes, ok := img.Section(sectionNodes + n)
		if !ok {
			return graph.DecodeUnder(parts, defaults)
		}
		fields, _ := img.Section(sectionDerived + n)
		parts = append(parts, graph.Part{Nodes: nodes, Derived: fields})
	}
}

// encodeMeta writes [head, snapshots, drift].
func (m *Memory) encodeMeta(v *View) []byte {
	b := merkle.AppendList(nil, 3)
	b = appendSummary(b, v.commit)
	list := m.snapshots.list()
	b = merkle.AppendList(b, len(list))
	for i := range list {
		k := list[len(list)-1-i] // oldest first, as they were taken
		b = merkle.AppendList(b, 4)
		b = appendKept(b, k)
	}
	b = merkle.AppendList(b, len(m.drift))
	for _, path := range sortedKeys(m.drift) {
		b = merkle.AppendList(b, 2)
		b = merkle.AppendBytes(b, path)
		b = merkle.AppendLink(b, m.drift[path])
	}
	return b
}

func appendSummary(b []byte, c Commit) []byte {
	b = merkle.AppendList(b, 10)
	b = merkle.AppendUint(b, c.Seq)
	b = merkle.AppendLink(b, c.Digest)
	b = merkle.AppendLink(b, c.Root)
	b = graph.AppendAuthor(merkle.AppendText(b, c.Kind), c.Author)
	for _, s := range []string{c.Session, c.Op, c.Message} {
		b = merkle.AppendText(b, s)
	}
	b = merkle.AppendInt(b, c.Time.UnixMilli())
	return merkle.AppendUint(b, uint64(c.Changes))
}

// loadImage makes an image's state the head. The state's digests are computed
// from its bytes; the root must be the one the image names.
func (m *Memory) loadImage(img *store.Image) error {
	meta, _ := img.Section(sectionMeta)
	head, err := m.decodeMeta(meta)
	if err != nil {
		return fmt.Errorf("image: meta section: %w", err)
	}
	if head.Digest != img.Commit {
		return errors.New("image: the meta section belongs to another commit")
	}
	var lex *index.Lexical
	var lexErr error
	var wg sync.WaitGroup
	wg.Go(func() {
		data, _ := img.Section(sectionLexical)
		lex, lexErr = index.Decode(data)
	})
	state, derived, err := imageState(img, m.opts.Org)
	wg.Wait()
	if err != nil {
		return err
	}
	if state.Root() != head.Root {
		return fmt.Errorf("image: nodes section: %w", graph.ErrRoot)
	}
	head.Documents = state.DocumentCount()
	v := m.newView(state, head)
	if lexErr == nil && derived && lex.Len() == state.Len() { // words are counted by derived fields
		v.words.set(lex)
	}
	m.head.Store(v)
	if forgotten, ok := img.Section(sectionForgotten); ok {
		r := merkle.NewReader(forgotten)
		if m.tombs = readTombstones(r); r.Done() != nil {
			return fmt.Errorf("image: forgotten section: %w", r.Done())
		}
	}
	signed, _ := img.Section(sectionHead)
	m.signed, m.imaged = string(signed), head.Seq
	protected, _ := img.Section(sectionGuard)
	book, err := guard.DecodeBook(protected)
	m.guard.book.Store(book)
	return err
}

func (m *Memory) decodeMeta(b []byte) (Commit, error) {
	r := merkle.NewReader(b)
	r.FixedList(3)
	head, err := readSummary(r)
	if err != nil {
		return Commit{}, err
	}
	var snapshots []kept
	for range r.List() {
		r.FixedList(4)
		if snapshots = append(snapshots, readKept(r)); r.Err() != nil {
			break
		}
	}
	drift := map[string]merkle.Digest{}
	for range r.List() {
		r.FixedList(2)
		path := string(r.Bytes())
		if drift[path] = r.Link(); r.Err() != nil {
			break
		}
	}
	if err := r.Done(); err != nil {
		return Commit{}, err
	}
	m.snapshots.reset(snapshots)
	m.drift = drift
	return head, nil
}

func readSummary(r *merkle.Reader) (c Commit, err error) {
	r.FixedList(10)
	c.Seq, c.Digest, c.Root = r.Uint(), r.Link(), r.Link()
	c.Kind = r.Text()
	if c.Author, err = graph.ReadAuthor(r); err != nil {
		return c, err
	}
	for _, s := range []*string{&c.Session, &c.Op, &c.Message} {
		*s = r.Text()
	}
	c.Time = timeOf(r.Int())
	c.Changes = int(r.Uint())
	return c, nil
}

// loadTable reads what the last scan saw. A table of another state is dropped:
// it could call a file unchanged whose nodes this state does not have.
func (m *Memory) loadTable() {
	m.table = &corpus.Table{}
	b, err := m.fs.ReadFile(tableFile)
	if err != nil {
		return
	}
	root := m.View().Root()
	if len(b) < len(root) || merkle.Digest(b[:len(root)]) != root {
		m.opts.Log.Info("the file table belongs to another state; every file is read again")
		return
	}
	if err := m.table.UnmarshalBinary(b[len(root):]); err != nil {
		m.opts.Log.Warn("the file table is damaged; every file is read again", "error", err)
		m.table = &corpus.Table{}
	}
}

// saveTable keeps what the last scan saw, headed by the root it belongs to. The commits
// of that root are synced first: a table without its history witnesses a loss.
func (m *Memory) saveTable() error {
	if !m.tableOld || m.store.Err() != nil {
		return nil
	}
	if err := store.Sync(m.store); err != nil {
		return err
	}
	b, err := m.table.MarshalBinary()
	if err != nil {
		return err
	}
	root := m.View().Root()
	if err := m.fs.MkdirAll("cache", 0o700); err != nil {
		return err
	}
	return vfs.WriteAtomic(m.fs, tableFile, append(root[:], b...), 0o600)
}
