// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package ipfs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/fovea-memory/fovea/internal/place"
	"github.com/fovea-memory/fovea/internal/vfs"
	"github.com/fovea-memory/fovea/merkle"
)

// knownFile keeps the known content of the daemon in the state folder.
const knownFile = "ipfs.json"

// known is the newest archive that this memory has put there.
type known struct {
	Address  string         `json:"address"`
	CID      merkle.Digest  `json:"cid,omitzero"` // of the manifest
	Manifest place.Manifest `json:"manifest"`
	Lists    lists          `json:"lists,omitzero"` // of its states
	Gone     int            `json:"gone"`           // blocks that the histories were without
	For      []string       `json:"for,omitempty"`  // whom it is sealed for
	// States are the scopes whose newest state is there with all its blocks.
	States []string `json:"states,omitempty"`
	// Pending was about to be pinned, and may be.
	Pending merkle.Digest `json:"pending,omitzero"`
}

// Job is the input of a push to a daemon.
type Job struct {
	Client *Client
	// State is the folder that records the daemon's content.
	State vfs.FS
	// Sources are the histories, the memex's first, each with its State.
	Sources []place.Source
	// To are the recipients of the seal; without any it is plain.
	To []place.Recipient
}

// Sent is the result of a push to a daemon.
type Sent struct {
	// CID is what to hand on: of a plain archive the newest commit, else the archive.
	CID merkle.Digest
	// Archive is the manifest, with which all histories come back.
	Archive merkle.Digest
	Root    merkle.Digest // of the first source's state
	Carried
	// Stateless names scopes whose newest state lacks content: they are in the packs alone.
	Stateless []string
}

// Carried is how much was sent.
type Carried struct {
	Sealed  bool   `json:"sealed" jsonschema:"whether a key opens it"`
	Bytes   int64  `json:"-"` // 0 where there was nothing new
	Commits uint64 `json:"-"` // that were not there before
}

// Push puts histories on a daemon: the news since the last push, or everything if the daemon does
// not have that any longer. After an error the previous archive is still pinned, and the next push
// makes up for the failure. Errors: place.ErrNothing, those of the stores, of Client.Import and
// Client.Pin.
func Push(ctx context.Context, job *Job) (Sent, error) {
	if len(job.Sources) == 0 {
		return Sent{}, place.ErrNothing
	}
	k := load(job.State)
	p := &pushing{Job: job, ctx: ctx, known: k, done: map[merkle.Digest]bool{}}
	sent, err := p.run()
	if errors.Is(err, ErrDaemon) && !k.CID.IsZero() { // it may have lost blocks
		p = &pushing{Job: job, ctx: ctx, known: known{Pending: p.known.Pending}, done: map[merkle.Digest]bool{}}
		sent, err = p.run()
	}
	if err != nil {
		return Sent{}, err
	}
	return sent, nil
}

// load returns the known content; if it cannot be read, everything is sent again.
func load(in vfs.FS) (k known) {
	if vfs.ReadJSON(in, knownFile, &k) != nil {
		return known{}
	}
	return k
}

// pushing is one push.
type pushing struct {
	*Job
	ctx   context.Context
	known known
	out   *place.Writer
	done  map[merkle.Digest]bool // blocks that the pack has, or that were written
	there map[merkle.Digest]bool // pieces of packs that are joined
	fresh []merkle.Digest        // blocks that states alone have
	anew  bool                   // states are written whole
	next  known
	sent  Sent
}

func (p *pushing) run() (Sent, error) {
	kept, err := p.prepare()
	if err != nil {
		return Sent{}, err
	}
	news, err := place.News(p.ctx, p.Sources, p.known.Manifest.Packs, len(kept))
	if err == nil {
		err = p.joined(p.known.Manifest.Packs[len(kept):])
	}
	if err != nil {
		return Sent{}, err
	}
	if len(news) == 0 {
		if there, err := p.Client.Pinned(p.ctx, p.known.CID); there || err != nil {
			p.next.CID, p.next.Manifest = p.known.CID, p.known.Manifest // nothing is saved
			return p.outcome(), err
		}
		return Sent{}, fmt.Errorf("%w: the archive before is gone", ErrDaemon)
	}
	err = p.Client.Import(p.ctx, func(w io.Writer) (int, error) {
		err := p.write(w, kept, news)
		if err != nil {
			return 0, err
		}
		return p.out.Blocks(), nil
	})
	if err == nil {
		err = p.pin()
	}
	if p.out != nil { // the daemon took something
		p.sent.Bytes = p.out.Size()
	}
	return p.outcome(), err
}

// outcome is the report about the archive.
func (p *pushing) outcome() Sent {
	s := p.sent
	s.Archive, s.Sealed, s.Root = p.next.CID, p.next.Manifest.Sealed, p.Sources[0].Root
	if s.CID = p.Sources[0].Head; s.Sealed {
		s.CID = s.Archive
	}
	return s
}

// prepare decides which packs stay, and gives up a pin that a push which was cut short left.
func (p *pushing) prepare() ([]place.Pack, error) {
	if d := p.known.Pending; !d.IsZero() && d != p.known.CID {
		if err := p.Client.Unpin(p.ctx, d); err != nil {
			return nil, err
		}
	}
	gone, err := place.Without(p.Sources)
	if err != nil {
		return nil, err
	}
	p.next = known{Address: p.Client.Address(), Gone: gone, For: namesOf(p.To), Manifest: place.ManifestOf(p.Sources, len(p.To) > 0)}
	k := &p.known
	if gone > k.Gone || k.Address != p.next.Address || k.Manifest.Memex != p.next.Manifest.Memex || !slices.Equal(k.For, p.next.For) {
		p.known = known{Pending: k.Pending} // purged data must not stay, and data sealed for others cannot be opened
	}
	packs, some, most := p.known.Manifest.Packs, joinPlain, keepPlain
	if p.next.Manifest.Sealed {
		some, most = joinSealed, keepSealed
	}
	n := place.Keep(packs, some, most)
	return packs[:n:n], nil
}

// namesOf names those whom something is sealed for. Those without a name are never the same.
func namesOf(to []place.Recipient) (names []string) {
	for _, r := range to {
		name, ok := r.(fmt.Stringer)
		if !ok {
			return []string{fmt.Sprintf("%p", r)}
		}
		names = append(names, name.String())
	}
	slices.Sort(names)
	return names
}

// write writes a pack, the states and the manifest as one archive.
func (p *pushing) write(w io.Writer, kept []place.Pack, news []place.Source) (err error) {
	if p.out, err = place.NewWriter(w, p.Sources[0].Head); err != nil {
		return err
	}
	m := &p.next.Manifest
	pack, err := p.pack(news)
	if err != nil {
		return err
	}
	m.Packs = append(kept, pack)
	if !m.Sealed {
		if err := p.states(); err != nil {
			return err
		}
	}
	block, err := encode(m, p.To)
	if err != nil {
		return err
	}
	if p.next.CID, err = p.out.Put(block); err != nil {
		return err
	}
	if err := p.announce(); err != nil {
		return err
	}
	return p.out.Close()
}

// announce keeps which archive is about to be there, before the daemon can have all of it. One that
// was there before is not pending: its CID may have been said, and its pin stays.
func (p *pushing) announce() error {
	fresh, err := record(p.State, p.next.CID)
	if err != nil {
		return err
	}
	if fresh {
		p.known.Pending = p.next.CID
	} else if p.known.Pending != p.next.CID {
		p.known.Pending = merkle.Digest{}
	}
	return vfs.WriteJSON(p.State, knownFile, &p.known)
}

// pack writes the pieces of a bundle, and their list.
func (p *pushing) pack(sources []place.Source) (pack place.Pack, err error) {
	pack = place.PackOf(sources)
	for _, s := range sources {
		last, _ := place.At(p.known.Manifest.Packs, s.Name)
		p.sent.Commits += s.Seq - min(s.Seq, last.Seq)
	}
	var pieces []merkle.Digest
	took := func(d merkle.Digest, piece []byte) {
		pieces, pack.Size = append(pieces, d), pack.Size+uint64(len(piece))
	}
	if len(p.To) > 0 {
		err = place.WritePieces(p.ctx, sources, p.To, PieceSize, func(piece []byte) error {
			d, err := p.out.PutRaw(piece)
			took(d, piece)
			return err
		})
	} else { // each block is a piece
		err = place.WriteBlocks(p.ctx, sources, func(block []byte) (merkle.Digest, error) {
			d, err := merkle.Sum(block), error(nil)
			if !p.done[d] && !p.there[d] {
				_, err = p.out.Put(block)
			}
			p.done[d] = true
			took(d, block)
			return d, err
		})
	}
	if err == nil && len(pieces) > MaxPieces {
		err = fmt.Errorf("%d pieces: %w", len(pieces), place.ErrTooLarge)
	}
	if err == nil {
		pack.List, err = writeList(p.out, pieces)
	}
	return pack, err
}

// pin makes the archive the one that is known.
func (p *pushing) pin() error {
	if err := p.Client.Pin(p.ctx, p.next.CID, p.known.CID); err != nil {
		return err
	}
	return vfs.WriteJSON(p.State, knownFile, &p.next)
}
