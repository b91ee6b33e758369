// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package foreign

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"unicode/utf8"
)

// Kind is the program that keeps the notes.
type Kind string

// The kinds that Read knows.
const (
	Claude      Kind = "claude"       // the memory folder of Claude Code
	BasicMemory Kind = "basic-memory" // a project of basic-memory
	OKF         Kind = "okf"          // a folder in the Open Knowledge Format
	Markdown    Kind = "markdown"     // any folder of Markdown files
	JSONLines   Kind = "jsonl"        // a file of JSON objects, one a line
)

// endings are the extensions of Markdown files.
var endings = []string{".md", ".markdown"}

// kinds lists the kinds that Read knows.
var kinds = []Kind{Claude, BasicMemory, OKF, Markdown, JSONLines}

// Limits of a source.
const (
	maxFiles = 10_000    // files of a folder
	maxLines = 100_000   // lines of a file
	maxFile  = 4 << 20   // bytes of a file of a folder, or of a line
	maxBytes = 256 << 20 // bytes in total
)

// Errors of Read.
var (
	// ErrKind is returned for a kind that Read does not know.
	ErrKind = errors.New("no such kind; it is claude, basic-memory, okf, markdown or jsonl")
	// ErrNothing is returned if there is no note.
	ErrNothing = errors.New("there are no notes")
	// ErrNoFile is returned if the source of JSON lines is a folder, a pipe or a device.
	ErrNoFile = errors.New("it is no file; name a file of JSON lines")
	// ErrTooMuch is returned above maxFiles, maxLines or maxBytes.
	ErrTooMuch = fmt.Errorf("more than %d files, %d lines or %d MiB; import parts of it", maxFiles, maxLines, maxBytes>>20)
)

// Document is one note as an Org document.
type Document struct {
	Source string // path of the file, or number of the line, that it comes from
	Path   string // proposed path, ends with .org
	ID     string // the same for the same kind, label and source
	Digest string // of the source, to detect changes
	// Entry means that it is a headline, in one file with the others of its Path.
	Entry bool
	Title string
	Tags  []string
	// Words are sequences of TODO words that a file declares.
	Words []string
	// Properties are keys in upper case with their values, one line each.
	Properties [][2]string
	// Body is Org text: the text before the first headline, then headlines.
	Body string
}

// Source is where the notes of another program are.
type Source struct {
	Kind Kind
	// Label tells several sources of one kind apart, and is part of the ids.
	Label string
	// In is the folder. Hidden files are skipped; files that are not Markdown, and links, are
	// counted as problems.
	In fs.FS
	// File is the file in it that JSONLines reads.
	File string
}

// Read reads the notes of a source, in the order of their paths or lines. Each problem is one line
// about a part that cannot be converted. Errors: ErrKind, ErrNothing, ErrTooMuch, ErrNoFile, those
// of s.In and of the context.
func Read(ctx context.Context, s Source) (docs []Document, problems []string, err error) {
	r := &reader{ctx: ctx, Source: s, problems: []string{}, changed: map[string]bool{}}
	switch {
	case !slices.Contains(kinds, s.Kind):
		return nil, nil, fmt.Errorf("%q: %w", s.Kind, ErrKind)
	case s.Kind == JSONLines:
		err = r.lines()
	default:
		err = r.folder()
	}
	if err == nil && len(r.docs) == 0 && len(r.problems) == 0 {
		err = ErrNothing
	}
	return r.docs, r.problems, err
}

// reader reads the notes of one source.
type reader struct {
	Source
	ctx      context.Context // of the one call of Read
	bytes    int
	docs     []Document
	problems []string
	changed  map[string]bool // tags whose change was reported
}

func (r *reader) problem(source, format string, a ...any) {
	r.problems = append(r.problems, source+": "+fmt.Sprintf(format, a...))
}

// folder reads the Markdown files of a folder: first all names, then the texts, so that links between
// the files can be resolved.
func (r *reader) folder() error {
	var all []*note
	var links, others []string
	err := fs.WalkDir(r.In, ".", func(name string, d fs.DirEntry, err error) error {
		switch hidden := name != "." && strings.HasPrefix(path.Base(name), "."); {
		case r.ctx.Err() != nil:
			return r.ctx.Err()
		case err != nil && (name == "." || d == nil):
			return err
		case hidden && d.IsDir():
			return fs.SkipDir
		case hidden:
			return nil
		case err != nil:
			r.problem(name, "%v, left out", reason(err))
			return fs.SkipDir
		case d.IsDir():
			return nil
		case d.Type()&fs.ModeSymlink != 0:
			links = append(links, name)
			return nil
		case !d.Type().IsRegular() || !slices.Contains(endings, strings.ToLower(path.Ext(name))):
			others = append(others, name)
			return nil
		}
		text, err := r.file(name)
		if err != nil || text == nil {
			return err
		}
		if len(all) == maxFiles {
			return ErrTooMuch
		}
		all = append(all, r.markdown(name, text))
		return nil
	})
	if err != nil {
		return err
	}
	names := newNames(all)
	for _, m := range all {
		if err := r.ctx.Err(); err != nil {
			return err
		}
		m.finish(names)
		r.docs = append(r.docs, m.Document)
	}
	if len(r.docs) > 0 {
		r.passedOver(links, "a symbolic link")
		r.passedOver(others, "not a Markdown file")
	}
	return nil
}

// passedOver reports skipped files by the first of them and their number.
func (r *reader) passedOver(files []string, what string) {
	if len(files) > 0 {
		r.problem(files[0], "%s, left out; of this kind: %d", what, len(files))
	}
}

// reason returns an error without its path, which is printed before it.
func reason(err error) error {
	if failed, ok := errors.AsType[*fs.PathError](err); ok {
		err = failed.Err
	}
	if errors.Is(err, fs.ErrInvalid) {
		return errors.New("its name is not UTF-8, or cannot be a path")
	}
	return err
}

// file returns the text of a file, nil for one that is skipped.
func (r *reader) file(name string) ([]byte, error) {
	info, err := fs.Stat(r.In, name)
	if err == nil && info.Size() > maxFile {
		r.problem(name, "larger than %d MiB, left out", maxFile>>20)
		return nil, nil
	}
	var text []byte
	if err == nil {
		text, err = fs.ReadFile(r.In, name)
	}
	if err != nil { // the other files are still read
		r.problem(name, "%v, left out", reason(err))
		return nil, nil
	}
	if r.bytes += len(text); r.bytes > maxBytes {
		return nil, ErrTooMuch
	}
	if !utf8.Valid(text) {
		r.problem(name, "not UTF-8 text, left out")
		return nil, nil
	}
	return text, nil
}
