// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package corpus

import (
	"context"
	"errors"
	"path/filepath"
	"time"
)

// Limits of a folder outside the memex.
const (
	MaxAnnexFiles = 1000
	maxAnnexFile  = 1 << 20  // bytes
	maxAnnexBytes = 16 << 20 // of all files together
)

// AnnexPrefix begins the paths of files in a folder outside the memex, to distinguish them
// from paths of the memex.
const AnnexPrefix = "$SKILLS_DIR/"

// Annex is a folder outside the memex that is only read, such as a folder of skills that several
// programs share. It is opened for each use, and links are followed only inside it. It does not
// include hidden and ignored files, or files of the memex if the memex is inside the folder. It
// is immutable.
type Annex struct {
	dir   string // absolute
	memex string // the folder that is left out, without links; "" if it is not in dir
	lists func(path string) bool
}

// AnnexFile is a file of an Annex, or the error of reading it. Path is relative to the folder.
type AnnexFile struct {
	Path, Text string
	Err        error
}

// Errors of an Annex.
var (
	ErrManyAnnexed = errors.New("more files than Fovea reads from outside the memex")
	ErrLargeAnnex  = errors.New("the files before it reach the size limit for files outside the memex")
)

// NewAnnex returns the folder dir, which is absolute or relative to the memex; lists
// selects the files that Files returns.
func NewAnnex(dir, memex string, lists func(path string) bool) *Annex {
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(memex, dir)
	}
	o := &Annex{dir: filepath.Clean(dir), lists: lists}
	real, err := filepath.EvalSymlinks(o.dir)
	if err == nil {
		memex, err = filepath.EvalSymlinks(memex)
	}
	if rel, relErr := filepath.Rel(real, memex); err == nil && relErr == nil && filepath.IsLocal(rel) {
		o.memex = memex
	}
	return o
}

// Dir is the absolute path of the folder.
func (o *Annex) Dir() string { return o.dir }

// Below converts an absolute path inside the folder to a relative one; false for any other path.
func (o *Annex) Below(path string) (string, bool) {
	rel, err := filepath.Rel(o.dir, path)
	ok := err == nil && rel != "." && filepath.IsLocal(rel) && filepath.IsAbs(path)
	return filepath.ToSlash(rel), ok
}

// Files reads the listed files, by path: at most MaxAnnexFiles of at most 1 MiB, together at
// most 16 MiB. Errors: those of Open and Scan. O(files in the folder, bytes of those read).
func (o *Annex) Files(ctx context.Context) ([]AnnexFile, error) {
	root, err := o.open()
	if err != nil {
		return nil, err
	}
	defer root.Close()
	s, err := root.Scan(ctx, nil, time.Time{})
	if err != nil {
		return nil, err
	}
	var out []AnnexFile
	left := maxAnnexBytes
	for _, f := range s.Files {
		if f.Opaque || o.isMemex(f.Path) {
			continue
		}
		file := AnnexFile{Path: f.Path}
		switch {
		case len(out) == MaxAnnexFiles:
			return append(out, AnnexFile{Path: f.Path, Err: ErrManyAnnexed}), nil
		case f.Size > int64(left):
			file.Err = ErrLargeAnnex
		default:
			file.Text, _, file.Err = root.Read(f.Path, maxAnnexFile)
			left -= len(file.Text)
		}
		out = append(out, file)
	}
	return out, nil
}

// Read returns the text of a file. Errors: those of Open, Peek and Root.Read.
func (o *Annex) Read(name string) (string, error) {
	root, err := o.open()
	if err != nil {
		return "", err
	}
	defer root.Close()
	if o.isMemex(name) {
		return "", ErrOutside
	}
	if _, _, err := Peek(root, name); err != nil {
		return "", err
	}
	text, _, err := root.Read(name, maxAnnexFile)
	return text, err
}

func (o *Annex) open() (*Root, error) { return Open(o.dir, &Options{Parses: o.lists}) }

// isMemex reports whether a file of the folder belongs to the memex.
func (o *Annex) isMemex(name string) bool {
	if o.memex == "" {
		return false
	}
	real, err := filepath.EvalSymlinks(filepath.Join(o.dir, filepath.FromSlash(name)))
	if err != nil {
		return false // there is nothing to read
	}
	rel, err := filepath.Rel(o.memex, real)
	return err == nil && filepath.IsLocal(rel)
}
