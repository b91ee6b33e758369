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

	"github.com/fovea-memory/fovea/internal/record"
	"github.com/fovea-memory/fovea/internal/store"
	"github.com/fovea-memory/fovea/internal/vfs"
	"github.com/fovea-memory/fovea/merkle"
)

// Rebuilt describes the history that Rebuild makes.
type Rebuilt struct {
	// Memex is written into FORMAT if that is damaged or missing.
	Memex string
	// Keep returns the kind that a salvaged record has from now on, 0 to leave it
	// out. It must let through as commits none but a chain.
	Keep func(store.Record) store.Kind
	// Add are the records behind those that were salvaged, one batch.
	Add []store.Record
	// Lost are the blocks that are nowhere; Block answers a Purged for them, which
	// names By, the number of the commit that says so.
	Lost []merkle.Digest
	By   uint64
	// Aside are files to put into quarantine besides those that are damaged, such
	// as the image of a commit that is lost.
	Aside []string
	// Rand gives the salts. Needed.
	Rand io.Reader
}

// Rebuild makes a whole history of what Read has found: one pack, and an empty
// segment behind it. No Store is open meanwhile. Files that are damaged are first
// copied to quarantine, then the manifest is replaced, and only then do they go:
// after a crash the folder has the old history or the new one, and opens. On an
// error the old history is there, unless only the removal failed. O(history).
func (s *Salvage) Rebuild(ctx context.Context, to Rebuilt) error {
	if err := s.rebuild(ctx, to); err != nil {
		return fmt.Errorf("rebuild history: %w", err)
	}
	return nil
}

func (s *Salvage) rebuild(ctx context.Context, to Rebuilt) error {
	if err := makeFolders(s.in); err != nil {
		return err
	}
	for _, name := range slices.Concat(s.damaged, to.Aside) {
		if err := s.copyAside(name); err != nil {
			return err
		}
	}
	info, err := s.writePack(ctx, to)
	if err == nil {
		err = s.writeSegment(info, to.Rand)
	}
	if err != nil {
		return err
	}
	// What contradicts the new history goes before it comes.
	for _, name := range to.Aside {
		if err := vfs.RemoveIfThere(s.in, name); err != nil {
			return err
		}
	}
	if err := s.in.SyncDir(imageFolder); err != nil {
		return err
	}
	if err := s.mendFormat(to.Memex); err != nil {
		return err
	}
	m := record.Manifest{Generation: info.Generation, Packs: []record.Info{info}}
	if err := vfs.WriteAtomic(s.in, record.ManifestFile, m.Encode(), filePerm); err != nil {
		return err
	}
	return s.removeOld(info)
}

// putAside is Store.PutAside.
func (s *Salvage) putAside() error {
	err := s.in.MkdirAll(quarantineFolder, folderPerm)
	for _, name := range s.damaged {
		if err == nil {
			err = s.copyAside(name)
		}
	}
	for _, name := range s.damaged {
		if err == nil {
			err = vfs.RemoveIfThere(s.in, name)
		}
	}
	if err == nil {
		err = s.in.SyncDir(imageFolder)
	}
	if err != nil {
		return fmt.Errorf("put damaged files aside: %w", err)
	}
	return nil
}

// copyAside copies a file to quarantine under a name that is free there. A file
// that is missing has nothing to keep; what is no regular file holds no history, and is
// moved there.
func (s *Salvage) copyAside(name string) error {
	text, err := s.in.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if errors.Is(err, vfs.ErrNotRegular) {
		return s.moveAside(name)
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
			return nil // a repair that was cut short has done it
		}
	}
}

// moveAside moves what has the name of a file to quarantine.
func (s *Salvage) moveAside(name string) error {
	for i := 0; ; i++ {
		to := asideName(name, i)
		if _, err := s.in.Lstat(to); errors.Is(err, fs.ErrNotExist) {
			s.files = slices.DeleteFunc(s.files, func(f salvageFile) bool { return f.name == name })
			return errors.Join(s.in.Rename(name, to), s.in.SyncDir(path.Dir(name)), s.in.SyncDir(quarantineFolder))
		} else if err != nil {
			return err
		}
	}
}

// asideName returns the name in quarantine to try after a number of others were taken.
func asideName(name string, tried int) string {
	to := path.Join(quarantineFolder, path.Base(name))
	if tried > 0 {
		to += fmt.Sprintf(".%d", tried)
	}
	return to
}

// writePack writes the pack of all that stays.
func (s *Salvage) writePack(ctx context.Context, to Rebuilt) (record.Info, error) {
	info := record.Info{First: 1, Generation: s.made + 1, Last: s.segment + 1, Batch: 1}
	return record.WritePack(s.in, filePerm, info, to.Rand, func(out *record.PackWriter) (uint64, error) {
		for d, by := range s.gone {
			out.Drop(d, by)
		}
		for _, d := range to.Lost {
			out.Drop(d, to.By)
		}
		if err := s.Read(ctx, func(r store.Record) error { return keepIn(out, r, to.Keep(r)) }); err != nil {
			return 0, err
		}
		for i, r := range to.Add {
			r.Batch, r.Pos = s.batch+1, store.Pos{Segment: info.Last, Offset: record.HeaderSize + int64(i)}
			if err := keepIn(out, r, r.Kind); err != nil {
				return 0, err
			}
		}
		return s.batch + 2, nil
	})
}

// keepIn adds a record as one of a kind, 0 for none, and each block once.
func keepIn(out *record.PackWriter, r store.Record, kind store.Kind) error {
	if kind == 0 {
		return nil
	}
	r.Kind = kind
	d := merkle.Sum(r.Data)
	if kind == store.Block && out.Has(d) {
		return nil
	}
	return out.Add(r, d)
}

// writeSegment makes the empty segment behind the pack.
func (s *Salvage) writeSegment(info record.Info, random io.Reader) error {
	seg, first, err := record.NewSegment(info.Last+1, info.Next, random)
	if err != nil {
		return err
	}
	return vfs.WriteAtomic(s.in, record.SegmentName(seg.Number), first, filePerm)
}

// mendFormat writes FORMAT anew if it cannot be read.
func (s *Salvage) mendFormat(memex string) error {
	text, err := s.in.ReadFile(FormatFile)
	if err == nil {
		_, err = parseFormat(text)
	}
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, store.ErrCorrupt) {
		return writeFormat(s.in, memex)
	}
	return err
}

// removeOld removes what the new pack has replaced. What stays after an error
// goes when a store is opened.
func (s *Salvage) removeOld(info record.Info) error {
	if err := vfs.RemoveIfThere(s.in, headFile); err != nil {
		return err
	}
	for _, f := range s.files {
		if err := vfs.RemoveIfThere(s.in, f.name); err != nil {
			return err
		}
	}
	names, err := record.ListPacks(s.in)
	for _, name := range names {
		if err == nil && name != info.Name() {
			err = vfs.RemoveIfThere(s.in, name)
		}
	}
	return errors.Join(err, s.in.SyncDir(record.JournalFolder), s.in.SyncDir(record.PackFolder), s.in.SyncDir("."))
}
