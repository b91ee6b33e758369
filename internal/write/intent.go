// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package write

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/fovea-memory/fovea/ast"
	"github.com/fovea-memory/fovea/internal/corpus"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/merkle"
)

// intentFormat is the version of the intent record, see doc/format/journal.md. Earlier ones are
// read, see codeEarlier.
const intentFormat = 4

// Intent announces an operation before it touches the first file. It holds everything that
// recovery needs to complete the operation or roll it back.
type Intent struct {
	files []plan
	steps []Step // its commits, at least one; if several, each has its changes as splices

	lengths []int // of the only file after each step; formatGrown has them instead of splices
}

// treePlan is the new tree of a memory-backed document; nil removes the document.
type treePlan struct {
	path string
	tree *ast.Tree
}

// plan is one file of an operation. A zero digest means no file. base equals next if memory
// adopts the bytes on disk or, if torn is set, adopts bytes that no file of this machine holds.
type plan struct {
	path       string
	base, next merkle.Digest
	mode       fs.FileMode // before the operation; 0 if there was no file. Without a file: 1 if it is not parsed
	old        *string     // the bytes of base; nil if the state before the operation holds them
	torn       *string     // the bytes of next if the file is written in place, or if there is none, else nil
}

// opaqueMode is the mode of a fileless plan whose document is not parsed.
const opaqueMode = 1

// fileless reports whether memory adopts or drops the document without changing the file.
func (p *plan) fileless() bool { return p.torn != nil && p.base == p.next }

// touched reports whether the operation writes or removes the file.
func (p *plan) touched() bool { return p.base != p.next }

// paths lists the files that match memory after the operation.
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
	c := &merkle.Codec{Emit: emit}
	c.Fixed(3)
	c.Fields(intentFormat, in.code)
	if err := c.Done(); err != nil {
		return fmt.Errorf("intent: %w", err)
	}
	record(c.Out)
	return nil
}

// ErrIntent is returned for an intent in an unknown, later format. Its files are left alone and
// read like any others.
var ErrIntent = errors.New("an unfinished operation of a later version")

// DecodeIntent reads a record; load fetches the blocks of long texts.
func DecodeIntent(data []byte, load graph.Loader) (*Intent, error) {
	in, c, format := &Intent{}, &merkle.Codec{In: merkle.NewReader(data), Load: load}, uint64(0)
	fields := c.Size(0)
	c.Fields(&format)
	switch {
	case c.Fail(nil):
		return nil, fmt.Errorf("intent: %w", c.Err)
	case format > intentFormat || format == intentFormat && fields != 3:
		return nil, ErrIntent
	}
	if format < intentFormat {
		in.codeEarlier(c, fields, format)
	} else {
		in.code(c)
	}
	err := c.Done()
	if err == nil && !in.isOrdered() {
		err = errSteps
	}
	switch {
	case errors.Is(err, ErrIntent):
		return nil, ErrIntent
	case err != nil:
		return nil, fmt.Errorf("intent: %w", err)
	}
	return in, nil
}

// errSteps is returned for steps that are out of order or not of the files of the intent.
var errSteps = errors.New("steps out of order")

// isOrdered reports whether there is a step, and each step changes each file at most once, in order.
// One of several steps must change something by splices or trees.
func (in *Intent) isOrdered() bool {
	several := len(in.steps) > 1
	for _, s := range in.steps {
		if several && in.lengths == nil && len(s.Splices)+len(s.trees) == 0 || !several && len(s.Splices) > 0 {
			return false
		}
		last := -1
		for _, p := range s.Splices {
			if p.File <= last || p.File >= len(in.files) {
				return false
			}
			last = p.File
		}
	}
	return len(in.steps) > 0
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
