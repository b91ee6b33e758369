// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package ipfs

import (
	"net/http"

	"github.com/fovea-memory/fovea/internal/place"
	"github.com/fovea-memory/fovea/merkle"
)

// Encode returns the block of a manifest.
func Encode(m *place.Manifest, to ...place.Recipient) ([]byte, error) { return encode(m, to) }

// Decode reads the block of a manifest.
func Decode(block []byte, key place.Identity) (place.Manifest, error) { return decode(block, key) }

// WriteList writes the list of some pieces.
func WriteList(out *place.Writer, pieces []merkle.Digest) (merkle.Digest, error) {
	return writeList(out, pieces)
}

// ReadList reads a block of a list.
func ReadList(block []byte) ([]merkle.Digest, bool, error) { return readList(block) }

// Through replaces the network.
func (c *Client) Through(t http.RoundTripper) { c.Link.Base = t }
