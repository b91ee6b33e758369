// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package minds

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/corpus"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/internal/outline"
	"github.com/fovea-memory/fovea/internal/view"
	"github.com/fovea-memory/fovea/working"
)

// maxChunk is the maximum size of a chunk in bytes, about a thousand tokens, unless a line is longer.
const maxChunk = 4 << 10

// HasLines reports whether a name is PATH:FIRST-LAST, and a block of the agent names the file PATH.
func (bs *Blocks) HasLines(agent, name string) bool {
	b := working.Block{Type: working.File}.About(name)
	return b.StartLine > 0 && slices.Contains(bs.paths(agent), b.Location)
}

// paths returns the files that the blocks of an agent name, sorted.
func (bs *Blocks) paths(agent string) (paths []string) {
	for _, b := range bs.Of(agent) {
		if b.HasFile() && b.Leaves(bs.scope.Options.Now()) == "" {
			paths = append(paths, b.Path())
		}
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

// Chunks returns a view of the chunks of the files that the blocks of an agent name. Each chunk is a document
// named PATH:FIRST-LAST, whose title lists what it defines. The errors are those of files that cannot be read.
func (bs *Blocks) Chunks(ctx context.Context, v *view.View, agent string) (*view.View, []error) {
	var errs []error
	format := chunkFormat{titles: map[string]string{}}
	draft := graph.Empty(document.Formats{format}).Edit(0)
	for _, path := range bs.paths(agent) {
		b := &working.Block{Type: working.File, ID: path, Location: path}
		text, err := bs.files.Content(ctx, v, b)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		language := outline.Language(b.Location, []byte(text[:min(len(text), 256)]))
		defined := outline.Definitions(language, []byte(text))
		for _, c := range wholeLines(outline.Chunks(language, []byte(text), maxChunk)) {
			var names []string
			for ; len(defined) > 0 && defined[0].Line <= c.EndLine; defined = defined[1:] {
				names = append(names, defined[0].Name)
			}
			b.StartLine, b.EndLine = c.FirstLine, c.EndLine
			format.titles[b.Title()] = strings.Join(names, ", ")
			draft.Put(b.Title(), document.File(text[c.Start:c.End], false))
		}
	}
	state, _ := draft.Seal()
	return view.New(state, v.Head(), ""), errs
}

// chunkFormat reads a chunk as text, with a title.
type chunkFormat struct {
	document.Opaque
	titles map[string]string // by the name of the chunk
}

func (f chunkFormat) Outline(name string, stored []document.Part, files document.Files) *document.Outline {
	o := f.Opaque.Outline(name, stored, files)
	o.Parts[0].Derived.Title = f.titles[name]
	return o
}

// wholeLines joins chunks that are parts of one line.
func wholeLines(pieces []outline.Chunk) (whole []outline.Chunk) {
	for _, p := range pieces {
		if n := len(whole) - 1; n >= 0 && whole[n].EndLine == p.FirstLine {
			p.Start, p.FirstLine, whole = whole[n].Start, whole[n].FirstLine, whole[:n]
		}
		whole = append(whole, p)
	}
	return whole
}

// Written returns when a file was last written.
func (f *Files) Written(path string) time.Time {
	file, _, _ := corpus.Peek(f.scope.Root, path) // it was read just now
	return time.Unix(0, file.MTime).UTC()
}
