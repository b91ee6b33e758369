// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package scope

import (
	"cmp"
	"slices"

	"github.com/fovea-memory/fovea/internal/chain"
	"github.com/fovea-memory/fovea/internal/guard"
	"github.com/fovea-memory/fovea/merkle"
)

// Trust records which texts of protected files the owner trusts. It is immutable.
type Trust struct {
	Book  *guard.Book
	Doubt string // why nothing vouches for the baselines, "" if something does
}

// Trust returns the present trust.
func (r *Rules) Trust() Trust {
	t := r.slot.At(r.scope.Chain.Head())
	t.Book = cmp.Or(t.Book, &guard.Book{})
	return t
}

// trustLedger keeps the guard's book. Its marks are [name, entries].
type trustLedger struct {
	slot  chain.Slot[Trust]
	rules *Rules // nil in a copy that is only read
}

const guardName = "guard"

// maxGuardMark is the number of bytes of entries after which another mark begins.
const maxGuardMark = 1 << 20

// TrustMarks encodes entries, several in one mark.
func TrustMarks(entries ...guard.Entry) [][]byte {
	var marks [][]byte
	for len(entries) > 0 {
		n := 0
		for c := new(merkle.Codec); n < len(entries) && len(c.Out) < maxGuardMark; n++ {
			entries[n].Code(c)
		}
		part := entries[:n]
		marks, entries = append(marks, chain.NewMark(guardName, guard.Entries(&part))), entries[n:]
	}
	return marks
}

// apply adds entries to the book. A reset ends the doubt.
func (l *trustLedger) apply(at *chain.Moment, c *merkle.Codec) any {
	v := l.slot.At(at)
	var entries []guard.Entry
	if c.Fields(guard.Entries(&entries)); c.Fail(nil) {
		return v
	}
	if slices.ContainsFunc(entries, func(e guard.Entry) bool { return e.Reset }) {
		v.Doubt = ""
	}
	v.Book = v.Book.With(entries...)
	return v
}

// retains lists the commits whose states hold the trusted texts, so that they can be restored.
func (l *trustLedger) retains(at *chain.Moment) []uint64 {
	var out []uint64
	book := l.slot.At(at).Book
	for _, path := range book.Paths() {
		out = append(out, book.Baseline(path).Seq)
	}
	return out
}

// The statements of a signed head about protected files.
const (
	headBaselines = "baselines" // the digest of the trusted baselines
	noBaselines   = "none"      // of baselines that nothing vouched for
	headReported  = "told"      // the digest of the changes reported to the owner
)

// attest adds the statements of a head about the baselines and the reported changes. Baselines in
// doubt are not vouched for.
func (v Trust) attest(to *chain.Statements) {
	switch {
	case v.Doubt != "":
		to.Add(headBaselines, noBaselines)
	case v.Book.Initialized():
		to.Add(headBaselines, v.Book.Digest().String())
	}
	to.Add(headReported, noticeDigest(v.Book))
}

// noticeDigest returns the digest of the reported changes, "" for none.
func noticeDigest(b *guard.Book) string {
	if len(b.NotifiedPaths()) == 0 {
		return ""
	}
	return b.NoticeDigest().String()
}

// verify checks that a known key signed the loaded baselines. The newest signed head names
// them, which reveals a changed or removed one; the report of a change counts only if the head
// names it too. Without a key the baselines are accepted. If the history is lost, so is the
// trust.
func (l *trustLedger) verify(at *chain.Moment, signed *chain.Statements, reason string) any {
	v, m := l.slot.At(at), l.rules
	if m == nil || !m.scope.HasFiles() {
		return v
	}
	v.Doubt = ""
	if at.Commit.Seq == 0 && m.scope.Chain.Store().Recovery().Corrupt != nil {
		v.Doubt = "it is lost with the history"
		return v
	}
	if m.scope.Options.Signer == nil || m.scope.Options.Verifiers == nil || at.Commit.Seq == 0 {
		return v
	}
	reported := ""
	if signed != nil {
		var now chain.Statements
		v.attest(&now)
		reported = signed.Get(headReported)
		switch signed.Get(headBaselines) {
		case now.Get(headBaselines):
		case noBaselines:
			reason = "they were in doubt before, and not adopted since"
		default:
			reason = "they are not those that were signed"
		}
	}
	if reason != "" {
		v.Doubt = reason
		if len(v.Book.Paths()) > 0 || at.State != nil && slices.ContainsFunc(at.State.Paths(), m.Protected) { // else there is nothing to adopt
			m.scope.Options.Log.Warn("nothing vouches for what is trusted of protected files; see fovea guard list, then fovea guard adopt PATH", "why", reason)
		}
	}
	if reported != noticeDigest(v.Book) {
		v.Book = v.Book.WithoutNotices()
		m.scope.Options.Log.Warn("the record of reported changes to protected files is not signed; they are reported again")
	}
	return v
}

// BaselineStatus returns why the baselines cannot be relied on, "" if they can. It is for Status.
func (r *Rules) BaselineStatus() string {
	v := r.Trust()
	if v.Doubt == "" && r.scope.Options.Signer == nil && len(v.Book.Paths()) > 0 {
		return "there is no signing key: anyone who can write the state folder can change the baselines"
	}
	return v.Doubt
}

// RegisterTrust registers the ledger of trust; r is nil for a copy that is only read.
func RegisterTrust(to *chain.Ledgers, r *Rules) {
	l := &trustLedger{rules: r}
	l.slot = chain.Register[Trust](to, chain.Ledger{
		Name: guardName, Fields: 1, Label: "the path or a title of a protected file",
		Empty: Trust{Book: &guard.Book{}}, Apply: l.apply,
		Encode: func(at *chain.Moment) []byte { return guard.EncodeBook(l.slot.At(at).Book) },
		Decode: func(data []byte) (any, error) {
			book, err := guard.DecodeBook(data)
			return Trust{Book: book}, err
		},
		Propose: l.propose, Attest: func(at *chain.Moment, to *chain.Statements) { l.slot.At(at).attest(to) }, Verify: l.verify, Retains: l.retains,
	})
	if r != nil {
		r.slot = l.slot
	}
}
