// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package chain

import (
	"context"
	"errors"
	"fmt"

	"golang.org/x/mod/sumdb/note"

	"github.com/fovea-memory/fovea/internal/store"
	"github.com/fovea-memory/fovea/merkle"
)

// ErrNoKey is returned where there is no key to sign with.
var ErrNoKey = errors.New("there is no key to sign with")

// SignedHead returns the newest commit as a signed note. It is a function of the commit, the key and the
// statements of the ledgers; if the commit has no signature that counts here, Options.Signer makes one. Errors:
// ErrNoKey, and those of reading the first commit.
func (tx *Tx) SignedHead(ctx context.Context) (string, error) {
	head := tx.c.Head()
	if h, _, err := tx.c.opts.openHead(head); err == nil && (tx.c.opts.Signer == nil || h.Get(logStatement) == head.log.root(head.Commit.Seq)) {
		return head.Signed, nil
	}
	if tx.c.opts.Signer == nil {
		return "", ErrNoKey
	}
	return tx.signer.sign(ctx, head.Commit, head, head.log)
}

// signer signs heads.
type signer struct {
	c     *Chain
	first merkle.Digest // the digest of commit 1, zero until needed
}

// sign signs a commit on top of the head, or the head itself, with the statements of
// the ledgers at a moment and the log of its chain. Ed25519 gives the same signature each time.
func (s *signer) sign(ctx context.Context, commit Commit, at *Moment, log Log) (string, error) {
	first, err := s.firstCommit(ctx, commit)
	if err != nil {
		return "", err
	}
	h := SignedHead{First: first, Seq: commit.Seq, Commit: commit.Digest, Root: commit.Root, Time: commit.Time}
	for _, e := range s.c.opts.Ledgers.list {
		if e.Attest != nil {
			e.Attest(at, &h.Statements)
		}
	}
	h.Add(logStatement, log.root(commit.Seq))
	signed, err := note.Sign(&note.Note{Text: h.text()}, s.c.opts.Signer)
	return string(signed), err
}

// firstCommit returns the digest of the first commit of a commit's chain.
func (s *signer) firstCommit(ctx context.Context, commit Commit) (merkle.Digest, error) {
	if commit.Seq == 1 {
		s.first = commit.Digest // a second commit may be signed before this one is in the store
	}
	if !s.first.IsZero() {
		return s.first, nil
	}
	if h, _, err := s.c.opts.openHead(s.c.Head()); err == nil {
		s.first = h.First
		return s.first, nil
	}
	err := s.c.Store().Commits(context.WithoutCancel(ctx), store.Span{From: 1, To: 1}, func(r store.Record) error {
		s.first = merkle.Sum(r.Data)
		return nil
	})
	if err == nil && s.first.IsZero() {
		err = ErrNoCommit
	}
	return s.first, err
}

// withHead adds the signed head of a commit to its marks; before is the moment it follows, or its own; log has
// the commit. A commit that cannot be signed is made without a head; Status reports it.
func (s *signer) withHead(ctx context.Context, commit Commit, before *Moment, log Log, marks [][]byte) [][]byte {
	if s.c.opts.Signer == nil {
		return marks
	}
	at, err := s.c.opts.Ledgers.after(before, marks)
	signed := ""
	if err == nil {
		signed, err = s.sign(ctx, commit, at, log)
	}
	if err != nil {
		s.c.opts.Log.Warn("a commit is not signed", "commit", commit.Seq, "error", err)
		return marks
	}
	return append(marks, NewMark(markHead, signed))
}

// HeadMark returns the marks of a commit that is written outside the chain, with the signed head of a chain
// that began with first. It follows the head. The signed head names a log only for a first commit: the chain
// may lack commits.
func (tx *Tx) HeadMark(ctx context.Context, c Commit, first merkle.Digest, marks [][]byte) [][]byte {
	tx.signer.first = first
	return tx.signer.withHead(ctx, c, tx.c.Head(), Log{}.With(c), marks)
}

// openHead returns the newest signed head of a moment and the key that signed it. The error, an *Untrusted, is
// the reason why it does not vouch for the commit of the moment.
func (o *Options) openHead(at *Moment) (h SignedHead, by string, err error) {
	if h, by, err = OpenHead(at.Signed, o.Verifiers); err == nil {
		err = h.Names(at.Commit)
	}
	return h, by, err
}

// SignedBy returns the known key that signed a moment's commit, or the problem of its newest signature. Both
// are empty if nothing was ever signed, or no keys are known.
func (c *Chain) SignedBy(at *Moment) (by, wrong string) {
	if c.opts.Verifiers == nil || at.Signed == "" || at.Commit.Seq == 0 {
		return "", ""
	}
	_, by, err := c.opts.openHead(at)
	if err != nil {
		return "", err.Error()
	}
	return by, ""
}

// Names returns an *Untrusted unless the signed head names that commit.
func (h SignedHead) Names(c Commit) error {
	switch {
	case h.Seq == c.Seq-1:
		return &Untrusted{Unsigned, fmt.Sprintf("commit %d is not signed, those before are", c.Seq)}
	case h.Seq < c.Seq:
		return &Untrusted{Unsigned, fmt.Sprintf("commits from %d to %d are not signed, those before are", h.Seq+1, c.Seq)}
	case h.Seq > c.Seq:
		return &Untrusted{"stale", fmt.Sprintf("commit %d was signed, and the memory ends at %d", h.Seq, c.Seq)}
	case h.Commit != c.Digest || h.Root != c.Root:
		return &Untrusted{"forked", fmt.Sprintf("another commit %d was signed than the one that is here", c.Seq)}
	}
	return nil
}

// verify lets the ledgers that a signed head vouches for compare their loaded values
// with the newest one.
func (c *Chain) verify(at *Moment) {
	var signed *Statements
	reason := "no commit is signed"
	if at.Signed != "" && c.opts.Verifiers != nil {
		if h, _, err := c.opts.openHead(at); err != nil {
			reason = err.Error()
		} else {
			signed, reason = &h.Statements, ""
		}
	}
	for i, e := range c.opts.Ledgers.list {
		if e.Verify != nil {
			at.set(i, e.Verify(at, signed, reason))
		}
	}
}
