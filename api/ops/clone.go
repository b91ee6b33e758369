// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package ops

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/internal/fault"
	"github.com/fovea-memory/fovea/internal/ipfs"
	"github.com/fovea-memory/fovea/internal/place"
	"github.com/fovea-memory/fovea/internal/vfs"
	"github.com/fovea-memory/fovea/merkle"
)

// Origin is the name of the remote that a memory was cloned from.
const Origin = "origin"

// Source is the origin of a new memory.
type Source struct {
	Name  string // the absolute path of a bundle or of a folder, the address of a remote, or ipfs: and a CID
	Memex string // the folder of the new memory

	Passphrase func() (string, error) // of a sealed remote
	Seals      func() (api.Seals, error)
	Places     place.Openers
	IPFS       func() (address string, err error)
}

// Cloned is the result of a clone.
type Cloned struct {
	Signer string `json:"signer,omitempty"` // the public key of the other machine, as the source has it
	Others int    `json:"others"`           // machines other than the one whose log was read
	Unkept error  `json:"-"`                // why the source was not kept as a remote
}

// Clone fills the empty state folder of a new memory with the histories of the source, and verifies each block.
// After an error the folder may have a part of them. Errors: those of package ipfs, of place.ReadInto and of place.Remote.
func (s *Source) Clone(ctx context.Context, in vfs.FS) (done Cloned, err error) {
	if strings.HasPrefix(s.Name, IPFSPrefix) {
		return done, s.fromIPFS(ctx, in)
	}
	if info, err := os.Stat(s.Name); err == nil && info.Mode().IsRegular() {
		done.Signer, err = s.fromBundle(ctx, in)
		return done, err
	}
	if _, err := os.Stat(s.Name); filepath.IsAbs(s.Name) && err != nil {
		return done, fmt.Errorf("clone: there is no bundle and no remote at %s", s.Name)
	}
	p, err := place.Open(ctx, s.Name, s.Places)
	if err != nil {
		return done, fault.Wrap("clone", "", kindOf(err), err)
	}
	defer p.Close()
	return s.fromRemote(ctx, p, in)
}

func (s *Source) fromIPFS(ctx context.Context, in vfs.FS) error {
	address, err := s.IPFS()
	if err != nil {
		return err
	}
	c := ipfs.NewClient(address)
	defer c.Close()
	found, err := fetchCID(ctx, c, s.Seals, strings.TrimPrefix(s.Name, IPFSPrefix), in, s.Memex, false)
	if err == nil {
		err = ipfs.Record(in, found.CID)
	}
	return fault.Wrap("clone", s.Name, kindOfIPFS(err), err)
}

func (s *Source) fromBundle(ctx context.Context, in vfs.FS) (signer string, err error) {
	f, err := vfs.OpenPlain(s.Name, os.O_RDONLY, 0)
	if err != nil {
		return "", err
	}
	defer f.Close()
	r, err := Unsealed(f, s.Seals)
	if err != nil {
		return "", err
	}
	h, err := place.ReadInto(ctx, in, r, s.Memex)
	return h.Signer, err
}

func (s *Source) fromRemote(ctx context.Context, p place.Place, in vfs.FS) (done Cloned, err error) {
	m, err := place.ReadMarker(ctx, p)
	if errors.Is(err, place.ErrNone) {
		return done, errors.New("there is no memory; fovea remote add and fovea push put one there")
	}
	if err != nil {
		return done, err
	}
	r := &place.Remote{Place: p, Now: time.Now}
	if r.Memex, err = merkle.Parse(m.Memex); err != nil {
		return done, err
	}
	if m.Sealed {
		pass, err := s.Passphrase()
		if err != nil {
			return done, err
		}
		if r.Key, err = place.Unlock(ctx, p, pass); err != nil {
			return done, err
		}
		if seals, err := s.Seals(); err == nil {
			r.Own = append(r.Own, seals.Own)
		}
	}
	found, err := r.Clone(ctx, in, s.Memex)
	done.Signer, done.Others = found.Header.Signer, found.Others
	if err != nil {
		return done, err
	}
	if _, done.Unkept = place.Probe(ctx, p); done.Unkept != nil {
		return done, ctx.Err()
	}
	if _, err = Keep(in, Origin, s.Name, r.Key); err == nil {
		err = r.Pin(in, place.Folder+"/"+Origin+"/")
	}
	return done, err
}
