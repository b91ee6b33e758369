// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package fovea

import (
	"errors"
	"fmt"
	"io/fs"
	"math"

	"github.com/fovea-memory/fovea/internal/corpus"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/internal/store"
	"github.com/fovea-memory/fovea/merkle"
	"github.com/fovea-memory/fovea/node"
)

// The versions of the intents of doc/format/journal.md.
const (
	intentFormat = 0
	intentMore   = 1 // with several commits, or with marks
	intentMerge  = 2 // whose commit has a second parent
)

// intent announces an operation that changes files, before the first of them
// is touched: what it needs to be ended or taken back after a crash.
type intent struct {
	commit graph.Commit // Kind, Author, Session, Op, Time and Message; Parents is what a merge takes in; the rest is empty
	files  []plan
	trees  []treePlan // memory-backed documents that change in the same step
	steps  []planned  // of one file, where several commits lead to its text; else nil
	marks  [][]byte   // that go with the commit
}

// planned is one commit of an operation that makes several: the file's text ends there.
type planned struct {
	commit graph.Commit // as that of the intent
	length int
}

// treePlan is what a memory-backed document is to be; nil for one that goes.
type treePlan struct {
	path string
	tree *node.Tree
}

// plan is one file of an operation. A zero digest is that of no file. Base and
// next are equal where memory follows what the file already holds.
type plan struct {
	path       string
	base, next merkle.Digest
	mode       fs.FileMode // of the file as it was; 0 for none
	old        *string     // the bytes of base, nil where the state before has them
	torn       *string     // the bytes of next where the file is written in place
}

// touched reports whether the operation writes or removes the file.
func (p *plan) touched() bool { return p.base != p.next }

// paths lists the files: those, and no others, are in step with memory after it.
func (in *intent) paths() []string {
	var out []string
	for i := range in.files {
		out = append(out, in.files[i].path)
	}
	return out
}

// add appends the record, behind the blocks of long texts, to a batch.
func (in *intent) add(to *store.Batch) error {
	block := func(_ merkle.Digest, block []byte) error {
		to.Add(store.Block, block)
		return nil
	}
	return in.encode(block, func(b []byte) { to.Add(store.Intent, b) })
}

// encode gives record the canonical encoding, and emit the blocks of long texts.
func (in *intent) encode(emit func(merkle.Digest, []byte) error, record func([]byte)) error {
	c := &in.commit
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
		b = in.appendMore(b)
	}
	if format == intentMerge {
		b = merkle.AppendLink(b, c.Parents[0])
	}
	record(b)
	return nil
}

// format returns the version that can say what the intent holds, and how many parts
// it has then.
func (in *intent) format() (version uint64, fields int) {
	switch {
	case len(in.commit.Parents) > 0:
		return intentMerge, 12
	case len(in.steps)+len(in.marks) > 0:
		return intentMore, 11
	case len(in.trees) > 0:
		return intentFormat, 9
	}
	return intentFormat, 8
}

func (in *intent) appendMore(b []byte) []byte {
	b = merkle.AppendList(b, len(in.steps))
	for _, s := range in.steps {
		b = graph.AppendAuthor(merkle.AppendList(b, 6), s.commit.Author)
		for _, text := range []string{s.commit.Session, s.commit.Op, s.commit.Message} {
			b = merkle.AppendText(b, text)
		}
		b = merkle.AppendInt(b, s.commit.Time)
		b = merkle.AppendUint(b, uint64(s.length))
	}
	b = merkle.AppendList(b, len(in.marks))
	for _, mark := range in.marks {
		b = merkle.AppendBytes(b, string(mark))
	}
	return b
}

func (t *treePlan) append(b []byte, emit func(merkle.Digest, []byte) error) ([]byte, error) {
	b = merkle.AppendBytes(merkle.AppendList(b, 2), t.path)
	if t.tree == nil {
		return merkle.AppendNull(b), nil
	}
	return merkle.AppendContent(b, string(t.tree.JSON()), emit)
}

// follow notes what becomes of the memory-backed documents of a delta.
func (in *intent) follow(state *graph.State, delta *graph.Delta) {
	for _, path := range delta.Paths {
		if node.IsMemory(path) {
			in.trees = append(in.trees, treePlan{path, node.TreeOf(state.Nodes(path))})
		}
	}
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

// errIntent is returned for an intent of a format that this version does not
// know. Its files are left as they are, and read like any others.
var errIntent = errors.New("an unfinished operation of a later version")

// errMode is returned for an intent whose mode is more than permission bits.
var errMode = errors.New("mode out of range")

// errTrees is returned for trees that are not in the one encoding of them.
var errTrees = errors.New("trees in another encoding than theirs")

// decodeIntent reads a record; load fetches the blocks of long texts.
func decodeIntent(data []byte, load graph.Loader) (*intent, error) {
	r := merkle.NewReader(data)
	n := r.List()
	f := r.Uint()
	if r.Err() == nil && !(f == intentFormat && (n == 8 || n == 9) || f == intentMore && n == 11 || f == intentMerge && n == 12) {
		return nil, errIntent
	}
	in := &intent{}
	c := &in.commit
	c.Kind = r.Text()
	var err error
	if c.Author, err = graph.ReadAuthor(r); err != nil {
		return nil, errIntent
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
		if err := in.readMore(r, f == intentMerge); err != nil {
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

// errSteps is returned for steps that do not follow one another, or are not of one
// file.
var errSteps = errors.New("steps out of order")

// readMore reads the commits that lead to the text of the file, and the marks; there
// may be none of either in the intent of a merge.
func (in *intent) readMore(r *merkle.Reader, merge bool) error {
	before := 0
	for range r.List() {
		r.FixedList(6)
		s := planned{commit: graph.Commit{Kind: in.commit.Kind}}
		var err error
		if s.commit.Author, err = graph.ReadAuthor(r); err != nil {
			return err
		}
		for _, text := range []*string{&s.commit.Session, &s.commit.Op, &s.commit.Message} {
			*text = r.Text()
		}
		s.commit.Time = r.Int()
		length := r.Uint()
		if r.Err() != nil {
			return r.Err()
		}
		if length > math.MaxInt32 || int(length) < before {
			return errSteps
		}
		s.length = int(length)
		in.steps, before = append(in.steps, s), s.length
	}
	for range r.List() {
		if in.marks = append(in.marks, []byte(r.Bytes())); r.Err() != nil {
			return r.Err()
		}
	}
	none := len(in.steps)+len(in.marks) == 0
	if none && !merge || len(in.steps) > 0 && len(in.files) != 1 {
		return errSteps
	}
	return r.Err()
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
		t.tree, err = node.DecodeTree([]byte(text))
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

// before returns what the file held; head is the state before the operation.
func (p *plan) before(head *graph.State) corpus.Next {
	if p.base.IsZero() {
		return corpus.Next{Gone: true}
	}
	text, _ := head.Text(p.path)
	if p.old != nil {
		text = *p.old
	}
	return corpus.Next{Text: text, Mode: p.mode}
}
