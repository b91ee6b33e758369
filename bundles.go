// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package fovea

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/fovea-memory/fovea/internal/place"
	"github.com/fovea-memory/fovea/internal/scope"
	"github.com/fovea-memory/fovea/internal/vfs"
)

// Histories returns the histories of the memex and its projects, for bundles and remotes.
// Sessions stay on their machine.
func (m *Memory) Histories() place.Histories {
	top := m.memex.top
	return place.Histories{State: top.scope.FS, Take: func(ctx context.Context) ([]place.Source, func(), error) { return sourcesOf(ctx, top) }}
}

// sourcesOf returns the present histories that have commits. The stores stay in place until
// release is called.
func sourcesOf(ctx context.Context, m *Memory) (sources []place.Source, release func(), err error) {
	var held []func()
	release = func() {
		for _, free := range held {
			free()
		}
	}
	names, err := m.Scopes()
	for _, name := range append([]string{scope.Memex}, names...) {
		if err != nil || strings.HasPrefix(name, scope.Session+"/") {
			continue
		}
		var in *Memory
		if in, err = m.Scope(ctx, name); err != nil {
			break
		}
		held = append(held, in.scope.Chain.Reading())
		var s place.Source
		if s, err = sourceOf(in); err == nil && s.Seq > 0 {
			sources = append(sources, s)
		}
	}
	if err != nil {
		release()
		return nil, nil, err
	}
	return sources, release, nil
}

func sourceOf(m *Memory) (place.Source, error) {
	tx := m.scope.Chain.Begin()
	defer tx.End()
	newest := m.scope.Chain.Head()
	head := newest.Commit
	s, err := place.TakeSource(m.scope.Name, m.scope.Chain.Store(), head.Seq, head.Digest, head.Root)
	s.Signer, s.State = m.scope.Options.PublicKey, newest.State
	return s, fail("bundle", m.scope.StateDir, openKind(err), err)
}

// VerifyBundle verifies each block of a bundle, that none is missing, and, if the bundle has all
// history, that each commit leads to the state that it names. It reads into a temporary folder,
// which it removes. Errors: Corrupt, wrapping those of place.ReadBundle; Other.
func VerifyBundle(ctx context.Context, r io.Reader, opts *Options) (p place.Proof, err error) {
	dir, err := os.MkdirTemp("", "fovea-verify-")
	if err != nil {
		return p, fail("verify", "bundle", Other, err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	in, err := vfs.Dir(dir)
	if err != nil {
		return p, fail("verify", "bundle", Other, err)
	}
	defer in.Close()
	p.Header, err = place.ReadWhole(ctx, in, r)
	p.Loaded = err == nil
	for i := 0; err == nil && i < len(p.Scopes); i++ {
		if p.Scopes[i].SinceSeq > 0 {
			p.Loaded = false
			continue
		}
		err = loadBundle(&p, in, p.Scopes[i].Name, withDefaults(opts))
	}
	kind := KindOf(err)
	if _, path := errors.AsType[*fs.PathError](err); !path && kind == Other {
		kind = Corrupt
	}
	return p, fail("verify", "bundle", kind, err)
}

// loadBundle replays the history of a scope.
func loadBundle(p *place.Proof, in vfs.FS, name string, opts Options) error {
	s := &scope.Scope{Options: opts, Name: name}
	if name != scope.Memex {
		s.Parent = &scope.Scope{Options: opts, Name: scope.Memex}
	}
	loaded, err := openCopy(s, in, "bundle")
	if err != nil {
		return err
	}
	if name == scope.Memex {
		p.Signed = loaded.Head().Signed
	}
	return loaded.Store().Close()
}
