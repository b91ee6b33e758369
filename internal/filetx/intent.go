// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package filetx

import (
	"errors"
	"fmt"
	"io/fs"
	"math"

	"github.com/fovea-memory/fovea/ast"
	"github.com/fovea-memory/fovea/internal/corpus"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/merkle"
)

// Versions of the intent record, see doc/format/journal.md.
const (
	intentFormat = 0
	intentMore   = 1 // with several commits, or with marks
	intentMerge  = 2 // of a commit with a second parent
	intentGroup  = 3 // with several commits that change any places of several files
)

// Intent announces an operation before it touches the first file. It holds everything that
// recovery needs to complete the operation or roll it back.
type Intent struct {
	Commit graph.Commit // Kind, Author, Session, Op, Time, Message; Parents: the merged head
	files  []plan
	trees  []treePlan // memory-backed documents that change in the same step
	steps  []Step     // several commits; nil for a single commit
	Marks  [][]byte   // written with the commit
}

// Step is one commit of several: by Length each adds to the end of one file, by Splices each
// changes any places of several.
type Step struct {
	Commit  graph.Commit // the same fields as in intent
	Length  int          // the size of the file after it, in bytes
	Splices []Splice     // ordered by file
}

// treePlan is the new tree of a memory-backed document; nil removes the document.
type treePlan struct {
	path string
	tree *ast.Tree
}

// plan is one file of an operation. A zero digest means no file. base equals next if memory
// adopts the bytes on disk, or, with torn, if it takes bytes that no file here holds.
type plan struct {
	path       string
	base, next merkle.Digest
	mode       fs.FileMode // before the operation; 0 if there was no file. Without a file: 1 if it is not parsed
	old        *string     // the bytes of base; nil if the state before the operation holds them
	torn       *string     // the bytes of next if the file is written in place, or if there is none, else nil
}

// opaqueMode is the mode of a fileless plan whose document is not parsed.
const opaqueMode = 1

// fileless reports whether memory takes or drops the document and leaves the file alone.
func (p *plan) fileless() bool { return p.torn != nil && p.base == p.next }

// touched reports whether the operation writes or removes the file.
func (p *plan) touched() bool { return p.base != p.next }

// paths lists exactly the files that match memory after the operation.
func (in *Intent) paths() []string {
	var out []string
	for i := range in.files {
		if !in.files[i].fileless() {
			out = append(out, in.files[i].path)
		}
	}
	return out
}

// encode passes the blocks of long texts to emit, then the canonical encoding to record.
func (in *Intent) encode(emit func(merkle.Digest, []byte) error, record func([]byte)) error {
	c := &in.Commit
	format, fields := in.format()
	b := merkle.AppendUint(merkle.AppendList(nil, fields), format)
	b = graph.AppendAuthor(merkle.AppendText(b, c.Kind), c.Author)
	for _, text := range []string{c.Session, c.Op, c.Message} {
		b = merkle.AppendText(b, text)
	}
	b = merkle.AppendInt(b, c.Time)
	b = merkle.AppendList(b, len(in.files))
	for i := range in.files {
		var err error
		if b, err = in.files[i].append(b, emit); err != nil {
			return fmt.Errorf("intent: %s: %w", in.files[i].path, err)
		}
	}
	if fields > 8 {
		b = merkle.AppendList(b, len(in.trees))
	}
	for _, t := range in.trees {
		var err error
		if b, err = t.append(b, emit); err != nil {
			return fmt.Errorf("intent: %s: %w", t.path, err)
		}
	}
	if format != intentFormat {
		var err error
		if b, err = in.appendMore(b, emit); err != nil {
			return fmt.Errorf("intent: %w", err)
		}
	}
	if format == intentMerge {
		b = merkle.AppendLink(b, c.Parents[0])
	}
	record(b)
	return nil
}

// format returns the version that can represent the intent, and its number of fields.
func (in *Intent) format() (version uint64, fields int) {
	switch {
	case len(in.Commit.Parents) > 0:
		return intentMerge, 12
	case len(in.steps) > 0 && in.steps[0].Splices != nil:
		return intentGroup, 11
	case len(in.steps)+len(in.Marks) > 0:
		return intentMore, 11
	case len(in.trees) > 0:
		return intentFormat, 9
	}
	return intentFormat, 8
}

func (in *Intent) appendMore(b []byte, emit func(merkle.Digest, []byte) error) ([]byte, error) {
	b = merkle.AppendList(b, len(in.steps))
	for _, s := range in.steps {
		b = graph.AppendAuthor(merkle.AppendList(b, 6), s.Commit.Author)
		for _, text := range []string{s.Commit.Session, s.Commit.Op, s.Commit.Message} {
			b = merkle.AppendText(b, text)
		}
		b = merkle.AppendInt(b, s.Commit.Time)
		if s.Splices == nil {
			b = merkle.AppendUint(b, uint64(s.Length))
			continue
		}
		var err error
		if b, err = appendSplices(b, s.Splices, emit); err != nil {
			return nil, err
		}
	}
	b = merkle.AppendList(b, len(in.Marks))
	for _, mark := range in.Marks {
		b = merkle.AppendBytes(b, string(mark))
	}
	return b, nil
}

func (t *treePlan) append(b []byte, emit func(merkle.Digest, []byte) error) ([]byte, error) {
	b = merkle.AppendBytes(merkle.AppendList(b, 2), t.path)
	if t.tree == nil {
		return merkle.AppendNull(b), nil
	}
	return merkle.AppendContent(b, string(t.tree.JSON()), emit)
}

func (p *plan) append(b []byte, emit func(merkle.Digest, []byte) error) ([]byte, error) {
	b = merkle.AppendList(b, 6)
	b = merkle.AppendBytes(b, p.path)
	b = merkle.AppendLink(b, p.base)
	b = merkle.AppendLink(b, p.next)
	b = merkle.AppendUint(b, uint64(p.mode.Perm()))
	for _, text := range []*string{p.old, p.torn} {
		if text == nil {
			b = merkle.AppendNull(b)
			continue
		}
		var err error
		if b, err = merkle.AppendContent(b, *text, emit); err != nil {
			return nil, err
		}
	}
	return b, nil
}

// ErrIntent is returned for an intent whose format this version does not know. Its files are
// left alone and read like any others.
var ErrIntent = errors.New("an unfinished operation of a later version")

// errMode is returned for a mode with bits other than the permissions.
var errMode = errors.New("mode out of range")

// errTrees is returned for trees that are not in their canonical encoding.
var errTrees = errors.New("trees in another encoding than theirs")

// DecodeIntent reads a record; load fetches the blocks of long texts.
func DecodeIntent(data []byte, load graph.Loader) (*Intent, error) {
	r := merkle.NewReader(data)
	n := r.List()
	f := r.Uint()
	if r.Err() == nil && !(f == intentFormat && (n == 8 || n == 9) || (f == intentMore || f == intentGroup) && n == 11 || f == intentMerge && n == 12) {
		return nil, ErrIntent
	}
	in := &Intent{}
	c := &in.Commit
	c.Kind = r.Text()
	var err error
	if c.Author, err = graph.ReadAuthor(r); err != nil {
		return nil, ErrIntent
	}
	for _, text := range []*string{&c.Session, &c.Op, &c.Message} {
		*text = r.Text()
	}
	c.Time = r.Int()
	for range r.List() {
		f, err := readPlan(r, load)
		if err != nil {
			return nil, fmt.Errorf("intent: %w", err)
		}
		in.files = append(in.files, f)
	}
	if n > 8 {
		for range r.List() {
			t, err := readTreePlan(r, load)
			if err != nil {
				return nil, fmt.Errorf("intent: %w", err)
			}
			in.trees = append(in.trees, t)
		}
		if n == 9 && len(in.trees) == 0 && r.Err() == nil {
			return nil, fmt.Errorf("intent: %w", errTrees)
		}
	}
	if f != intentFormat {
		if err := in.readMore(r, f, load); err != nil {
			return nil, fmt.Errorf("intent: %w", err)
		}
	}
	if f == intentMerge {
		c.Parents = []merkle.Digest{r.Link()}
	}
	if err := r.Done(); err != nil {
		return nil, fmt.Errorf("intent: %w", err)
	}
	return in, nil
}

// errSteps is returned for steps that are out of order or not of the files of the intent.
var errSteps = errors.New("steps out of order")

// readMore reads the steps and the marks. Only the intent of a merge may have neither.
func (in *Intent) readMore(r *merkle.Reader, format uint64, load graph.Loader) error {
	before := 0
	for range r.List() {
		s, err := in.readStep(r, format, load)
		if err != nil {
			return err
		}
		if s.Length < before {
			return errSteps
		}
		in.steps, before = append(in.steps, s), s.Length
	}
	for range r.List() {
		if in.Marks = append(in.Marks, []byte(r.Bytes())); r.Err() != nil {
			return r.Err()
		}
	}
	steps := len(in.steps)
	switch {
	case r.Err() != nil:
		return r.Err()
	case format == intentGroup && steps < 2, format == intentMore && steps+len(in.Marks) == 0, format != intentGroup && steps > 0 && len(in.files) != 1:
		return errSteps
	}
	return nil
}

// readStep reads a step.
func (in *Intent) readStep(r *merkle.Reader, format uint64, load graph.Loader) (s Step, err error) {
	r.FixedList(6)
	s.Commit.Kind = in.Commit.Kind
	if s.Commit.Author, err = graph.ReadAuthor(r); err != nil {
		return s, err
	}
	for _, text := range []*string{&s.Commit.Session, &s.Commit.Op, &s.Commit.Message} {
		*text = r.Text()
	}
	s.Commit.Time = r.Int()
	if format == intentGroup {
		s.Splices, err = readSplices(r, len(in.files), load)
		return s, err
	}
	length := r.Uint()
	if r.Err() == nil && length > math.MaxInt32 {
		err = errSteps
	}
	s.Length = int(length)
	return s, errors.Join(err, r.Err())
}

func readTreePlan(r *merkle.Reader, load graph.Loader) (treePlan, error) {
	r.FixedList(2)
	t := treePlan{path: string(r.Bytes())}
	if r.Peek() == merkle.KindNull {
		r.Null()
		return t, r.Err()
	}
	text, err := merkle.ReadContent(r, load)
	if err == nil {
		t.tree, err = ast.DecodeTree([]byte(text))
	}
	if err == nil && string(t.tree.JSON()) != text {
		err = errTrees
	}
	return t, errors.Join(err, r.Err())
}

func readPlan(r *merkle.Reader, load graph.Loader) (plan, error) {
	r.FixedList(6)
	f := plan{path: string(r.Bytes())}
	f.base, f.next = r.Link(), r.Link()
	mode := r.Uint()
	f.mode = fs.FileMode(mode & 0o777)
	if r.Err() == nil && mode > 0o777 {
		return f, errMode
	}
	for _, text := range []**string{&f.old, &f.torn} {
		if r.Peek() == merkle.KindNull {
			r.Null()
			continue
		}
		s, err := merkle.ReadContent(r, load)
		if err != nil {
			return f, err
		}
		*text = &s
	}
	return f, r.Err()
}

// before returns the contents of the file before the operation; head is the state before it.
func (p *plan) before(head *graph.State) corpus.Next {
	if p.base.IsZero() {
		return corpus.Next{Gone: true}
	}
	text, _ := head.Text(p.path)
	if p.old != nil {
		text = *p.old
	}
	return corpus.Next{Text: text, Mode: p.mode, Setup: true}
}
