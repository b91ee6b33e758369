// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package chain

import (
	"context"
	"fmt"
	"math/bits"
	"slices"

	"golang.org/x/mod/sumdb/tlog"

	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/internal/store"
	"github.com/fovea-memory/fovea/merkle"
)

// logStatement is the key of the log's root in a signed head. Its size is the head's number.
const logStatement = "log"

// Log is the RFC 6962 log of a chain's commits, reduced to what its root needs: the roots of its complete
// subtrees, largest first. It never changes. The zero Log is empty.
type Log struct {
	size uint64
	tops []tlog.Hash
}

// LogRecord is the record of a commit in the log: its lines in a signed head.
func LogRecord(commit, root merkle.Digest, time string) []byte {
	return fmt.Appendf(nil, "%s\n%s\n%s\n", commit, root, time)
}

func logHash(c *Commit) tlog.Hash {
	return tlog.RecordHash(LogRecord(c.Digest, c.Root, c.Time.UTC().Format(HeadTime)))
}

// With returns the log with another commit; the zero log for a commit that is not the next.
func (l Log) With(c Commit) Log {
	if c.Seq != l.size+1 {
		return Log{}
	}
	h, tops := logHash(&c), l.tops
	for n := l.size; n&1 == 1; n >>= 1 { // the last trees are as large as the new one
		h = tlog.NodeHash(tops[len(tops)-1], h)
		tops = tops[:len(tops)-1]
	}
	return Log{l.size + 1, append(slices.Clone(tops), h)}
}

// root returns the log's root if it has seq commits, else "".
func (l Log) root(seq uint64) string {
	if l.size != seq || seq == 0 {
		return ""
	}
	h := l.tops[len(l.tops)-1]
	for _, top := range slices.Backward(l.tops[:len(l.tops)-1]) {
		h = tlog.NodeHash(top, h)
	}
	return h.String()
}

// Agrees reports false for a signed head that names another log of as many commits.
func (l Log) Agrees(h SignedHead) bool {
	signed, root := h.Get(logStatement), l.root(h.Seq)
	return signed == "" || root == "" || signed == root
}

// code is the form of the log in an image: the size, and the tops.
func (l *Log) code(c *merkle.Codec) {
	n := c.Size(1+len(l.tops)) - 1
	if c.Fields(&l.size); c.Fail(nil) || bits.OnesCount64(l.size) != n {
		c.Fail(ErrBroken)
		return
	}
	l.tops = slices.Grow(l.tops, n)[:n]
	for i := range l.tops {
		hash := string(l.tops[i][:])
		if c.Fields(merkle.Bytes(&hash)); len(hash) != tlog.HashSize {
			c.Fail(ErrBroken)
			return
		}
		l.tops[i] = tlog.Hash([]byte(hash))
	}
}

// checkLog computes the log of a loaded moment from the commits, if the image had none or one that differs from
// the signed head. If commits are lost, the moment has no log.
func checkLog(c *Chain, at *Moment) {
	signed := ""
	if h, _, err := c.opts.openHead(at); err == nil {
		signed = h.Get(logStatement)
	}
	root := at.log.root(at.Commit.Seq)
	if at.Commit.Seq == 0 || root != "" && (signed == "" || signed == root) {
		return
	}
	hashes, err := logHashes(context.Background(), c, at.Commit.Seq)
	if err != nil {
		c.opts.Log.Warn("heads are signed without the log of commits", "error", err)
		at.log = Log{}
		return
	}
	at.log = hashes.log
	if root = at.log.root(at.Commit.Seq); signed != "" && root != signed {
		c.opts.Log.Warn("the signed head names another log of commits", "commit", at.Commit.Seq)
	}
}

// storedHashes are the hashes of a log that proofs are made of (tlog.StoredHashIndex).
type storedHashes struct {
	log  Log
	list []tlog.Hash
}

// ReadHashes implements tlog.HashReader.
func (s *storedHashes) ReadHashes(indexes []int64) ([]tlog.Hash, error) {
	out := make([]tlog.Hash, len(indexes))
	for i, at := range indexes {
		if at < 0 || at >= int64(len(s.list)) {
			return nil, fmt.Errorf("log: no hash %d", at)
		}
		out[i] = s.list[at]
	}
	return out, nil
}

// logHashes computes the hashes of the log of the first size commits. It reads all of them and needs 64 bytes
// for each.
func logHashes(ctx context.Context, c *Chain, size uint64) (*storedHashes, error) {
	s := &storedHashes{}
	err := c.Store().Commits(ctx, store.Span{From: 1, To: size}, func(r store.Record) error {
		commit, err := graph.CommitHead(r.Data)
		if err != nil {
			return err
		}
		if commit.Seq != s.log.size+1 {
			return fmt.Errorf("commit %d is in the place of commit %d: %w", commit.Seq, s.log.size+1, ErrBroken)
		}
		summary := Summary(commit)
		more, err := tlog.StoredHashesForRecordHash(int64(s.log.size), logHash(&summary), s)
		s.list, s.log = append(s.list, more...), s.log.With(summary)
		return err
	})
	if err == nil && s.log.size != size {
		err = fmt.Errorf("commits %d to %d are not in the history: %w", s.log.size+1, size, ErrNoCommit)
	}
	return s, err
}

// ProveCommit proves that the log of the first size commits has commit seq. Like ProveLog, it reads those
// commits. Errors: ErrNoCommit, ErrBroken.
func ProveCommit(ctx context.Context, c *Chain, size, seq uint64) ([]tlog.Hash, error) {
	hashes, err := logHashes(ctx, c, size)
	if err != nil {
		return nil, err
	}
	return tlog.ProveRecord(int64(size), int64(seq)-1, hashes)
}

// ProveLog proves that the log of the first size commits begins with those of the first old.
func ProveLog(ctx context.Context, c *Chain, size, old uint64) ([]tlog.Hash, error) {
	hashes, err := logHashes(ctx, c, size)
	if err != nil {
		return nil, err
	}
	return tlog.ProveTree(int64(size), int64(old), hashes)
}

// HasLog reports whether the head names the log of the commits.
func (h SignedHead) HasLog() bool { return h.Get(logStatement) != "" }
