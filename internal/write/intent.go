// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package write

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/fovea-memory/fovea/ast"
	"github.com/fovea-memory/fovea/internal/corpus"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/merkle"
)

// intentFormat is the version of the intent record, see doc/format/journal.md.
const intentFormat = 4

// Intent announces an operation before it touches the first file. It holds everything that
// recovery needs to complete the operation or roll it back.
type Intent struct {
	files []plan
	steps []Step // its commits, at least one; of several, each says by splices what it changes
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
	b := merkle.AppendUint(merkle.AppendList(nil, 3), intentFormat)
	b = merkle.AppendList(b, len(in.files))
	var err error
	for i := range in.files {
		if b, err = in.files[i].append(b, emit); err != nil {
			return fmt.Errorf("intent: %s: %w", in.files[i].path, err)
		}
	}
	b = merkle.AppendList(b, len(in.steps))
	for i := range in.steps {
		if b, err = in.steps[i].append(b, emit); err != nil {
			return fmt.Errorf("intent: %w", err)
		}
	}
	record(b)
	return nil
}

func (s *Step) append(b []byte, emit func(merkle.Digest, []byte) error) (_ []byte, err error) {
	c := &s.Commit
	b = graph.AppendAuthor(merkle.AppendText(merkle.AppendList(b, 10), c.Kind), c.Author)
	for _, text := range []string{c.Session, c.Op, c.Message} {
		b = merkle.AppendText(b, text)
	}
	b = merkle.AppendList(merkle.AppendInt(b, c.Time), len(c.Parents))
	for _, parent := range c.Parents {
		b = merkle.AppendLink(b, parent)
	}
	if b, err = appendSplices(b, s.Splices, emit); err != nil {
		return nil, err
	}
	b = merkle.AppendList(b, len(s.trees))
	for _, t := range s.trees {
		if b, err = t.append(b, emit); err != nil {
			return nil, fmt.Errorf("%s: %w", t.path, err)
		}
	}
	b = merkle.AppendList(b, len(s.Marks))
	for _, mark := range s.Marks {
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
	b, err := appendText(b, p.old, emit)
	if err == nil {
		b, err = appendText(b, p.torn, emit)
	}
	return b, err
}

func appendText(b []byte, text *string, emit func(merkle.Digest, []byte) error) ([]byte, error) {
	if text == nil {
		return merkle.AppendNull(b), nil
	}
	return merkle.AppendContent(b, *text, emit)
}

// ErrIntent is returned for an intent whose format this version does not know. Its files are
// left alone and read like any others.
var ErrIntent = errors.New("an unfinished operation of a later version")

// ErrEarlier is returned for an intent of a build before intentFormat. What it announced may have
// left a file half written, so that nothing may go on before it is ended.
var ErrEarlier = errors.New("an operation on files was cut short under an earlier build of Fovea, which alone can end it; open the memory once with that build")

// errMode is returned for a mode with bits other than the permissions.
var errMode = errors.New("mode out of range")

// errTrees is returned for trees that are not in their canonical encoding.
var errTrees = errors.New("trees in another encoding than theirs")

// DecodeIntent reads a record; load fetches the blocks of long texts.
func DecodeIntent(data []byte, load graph.Loader) (*Intent, error) {
	r := merkle.NewReader(data)
	fields, format := r.List(), r.Uint()
	in := &Intent{}
	err := r.Err()
	switch {
	case err != nil:
	case format < intentFormat:
		return nil, ErrEarlier
	case format > intentFormat || fields != 3:
		return nil, ErrIntent
	default:
		err = in.read(r, load)
	}
	if err == nil {
		err = r.Done()
	}
	if errors.Is(err, ErrIntent) {
		return nil, ErrIntent
	}
	if err != nil {
		return nil, fmt.Errorf("intent: %w", err)
	}
	return in, nil
}

// errSteps is returned for steps that are out of order or not of the files of the intent.
var errSteps = errors.New("steps out of order")

// read reads what follows the format.
func (in *Intent) read(r *merkle.Reader, load graph.Loader) (err error) {
	in.files, err = readList(r, func() (plan, error) { return readPlan(r, load) })
	if err == nil {
		in.steps, err = readList(r, func() (Step, error) { return readStep(r, len(in.files), load) })
	}
	n := len(in.steps)
	if err == nil && (n == 0 || slices.ContainsFunc(in.steps, func(s Step) bool {
		return n > 1 && len(s.Splices)+len(s.trees) == 0 || n == 1 && len(s.Splices) > 0
	})) {
		err = errSteps
	}
	return err
}

// readList reads a list by its elements, until one fails.
func readList[T any](r *merkle.Reader, read func() (T, error)) (list []T, err error) {
	for range r.List() {
		element, err := read()
		if err = cmp.Or(err, r.Err()); err != nil {
			return nil, err
		}
		list = append(list, element)
	}
	return list, r.Err()
}

// readStep reads a step of an intent with a number of files.
func readStep(r *merkle.Reader, files int, load graph.Loader) (s Step, err error) {
	r.FixedList(10)
	c := &s.Commit
	c.Kind = r.Text()
	if c.Author, err = graph.ReadAuthor(r); err != nil {
		return s, ErrIntent
	}
	for _, text := range []*string{&c.Session, &c.Op, &c.Message} {
		*text = r.Text()
	}
	c.Time = r.Int()
	c.Parents, err = readList(r, func() (merkle.Digest, error) { return r.Link(), nil })
	if err == nil {
		s.Splices, err = readSplices(r, files, load)
	}
	if err == nil {
		s.trees, err = readList(r, func() (treePlan, error) { return readTreePlan(r, load) })
	}
	if err == nil {
		s.Marks, err = readList(r, func() ([]byte, error) { return []byte(r.Bytes()), nil })
	}
	return s, err
}

func readTreePlan(r *merkle.Reader, load graph.Loader) (treePlan, error) {
	r.FixedList(2)
	t := treePlan{path: string(r.Bytes())}
	text, err := readText(r, load)
	if err != nil || text == nil {
		return t, err
	}
	if t.tree, err = ast.DecodeTree([]byte(*text)); err == nil && string(t.tree.JSON()) != *text {
		err = errTrees
	}
	return t, err
}

func readPlan(r *merkle.Reader, load graph.Loader) (f plan, err error) {
	r.FixedList(6)
	f.path = string(r.Bytes())
	f.base, f.next = r.Link(), r.Link()
	mode := r.Uint()
	f.mode = fs.FileMode(mode & 0o777)
	if r.Err() == nil && mode > 0o777 {
		return f, errMode
	}
	if f.old, err = readText(r, load); err == nil {
		f.torn, err = readText(r, load)
	}
	return f, err
}

// readText reads a text, nil for null.
func readText(r *merkle.Reader, load graph.Loader) (*string, error) {
	if r.Peek() == merkle.KindNull {
		r.Null()
		return nil, r.Err()
	}
	text, err := merkle.ReadContent(r, load)
	return &text, err
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
