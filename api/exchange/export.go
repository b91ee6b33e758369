// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package exchange

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/fault"
	"github.com/fovea-memory/fovea/internal/foreign"
	"github.com/fovea-memory/fovea/internal/vfs"
	"github.com/fovea-memory/fovea/internal/view"
	"github.com/fovea-memory/fovea/node"
	"github.com/fovea-memory/fovea/query"
)

// OpExport writes notes as another program reads them.
var OpExport = api.Define(api.Operation{Name: "export", Effect: api.Mends, Group: "read", Scan: true,
	Summary: "Write notes as another program reads them"}, exportNotes)

// ExportRequest names the notes to write, and the target.
type ExportRequest struct {
	Kind  string `json:"kind" jsonschema:"claude, basic-memory, okf, markdown or jsonl" arg:"KIND"`
	To    string `json:"to" jsonschema:"an absolute path where the memory is kept: a folder, new or from an earlier export, or a file of JSON lines" arg:"TARGET"`
	Query string `json:"query,omitempty" jsonschema:"only documents with a match; with jsonl only the matches" flag:"only what matches this <QUERY>"`
}

// Exported is what an export wrote.
type Exported struct {
	To    string `json:"to" jsonschema:"where it is"`
	Notes int    `json:"notes" jsonschema:"how many"`
	Files int    `json:"files" jsonschema:"how many"`
	// Problems are those of what was written; the notes themselves stay as they are.
	Problems []string `json:"problems" jsonschema:"what could not be carried over"`
}

// maxFirst is how much of a file is read, in bytes, to see whether it is an export.
const maxFirst = 64 << 20

// listFile names, in the folder of an export, the files that it wrote: a list in JSON.
const listFile = ".fovea-export"

func exportNotes(ctx context.Context, a api.Access, req ExportRequest) (*Exported, error) {
	const op = "export"
	if !filepath.IsAbs(req.To) {
		return nil, fault.Errorf(op, req.To, fault.Invalid, "to: is an absolute path")
	}
	v, err := a.Readable(ctx)
	if err != nil {
		return nil, err
	}
	keep, err := chosen(v, req.Query)
	if err != nil {
		return nil, fault.Wrap(op, req.Query, fault.Invalid, err)
	}
	if foreign.Kind(req.Kind) == foreign.JSONLines {
		return exportLines(ctx, v, &req, keep)
	}
	docs, of := documents(v, keep)
	files, problems, err := foreign.Folder(ctx, foreign.Kind(req.Kind), docs, of)
	if err == nil {
		err = writeFolder(ctx, req.To, files)
	}
	if err != nil {
		return nil, fault.Wrap(op, req.To, kindOf(err), err)
	}
	return &Exported{To: req.To, Notes: len(docs), Files: len(files), Problems: inLines(problems)}, nil
}

// inLines is each problem in a line.
func inLines(problems []foreign.Problem) []string {
	lines := []string{}
	for _, p := range problems {
		lines = append(lines, p.String())
	}
	return lines
}

// chosen returns which nodes a query names, all for none.
func chosen(v *view.View, text string) (map[string]bool, error) {
	if text == "" {
		return nil, nil
	}
	e, err := query.Parse(text)
	if err != nil {
		return nil, err
	}
	nodes, err := v.Query(e, 0, v.Head().Time)
	keep := map[string]bool{}
	for _, n := range nodes {
		keep[n.ID] = true
	}
	return keep, err
}

func exportLines(ctx context.Context, v *view.View, req *ExportRequest, keep map[string]bool) (*Exported, error) {
	var notes []*node.Node
	for n := range v.All() {
		if keep != nil && !keep[n.ID] || document.IsMemory(n.Path) {
			continue
		}
		notes = append(notes, n)
	}
	text, problems, err := foreign.Lines(notes)
	if err == nil {
		err = ctx.Err()
	}
	if err == nil {
		err = replaceable(req.To)
	}
	if err == nil {
		err = vfs.WriteFile(req.To, []byte(text), 0o600)
	}
	if err != nil {
		return nil, fault.Wrap("export", req.To, kindOf(err), err)
	}
	return &Exported{To: req.To, Notes: len(notes), Files: 1, Problems: inLines(problems)}, nil
}

// documents returns the Org files of a view with a chosen node, and in which one each id is.
func documents(v *view.View, keep map[string]bool) (docs []foreign.Out, of map[string]string) {
	of = map[string]string{}
	for top := range v.Documents() {
		if document.IsMemory(top.Path) || top.Derived.Opaque {
			continue
		}
		var text strings.Builder
		kept := keep == nil
		var ids []string
		for n := range v.Document(top.Path) {
			text.WriteString(n.Content)
			kept = kept || keep[n.ID]
			ids = append(ids, n.ID)
		}
		if !kept {
			continue
		}
		for _, id := range ids {
			of[id] = top.Path
		}
		docs = append(docs, foreign.Out{Node: top, Text: text.String()})
	}
	return docs, of
}

// writeFolder writes the files of an export in place of those of the one before. A folder with
// anything else is refused.
func writeFolder(ctx context.Context, to string, files []foreign.File) error {
	in, err := vfs.CreateDir(to, 0o700)
	if err != nil {
		return err
	}
	defer in.Close()
	var before []string
	list, err := in.ReadFile(listFile)
	switch {
	case err == nil:
		err = json.Unmarshal(list, &before)
	case errors.Is(err, fs.ErrNotExist):
		var entries []fs.DirEntry
		if entries, err = in.ReadDir("."); err == nil && len(entries) > 0 {
			err = fault.Errorf("export", to, fault.Conflict, "the folder is not empty and is no earlier export; name a new one")
		}
	}
	if err != nil {
		return err
	}
	names, ours := map[string]bool{}, map[string]bool{}
	for _, name := range before {
		ours[foreign.Fold(name)] = true
	}
	for _, f := range files {
		names[f.Path] = true
		if ours[foreign.Fold(f.Path)] {
			continue
		}
		if _, err := in.Lstat(f.Path); err == nil {
			return fault.Errorf("export", path.Join(to, f.Path), fault.Conflict,
				"this file is not from an earlier export; move it away, or name another folder")
		} else if !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	gone := slices.DeleteFunc(before, func(name string) bool { return names[name] || !fs.ValidPath(name) })
	written := slices.Sorted(maps.Keys(names))
	if err := vfs.WriteJSON(in, listFile, slices.Concat(written, gone)); err != nil { // first, so that an export that is cut short can be replaced
		return err
	}
	for _, name := range gone { // before others are written: on some file systems A.md is a.md
		if err := vfs.RemoveIfThere(in, name); err != nil {
			return err
		}
	}
	for _, f := range files {
		if err := ctx.Err(); err != nil { // the list has all, so the next export goes on
			return err
		}
		if err := in.MkdirAll(path.Dir(f.Path), 0o700); err != nil {
			return err
		}
		if err := vfs.WriteAtomic(in, f.Path, []byte(f.Text), 0o600); err != nil {
			return err
		}
	}
	return vfs.WriteJSON(in, listFile, written)
}

// replaceable refuses a file that is there and is no earlier export.
func replaceable(name string) error {
	f, err := vfs.OpenPlain(name, os.O_RDONLY, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	var first foreign.Object
	err = json.NewDecoder(io.LimitReader(f, maxFirst)).Decode(&first)
	if errors.Is(err, io.EOF) { // it is empty
		return nil
	}
	if err != nil || !first.Exported() {
		return fault.Errorf("export", name, fault.Conflict, "the file exists and is no earlier export; name another one")
	}
	return nil
}
