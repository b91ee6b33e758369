// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package ipfs

import (
	"fmt"

	"github.com/fovea-memory/fovea/internal/place"
)

// Format is the format number of doc/format/ipfs.md.
const Format = 1

// Limits of doc/format/ipfs.md.
const (
	// MaxPacks is how many packs an archive names at most; from half of it on a push joins some.
	MaxPacks = 64
	// MaxPieces bounds the pieces of a pack.
	MaxPieces = 1 << 24
	// PieceSize is the size of the pieces of a sealed pack, in bytes.
	PieceSize = 1 << 20
	// ListLinks is how many links a list of pieces has at most.
	ListLinks = 1024
)

// kindArchive is the kind that a manifest states.
const kindArchive = "archive"

// encode returns the block of a manifest: the links that the daemon follows, and the body, sealed for
// those whom the archive is for.
func encode(m *place.Manifest, to []place.Recipient) ([]byte, error) {
	body := m.Body()
	if m.Sealed {
		var err error
		if body, err = place.SealBytes(body, to...); err != nil {
			return nil, err
		}
	}
	kind, format := kindArchive, uint64(Format)
	return place.Written(func(c *place.Coder) { code(c, m, &format, &body, &kind) }), nil
}

func code(c *place.Coder, m *place.Manifest, format *uint64, body *[]byte, kind *string) {
	lists := place.Each(c, &m.Packs, MaxPacks, func(p *place.Pack) { c.Value(&p.List) })
	c.Map("f", format, "body", body, "fovea", kind, "packs", lists, "sealed", &m.Sealed, "states", place.Links(c, &m.States, MaxPacks))
}

// decode reads the block of a manifest, with a key if it is sealed. Errors: ErrOther, place.ErrNoKey,
// place.ErrSeal.
func decode(block []byte, key place.Identity) (m place.Manifest, err error) {
	var format uint64
	var body []byte
	var kind string
	readErr := place.Read(block, func(c *place.Coder) { code(c, &m, &format, &body, &kind) })
	switch {
	case readErr != nil:
		return m, fmt.Errorf("manifest: %w: %w", ErrOther, readErr)
	case format != Format || kind != kindArchive || len(m.Packs) == 0:
		return m, fmt.Errorf("manifest: format %d, %d packs: %w", format, len(m.Packs), ErrOther)
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
