// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package disk

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/fovea-memory/fovea/internal/store"
	"github.com/fovea-memory/fovea/internal/vfs"
)

// harm is what befalls a name of the state folder while its store is open.
type harm struct {
	name string
	do   func(path string) error
	// keeps says that what the name leads to is the same as before.
	keeps bool
}

// harms are done to each name that the next opening needs.
var harms = []harm{
	{"removed", os.RemoveAll, false},
	{"renamed", func(path string) error { return os.Rename(path, path+".old") }, false},
	{"renamed and put back", func(path string) error {
		return errors.Join(os.Rename(path, path+".old"), os.Rename(path+".old", path))
	}, true},
	{"replaced by a copy", func(path string) error {
		return errors.Join(copyTree(path, path+".copy"), os.Rename(path, path+".old"), os.Rename(path+".copy", path))
	}, false},
	{"removed and replaced by a copy", func(path string) error {
		return errors.Join(copyTree(path, path+".copy"), os.RemoveAll(path), os.Rename(path+".copy", path))
	}, false},
	{"replaced by a link to it", func(path string) error {
		return errors.Join(os.Rename(path, path+".old"), os.Symlink(filepath.Base(path)+".old", path))
	}, false},
	{"replaced by an empty folder", func(path string) error {
		return errors.Join(os.RemoveAll(path), os.Mkdir(path, 0o700))
	}, false},
	{"replaced by an empty file", func(path string) error {
		return errors.Join(os.RemoveAll(path), os.WriteFile(path, nil, 0o600))
	}, false},
}

// copyTree copies a file or a folder.
func copyTree(from, to string) error {
	info, err := os.Stat(from)
	if err != nil {
		return err
	}
	if info.IsDir() {
		return os.CopyFS(to, os.DirFS(from))
	}
	b, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, b, info.Mode().Perm())
}

// groundNames are what each store of standing has.
var groundNames = []string{
	".", "journal", "image", "packs", "LOCK", "FORMAT", "head", "journal/newest", "journal/oldest", "image/newest", "packs/manifest", "packs/first",
}

// standing is a store with everything a store can have, in a folder of its own.
func standing(t *testing.T) (s *Store, path string, names map[string]string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "state")
	in, err := OpenFolder(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { in.Close() })
	lock, err := vfs.TryLock(in, store.LockFile, vfs.Holder{PID: os.Getpid()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { lock.Unlock() })
	s = mustOpen(t, in, small(0))
	var d diary
	for i := range 24 {
		if d.append(t, s); i%8 == 7 {
			d.image(t, s)
		}
	}
	mustPack(t, s)
	mustClose(t, s)
	s = mustOpen(t, in, small(0))
	d.append(t, s)
	segments, err := listSegments(in)
	if err != nil || len(segments) < 2 || len(s.files.packs.packs) == 0 {
		t.Fatalf("%d segments, %d packs: %v", len(segments), len(s.files.packs.packs), err)
	}
	images, err := listImages(in)
	if err != nil || len(images) == 0 {
		t.Fatalf("%d images: %v", len(images), err)
	}
	names = map[string]string{
		"journal/newest": segmentName(segments[len(segments)-1]), "journal/oldest": segmentName(segments[0]),
		"image/newest": store.ImageName(images[0]), "packs/first": s.files.packs.packs[0].info.name(),
	}
	return s, path, names
}

// TestNothingIsAcknowledgedIntoAFileThatIsGone: whatever becomes of a folder or file that
// the next opening needs, the next write is refused, unless the name still leads to what
// the store wrote. Where it does, what was acknowledged is there at the next opening.
func TestNothingIsAcknowledgedIntoAFileThatIsGone(t *testing.T) {
	for _, name := range groundNames {
		for _, h := range harms {
			t.Run(name+" "+h.name, func(t *testing.T) {
				s, path, names := standing(t)
				if err := s.InPlace(); err != nil {
					t.Fatalf("before: %v", err)
				}
				real := name
				if n, ok := names[name]; ok {
					real = n
				}
				if err := h.do(filepath.Join(path, real)); err != nil {
					t.Fatal(err)
				}
				// A folder keeps its files when a link leads to where it was moved.
				keeps := h.keeps || name == "." && h.name == "replaced by a link to it"
				if err := s.InPlace(); (err == nil) != keeps || err != nil && !errors.Is(err, store.ErrReplaced) {
					t.Errorf("stands: %v", err)
				}
				var b store.Batch
				b.Add(store.Block, []byte("after"))
				_, err := s.Append(t.Context(), &b)
				switch {
				case keeps && err != nil:
					t.Errorf("a write is refused: %v", err)
				case !keeps && !(errors.Is(err, store.ErrReplaced) && errors.Is(err, store.ErrReadOnly)):
					t.Errorf("a write ends with %v", err)
				}
				err = s.Close()
				if !keeps {
					return
				}
				if err != nil {
					t.Fatal(err)
				}
				in, err := OpenFolder(path)
				if err != nil {
					t.Fatal(err)
				}
				defer in.Close()
				s = mustOpen(t, in, small(0))
				defer s.Close()
				if _, err := s.Block(merkleOf("after")); err != nil {
					t.Errorf("what was acknowledged is gone: %v", err)
				}
			})
		}
	}
}

// TestEmptyFolderReplacedByAFile: a file may get the inode of the folder whose name it
// takes, and the next opening needs the folder.
func TestEmptyFolderReplacedByAFile(t *testing.T) {
	for _, name := range []string{store.ImageFolder, store.PackFolder} {
		path := filepath.Join(t.TempDir(), "state")
		in, err := OpenFolder(path)
		if err != nil {
			t.Fatal(err)
		}
		defer in.Close()
		s := mustOpen(t, in, small(0))
		defer s.Close()
		if err := errors.Join(os.Remove(filepath.Join(path, name)), os.WriteFile(filepath.Join(path, name), nil, 0o600)); err != nil {
			t.Fatal(err)
		}
		var b store.Batch
		b.Add(store.Block, []byte("after"))
		if _, err := s.Append(t.Context(), &b); !errors.Is(err, store.ErrReplaced) {
			t.Errorf("%s: a write ends with %v", name, err)
		}
	}
}

// TestAnotherProcessHasTheLock: without its lock a store writes nothing at all, so that
// the process that has it now loses nothing.
func TestAnotherProcessHasTheLock(t *testing.T) {
	s, path, names := standing(t)
	if err := os.Remove(filepath.Join(path, store.LockFile)); err != nil {
		t.Fatal(err)
	}
	in, err := OpenFolder(path)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	lock, err := vfs.TryLock(in, store.LockFile, vfs.Holder{PID: os.Getpid()})
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Unlock()
	before, err := os.ReadFile(filepath.Join(path, names["journal/newest"]))
	if err != nil {
		t.Fatal(err)
	}
	var b store.Batch
	b.Add(store.Block, []byte("after"))
	if _, err := s.Append(t.Context(), &b); !errors.Is(err, store.ErrReplaced) {
		t.Errorf("a write ends with %v", err)
	}
	_ = s.Close()
	after, err := os.ReadFile(filepath.Join(path, names["journal/newest"]))
	if err != nil || string(after) != string(before) {
		t.Errorf("the journal changed: %d bytes, then %d, %v", len(before), len(after), err)
	}
}

// TestOwnChangesStand: what the store itself makes, replaces and removes is no reason to
// refuse a write, at any of its moments.
func TestOwnChangesStand(t *testing.T) {
	s, path, _ := standing(t)
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			select {
			case <-stop:
				return
			default:
				if err := s.InPlace(); err != nil {
					t.Error(err)
					return
				}
			}
		}
	}()
	var d diary
	for range 20 {
		d.append(t, s)
		d.image(t, s)
		mustPack(t, s)
	}
	close(stop)
	<-stopped
	mustClose(t, s)
	if err := s.InPlace(); !errors.Is(err, store.ErrClosed) {
		t.Errorf("closed: %v", err)
	}
	if _, err := os.Stat(filepath.Join(path, store.HeadFile)); err != nil {
		t.Error(err)
	}
}

// BenchmarkStands is what a write pays for being sure that it counts.
func BenchmarkStands(b *testing.B) {
	in := benchFolder(b)
	s, _, err := Open(in, nil)
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	var batch store.Batch
	batch.Add(store.Block, []byte("block"))
	if _, err := s.Append(b.Context(), &batch); err != nil {
		b.Fatal(err)
	}
	for end := time.Now().Add(2 * settleTime); time.Now().Before(end); { // the folders come to rest
	}
	for b.Loop() {
		if err := s.InPlace(); err != nil {
			b.Fatal(err)
		}
	}
}

// TestCutJournal: a journal that was cut in its place takes no write: one behind the old
// end would make it as long as it was, and be lost with what is missing before it.
func TestCutJournal(t *testing.T) {
	for _, keep := range []int64{0, 1, headerSize} {
		s, path, names := standing(t)
		for range 2 {
			if err := appendOne(t, s); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.Truncate(filepath.Join(path, names["journal/newest"]), keep); err != nil {
			t.Fatal(err)
		}
		if err := s.InPlace(); !errors.Is(err, store.ErrReplaced) {
			t.Errorf("cut to %d bytes: stands: %v", keep, err)
		}
		for range 2 {
			if err := appendOne(t, s); !errors.Is(err, store.ErrReplaced) {
				t.Errorf("cut to %d bytes: a write ends with %v", keep, err)
			}
		}
	}
}

// appendOne writes a batch of one block.
func appendOne(t *testing.T, s *Store) error {
	t.Helper()
	var b store.Batch
	b.Add(store.Block, []byte("one"))
	_, err := s.Append(t.Context(), &b)
	return err
}

// TestJournalOverwrittenInPlace: a journal that an older copy of itself, as long as it is
// now, or zeros were written over takes no write, the first after opening neither: what
// went behind the old end would be lost with what is missing before it.
func TestJournalOverwrittenInPlace(t *testing.T) {
	for _, reopened := range []bool{false, true} {
		for _, name := range []string{"older copy", "zeros", "cut and grown", "another end"} {
			t.Run(fmt.Sprintf("%s, reopened %v", name, reopened), func(t *testing.T) {
				s, path, names := standing(t)
				newest := filepath.Join(path, names["journal/newest"])
				if err := appendOne(t, s); err != nil {
					t.Fatal(err)
				}
				old, err := os.ReadFile(newest)
				if err != nil {
					t.Fatal(err)
				}
				if err := appendOne(t, s); err != nil {
					t.Fatal(err)
				}
				end := s.End().Offset
				if reopened {
					mustClose(t, s)
					in, err := OpenFolder(path)
					if err != nil {
						t.Fatal(err)
					}
					defer in.Close()
					s = mustOpen(t, in, small(0))
					defer s.Close()
				}
				switch name {
				case "zeros":
					old = make([]byte, len(old))
				case "cut and grown":
					old = append(old[:end/2:end/2], make([]byte, int64(len(old))-end/2)...)
				case "another end":
					old[end-1] ^= 1
				}
				f, err := os.OpenFile(newest, os.O_WRONLY, 0)
				if err != nil {
					t.Fatal(err)
				}
				_, err = f.WriteAt(old, 0)
				if err := errors.Join(err, f.Close()); err != nil {
					t.Fatal(err)
				}
				if err := appendOne(t, s); !errors.Is(err, store.ErrReadOnly) {
					t.Errorf("a write ends with %v", err)
				}
				if after, err := os.ReadFile(newest); err != nil || !bytes.Equal(after, old) {
					t.Errorf("the refused write changed the journal: %v", err)
				}
			})
		}
	}
}
