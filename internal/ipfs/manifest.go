// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package ipfs

import (
	"errors"
	"fmt"

	"github.com/fovea-memory/fovea/internal/place"
	"github.com/fovea-memory/fovea/merkle"
)

// Format is the format number of doc/format/ipfs.md.
const Format = 1

// Limits of doc/format/ipfs.md.
const (
	// MaxPacks is the largest number of packs of an archive; a push joins packs before that.
	MaxPacks = 64
	// MaxPieces bounds the pieces of a pack.
	MaxPieces = 1 << 24
	// PieceSize is the size of the pieces of a sealed pack, in bytes.
	PieceSize = 1 << 20
	// ListLinks is the largest number of links in a list of pieces.
	ListLinks = 1024
)

// kindArchive is the kind of a manifest.
const kindArchive = "archive"

// encode returns the block of a manifest: the links that the daemon follows, and the body, which may be
// sealed.
func encode(m *place.Manifest, to []place.Recipient) ([]byte, error) {
	body := m.Body()
	if m.Sealed {
		var err error
		if body, err = place.SealBytes(body, to...); err != nil {
			return nil, err
		}
	}
	return merkle.Encode(code(m, &body)), nil
}

func code(m *place.Manifest, body *[]byte) func(*merkle.Codec) {
	return func(c *merkle.Codec) {
		lists := merkle.ListTo(MaxPacks, &m.Packs, func(p *place.Pack, c *merkle.Codec) { c.Fields(&p.List) })
		c.Map(6)
		c.Fields("f", Format, "body", body, "fovea", kindArchive, "packs", lists, "sealed", &m.Sealed, "states", merkle.Links(MaxPacks, &m.States))
	}
}

// decode decodes the block of a manifest, with a key if it is sealed. Errors: ErrOther, place.ErrNoKey,
// place.ErrSeal.
func decode(block []byte, key place.Identity) (m place.Manifest, err error) {
	var body []byte
	if err = merkle.Decode(block, code(&m, &body)); err != nil || len(m.Packs) == 0 {
		return m, fmt.Errorf("manifest of %d packs: %w", len(m.Packs), errors.Join(ErrOther, err))
	}
	if m.Sealed {
		if key == nil {
			return m, place.ErrNoKey
		}
		if body, err = place.OpenBytes(body, key); err != nil {
			return m, err
		}
	}
	if err = m.ReadBody(body); err != nil {
		err = fmt.Errorf("%w: %w", ErrOther, err)
	}
	return m, err
}
