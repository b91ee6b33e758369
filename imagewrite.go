// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package fovea

import (
	"context"

	"github.com/fovea-memory/fovea/internal/guard"
	"github.com/fovea-memory/fovea/internal/store"
)

// imageAfter is how many bytes of journal may lie behind the newest image
// before Close writes another: replaying them costs about what loading does.
const imageAfter = 1 << 20

// stateImage is an image to be written. Nothing in it changes any more, so that
// it is encoded and written beside those who commit.
type stateImage struct {
	view   *View
	meta   []byte
	signed string
	guard  []byte
	tombs  tombstones
	at     store.Pos
	behind int64 // bytes of journal that it makes needless
}

// takeImage takes what an image of the head holds. m.mu is held. O(snapshots
// and drift), not nodes.
func (m *Memory) takeImage() *stateImage {
	v := m.View()
	return &stateImage{view: v, meta: m.encodeMeta(v), signed: m.signed, guard: guard.AppendBook(nil, m.guard.book.Load()), tombs: m.tombs, at: m.store.End(), behind: m.replayed}
}

// persist encodes the image and makes it durable, and then moves what is older than
// both images into packs, where history is read by position. O(nodes), and the
// journal moved.
func (m *Memory) persist(i *stateImage) error {
	lexical, err := i.view.words.get().AppendBinary(nil)
	if err != nil {
		return err
	}
	err = m.store.WriteImage(store.Image{
		Seq: i.view.commit.Seq, Commit: i.view.commit.Digest, At: i.at,
		Sections: append(stateSections(i.view.state),
			store.Section{Name: sectionMeta, Data: i.meta},
			store.Section{Name: sectionLexical, Data: lexical, Derived: true},
			store.Section{Name: sectionHead, Data: []byte(i.signed)},
			store.Section{Name: sectionGuard, Data: i.guard},
			store.Section{Name: sectionForgotten, Data: i.tombs.append(nil)},
		),
	})
	if err != nil {
		return err
	}
	if _, err := store.Pack(context.Background(), m.store); err != nil {
		m.opts.Log.Warn("old history stays in the journal", "error", err)
	}
	return nil
}

// imaging is an image that is being written beside the writers.
type imaging struct {
	image *stateImage
	done  chan struct{} // closed when err is set
	err   error
}

// imageBeside begins to write an image when much of the journal lies behind the
// newest, and does not wait for it. One is written at a time; after one that
// could not be written, it is for Close, Checkpoint and Heartbeat to try again
// and to tell why. m.mu is held.
func (m *Memory) imageBeside() {
	if m.imaging != nil {
		select {
		case <-m.imaging.done:
			m.endImage()
		default:
			return
		}
	}
	if m.noImage || !imageDue(m.replayed, m.View().commit.Seq-m.imaged) {
		return
	}
	i := &imaging{image: m.takeImage(), done: make(chan struct{})}
	m.imaging = i
	go func() {
		defer close(i.done)
		i.err = m.persist(i.image)
	}()
}

// endImage waits for the image that is being written and takes note of it. m.mu
// is held.
func (m *Memory) endImage() {
	i := m.imaging
	if i == nil {
		return
	}
	<-i.done
	m.imaging = nil
	if err := m.imageWritten(i.image, i.err); err != nil {
		m.opts.Log.Warn("could not save an image", "commit", i.image.view.commit.Seq, "error", err)
	}
}

// imageWritten takes note of an image that was written, or was not.
func (m *Memory) imageWritten(i *stateImage, err error) error {
	if m.noImage = err != nil; err != nil {
		return err
	}
	m.replayed, m.imaged = max(0, m.replayed-i.behind), i.view.commit.Seq
	m.opts.Log.Info("saved an image", "commit", m.imaged, "nodes", i.view.Len())
	return nil
}

// writeImage writes an image of the head and waits for it.
func (m *Memory) writeImage() error {
	m.endImage()
	i := m.takeImage()
	return m.imageWritten(i, m.persist(i))
}

// saveImage waits for an image that is being written, and writes another when
// enough has happened since.
func (m *Memory) saveImage() error {
	m.endImage()
	if m.replayed < imageAfter || m.store.Err() != nil {
		return nil
	}
	return m.writeImage()
}
