// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package place

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/fovea-memory/fovea/internal/vfs"
)

// Pushed is the result of a push.
type Pushed struct {
	Bytes   int64 // written, 0 if there was nothing new
	Commits uint64
	Joined  bool // packs were joined, or all was written again
}

// maxTries is how often a push starts again when something changed under it.
const maxTries = 3

// Push appends the commits since the last push to this machine's log.
// After an error the next push makes up for it. Errors: those of the place, of the stores, ErrFormat, ErrAway, ErrOther, ErrReplaced.
func (r *Remote) Push(ctx context.Context, sources []Source) (done Pushed, err error) {
	if err = r.same(ctx); err == nil {
		done, err = r.push(ctx, sources)
	}
	for range maxTries - 1 { // another copy of this memory was faster, or an earlier write has arrived
		if errors.Is(err, ErrChanged) {
			done, err = r.push(ctx, sources)
		}
	}
	if err != nil {
		err = fmt.Errorf("push: %w", err)
	}
	return done, err
}

func (r *Remote) push(ctx context.Context, sources []Source) (Pushed, error) {
	var known pushed
	if err := vfs.ReadJSON(r.State, pushedFile, &known); err != nil {
		return Pushed{}, err
	}
	if known.Machine == "" {
		known.Machine = r.Machine
	}
	r.Machine = known.Machine
	tag, isKept, err := r.settle(ctx, &known)
	if err != nil {
		return Pushed{}, err
	}
	p := pushing{r: r, ctx: ctx, known: &known, tag: tag}
	if !isKept { // else nothing has failed there since this machine looked
		if err := p.look(); err != nil {
			return Pushed{}, err
		}
	}
	return p.run(sources)
}

// pushing is one push.
type pushing struct {
	r      *Remote
	ctx    context.Context
	known  *pushed
	tag    string
	litter []string // this machine's pieces that were there at the start and that its log does not name
	lacks  bool     // a piece that its log names is not there
	before Head     // the version that was replaced
}

// look compares the log with the pieces that are there.
func (p *pushing) look() error {
	there, err := p.r.Place.List(p.ctx, packFolder+ownPieces(p.known.Machine))
	if err != nil {
		return err
	}
	named := map[string]bool{}
	p.known.Head.names(named)
	for _, name := range there {
		if !named[name] {
			p.litter = append(p.litter, name)
		}
		delete(named, name)
	}
	for name := range named { // a list can lag; one piece that is there proves it
		_, _, err := p.r.Place.Get(p.ctx, name)
		if p.lacks = errors.Is(err, ErrNone); err != nil && !p.lacks {
			return err
		}
		break
	}
	return nil
}

func (p *pushing) run(sources []Source) (Pushed, error) {
	gone, err := Without(sources)
	if err != nil {
		return Pushed{}, err
	}
	had := p.known.Head.Packs
	keep := Keep(had, MaxPacks, MaxPacks/2)
	if gone > p.known.Gone || p.lacks { // blocks purged here go there, too
		keep = 0
	}
	packs := had[:keep:keep]
	news, err := News(p.ctx, sources, had, keep)
	if err != nil {
		return Pushed{}, err
	}
	signed, err := signNote(p.r.Signer, p.known.Head.signedText())
	if err != nil || len(news) == 0 && len(p.litter) == 0 && signed == p.known.Head.Signed {
		return Pushed{}, err
	}
	done := Pushed{Joined: keep < len(had)}
	if len(news) > 0 {
		pack, err := p.write(news)
		if err != nil {
			return Pushed{}, err
		}
		done.Bytes, packs = int64(pack.Size), append(packs, pack)
		for _, s := range news {
			done.Commits += s.Seq - s.SinceSeq
		}
	}
	next := written{Gone: gone, Head: Head{Manifest: ManifestOf(sources, p.r.Key != nil), Format: HeadFormat, Machine: p.known.Machine,
		Count: p.known.count() + 1, Time: p.r.Now().UTC(), Nonce: random(8)}}
	next.Head.Packs = packs
	if err := p.replace(next); err != nil {
		return Pushed{}, err
	}
	return done, p.drop(p.litterOf(next.Head))
}

// litterOf returns the pieces that were there and that a head, which is there now, does not name.
// No other head can name one: each machine names its own pieces alone, and another copy
// of this one, with the same name, cannot replace a head that it has not read.
func (p *pushing) litterOf(h Head) (names []string) {
	all, named := map[string]bool{}, map[string]bool{}
	for _, name := range p.litter {
		all[name] = true
	}
	p.before.names(all)
	h.names(named)
	for name := range all {
		if !named[name] && strings.HasPrefix(name, packFolder+ownPieces(h.Machine)) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// write writes a pack. What is there of one that failed is named by none, and the next push goes
// on with it or removes it.
func (p *pushing) write(sources []Source) (Pack, error) {
	if err := p.known.begin(p.r); err != nil {
		return Pack{}, err
	}
	out := &pieces{ctx: p.ctx, to: p.r.Place, pack: PackOf(sources)}
	out.pack.Series = p.known.Series
	err := WritePieces(p.ctx, sources, recipientsOf(p.r.newest), PieceSize, out.put)
	if errors.Is(err, ErrChanged) { // another copy of this machine writes the same, or damage cannot be mended
		p.known.Series = ""
		err = errors.Join(err, vfs.WriteJSON(p.r.State, pushedFile, p.known))
	}
	return out.pack, err
}

// replace makes a version of the log the present one. If nobody answers, it looks.
func (p *pushing) replace(next written) error {
	signed, signErr := signNote(p.r.Signer, next.Head.signedText())
	next.Head.Signed = signed
	text := next.Head.Object()
	seen, err := DecodeHead(text)
	if err == nil {
		err = seen.check(p.r.Memex, p.known.Machine) // a head that the others would refuse stays here
	}
	data, sealErr := seal(p.r.newest, text)
	if err := errors.Join(err, signErr, sealErr); err != nil {
		return err
	}
	next.Sum = tagOf(data)
	p.known.unsure(next)
	if err := vfs.WriteJSON(p.r.State, pushedFile, p.known); err != nil {
		return err
	}
	p.before = p.known.Head
	name := HeadFolder + p.known.Machine
	if err := p.r.Place.Put(p.ctx, name, p.tag, data); err != nil {
		there, _, again := p.r.Place.Get(p.ctx, name)
		if again != nil || tagOf(there) != next.Sum {
			return err
		}
	}
	return p.known.now(next, p.r)
}

// drop removes pieces.
func (p *pushing) drop(names []string) error {
	var errs []error
	for _, name := range names {
		errs = append(errs, p.r.Place.Remove(p.ctx, name))
	}
	return errors.Join(errs...)
}

// MachineOf returns the name under which this machine writes to a remote; before its first push it is the one given.
func MachineOf(state vfs.FS, remote, before string) string {
	var own pushed
	_ = vfs.ReadJSON(state, Folder+"/"+remote+"/"+pushedFile, &own) // a push reports why it cannot be read
	return cmp.Or(own.Machine, before)
}

// Behind returns how many commits of the histories this machine's log lacks, as far as is
// known here. It sends no request.
func (r *Remote) Behind(heads map[string]uint64) (uint64, error) {
	var known pushed
	err := vfs.ReadJSON(r.State, pushedFile, &known)
	n := uint64(0)
	for scope, seq := range heads {
		last, _ := At(known.Head.Packs, scope)
		n += seq - min(seq, last.Seq)
	}
	return n, err
}
