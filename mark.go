// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package fovea

import (
	"fmt"

	"github.com/fovea-memory/fovea/internal/guard"
	"github.com/fovea-memory/fovea/merkle"
)

// Marks are durable facts beside the commits: a list that begins with the
// mark's kind (doc/format/journal.md).
const (
	markSnapshot = "snapshot" // [kind, seq, root, time, name]
	markDrift    = "drift"    // [kind, path, digest or null]
	markDropped  = "dropped"  // [kind, op]: an intent that led to no commit
	markHead     = "head"     // [kind, note]: the signed head that the commit of its batch makes

	markGuard     = "guard"     // [kind, entries]: what is known of protected files
	markForgotten = "forgotten" // [kind, entries]: titles and texts that agents do not bring back
	markRewriting = "rewriting" // [kind, seq, secret, digests]: blocks that history is to be without
	markRewritten = "rewritten" // [kind, seq]: it is
)

func snapshotMark(k kept) []byte {
	b := merkle.AppendList(nil, 5)
	b = merkle.AppendText(b, markSnapshot)
	return appendKept(b, k)
}

func appendKept(b []byte, k kept) []byte {
	b = merkle.AppendUint(b, k.seq)
	b = merkle.AppendLink(b, k.root)
	b = merkle.AppendInt(b, k.time)
	return merkle.AppendText(b, k.name)
}

func readKept(r *merkle.Reader) kept {
	return kept{seq: r.Uint(), root: r.Link(), time: r.Int(), name: r.Text()}
}

// absent is the digest seen of a file that is not there; no bytes are known to have it.
var absent = guard.Absent

// driftMarks says of files whether they are meant to differ from memory: those
// of drift are, as they were seen, the others of paths are not any more. What
// was so before needs no mark, nor does an operation without files end what a
// session laid over one.
func (m *Memory) driftMarks(paths []string, drift map[string]merkle.Digest) [][]byte {
	if drift == nil && !m.hasFiles() {
		return nil
	}
	var marks [][]byte
	for _, path := range paths {
		if digest := drift[path]; digest != m.drift[path] {
			marks = append(marks, driftMark(path, digest))
		}
	}
	return marks
}

// driftMark says that a file is meant to differ from memory as long as it has
// this digest; the zero digest ends the drift.
func driftMark(path string, digest merkle.Digest) []byte {
	b := merkle.AppendList(nil, 3)
	b = merkle.AppendText(b, markDrift)
	b = merkle.AppendBytes(b, path)
	return merkle.AppendLink(b, digest)
}

// droppedMark says that the operation of an intent was not done.
func droppedMark(op string) []byte {
	b := merkle.AppendList(nil, 2)
	b = merkle.AppendText(b, markDropped)
	return merkle.AppendText(b, op)
}

// headMark keeps a signed head.
func headMark(signed string) []byte {
	b := merkle.AppendList(nil, 2)
	b = merkle.AppendText(b, markHead)
	return merkle.AppendText(b, signed)
}

// readHeadMark returns the signed head of a mark, false for a mark of another
// kind.
func readHeadMark(data []byte) (string, bool) {
	r := merkle.NewReader(data)
	if n, kind := r.List(), r.Text(); n != 2 || kind != markHead {
		return "", false
	}
	signed := r.Text()
	return signed, r.Done() == nil
}

// applyMark takes a mark of the journal into account. A mark of a kind that
// this version does not know is passed over: it changes no state.
func (m *Memory) applyMark(data []byte) error {
	r := merkle.NewReader(data)
	n := r.List()
	switch kind := r.Text(); {
	case r.Err() != nil:
	case kind == markSnapshot && n == 5:
		k := readKept(r)
		if r.Err() == nil {
			m.restoreMark(k)
		}
	case kind == markDrift && n == 3:
		path, digest := string(r.Bytes()), r.Link()
		m.setDrift(path, digest)
	case kind == markDropped && n == 2:
		r.Text() // whatever follows an intent ends it
	case kind == markHead && n == 2:
		m.signed = r.Text()
	case kind == markGuard && n == 2:
		if err := m.guard.read(r); err != nil {
			return fmt.Errorf("journal: mark: %w", err)
		}
	case kind == markForgotten && n == 2:
		m.tombs = m.tombs.with(readTombstones(r))
	case kind == markRewriting && n == 4:
		m.unfinished = readRewriting(r)
		m.stored.Clear()
	case kind == markRewritten && n == 2:
		r.Uint()
		m.unfinished = nil
		m.stored.Clear()
	default:
		return nil
	}
	if err := r.Done(); err != nil {
		return fmt.Errorf("journal: mark: %w", err)
	}
	return nil
}

func (m *Memory) restoreMark(k kept) {
	v := m.View()
	here := v.commit.Seq == k.seq
	if here {
		k.state = v.state
	}
	switch {
	case k.name != "":
		m.snapshots.name(k)
	case here:
		m.snapshots.before(v)
	}
}

func (m *Memory) setDrift(path string, digest merkle.Digest) {
	if digest.IsZero() {
		delete(m.drift, path)
	} else {
		m.drift[path] = digest
	}
}
