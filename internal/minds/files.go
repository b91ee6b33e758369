// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package minds

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/bound"
	"github.com/fovea-memory/fovea/internal/corpus"
	"github.com/fovea-memory/fovea/internal/fault"
	"github.com/fovea-memory/fovea/internal/guard"
	"github.com/fovea-memory/fovea/internal/meaning"
	"github.com/fovea-memory/fovea/internal/outline"
	"github.com/fovea-memory/fovea/internal/scope"
	"github.com/fovea-memory/fovea/internal/vfs"
	"github.com/fovea-memory/fovea/internal/view"
	"github.com/fovea-memory/fovea/merkle"
	"github.com/fovea-memory/fovea/node"
	"github.com/fovea-memory/fovea/window"
	"github.com/fovea-memory/fovea/working"
)

// Limits of reading files.
const (
	maxFile    = 8 << 20  // bytes of one file
	maxCached  = 64 << 20 // bytes of all files in the cache
	cachedFor  = 5 * time.Minute
	maxEntries = 4096
	maxReaders = 8 // files read in parallel

	maxOutlines = 64 // cached outlines
)

// Files reads the files that blocks name. It caches texts for five minutes, at most 64 MB, as long as the file
// on disk has the same size, times and inode. It is safe for concurrent use.
type Files struct {
	// Summaries summarizes texts that do not fit; nil for none. It is set before the first use.
	Summaries *meaning.Summaries
	// Present returns the present view of a scope without locked files. It is set before the
	// first use.
	Present func(ctx context.Context, scope string) (*view.View, error)

	scope  *scope.Scope // of the memex
	rights *scope.Rules

	mu    sync.Mutex
	cache bound.Map[string, cachedFile]
	bytes int // at least the size of the cached texts
	reads int // files read from disk so far

	outlines bound.Map[outlineKey, *outline.File]
}

type outlineKey struct {
	language string
	text     merkle.Digest
}

type cachedFile struct {
	file  corpus.File
	text  string
	until time.Time
}

// NewFiles returns the reader of files of a memex.
func NewFiles(s *scope.Scope, r *scope.Rules) *Files {
	f := &Files{scope: s, rights: r}
	f.cache.Size, f.outlines.Size = maxEntries, maxOutlines
	return f
}

// Reads returns the number of files read from disk so far.
func (f *Files) Reads() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.reads
}

// Content returns the content of a block: the text of its file in the view, else in the view of the scope that
// the file belongs to, else on disk, cut to its lines and without encrypted parts; for a block without a file
// its own text. Errors: Invalid (the path, the lines, or a file that is not text), NotFound (also if the
// caller may not name the scope of the file), Denied (hidden, ignored, encrypted, or outside the root), Locked.
func (f *Files) Content(ctx context.Context, v *view.View, b *working.Block) (string, error) {
	path := b.Path()
	if path == "" {
		return b.Content(), nil
	}
	text, err := f.text(ctx, v, path, f.scope.Options.Now())
	if err == nil && b.Lines() != "" {
		text, err = cut(text, b.StartLine, b.EndLine)
	}
	if err != nil {
		return "", fault.Wrap("block", b.ID, fileKind(err), err)
	}
	return text, nil
}

// Serve sets the functions by which a window of a view reads the files of its blocks, likely ones in parallel.
func (f *Files) Serve(ctx context.Context, v *view.View, c *window.Caller) {
	f.Record(ctx, v, c, &Given{})
}

// Record is Serve, and records in g the texts of blocks that the window shows.
func (f *Files) Record(ctx context.Context, v *view.View, c *window.Caller, g *Given) {
	of := func(item *window.Item) (n *node.Node, b *working.Block) { // called for blocks only
		n, _ = v.Get(item.ID)
		b, _ = working.OfNode(n)
		return n, b
	}
	g.Loaded, g.Made = map[string]string{}, map[string]string{}
	load := func(item *window.Item) (string, error) {
		_, b := of(item)
		return f.Content(ctx, v, b)
	}
	c.Load = func(item *window.Item) (string, error) {
		text, err := load(item)
		if err == nil {
			g.Loaded[item.ID] = text
		}
		return text, err
	}
	c.Outline = f.Outline
	c.Prefetch = func(items []*window.Item) {
		var all sync.WaitGroup
		free := make(chan struct{}, maxReaders)
		for _, item := range items {
			free <- struct{}{}
			all.Go(func() {
				defer func() { <-free }()
				_, _ = load(item) // the window reports the errors of those that it shows
			})
		}
		all.Wait()
	}
	c.Summarize = func(item *window.Item) (window.Summary, error) {
		n, b := of(item)
		s, err := f.Summaries.Of(v, n, b, item.Body)
		if s.Text != "" {
			g.Made[item.ID] = s.Text
		}
		return s, err
	}
}

// Note returns the block with the digest and size of its file, or an error if that cannot be read.
func (f *Files) Note(ctx context.Context, v *view.View, b working.Block) (working.Block, error) {
	if !b.HasFile() {
		return b, nil
	}
	text, err := f.Content(ctx, v, &b)
	if err == nil {
		b.Digest, b.Size = merkle.SumText(text).String(), len(text)
	}
	return b, err
}

var (
	errMissing = errors.New("there is no such file below the memex")
	errBinary  = errors.New("the file is not text")
	errLocked  = errors.New("the file is in lockdown; see fovea guard diff")
)

// text returns the text of a file as the caller may read it. Every read of a file that a caller names passes
// through here. The text of a document comes from a view that the caller may have; only a file in no view is
// read from disk. Every known path to the file is checked, and a file that the caller may not name is reported
// as missing.
func (f *Files) text(ctx context.Context, v *view.View, path string, now time.Time) (string, error) {
	if document.IsEncrypted(path) {
		return "", corpus.ErrEncrypted
	}
	if name, ok := strings.CutPrefix(path, corpus.AnnexPrefix); ok && f.scope.Annex != nil {
		text, err := f.scope.Annex.Read(name)
		if errors.Is(err, corpus.ErrDangling) || errors.Is(err, corpus.ErrNoFolder) {
			err = errMissing
		}
		if err != nil {
			return "", err
		}
		return readable(v, path, text)
	}
	if text, ok := v.Text(path); ok {
		return readable(v, path, text)
	}
	if _, err := f.viewOf(ctx, v, path); err != nil {
		return "", err
	}
	file, names, err := corpus.Peek(f.scope.Root, path)
	if errors.Is(err, corpus.ErrDangling) {
		return "", errMissing
	}
	if err != nil {
		return "", err
	}
	for _, name := range names {
		in, err := f.viewOf(ctx, v, name)
		if err != nil {
			return "", err
		}
		if _, has := in.Text(name); has {
			v, path = in, name
		} else if f.rights.Mode(name) != guard.Trusted {
			return "", errLocked
		}
	}
	if text, ok := v.Text(path); ok {
		return readable(v, path, text)
	}
	if p, _ := f.scope.Root.Place(path); p.Links > 1 && len(scope.Reached(ctx, f.scope)) < len(f.scope.WithFiles()) {
		return "", errMissing // no scan lists it, and its other name may be in a scope that the caller may not name
	}
	f.mu.Lock()
	c, ok := f.cache.Get(path)
	f.mu.Unlock()
	if ok && c.file == file && now.Before(c.until) {
		return c.text, nil
	}
	raw, file, err := f.scope.Root.Read(path, maxFile)
	if err != nil {
		return "", err
	}
	text, err := readable(v, path, raw)
	if err == nil {
		f.keep(path, cachedFile{file, text, now.Add(cachedFor)})
	}
	return text, err
}

// viewOf returns the view of the scope that a path belongs to: v, or that of a project. The error is
// errMissing if the caller may not name the project.
func (f *Files) viewOf(ctx context.Context, v *view.View, path string) (*view.View, error) {
	if f.scope.Root.InRegion(path) {
		return v, nil
	}
	for _, s := range scope.Reached(ctx, f.scope) {
		if s.Root.InRegion(path) {
			return f.Present(ctx, s.Name)
		}
	}
	return nil, errMissing
}

// Outline is outline.Read with a cache.
func (f *Files) Outline(language, text string) *outline.File {
	if language == "" {
		return nil
	}
	key := outlineKey{language, merkle.SumText(text)}
	f.mu.Lock()
	file, known := f.outlines.Get(key)
	f.mu.Unlock()
	if known {
		return file
	}
	file = outline.Read(language, []byte(text))
	f.mu.Lock()
	defer f.mu.Unlock()
	f.outlines.Set(key, file)
	return file
}

// readable returns the readable part of a text. Errors: errBinary, and corpus.ErrEncrypted if nothing is left.
func readable(v *view.View, path, raw string) (string, error) {
	text := v.Readable(path, raw)
	if text == "" && raw != "" {
		return "", corpus.ErrEncrypted
	}
	if strings.IndexByte(text, 0) >= 0 || !utf8.ValidString(text) {
		return "", errBinary
	}
	return text, nil
}

// keep caches a file. If the texts exceed their limit, it clears the cache first.
func (f *Files) keep(path string, c cachedFile) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.reads++
	if was, ok := f.cache.Peek(path); ok {
		f.bytes -= len(was.text)
	}
	if f.bytes += len(c.text); f.bytes > maxCached {
		f.cache.Clear()
		f.bytes = len(c.text)
	}
	f.cache.Set(path, c)
}

// cut returns the lines from first to last, both included and counted from 1; a last before first means the end.
func cut(text string, first, last int) (string, error) {
	first = max(first, 1)
	begin, end, count := 0, 0, 0
	for line := range strings.Lines(text) {
		if count++; count < first {
			begin += len(line)
		}
		if end += len(line); count == last && last >= first {
			break
		}
	}
	if count = max(1, count); first > count {
		return "", fmt.Errorf("the file has %s, but the first requested line is %d", scope.Count(count, "line"), first)
	}
	return text[begin:end], nil
}

// fileKind classifies why a file cannot be read.
func fileKind(err error) fault.Kind {
	switch {
	case errors.Is(err, errMissing), errors.Is(err, corpus.ErrVanished):
		return fault.NotFound
	case errors.Is(err, corpus.ErrHidden), errors.Is(err, corpus.ErrEncrypted), errors.Is(err, corpus.ErrOutside), errors.Is(err, corpus.ErrUnreadable):
		return fault.Denied
	case errors.Is(err, errLocked):
		return fault.Locked
	}
	return fault.Invalid
}

// Locate returns the block with its path relative to the root: quotes and blanks around it are removed, and only
// the variables HOME, MEMEX_ROOT and SKILLS_DIR are replaced. A path in a folder of skills outside the memex
// gets the prefix corpus.AnnexPrefix. The error is of kind Denied (outside both).
func (f *Files) Locate(b working.Block, home string) (working.Block, error) {
	path := b.Path()
	if path == "" {
		return b, nil
	}
	variables := map[string]string{"HOME": home, "MEMEX_ROOT": f.scope.Dir, "SKILLS_DIR": f.scope.Root.SkillsDir()}
	if f.scope.Annex != nil {
		variables["SKILLS_DIR"] = f.scope.Annex.Dir()
	}
	expanded := vfs.Expand(path, func(name string) string { return variables[name] })
	rel, ok := f.scope.Root.Relative(expanded)
	if !ok && f.scope.Annex != nil {
		if rel, ok = f.scope.Annex.Below(expanded); ok {
			rel = corpus.AnnexPrefix + rel
		}
	}
	if !ok {
		return b, fault.Errorf("block", path, fault.Denied, "the path leads out of the memex %s; give one below it", f.scope.Dir)
	}
	if b.Type == working.Message {
		b.FullPath = rel
	} else {
		b.Location = rel
	}
	return b, nil
}
