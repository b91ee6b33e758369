// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package corpus

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"

	"github.com/fovea-memory/fovea/internal/vfs"
	"github.com/fovea-memory/fovea/merkle"
)

// newFileMode is the mode of a new file, before the umask.
const newFileMode = 0o644

// Next is the intended state of a file.
type Next struct {
	Text string
	Gone bool        // remove the file
	Mode fs.FileMode // of a new file; 0 for newFileMode
	// Setup means that a document names the file as its setup file.
	Setup bool
}

// Digest returns the digest of the text, and the zero digest for a removal.
func (n Next) Digest() merkle.Digest {
	if n.Gone {
		return merkle.Digest{}
	}
	return merkle.SumText(n.Text)
}

// Write is a prepared change of one file of the memex. Stage makes it; Apply or Discard
// ends it. It must not be used concurrently.
//
// The file keeps its mode, owner and group. A link is followed to the file inside the
// root and remains a link. A file with several hard links, or with an owner that a new
// file could not get, is written in place, see InPlace. A replaced file loses its
// extended attributes and access control lists.
type Write struct {
	root       *Root
	path, real string // of the document, and without links
	authorize  func(Place) error
	base       merkle.Digest
	next       Next
	old        string      // current text of the file
	info       fs.FileInfo // nil if there is no file
	inPlace    bool
	staged     *vfs.Staged
	later      bool     // the folder is synced by ApplyAll
	created    []string // folders created for the file, outermost first
}

// Stage prepares a write without changing any file. It checks that the file has the
// digest base (the zero digest: that there is no file), that no editor has locked it and
// that it is writable, and writes the new text, synced, to a temporary file next to it.
// It creates missing folders for a new file. Errors: ErrChanged, ErrBusy,
// ErrReadOnlyFile, ErrNoSpace, ErrTooLarge (for Read), ErrVanished (the file or its
// folder), ErrLink, and those of Read. O(size).
//
// authorize, if not nil, returns an error if the caller may not change the target of the
// path. It is called before anything is created and again just before the file changes.
// Its error ends the write.
func (r *Root) Stage(name string, base merkle.Digest, next Next, authorize func(Place) error) (*Write, error) {
	w := &Write{root: r, path: name, base: base, next: next, authorize: authorize}
	if err := w.stage(); err != nil {
		return nil, fmt.Errorf("corpus: %s: %w", name, errors.Join(err, w.Discard()))
	}
	return w, nil
}

func (w *Write) stage() error {
	if len(w.next.Text) > DefaultLimit {
		return fmt.Errorf("%d bytes, limit %d: %w", len(w.next.Text), DefaultLimit, ErrTooLarge)
	}
	if err := w.locate(); err != nil {
		return err
	}
	old, info, err := w.root.dir.read(w.real, DefaultLimit)
	var have merkle.Digest
	if err == nil {
		have = merkle.SumText(old)
	}
	if err := w.check(have, err); err != nil {
		return err
	}
	w.old, w.info = old, info
	if err := w.writable(); err != nil {
		return err
	}
	id, known := vfs.Identity{}, false
	if w.info != nil {
		id, known = vfs.IdentityOf(w.info)
	}
	switch w.inPlace = known && id.Links > 1; {
	case w.next.Gone, w.inPlace:
		return nil
	case w.info == nil:
		if err := w.makeFolder(); err != nil {
			return err
		}
	}
	perm := cmp.Or(w.next.Mode.Perm(), newFileMode)
	staged, err := vfs.Stage(w.root.dir.fs, w.real, perm, w.info, func(out io.Writer) error {
		_, err := io.WriteString(out, w.next.Text)
		return err
	})
	if errors.Is(err, vfs.ErrOwner) {
		w.inPlace = true
		return nil
	}
	w.staged = staged
	return writeError(err)
}

// locate resolves the path and checks that the caller may change the file.
func (w *Write) locate() error {
	if !fs.ValidPath(w.path) {
		return ErrOutside
	}
	if !isUsable(w.path) {
		return ErrName
	}
	real, info, err := w.root.dir.resolveNew(w.path)
	switch {
	case err != nil:
		return readError(err)
	case info != nil && !info.Mode().IsRegular():
		return ErrSpecial
	}
	switch verdict, err := Judge(w.root, w.path, w.next.Setup && HoldsSettings(w.next.Text), nil); {
	case errors.Is(err, ErrElsewhere): // a link that its owner made
	case err != nil:
		return readError(err)
	case verdict == NotHere:
		return ErrNotHere
	case verdict == Never:
		return ErrNever
	}
	w.real = real
	if w.next.Gone && info != nil {
		folder, _, err := w.root.dir.resolveNew(path.Dir(w.path))
		if err != nil || path.Join(folder, path.Base(w.path)) != real {
			return errors.Join(ErrLink, err)
		}
	}
	return w.checkAccess(info)
}

// resolveNew follows the links of a path as resolve does, but accepts a path whose file
// and folders do not exist yet; info is then nil.
func (d *folder) resolveNew(name string) (real string, info fs.FileInfo, err error) {
	real, info, err = d.resolve(name)
	if !errors.Is(err, ErrDangling) || name == "." {
		return real, info, err
	}
	folder, above, err := d.resolveNew(path.Dir(name))
	switch {
	case err != nil:
		return "", nil, err
	case above != nil && !above.IsDir():
		return "", nil, ErrNotFolder
	}
	real = path.Join(folder, path.Base(name))
	if _, err := d.fs.Lstat(real); !errors.Is(err, fs.ErrNotExist) {
		return "", nil, ErrDangling // a dangling link is not written through
	}
	return real, nil, nil
}

// check compares the digest of the file, or the error of reading it, with the base, and
// looks for an editor's lock.
func (w *Write) check(have merkle.Digest, err error) error {
	if lock, held := w.root.dir.editorLock(slices.Compact([]string{w.path, w.real})...); held {
		return &BusyError{lock}
	}
	switch {
	case err != nil && !errors.Is(err, ErrVanished):
		return err
	case err != nil && !w.base.IsZero():
		return ErrVanished
	case have != w.base:
		return &ChangedError{Base: w.base, Have: have}
	}
	return nil
}

// writable returns an error for a file that the user has made read-only, even if this
// process has the rights to override that.
func (w *Write) writable() error {
	const anyone = 0o222
	if w.info != nil && w.info.Mode()&anyone == 0 {
		return ErrReadOnlyFile
	}
	at := path.Dir(w.real)
	folder, err := w.root.dir.fs.Stat(at)
	for w.info == nil && errors.Is(err, fs.ErrNotExist) && at != "." {
		at = path.Dir(at) // the missing folders will be created there
		folder, err = w.root.dir.fs.Stat(at)
	}
	switch {
	case err != nil:
		return writeError(err)
	case folder.Mode()&anyone == 0:
		return ErrReadOnlyFile
	case w.info == nil:
		return nil
	}
	f, err := w.root.dir.fs.OpenFile(w.real, os.O_WRONLY, 0)
	if err != nil {
		return writeError(err)
	}
	return writeError(f.Close())
}

// makeFolder creates the missing folders of a new file durably.
func (w *Write) makeFolder() error {
	var missing []string
	at := path.Dir(w.real)
	for ; at != "."; at = path.Dir(at) {
		if _, err := w.root.dir.fs.Lstat(at); err == nil {
			break
		}
		missing = append(missing, at)
	}
	if len(missing) == 0 {
		return nil
	}
	slices.Reverse(missing)
	w.created = missing
	if err := w.root.dir.fs.MkdirAll(path.Dir(w.real), 0o755); err != nil {
		return writeError(err)
	}
	for _, folder := range missing {
		if err := w.root.dir.fs.SyncDir(path.Dir(folder)); err != nil {
			return writeError(err)
		}
	}
	return nil
}

// InPlace reports whether the file will be overwritten instead of replaced, because a
// rename would separate its hard links or change its owner. A crash during the
// overwrite can leave a mixture of old and new bytes, see Torn, so the caller must keep
// both texts until Apply returns.
func (w *Write) InPlace() bool { return w.inPlace }

// Old returns the current text and mode of the file; "" and 0 if there is no file.
func (w *Write) Old() (string, fs.FileMode) {
	if w.info == nil {
		return "", 0
	}
	return w.old, w.info.Mode().Perm()
}

// checkAccess checks that the caller may change the target of the path: w.real, which
// info describes.
func (w *Write) checkAccess(info fs.FileInfo) error {
	if w.authorize == nil {
		return nil
	}
	return w.authorize(newPlace(w.path, w.real, info))
}

// recheckPath returns an error if the path has another target than when the write was
// staged, or the caller may no longer change the target.
func (w *Write) recheckPath() error {
	real, info, err := w.root.dir.resolveNew(w.path)
	if err != nil {
		return readError(err)
	}
	if real != w.real {
		return fmt.Errorf("it led to %s and leads to %s now: %w", w.real, real, ErrChanged)
	}
	return w.checkAccess(info)
}

// Apply checks the file again and changes it durably: once it returns nil, the new bytes
// survive a crash. A crash during Apply leaves the old or the new bytes, except as
// described for InPlace. A save by an editor in the microseconds between the check and
// the rename is lost. After an error the file is unchanged, unless only the last sync
// failed. Errors: those of Stage.
func (w *Write) Apply() error {
	have, info, err := w.root.dir.fileDigest(w.real)
	if err = w.check(have, err); err == nil {
		err = w.recheckPath()
	}
	if err == nil {
		w.info = info
		err = writeError(w.execute())
	}
	if err == nil {
		return nil
	}
	return fmt.Errorf("corpus: %s: %w", w.path, errors.Join(err, w.Discard()))
}

// ApplyAll applies writes of one root in order, and makes them durable together: it syncs each folder
// once. After an error, applied is the number of writes before the failed one, or of all writes if a
// folder could not be synced. The others are not discarded. Errors: those of Apply.
func ApplyAll(writes []*Write) (applied int, err error) {
	folders := map[string]bool{}
	for i, w := range writes {
		w.later = true
		if err := w.Apply(); err != nil {
			return i, err
		}
		if !w.inPlace && (!w.next.Gone || w.info != nil) {
			folders[path.Dir(w.real)] = true
		}
	}
	for _, folder := range slices.Sorted(maps.Keys(folders)) {
		if err := writes[0].root.dir.fs.SyncDir(folder); err != nil {
			return len(writes), fmt.Errorf("corpus: %s: %w", folder, writeError(err))
		}
	}
	return len(writes), nil
}

func (w *Write) execute() error {
	staged := w.staged
	w.staged = nil
	if staged != nil && w.later {
		staged.SyncLater()
	}
	switch {
	case w.next.Gone && w.info == nil:
		return nil
	case w.next.Gone:
		if err := w.root.dir.fs.Remove(w.real); err != nil || w.later {
			return err
		}
		return w.root.dir.fs.SyncDir(path.Dir(w.real))
	case w.inPlace:
		return w.overwrite()
	}
	w.root.written.record(w.real, staged.Info()) // before the rename, whose event may arrive at once
	if w.info != nil {
		return staged.Replace()
	}
	err := staged.Create()
	if errors.Is(err, fs.ErrExist) {
		have, _, _ := w.root.dir.fileDigest(w.real)
		return &ChangedError{Have: have}
	}
	if err == nil {
		w.created = nil
	}
	return err
}

// Discard removes the files and folders that Stage created; after Apply it does nothing.
func (w *Write) Discard() error {
	var err error
	if w.staged != nil {
		err = w.staged.Discard()
		w.staged = nil
	}
	for _, folder := range slices.Backward(w.created) {
		_ = w.root.dir.fs.Remove(folder) // fails if the folder is in use
	}
	w.created = nil
	return err
}

// Sweep removes the temporary files that a process left in the folder of a file when it crashed. It lists
// a folder once, since that costs more than a write. The caller must not stage a write at the same time.
func (r *Root) Sweep(name string) error {
	real, _, err := r.dir.resolveNew(name)
	if err != nil {
		return nil // Stage returns the error
	}
	in := path.Dir(real)
	if _, done := r.dir.swept.Load(in); done {
		return nil
	}
	if err := vfs.RemoveTemps(r.dir.fs, in); err == nil {
		r.dir.swept.Store(in, nil)
	} else if !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("corpus: %s: %w", name, writeError(err))
	}
	return nil
}
