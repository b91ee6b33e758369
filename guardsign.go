// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package fovea

import (
	"fmt"

	"github.com/fovea-memory/fovea/internal/chain"
	"github.com/fovea-memory/fovea/internal/guard"
	"github.com/fovea-memory/fovea/internal/store"
	"github.com/fovea-memory/fovea/merkle"
)

// trust is what the owner trusts of protected files. It never changes.
type trust struct {
	book  *guard.Book
	doubt string // why nothing vouches for the baselines, "" if something does
}

// trust returns the present one.
func (m *Memory) trust() trust { return m.trusts.At(m.chain.Head()) }

// guardLedger keeps the guard's book. Its marks are [name, entries].
type guardLedger struct {
	m *Memory // nil in a copy that is only read
}

const guardName = "guard"

func (guardLedger) Name() string  { return guardName }
func (guardLedger) Fields() int   { return 1 }
func (guardLedger) Label() string { return "the path or a title of a protected file" }
func (guardLedger) Empty() trust  { return trust{} }

// maxGuardMark is the number of bytes of entries after which another mark begins.
const maxGuardMark = 1 << 20

// guardMarks encodes entries, several in one mark.
func guardMarks(entries ...guard.Entry) [][]byte {
	var marks [][]byte
	for len(entries) > 0 {
		var body []byte
		n := 0
		for n < len(entries) && len(body) < maxGuardMark {
			body = entries[n].Append(body)
			n++
		}
		marks = append(marks, append(merkle.AppendList(chain.NewMark(guardName, 1), n), body...))
		entries = entries[n:]
	}
	return marks
}

// Apply adds entries to the book. An entry that begins it anew ends the doubt.
func (guardLedger) Apply(v trust, r *merkle.Reader, _ *chain.Moment) (trust, error) {
	var entries []guard.Entry
	for range r.List() {
		e, err := guard.ReadEntry(r)
		if err != nil {
			return v, fmt.Errorf("guard: %w", err)
		}
		if entries = append(entries, e); e.Reset {
			v.doubt = ""
		}
	}
	if r.Err() == nil {
		v.book = v.book.With(entries...)
	}
	return v, nil
}

func (guardLedger) Encode(v trust) []byte { return guard.AppendBook(nil, v.book) }

func (guardLedger) Decode(data []byte) (trust, error) {
	book, err := guard.DecodeBook(data)
	return trust{book: book}, err
}

// Retains keeps the states that hold what is trusted, so that it can be put back.
func (guardLedger) Retains(v trust) []uint64 {
	var out []uint64
	for _, path := range v.book.Paths() {
		out = append(out, v.book.Baseline(path).Seq)
	}
	return out
}

// The statements of a signed head about protected files.
const (
	headBaselines = "baselines" // the digest of the trusted baselines
	noBaselines   = "none"      // of baselines that nothing vouched for
	headTold      = "told"      // the digest of the changes reported to the owner
)

// Attest has the head vouch for the baselines and the reported changes. What is in doubt is
// not vouched for.
func (guardLedger) Attest(v trust, to *chain.Statements) {
	switch {
	case v.doubt != "":
		to.Add(headBaselines, noBaselines)
	case v.book.Initialized():
		to.Add(headBaselines, v.book.Digest().String())
	}
	to.Add(headTold, toldDigest(v.book))
}

// toldDigest is that of the reported changes, "" for none.
func toldDigest(b *guard.Book) string {
	if b.NotifiedCount() == 0 {
		return ""
	}
	return b.NoticeDigest().String()
}

// Verify checks that the key of this machine or another known one vouches for the
// loaded baselines. The newest signed head names them, so that neither a changed nor a
// removed one goes unseen; the report of a change counts only if the head names it too.
// Without a key they are taken as they are. If the history is lost, nothing is known of
// what was trusted.
func (l guardLedger) Verify(v trust, signed *chain.Statements, reason string, at *chain.Moment) trust {
	m := l.m
	if m == nil || !m.hasFiles() {
		return v
	}
	v.doubt = ""
	if at.Commit.Seq == 0 && store.RecoveryOf(m.chain.Store()).Corrupt != nil {
		v.doubt = "it is lost with the history"
		return v
	}
	if m.opts.Signer == nil || m.opts.Verifiers == nil || at.Commit.Seq == 0 {
		return v
	}
	told := ""
	if signed != nil {
		var now chain.Statements
		l.Attest(v, &now)
		told = signed.Get(headTold)
		switch signed.Get(headBaselines) {
		case now.Get(headBaselines):
		case noBaselines:
			reason = "they were in doubt before, and not adopted since"
		default:
			reason = "they are not those that were signed"
		}
	}
	if reason != "" {
		v.doubt = reason
		m.opts.Log.Warn("nothing vouches for what is trusted of protected files", "why", reason)
	}
	if told != toldDigest(v.book) {
		v.book = v.book.WithoutNotices()
		m.opts.Log.Warn("the record of reported changes to protected files is not signed; they are reported again")
	}
	return v
}

// baselineStatus is for Status.
func (m *Memory) baselineStatus() string {
	v := m.trust()
	if v.doubt == "" && m.opts.Signer == nil && len(v.book.Paths()) > 0 {
		return "there is no key: who can write the state folder can change them"
	}
	return v.doubt
}
