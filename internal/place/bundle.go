// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package place

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/fovea-memory/fovea/internal/store"
	"github.com/fovea-memory/fovea/merkle"
)

// BundleFormat is the format number of doc/format/bundle.md.
const BundleFormat = 1

// Control blocks begin with one of these words.
const (
	wordBundle = "fovea bundle"
	wordBatch  = "batch"
	wordGone   = "gone"
	wordEnd    = "end"
)

// Limits of doc/format/bundle.md.
const (
	// MaxScopes is the largest number of scopes of a bundle.
	MaxScopes = MaxRoots
	// MaxBatch is the largest batch, in bytes of its records.
	MaxBatch = 1 << 30
	// maxSigner is the longest public key, in bytes.
	maxSigner = 1 << 10
	// perControl is the largest number of entries of a control block, and controlBytes the size
	// at which the next one begins, so that none exceeds MaxBlock.
	perControl   = 4096
	controlBytes = MaxBlock / 2
)

// Errors of reading and writing bundles.
var (
	// ErrBundle is returned for an archive that is not a bundle of this version.
	ErrBundle = errors.New("not a bundle that this version reads")
	// ErrOrder is returned for a block other than the announced one.
	ErrOrder = errors.New("it is not the block that was announced")
	// ErrBehind is returned for a store that lacks the commit that a bundle continues from.
	ErrBehind = errors.New("the commit that the bundle continues from is not here")
	// ErrFork is returned for a store whose history differs from the bundle's.
	ErrFork = errors.New("the history here differs from the bundle's")
	// ErrNothing is returned if no scope has a commit to write.
	ErrNothing = errors.New("there is no commit to put into a bundle; run fovea ingest first")
)

// Scope is the history of one scope in a bundle.
type Scope struct {
	Name  string        `json:"scope" jsonschema:"memex or project/NAME"`
	First merkle.Digest `json:"-"` // the first commit, which identifies the memory
	Seq   uint64        `json:"seq" jsonschema:"the number of its newest commit"`
	Head  merkle.Digest `json:"head" jsonschema:"the digest of that commit"`
	Root  merkle.Digest `json:"root" jsonschema:"the root of its state"`
	// SinceSeq and Since name the commit that the bundle continues from; 0 and the zero
	// digest if it has the whole history.
	SinceSeq uint64        `json:"-"`
	Since    merkle.Digest `json:"since,omitzero" jsonschema:"the commit that the bundle continues from"`
}

// Header describes a bundle.
type Header struct {
	// Signer is the public key of the machine that wrote the bundle, as it claims, in the
	// form of package note; "" for none. Compare its fingerprint before trusting it.
	Signer string
	Scopes []Scope // in the order of the bundle
}

// Proof is the result of verifying a bundle.
type Proof struct {
	Header
	// Loaded reports whether the histories were replayed and every state computed again. A bundle
	// of changes cannot be replayed without the earlier commits.
	Loaded bool
	// Signed is the newest signed head of the memex, "" if it has none.
	Signed string
}

func (h *Header) code(c *merkle.Codec) {
	c.Record(wordBundle, BundleFormat, &h.Signer, merkle.ListTo(MaxScopes, &h.Scopes, func(s *Scope, c *merkle.Codec) {
		c.Record(&s.Name, &s.First, &s.Seq, &s.Head, &s.Root, &s.SinceSeq, func(c *merkle.Codec) {
			if c.Has(!s.Since.IsZero()) {
				c.Fields(&s.Since)
			}
		})
	}))
}

func decodeHeader(block []byte) (h Header, err error) {
	switch err = merkle.Decode(block, h.code); {
	case err != nil:
		return h, fmt.Errorf("%w: %w", ErrBundle, err)
	case len(h.Signer) > maxSigner:
		return h, fmt.Errorf("a key of %d bytes: %w", len(h.Signer), ErrBundle)
	}
	for i, s := range h.Scopes {
		twice := slices.ContainsFunc(h.Scopes[:i], func(other Scope) bool { return other.Name == s.Name })
		if twice || s.Seq == 0 || s.SinceSeq > s.Seq || (s.SinceSeq == 0) != s.Since.IsZero() {
			return h, fmt.Errorf("scope %q: %w", s.Name, ErrBundle)
		}
	}
	return h, nil
}

// roots returns the roots of the archive: the heads of the scopes, each once.
func (h Header) roots() []merkle.Digest {
	return distinct(h.Scopes, func(s Scope) merkle.Digest { return s.Head })
}

// distinct returns the heads of scopes, each once, in the same order.
func distinct[S any](scopes []S, head func(S) merkle.Digest) (heads []merkle.Digest) {
	for _, s := range scopes {
		if d := head(s); !slices.Contains(heads, d) {
			heads = append(heads, d)
		}
	}
	return heads
}

// entry is a record in a control block: a mark with its bytes, any other record with its digest.
type entry struct {
	kind   store.Kind
	digest merkle.Digest
	mark   string
}

func (e *entry) code(c *merkle.Codec) {
	c.Fixed(2)
	kind := int(e.kind)
	c.Number(&kind, math.MaxUint8)
	switch e.kind = store.Kind(kind); e.kind {
	case store.Mark:
		c.Fields(merkle.Content(&e.mark))
	case store.Block, store.Commit:
		c.Fields(&e.digest)
	default:
		c.Fail(fmt.Errorf("a record of %v: %w", e.kind, ErrBundle))
	}
}
