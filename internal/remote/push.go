// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package remote

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/fovea-memory/fovea/internal/archive"
	"github.com/fovea-memory/fovea/internal/bundle"
	"github.com/fovea-memory/fovea/internal/store"
)

const pushedFile = "pushed.json"

// maxUnsure is how many unanswered writes are remembered; those before are taken for lost.
const maxUnsure = 16

// pushed is what this machine knows of its own log.
type pushed struct {
	Machine string `json:"machine"`
	written        // what is there
	// Unsure are versions whose writing got no answer. Each may be there instead, or arrive later:
	// as long as what is there is what they were to replace.
	Unsure []written `json:"unsure,omitempty"`
	// Left are pieces there that no version names any more.
	Left []string `json:"left,omitempty"`
}

// written is one version of the log.
type written struct {
	Head Head                 `json:"head"`
	Sum  string               `json:"sum"`            // of the object
	Ends map[string]store.Pos `json:"ends,omitempty"` // behind the last batch of each scope
	Gone int                  `json:"gone"`           // blocks that the histories were without
}

// Pushed says what a push did.
type Pushed struct {
	Bytes   int64 // written, 0 where there was nothing new
	Commits uint64
	Joined  bool // packs were joined, or all was written again
}

// Push appends to this machine's log what came to the histories since the last push.
// signed is the signed head of the memex, empty for none. After an error the next push makes
// up for it. Errors: those of the place, of the stores, ErrFormat.
func (r *Remote) Push(ctx context.Context, sources []bundle.Source, signed string) (Pushed, error) {
	var known pushed
	if err := r.load(pushedFile, &known); err != nil {
		return Pushed{}, fmt.Errorf("push: %w", err)
	}
	if known.Machine == "" {
		known.Machine = r.Machine
	}
	r.Machine = known.Machine
	tag, err := r.settle(ctx, &known)
	if err != nil {
		return Pushed{}, fmt.Errorf("push: %w", err)
	}
	p := pushing{r: r, ctx: ctx, known: &known, tag: tag, signed: signed}
	done, err := p.run(sources)
	if err != nil {
		err = fmt.Errorf("push: %w", err)
	}
	return done, err
}

// settle finds out which version of the log is there, and returns its tag. A log that this
// memory did not write belongs to another copy of it: this one takes another name then.
func (r *Remote) settle(ctx context.Context, known *pushed) (string, error) {
	data, tag, err := r.Place.Get(ctx, headFolder+known.Machine)
	switch {
	case errors.Is(err, ErrNone):
		known.leave(known.written)
		known.written = written{Head: Head{Count: known.Head.Count}} // all of it, again
		return "", nil
	case err != nil:
		return "", err
	case known.Sum == tagOf(data):
		return tag, nil
	}
	for _, w := range known.Unsure {
		if w.Sum == tagOf(data) {
			return tag, known.now(w, r)
		}
	}
	*known = pushed{Machine: NewMachine(known.Machine)}
	r.Machine = known.Machine
	return "", nil
}

// leave notes the pieces of a version as ones to remove.
func (known *pushed) leave(w written) {
	for _, pack := range w.Head.Packs {
		for _, piece := range pack.Pieces {
			if !slices.Contains(known.Left, piece.Name) {
				known.Left = append(known.Left, piece.Name)
			}
		}
	}
}

// now notes which version is there. From then on no other can arrive.
func (known *pushed) now(w written, r *Remote) error {
	for _, other := range append(known.Unsure, known.written) {
		known.leave(other)
	}
	known.written, known.Unsure = w, nil
	for _, pack := range w.Head.Packs {
		for _, piece := range pack.Pieces {
			known.Left = slices.DeleteFunc(known.Left, func(name string) bool { return name == piece.Name })
		}
	}
	return r.save(pushedFile, known)
}

// try notes a version before it is written.
func (known *pushed) try(w written, r *Remote) error {
	if known.Unsure = append(known.Unsure, w); len(known.Unsure) > maxUnsure {
		known.leave(known.Unsure[0])
		known.Unsure = known.Unsure[1:]
	}
	return r.save(pushedFile, known)
}

// NewMachine returns a name for the log of a machine that nobody else has: the readable part of
// another one, or of a host, and 48 random bits.
func NewMachine(like string) string {
	host, _, _ := strings.Cut(like, ".")
	host = strings.Map(func(r rune) rune {
		if 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '-' {
			return r
		}
		return -1
	}, host)
	if host = strings.Trim(host[:min(len(host), 40)], "-"); host == "" {
		host = "machine"
	}
	var b [6]byte
	_, _ = rand.Read(b[:]) // it never fails
	return host + "." + hex.EncodeToString(b[:])
}

// pushing is one push.
type pushing struct {
	r      *Remote
	ctx    context.Context
	known  *pushed
	tag    string
	signed string
}

func (p *pushing) run(sources []bundle.Source) (Pushed, error) {
	gone := 0
	for _, s := range sources {
		all, err := store.Gone(s.Store)
		if err != nil {
			return Pushed{}, err
		}
		gone += len(all)
	}
	keep := p.keep()
	if gone > p.known.Gone { // what was purged here goes there, too
		keep = 0
	}
	kept := p.known.Head.Packs[:keep]
	news, commits, err := p.news(sources, kept)
	if err != nil {
		return Pushed{}, err
	}
	if len(news) == 0 {
		return Pushed{}, p.drop()
	}
	pack, err := p.write(news)
	if err != nil { // what is there of it is written again, or removed
		p.known.leave(written{Head: Head{Packs: []Pack{pack}}})
		return Pushed{}, errors.Join(err, p.r.save(pushedFile, p.known))
	}
	next := written{Ends: map[string]store.Pos{}, Gone: gone}
	for _, s := range sources {
		next.Ends[s.Name] = s.End
	}
	joined := keep < len(p.known.Head.Packs)
	next.Head = Head{Format: Format,
		Memex: p.r.Memex.String(), Machine: p.known.Machine, Count: p.known.Head.Count + 1, Time: p.r.Now().UTC(), Signed: p.signed,
		Packs: append(kept[:keep:keep], pack),
	}
	if err := p.replace(next); err != nil {
		return Pushed{}, err
	}
	return Pushed{Bytes: pack.size(), Commits: commits, Joined: joined}, p.drop()
}

// keep returns how many packs stay as they are: all of them while they are few. Else those
// that are larger than all behind them are joined, so that each record is written
// O(log history) times.
func (p *pushing) keep() int {
	packs := p.known.Head.Packs
	if len(packs) < MaxPacks {
		return len(packs)
	}
	keep, behind := len(packs), int64(0)
	for i := len(packs) - 1; i >= 0; i-- {
		if packs[i].size() <= behind {
			keep = i
		}
		behind += packs[i].size()
	}
	return min(keep, MaxPacks/2)
}

// news returns the sources that have something behind the packs that stay, cut to that.
func (p *pushing) news(sources []bundle.Source, kept []Pack) (news []bundle.Source, commits uint64, err error) {
	for _, s := range sources {
		last, there := at(kept, s.Name)
		whole := len(kept) == len(p.known.Head.Packs)
		end, known := p.known.Ends[s.Name]
		if whole && there && known && end == s.End {
			continue
		}
		if there {
			if err := s.GoOn(p.ctx, last.Head); err != nil {
				return nil, 0, err
			}
			if whole && known {
				s.From = end
			}
		}
		commits += s.Seq - s.SinceSeq
		news = append(news, s)
	}
	return news, commits, nil
}

// write writes a pack.
func (p *pushing) write(sources []bundle.Source) (Pack, error) {
	out := &pieces{ctx: p.ctx, to: p.r.Place}
	var err error
	if p.r.Key == nil {
		_, err = bundle.Write(p.ctx, out, sources)
	} else {
		err = p.sealed(out, sources)
	}
	if err == nil {
		err = out.flush()
	}
	pack := Pack{Pieces: out.done}
	for _, s := range sources {
		pack.Scopes = append(pack.Scopes, Span{s.Name, s.SinceSeq, s.Since, s.Seq, s.Head})
	}
	return pack, err
}

func (p *pushing) sealed(out *pieces, sources []bundle.Source) error {
	w, err := archive.Seal(out, p.r.Key.Recipient())
	if err != nil {
		return err
	}
	if _, err := bundle.Write(p.ctx, w, sources); err != nil {
		return err
	}
	return w.Close()
}

// replace makes a version of the log the present one. If nobody answers, it looks.
func (p *pushing) replace(next written) error {
	data, err := json.Marshal(next.Head)
	if err == nil {
		data, err = seal(p.r.Key, data)
	}
	if err != nil {
		return err
	}
	next.Sum = tagOf(data)
	if err := p.known.try(next, p.r); err != nil {
		return err
	}
	name := headFolder + p.known.Machine
	if err := p.r.Place.Put(p.ctx, name, p.tag, data); err != nil {
		there, _, again := p.r.Place.Get(p.ctx, name)
		if again != nil || tagOf(there) != next.Sum {
			return err
		}
	}
	return p.known.now(next, p.r)
}

// others returns the pieces that the logs of other machines name: on a plain place equal histories
// have equal pieces. A log that nobody can read names none.
func (p *pushing) others() (map[string]bool, error) {
	if p.r.Key != nil || len(p.known.Left) == 0 {
		return nil, nil
	}
	names, err := p.r.Place.List(p.ctx, headFolder)
	if err != nil {
		return nil, err
	}
	all := map[string]bool{}
	for _, name := range names {
		machine := strings.TrimPrefix(name, headFolder)
		if machine == p.known.Machine || !machineName.MatchString(machine) {
			continue
		}
		h, _, _, err := p.r.head(p.ctx, machine)
		if err != nil && !errors.Is(err, ErrNone) && !errors.Is(err, ErrFormat) && !errors.Is(err, ErrDamaged) && !errors.Is(err, ErrOther) {
			return nil, err
		}
		for _, pack := range h.Packs {
			for _, piece := range pack.Pieces {
				all[piece.Name] = true
			}
		}
	}
	return all, nil
}

// drop removes the pieces that no version of this machine's log names any more. Those that
// another machine's log names stay until a later push.
func (p *pushing) drop() error {
	named, err := p.others()
	if err != nil {
		return err
	}
	var errs []error
	var left []string
	for _, name := range p.known.Left {
		if named[name] {
			left = append(left, name)
		} else if err := p.r.Place.Remove(p.ctx, packFolder+name); err != nil {
			errs, left = append(errs, err), append(left, name)
		}
	}
	if p.known.Left == nil {
		return nil
	}
	p.known.Left = left
	return errors.Join(append(errs, p.r.save(pushedFile, p.known))...)
}

// Behind returns how many commits of the histories this machine's log lacks, as far as is
// known here. It asks nobody.
func (r *Remote) Behind(heads map[string]uint64) (uint64, error) {
	var known pushed
	err := r.load(pushedFile, &known)
	n := uint64(0)
	for scope, seq := range heads {
		last, _ := at(known.Head.Packs, scope)
		n += seq - min(seq, last.Seq)
	}
	return n, err
}
