// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package place

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"time"

	"filippo.io/age"

	"github.com/fovea-memory/fovea/merkle"
)

// Names of objects, see doc/format/remote.md.
const (
	markerName = "fovea.json"
	keyName    = "key.age"
	headFolder = "heads/"
	packFolder = "packs/"
)

// Limits of doc/format/remote.md.
const (
	// PieceSize is the size of the pieces that a pack is cut into, in bytes.
	PieceSize = 8 << 20
	// MaxPacks is how many packs a head names at most; a push joins some before that.
	MaxPacks = 32
	// MaxPieces is how many pieces a pack has at most.
	MaxPieces = 1 << 14
	maxHead   = 8 << 20
)

// Format is the format number of doc/format/remote.md, in the marker and in each head.
const Format = 1

// Marker names the memory that a place is for.
type Marker struct {
	Format int    `json:"fovea_remote"`
	Memex  string `json:"memex"` // the first commit
	Sealed bool   `json:"sealed"`
}

// Head is the log of one machine on a place: its packs, in order.
type Head struct {
	Format  int       `json:"fovea_head"`
	Memex   string    `json:"memex"`
	Machine string    `json:"machine"`
	Count   uint64    `json:"count"` // one more each time
	Time    time.Time `json:"time"`
	Nonce   string    `json:"nonce"`            // makes the bytes of each version others
	Signed  string    `json:"signed,omitempty"` // the signed head of the memex
	Packs   []Pack    `json:"packs"`
}

// Pack is a bundle, in pieces.
type Pack struct {
	// Series is the first part of the names of its pieces: the digits of its machine, and of the
	// push that wrote them.
	Series string  `json:"series"`
	Pieces []Piece `json:"pieces"`
	Scopes []Span  `json:"scopes"`
}

// object is the name of a piece on the place.
func (p Pack) object(piece Piece) string {
	return packFolder + p.Series + "-" + piece.Name
}

// names adds the objects of the packs of a head.
func (h *Head) names(to map[string]bool) {
	for _, p := range h.Packs {
		for _, piece := range p.Pieces {
			to[p.object(piece)] = true
		}
	}
}

// Piece is a part of a pack: its name is the SHA-256 of its bytes, and the end of that of its object.
type Piece struct {
	Name string `json:"name"`
	Size int    `json:"size"`
}

// Span says which commits of a scope a pack brings.
type Span struct {
	Scope    string        `json:"scope"`
	SinceSeq uint64        `json:"since_seq,omitempty"`
	Since    merkle.Digest `json:"since,omitzero"`
	Seq      uint64        `json:"seq"`
	Head     merkle.Digest `json:"head"`
}

var seriesName = regexp.MustCompile(`^[0-9a-f]{12}-[0-9a-f]{16}$`)

// size returns the bytes of a pack.
func (p Pack) size() (n int64) {
	for _, piece := range p.Pieces {
		n += int64(piece.Size)
	}
	return n
}

// at returns where the packs of a head leave a scope.
func at(packs []Pack, scope string) (s Span, ok bool) {
	for _, p := range packs {
		for _, span := range p.Scopes {
			if span.Scope == scope {
				s, ok = span, true
			}
		}
	}
	return s, ok
}

// check refuses a head that no version of Fovea has written.
func (h *Head) check(memex, machine string) error {
	switch {
	case h.Format != Format:
		return fmt.Errorf("format %d: %w", h.Format, ErrFormat)
	case h.Memex != memex:
		return ErrOther
	case h.Machine != machine || h.Count == 0 || len(h.Packs) > 4*MaxPacks:
		return ErrFormat
	}
	for _, p := range h.Packs {
		if len(p.Pieces) > MaxPieces || len(p.Scopes) > MaxScopes {
			return ErrFormat
		}
		if !seriesName.MatchString(p.Series) || !strings.HasPrefix(p.Series, ownPieces(machine)) {
			return fmt.Errorf("series %q: %w", p.Series, ErrFormat)
		}
		for _, piece := range p.Pieces {
			if sum, err := hex.DecodeString(piece.Name); err != nil || len(sum) != sha256.Size || piece.Size <= 0 || piece.Size > MaxObject {
				return fmt.Errorf("piece %q: %w", piece.Name, ErrFormat)
			}
		}
	}
	return nil
}

// decode reads JSON strictly and to its end.
func decode(data []byte, into any) error {
	if len(data) > maxHead {
		return fmt.Errorf("%d bytes: %w", len(data), ErrFormat)
	}
	d := json.NewDecoder(bytes.NewReader(data))
	if err := d.Decode(into); err != nil {
		return fmt.Errorf("%w: %w", ErrFormat, err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return ErrFormat
	}
	return nil
}

// seal encrypts an object for the key of the place; a plain place has none.
func seal(key *age.X25519Identity, data []byte) ([]byte, error) {
	if key == nil {
		return data, nil
	}
	return SealBytes(data, key.Recipient())
}

// open is the reverse of seal. It refuses plain bytes on a sealed place.
func open(key *age.X25519Identity, data []byte) ([]byte, error) {
	if key == nil {
		if strings.HasPrefix(string(data), SealPrefix) {
			return nil, ErrLocked
		}
		return data, nil
	}
	r, err := Unseal(bytes.NewReader(data), key)
	if err != nil {
		return nil, err
	}
	return io.ReadAll(io.LimitReader(r, MaxObject))
}

// pieces writes the pieces of a stream as objects that bear the digests of their bytes.
type pieces struct {
	ctx context.Context
	to  Place
	// pack is what was tried; a piece whose writing failed is in it, since it may arrive.
	pack Pack
}

// put writes a piece. One that is there was written by an earlier attempt at the same push, and
// is replaced if it is damaged. It is never removed: a removal without an answer can
// arrive later, and take away what was written after it.
func (p *pieces) put(data []byte) error {
	if len(p.pack.Pieces) >= MaxPieces {
		return fmt.Errorf("a pack of more than %d pieces: %w", MaxPieces, ErrTooLarge)
	}
	piece := Piece{tagOf(data), len(data)}
	p.pack.Pieces = append(p.pack.Pieces, piece)
	name := p.pack.object(piece)
	err := p.to.Put(p.ctx, name, "", data)
	if err != nil { // no answer is not a failure, and one that is there may be this one
		there, tag, again := p.to.Get(p.ctx, name)
		switch {
		case again == nil && bytes.Equal(there, data):
			err = nil
		case again == nil && errors.Is(err, ErrChanged):
			err = p.to.Put(p.ctx, name, tag, data)
		}
	}
	return err
}

// unpack reads the pieces of a pack as one stream, and proves each.
type unpack struct {
	ctx  context.Context
	from Place
	pack Pack
	next int // of the pieces
	rest []byte
}

func (u *unpack) Read(b []byte) (int, error) {
	for len(u.rest) == 0 {
		if u.next == len(u.pack.Pieces) {
			return 0, io.EOF
		}
		piece := u.pack.Pieces[u.next]
		name := u.pack.object(piece)
		data, _, err := u.from.Get(u.ctx, name)
		if err == nil && (len(data) != piece.Size || tagOf(data) != piece.Name) {
			err = fmt.Errorf("%s: %w", name, ErrDamaged)
		}
		if err != nil {
			return 0, err
		}
		u.rest, u.next = data, u.next+1
	}
	n := copy(b, u.rest)
	u.rest = u.rest[n:]
	return n, nil
}

// stream returns the bundle of a pack.
func (r *Remote) stream(ctx context.Context, p Pack) (io.Reader, error) {
	in := &unpack{ctx: ctx, from: r.Place, pack: p}
	if r.Key == nil {
		return in, nil
	}
	return Unseal(in, r.Key)
}
