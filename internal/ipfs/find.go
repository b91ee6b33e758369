// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package ipfs

import (
	"context"
	"fmt"

	"github.com/fovea-memory/fovea/internal/archive"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/merkle"
)

// ParseCID reads the CID of what Fovea puts on IPFS. Errors: ErrCID.
func ParseCID(text string) (merkle.Digest, error) {
	d, err := merkle.Parse(text)
	if err != nil {
		return d, fmt.Errorf("%q: %w", oneLine(text), ErrCID)
	}
	return d, nil
}

// Found is what a CID names.
type Found struct {
	// Archive is an archive with histories, nil for a state without history.
	Archive *Manifest
	// Root is that of the state, of an archive the zero digest.
	Root merkle.Digest
	// Seq is the number of the commit that was named, 0 for a root.
	Seq uint64
}

// Find returns what a CID names; key opens a sealed archive. Errors: ErrOther, archive.ErrNoKey,
// archive.ErrSeal, those of Client.Block.
func (c *Client) Find(ctx context.Context, d merkle.Digest, key archive.Identity) (Found, error) {
	block, err := c.Block(ctx, d)
	if err != nil {
		return Found{}, err
	}
	switch {
	case isManifest(block):
		o, err := decodeOuter(block)
		if err != nil {
			return Found{}, fmt.Errorf("%s: %w", d, err)
		}
		m, err := o.open(key)
		if err != nil {
			return Found{}, fmt.Errorf("%s: %w", d, err)
		}
		return Found{Archive: &m}, nil
	case merkle.IsMap(block):
		return Found{Root: d}, nil
	}
	root, seq, err := graph.CommitState(block)
	if err != nil {
		return Found{}, fmt.Errorf("%s: %w", d, ErrOther)
	}
	return Found{Root: root, Seq: seq}, nil
}
