// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package chain

import (
	"fmt"

	"github.com/fovea-memory/fovea/internal/store"
)

// A store without a commit belongs to a memex that was never read, or its history was removed. If a witness
// knows of a history, the store is damaged: it takes no writes, and no protected file is trusted as found.

// Witness remembers, outside the state folder, the newest signed head of the store. The zero
// Witness remembers nothing.
type Witness struct {
	// Signed returns the remembered head, "" for none.
	Signed func() (head string, err error)
	// Remember replaces it, durably.
	Remember func(head string) error
}

// witnessEvery is the number of commits between reports to the witness: that there was a history matters more
// than its length.
const witnessEvery = 64

// witnessing is a chain's knowledge of its witness.
type witnessing struct {
	c      *Chain
	newest uint64 // the newest commit the witness is known to remember; 0 if it was not asked
}

// checkLost marks the store as damaged if its history is missing. A record of the witness counts
// even if it cannot be read, or no known key signed it: a record damaged together with the history
// must not hide that there was one.
func (w *witnessing) checkLost() {
	c, why := w.c, ""
	if c.Head().Commit.Seq > 0 || c.Store().Recovery().Corrupt != nil {
		return
	}
	const next = "; put a copy of the state folder back, or start a new one with fovea repair"
	switch h, err := w.remembered(); {
	case err != nil:
		why = "the history is missing, of which this machine has a record (" + err.Error() + ")" + next
	case h.Seq > 0:
		why = fmt.Sprintf("the history is missing, of which this machine has signed commit %d at %s"+next, h.Seq, h.Time.UTC().Format("2006-01-02 15:04:05"))
	case c.opts.Lost != nil:
		why = c.opts.Lost()
	}
	if why != "" {
		c.Store().Stop(&store.Corruption{Reason: why}) // Status reports it
	}
}

// remembered returns the newest head that the witness remembers, the zero head for
// none. Errors: those of reading it, and that no known key signed it.
func (w *witnessing) remembered() (h SignedHead, err error) {
	if w.c.opts.Witness.Signed == nil {
		return h, nil
	}
	signed, err := w.c.opts.Witness.Signed()
	if err == nil && signed != "" {
		h, _, err = OpenHead(signed, w.c.opts.Verifiers)
	}
	return h, err
}

// report gives the witness the head: after opening a store it does not know, such as an adopted one, at the
// first commit, and then every witnessEvery commits.
func (w *witnessing) report() {
	c, head := w.c, w.c.Head()
	if c.opts.Witness.Signed == nil || head.Signed == "" {
		return
	}
	if w.newest == 0 {
		if h, err := w.remembered(); err == nil && h.Seq <= head.Commit.Seq {
			w.newest = h.Seq
		}
	}
	if w.newest > 0 && head.Commit.Seq < w.newest+witnessEvery {
		return
	}
	if err := c.opts.Witness.Remember(head.Signed); err != nil {
		c.opts.Log.Warn("the signed head could not be recorded outside the state folder", "error", err)
	}
	w.newest = head.Commit.Seq // also after an error: it is tried again, but not with each commit
}
