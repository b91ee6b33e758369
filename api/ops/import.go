// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package ops

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/internal/fault"
	"github.com/fovea-memory/fovea/internal/foreign"
	"github.com/fovea-memory/fovea/internal/travel"
	"github.com/fovea-memory/fovea/internal/view"
	"github.com/fovea-memory/fovea/node"
)

// OpImport imports notes from another program.
var OpImport = api.Define(api.Operation{Name: "import", Effect: api.Mends, Scan: true,
	Summary: "Take over the notes of another program, as a commit that can be reverted"}, importNotes)

// ImportRequest names notes of another program.
type ImportRequest struct {
	Kind   string `json:"kind" jsonschema:"claude, basic-memory, okf, markdown or jsonl"`
	Source string `json:"source" jsonschema:"an absolute path: a folder, or a file of JSON lines" arg:"SOURCE" path:"absolute"`
	Label  string `json:"label,omitempty" jsonschema:"tells several sources of one kind apart; by default the name of the source" flag:"the <NAME> of this source"`
	Into   string `json:"into,omitempty" jsonschema:"a folder of the memex; by default imports/KIND/LABEL" flag:"write to this <FOLDER> of the memex"`
	Again  bool   `json:"again,omitempty" jsonschema:"bring back notes that were removed here since an earlier import" flag:""`
	DryRun bool   `json:"dry_run,omitempty" jsonschema:"say what would be done" flag:"say what would be done, and do nothing"`
}

// Imported is what an import did.
type Imported struct {
	Seq       uint64   `json:"seq" jsonschema:"of the commit, 0 where nothing changed"`
	Root      string   `json:"root" jsonschema:"after it"`
	Added     int      `json:"added" jsonschema:"notes that are new here"`
	Updated   int      `json:"updated" jsonschema:"notes that had changed there and not here"`
	Unchanged int      `json:"unchanged" jsonschema:"notes that had not changed there"`
	Kept      []string `json:"kept" jsonschema:"notes that changed there and here, and stay as they are here"`
	Removed   []string `json:"removed" jsonschema:"notes that were removed here, and stay away without again"`
	Files     []string `json:"files" jsonschema:"that were written"`
	Problems  []string `json:"problems" jsonschema:"what could not be carried over"`
}

func importNotes(ctx context.Context, a *api.Local, req ImportRequest) (*Imported, error) {
	const op = "import"
	docs, problems, err := readSource(ctx, &req)
	if err != nil {
		return nil, fault.Wrap(op, req.Source, kindOfSource(err), err)
	}
	v, err := a.View(ctx)
	if err != nil {
		return nil, err
	}
	p := plan{view: v, req: &req, history: travel.Of(a.Memex.History()), files: map[string]*file{}, out: &Imported{
		Root: v.Root().String(), Kept: []string{}, Removed: []string{}, Files: []string{}, Problems: problems,
	}}
	if p.gone, err = p.missing(ctx, docs); err != nil {
		return nil, err
	}
	for i := range docs {
		if err := ctx.Err(); err != nil {
			return nil, fault.Wrap(op, req.Source, fault.Other, err)
		}
		if err := p.add(&docs[i]); err != nil {
			return nil, err
		}
	}
	if len(p.files) == 0 {
		return p.out, nil
	}
	texts := map[string]string{}
	for name, f := range p.files {
		texts[name] = f.text()
	}
	opts := a.Write()
	opts.DryRun, opts.Head = req.DryRun, v.Head().Seq
	message := fmt.Sprintf("%s %s from %s: %d added, %d updated", op, req.Kind, req.Source, p.out.Added, p.out.Updated)
	c, files, err := travel.WriteFiles(ctx, p.history, texts, message, opts)
	if err != nil {
		return nil, err
	}
	if p.out.Files = append(p.out.Files, files...); c.Seq > 0 {
		p.out.Seq, p.out.Root = c.Seq, c.Root.String()
	}
	return p.out, nil
}

// maxLabel is the longest label in bytes, as long as the longest name of a folder.
const maxLabel = 255

var errNoFolder = errors.New("it is not a folder; name the folder of the notes")

// readSource reads the source, and fills in the defaults of the request.
func readSource(ctx context.Context, req *ImportRequest) ([]foreign.Document, []string, error) {
	if !filepath.IsAbs(req.Source) {
		return nil, nil, fault.Errorf("import", req.Source, fault.Invalid, "source must be an absolute path")
	}
	dir, label := filepath.Clean(req.Source), filepath.Base(req.Source)
	kind := foreign.Kind(req.Kind)
	switch {
	case kind == foreign.JSONLines:
		dir = filepath.Dir(dir)
	case kind == foreign.Claude && label == "memory": // of projects/NAME/memory
		label = filepath.Base(filepath.Dir(dir))
	}
	req.Label = cmp.Or(req.Label, label)
	if len(req.Label) > maxLabel {
		return nil, nil, fault.Errorf("import", req.Source, fault.Invalid, "label is longer than %d bytes", maxLabel)
	}
	req.Label = strings.Join(strings.Fields(req.Label), " ") // it becomes part of a property
	if req.Into == "" {
		req.Into = path.Join("imports", req.Kind, slug(strings.TrimSuffix(req.Label, path.Ext(req.Label))))
	}
	if !fs.ValidPath(req.Into) {
		return nil, nil, fault.Errorf("import", req.Into, fault.Invalid, "into must be a folder below the memex, such as imports/work")
	}
	if info, err := os.Stat(dir); err == nil && !info.IsDir() { // opening a pipe could block for ever
		return nil, nil, errNoFolder
	}
	root, err := os.OpenRoot(dir)
	if failed, ok := errors.AsType[*fs.PathError](err); ok {
		err = failed.Err // the path is named already
	}
	if err != nil {
		return nil, nil, err
	}
	defer root.Close()
	return foreign.Read(ctx, foreign.Source{Kind: kind, Label: req.Label, In: root.FS(), File: label})
}

// slug returns a name without characters that are not portable in paths.
func slug(name string) string {
	name = strings.Trim(strings.Map(func(r rune) rune {
		if r <= ' ' || strings.ContainsRune(`/\:*?"<>|`, r) {
			return '-'
		}
		return r
	}, name), "-.")
	if name == "" {
		return "notes"
	}
	return foreign.Fit(name)
}

// plan decides what an import does with each note.
type plan struct {
	view *view.View
	req  *ImportRequest
	gone map[string]bool // ids of notes that were removed here
	// taken has the paths of notes of this source, changed by foreign.Fold.
	taken   map[string]bool
	history *travel.History
	files   map[string]*file // that change
	out     *Imported
}

// missing returns the ids of documents that were removed here.
func (p *plan) missing(ctx context.Context, docs []foreign.Document) (map[string]bool, error) {
	absent := map[string]bool{}
	for i := range docs {
		if _, here := p.view.Get(docs[i].ID); !here {
			absent[docs[i].ID] = true
		}
	}
	return travel.Had(ctx, p.history, absent)
}

// add decides about one note.
func (p *plan) add(d *foreign.Document) error {
	text := d.Org(p.req.Kind + " " + p.req.Label + " " + d.Source)
	n, here := p.view.Get(d.ID)
	switch {
	case !here && p.gone[d.ID] && !p.req.Again:
		p.out.Removed = append(p.out.Removed, d.Source)
	case !here:
		return p.put(d, text)
	case n.Derived.Last(foreign.PropertySource) == d.Digest:
		p.out.Unchanged++
	default:
		was := textOf(p.view.Branch(d.ID))
		if foreign.TextDigest(was) != n.Derived.Last(foreign.PropertyText) {
			p.out.Kept = append(p.out.Kept, n.Path)
			return nil
		}
		p.out.Updated++
		f := p.file(n.Path)
		f.changes = append(f.changes, change{f.starts[d.ID], len(was), text})
	}
	return nil
}

// put adds a new note: a file, or a headline of a shared file.
func (p *plan) put(d *foreign.Document, text string) error {
	at := p.place(d)
	if p.omits(at) && !p.omits(path.Join(p.req.Into, "x.org")) {
		p.out.Problems = append(p.out.Problems, d.Source+": Fovea reads no file of such a name, left out")
		return nil
	}
	f := p.file(at)
	if !d.Entry && (f.was != "" || f.added.Len() > 0) {
		return fault.Errorf("import", at, fault.Conflict, "this file exists and was not imported; name another folder with --into")
	}
	p.out.Added++
	f.added.WriteString(text)
	if !d.Entry {
		p.taken[foreign.Fold(at)] = true
	}
	return nil
}

// place returns the path of a new note. If another note of this source has it, as with x.md and x.markdown or A.md and
// a.md, the path has the whole name of the source, or else a digest.
func (p *plan) place(d *foreign.Document) string {
	at := path.Join(p.req.Into, foreign.Fit(d.Path))
	if d.Entry || !p.sibling(at) {
		return at
	}
	if whole := path.Join(p.req.Into, foreign.Fit(d.Source+".org")); !p.sibling(whole) {
		return whole
	}
	return foreign.Distinct(at, d.Source)
}

// omits reports whether Fovea reads no file at a path. A path that leads to another file fails later, when it is written.
func (p *plan) omits(at string) bool {
	read, err := travel.Reads(p.history, at)
	return err == nil && !read
}

// sibling reports whether another note of this source has a path, or one that is the same on some file systems.
func (p *plan) sibling(at string) bool {
	if p.taken == nil {
		p.taken = map[string]bool{}
		from := p.req.Kind + " " + p.req.Label + " "
		for n := range p.view.Documents() {
			if strings.HasPrefix(n.Derived.Last(foreign.PropertyFrom), from) {
				p.taken[foreign.Fold(n.Path)] = true
			}
		}
	}
	return p.taken[foreign.Fold(at)]
}

// file returns a file that this import changes.
func (p *plan) file(at string) *file {
	if p.files[at] == nil {
		var b strings.Builder
		f := &file{starts: map[string]int{}}
		for n := range p.view.Document(at) {
			f.starts[n.ID] = b.Len()
			b.WriteString(n.Content)
		}
		f.was, p.files[at] = b.String(), f
	}
	return p.files[at]
}

// textOf returns the text of nodes that follow one another.
func textOf(nodes []*node.Node) string {
	var b strings.Builder
	for _, n := range nodes {
		b.WriteString(n.Content)
	}
	return b.String()
}

// file is a file that changes.
type file struct {
	was     string
	starts  map[string]int // of nodes in was, by id
	changes []change
	added   strings.Builder // at the end
}

// change replaces some bytes by a text.
type change struct {
	at, size int
	text     string
}

func (f *file) text() string {
	var b strings.Builder
	slices.SortFunc(f.changes, func(x, y change) int { return cmp.Compare(x.at, y.at) })
	done := 0
	for _, c := range f.changes {
		if c.at >= done { // else it is inside a replaced part
			b.WriteString(f.was[done:c.at] + c.text)
			done = c.at + c.size
		}
	}
	text := b.String() + f.was[done:]
	if text != "" && !strings.HasSuffix(text, "\n") && f.added.Len() > 0 {
		text += "\n"
	}
	return text + f.added.String()
}

func kindOfSource(err error) fault.Kind {
	switch {
	case errors.Is(err, foreign.ErrKind), errors.Is(err, foreign.ErrTooMuch), errors.Is(err, foreign.ErrNoFile), errors.Is(err, errNoFolder):
		return fault.Invalid
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, foreign.ErrNothing):
		return fault.NotFound
	case errors.Is(err, fs.ErrPermission):
		return fault.Denied
	}
	return fault.Other
}

// OpForgotten finds notes that were forgotten.
var OpForgotten = api.Define(api.Operation{Name: "forgotten", Scan: true,
	Summary: "List which notes were forgotten, so that an import leaves them out"}, findForgotten)

// ForgottenRequest has notes to import.
type ForgottenRequest struct {
	Notes []NoteText `json:"notes" jsonschema:"the notes to import"`
}

// NoteText is the text of a note.
type NoteText struct {
	Title string `json:"title" jsonschema:"of the headline"`
	Body  string `json:"body,omitempty" jsonschema:"the text below it"`
}

// ForgottenResponse lists the notes that were forgotten and not restored. Case, white space and Unicode form do not count.
type ForgottenResponse struct {
	Notes []int `json:"notes" jsonschema:"the forgotten ones, by their positions in the request, from 0"`
}

func findForgotten(ctx context.Context, a *api.Local, req ForgottenRequest) (*ForgottenResponse, error) {
	out := &ForgottenResponse{Notes: []int{}}
	for i, n := range req.Notes {
		if a.On.Notes().Forgotten(n.Title, n.Body) {
			out.Notes = append(out.Notes, i)
		}
	}
	return out, nil
}
