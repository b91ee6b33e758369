// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package disk

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"

	"github.com/fovea-memory/fovea/internal/store"
	"github.com/fovea-memory/fovea/internal/vfs"
	"github.com/fovea-memory/fovea/merkle"
)

// Rebuild implements store.Salvage: it writes one pack and an empty segment after it. Damaged files are copied
// to quarantine before the manifest is replaced, and removed after that.
func (s *Salvage) Rebuild(ctx context.Context, to store.Rebuilt) error {
	return doing(s.rebuild(ctx, to), "rebuild history")
}

func (s *Salvage) rebuild(ctx context.Context, to store.Rebuilt) error {
	if err := makeFolders(s.in); err != nil {
		return err
	}
	for _, name := range slices.Concat(s.damaged, to.Aside) {
		if err := s.copyAside(name); err != nil {
			return err
		}
	}
	pack, err := s.writePack(ctx, to)
	if err == nil {
		err = s.writeSegment(pack, to.Rand)
	}
	if err != nil {
		return err
	}
	// Files that contradict the new history are removed before it takes effect.
	for _, name := range to.Aside {
		if err := vfs.RemoveIfThere(s.in, name); err != nil {
			return err
		}
	}
	if err := s.in.SyncDir(store.ImageFolder); err != nil {
		return err
	}
	if err := s.mendFormat(to.Memex); err != nil {
		return err
	}
	m := manifest{Generation: pack.Generation, Packs: []fileInfo{pack}}
	if err := vfs.WriteAtomic(s.in, manifestFile, m.encode(), filePerm); err != nil {
		return err
	}
	return s.removeOld(pack)
}

// copyAside copies a file to quarantine under a free name. A missing file is skipped; what is not a regular
// file has no history and is moved.
func (s *Salvage) copyAside(name string) error {
	text, err := s.in.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if errors.Is(err, vfs.ErrNotRegular) {
		s.files = slices.DeleteFunc(s.files, func(f fileInfo) bool { return f.name() == name })
		return moveAside(s.in, name)
	}
	if err != nil {
		return err
	}
	for i := 0; ; i++ {
		to := asideName(name, i)
		there, err := s.in.ReadFile(to)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return vfs.WriteAtomic(s.in, to, text, filePerm)
		case err != nil:
			return err
		case string(there) == string(text):
			return nil // an interrupted repair has done it
		}
	}
}

// moveAside moves a file, if there is one, to quarantine, which exists.
func moveAside(in vfs.FS, name string) error {
	for i := 0; ; i++ {
		to := asideName(name, i)
		if _, err := in.Lstat(to); err == nil {
			continue
		} else if !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		err := in.Rename(name, to)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return errors.Join(err, in.SyncDir(path.Dir(name)), in.SyncDir(store.Quarantine))
	}
}

// asideName returns the name in quarantine to try after a number of others were taken.
func asideName(name string, tried int) string {
	to := path.Join(store.Quarantine, path.Base(name))
	if tried > 0 {
		to += fmt.Sprintf(".%d", tried)
	}
	return to
}

// writePack writes the pack of all that stays.
func (s *Salvage) writePack(ctx context.Context, to store.Rebuilt) (fileInfo, error) {
	all := fileInfo{First: 1, Generation: s.made + 1, Last: s.segment + 1, Batch: 1}
	return writePack(s.in, all, to.Rand, func(out *packWriter) (uint64, error) {
		for d, by := range s.gone {
			_ = out.drop(d, by) // it never fails
		}
		for _, d := range to.Lost {
			_ = out.drop(d, to.By)
		}
		if err := s.Read(ctx, func(r store.Record) error { return keepIn(out, r, to.Keep(r)) }); err != nil {
			return 0, err
		}
		for i, r := range to.Add {
			r.Batch, r.Pos = s.batch+1, store.Pos{Segment: all.Last, Offset: headerSize + int64(i)}
			if err := keepIn(out, r, r.Kind); err != nil {
				return 0, err
			}
		}
		return s.batch + 2, nil
	})
}

// keepIn adds a record under a kind, unless that is 0, and each block once.
func keepIn(out *packWriter, r store.Record, kind store.Kind) error {
	if kind == 0 {
		return nil
	}
	r.Kind = kind
	d := merkle.Sum(r.Data)
	if kind == store.Block && out.has(d) {
		return nil
	}
	return out.add(r, d)
}

// writeSegment makes the empty segment after the pack.
func (s *Salvage) writeSegment(pack fileInfo, random io.Reader) error {
	seg, first, err := newSegment(pack.Last+1, pack.Next, random)
	if err != nil {
		return err
	}
	return vfs.WriteAtomic(s.in, seg.layout.name, first, filePerm)
}

// mendFormat writes FORMAT again if it cannot be read.
func (s *Salvage) mendFormat(memex string) error {
	_, err := readFormat(s.in)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, store.ErrCorrupt) {
		return writeFormat(s.in, memex)
	}
	return err
}

// removeOld removes what the new pack replaced. The next opening removes what an error leaves.
func (s *Salvage) removeOld(pack fileInfo) error {
	if err := vfs.RemoveIfThere(s.in, store.HeadFile); err != nil {
		return err
	}
	for _, f := range s.files {
		if err := vfs.RemoveIfThere(s.in, f.name()); err != nil {
			return err
		}
	}
	names, err := listPacks(s.in)
	for _, name := range names {
		if err == nil && name != pack.name() {
			err = vfs.RemoveIfThere(s.in, name)
		}
	}
	return errors.Join(err, s.in.SyncDir(store.JournalFolder), s.in.SyncDir(store.PackFolder), s.in.SyncDir("."))
}
