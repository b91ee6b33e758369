// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package place

import (
	"bytes"
	"compress/zlib"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"strings"
	"sync"
	"time"

	"filippo.io/age"

	"github.com/fovea-memory/fovea/internal/store"
	"github.com/fovea-memory/fovea/merkle"
)

// Names of objects, see doc/format/remote.md.
const (
	markerName = "fovea.json"
	keyName    = "key.age"
	HeadFolder = "heads/"
	packFolder = "packs/"
)

// Limits of doc/format/remote.md.
const (
	// PieceSize is the size of the pieces of a pack, in bytes.
	PieceSize = 8 << 20
	// MaxPacks is the largest number of packs of a head; a push joins packs before that.
	MaxPacks = 32
	// MaxSize bounds the bytes of a pack.
	MaxSize = 1 << 36
	// MaxPieces is the largest number of pieces of a pack.
	MaxPieces = 1 << 14
	maxHead   = 8 << 20
)

// Format is the format number of a marker, and HeadFormat that of heads, see doc/format/remote.md.
// Heads of format 1 are JSON.
const Format, HeadFormat = 1, 2

// Marker names the memory that a place belongs to.
type Marker struct {
	Format int    `json:"fovea_remote"`
	Memex  string `json:"memex"` // the first commit
	Sealed bool   `json:"sealed"`
}

// Head is the log of one machine on a place.
type Head struct {
	Manifest
	Format  int       `json:"fovea_head"`
	Machine string    `json:"machine"`
	Count   uint64    `json:"count"` // of versions so far
	Time    time.Time `json:"time"`
	Nonce   string    `json:"nonce"`            // makes the bytes of each version unique
	Signed  string    `json:"signed,omitempty"` // everything else, by the key of the machine
}

// object returns the name of a piece on the place.
func (p Pack) object(piece Piece) string {
	return packFolder + p.Series + "-" + piece.Name
}

// names adds the names of the objects of a head's packs to a set.
func (h *Head) names(to map[string]bool) {
	for _, p := range h.Packs {
		for _, piece := range p.Pieces {
			to[p.object(piece)] = true
		}
	}
}

// Piece is a part of a pack. Its name is the SHA-256 of its bytes, and ends its object's name.
type Piece struct {
	Name string `json:"name"`
	Size uint64 `json:"size"`
}

var seriesName = regexp.MustCompile(`^[0-9a-f]{12}-[0-9a-f]{16}$`)

// check rejects a head that no version of Fovea has written.
func (h *Head) check(memex merkle.Digest, machine string) error {
	switch {
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
			if sum, err := hex.DecodeString(piece.Name); err != nil || len(sum) != sha256.Size || piece.Size == 0 || piece.Size > MaxObject {
				return fmt.Errorf("piece %q: %w", piece.Name, ErrFormat)
			}
		}
	}
	return nil
}

// wordLog begins a head.
const wordLog = "fovea log"

// compressors keeps zlib writers: making one costs more than compressing a head.
var compressors = sync.Pool{New: func() any { return zlib.NewWriter(nil) }}

// Object returns the object of a head before it is sealed. A head repeats scopes and series, so that
// compression more than halves it.
func (h *Head) Object() []byte {
	var b bytes.Buffer
	w := compressors.Get().(*zlib.Writer)
	defer compressors.Put(w)
	w.Reset(&b)
	_, _ = w.Write(h.Encode()) // into memory
	_ = w.Close()
	return b.Bytes()
}

// Encode returns a head in the canonical encoding.
func (h *Head) Encode() []byte { return merkle.Encode(h.code) }

func (h *Head) code(c *merkle.Codec) {
	at, body := uint64(h.Time.UnixMilli()), h.Body()
	piece := func(p *Piece, c *merkle.Codec) { c.Record(&p.Name, &p.Size) }
	packs := merkle.ListTo(4*MaxPacks, &h.Packs, func(p *Pack, c *merkle.Codec) {
		c.Record(&p.Series, merkle.ListTo(MaxPieces, &p.Pieces, piece))
	})
	c.Record(wordLog, HeadFormat, &h.Machine, &h.Count, &at, &h.Nonce, &h.Signed, packs, &body)
	if c.In != nil && !c.Fail(nil) {
		h.Format, h.Time = HeadFormat, time.UnixMilli(int64(min(at, math.MaxInt64))).UTC()
		c.Fail(h.ReadBody(body))
	}
}

// zlibMark is the first byte of zlib's output. Neither encoding of a head begins with it.
const zlibMark = 0x78

// DecodeHead decodes the result of Object or Encode, or the JSON of format 1. Errors: ErrFormat.
func DecodeHead(data []byte) (h Head, err error) {
	if len(data) > 0 && data[0] == zlibMark {
		r, err := zlib.NewReader(bytes.NewReader(data))
		if err == nil {
			data, err = io.ReadAll(io.LimitReader(r, maxHead+1))
		}
		if err != nil {
			return h, fmt.Errorf("%w: %w", ErrFormat, err)
		}
	}
	if len(data) > maxHead {
		return h, fmt.Errorf("%d bytes: %w", len(data), ErrFormat)
	}
	if len(data) > 0 && data[0] == '{' {
		if err = decodeJSON(data, &h); err == nil && h.Format != 1 {
			err = fmt.Errorf("format %d: %w", h.Format, ErrFormat)
		}
		return h, err
	}
	if err = merkle.Decode(data, h.code); err != nil {
		err = fmt.Errorf("%w: %w", ErrFormat, err)
	}
	return h, err
}

// UnmarshalJSON reads a head from the state folder or of format 1. It ignores fields that format 1 did
// not have. The memex may be empty in format 1. Earlier builds stored no size of a pack: it is the sum
// of its pieces.
func (h *Head) UnmarshalJSON(data []byte) error {
	type fields Head // without this method
	is := struct {
		*fields
		Memex string `json:"memex"` // instead of the one of the manifest
	}{fields: (*fields)(h)}
	err := json.Unmarshal(data, &is)
	if err == nil && is.Memex != "" {
		h.Memex, err = merkle.Parse(is.Memex)
	}
	if h.Format == 1 {
		h.Manifest = Manifest{Memex: h.Memex, Packs: h.Packs}
		for i, p := range h.Packs {
			h.Packs[i] = Pack{Series: p.Series, Pieces: p.Pieces, Scopes: p.Scopes}
			for j := range p.Scopes {
				p.Scopes[j].End = store.Pos{}
			}
		}
	}
	for i, p := range h.Packs {
		for _, piece := range p.Pieces {
			if p.Size == 0 {
				h.Packs[i].Size += piece.Size
			}
		}
	}
	return err
}

// decodeJSON is json.Unmarshal with ErrFormat.
func decodeJSON(data []byte, into any) error {
	if err := json.Unmarshal(data, into); err != nil {
		return fmt.Errorf("%w: %w", ErrFormat, err)
	}
	return nil
}

// recipientsOf returns the recipients of what is sealed with the key of a place, none without a key.
func recipientsOf(key *age.X25519Identity) (to []Recipient) {
	if key != nil {
		to = append(to, key.Recipient())
	}
	return to
}

// open opens an object with one of some keys. On a sealed place it rejects plain bytes.
func open(keys []Identity, data []byte) ([]byte, error) {
	if len(keys) > 0 {
		return OpenBytes(data, keys...)
	}
	if strings.HasPrefix(string(data), SealPrefix) {
		return nil, ErrLocked
	}
	return data, nil
}

// pieces writes the pieces of a stream as objects named by the digests of their bytes.
type pieces struct {
	ctx context.Context
	to  Place
	// pack has all pieces that put tried to write; one whose write failed may still arrive.
	pack Pack
}

// put writes a piece. An existing one is from an earlier attempt at the same push, and is replaced
// if it is damaged. It is never removed: a removal without an answer could arrive late and remove
// what was written after it.
func (p *pieces) put(data []byte) error {
	if len(p.pack.Pieces) >= MaxPieces {
		return fmt.Errorf("a pack of more than %d pieces: %w", MaxPieces, ErrTooLarge)
	}
	piece := Piece{tagOf(data), uint64(len(data))}
	p.pack.Pieces, p.pack.Size = append(p.pack.Pieces, piece), p.pack.Size+piece.Size
	name := p.pack.object(piece)
	err := p.to.Put(p.ctx, name, "", data)
	if err != nil { // a write without an answer may have succeeded, and an existing piece may be this one
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

// stream returns the bundle of a pack. It checks each piece.
func (r *Remote) stream(ctx context.Context, p Pack) (io.Reader, error) {
	left := p.Pieces
	in := &Joined{Next: func() ([]byte, error) {
		if len(left) == 0 {
			return nil, io.EOF
		}
		piece, name := left[0], p.object(left[0])
		left = left[1:]
		data, _, err := r.Place.Get(ctx, name)
		if err == nil && (uint64(len(data)) != piece.Size || tagOf(data) != piece.Name) {
			err = fmt.Errorf("%s: %w", name, ErrDamaged)
		}
		return data, err
	}}
	if r.Key == nil {
		return in, nil
	}
	return Unseal(in, r.keys...)
}
