// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package ops

import (
	"cmp"
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

	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/fault"
	"github.com/fovea-memory/fovea/internal/foreign"
	"github.com/fovea-memory/fovea/internal/vfs"
	"github.com/fovea-memory/fovea/internal/view"
	"github.com/fovea-memory/fovea/node"
	"github.com/fovea-memory/fovea/query"
)

// OpExport writes notes in the format of another program.
var OpExport = api.Define(api.Operation{Name: "export", Effect: api.Mends, Group: "read", Scan: true,
	Summary: "Write notes in the format of another program"}, exportNotes)

// ExportRequest names the notes to write, and the target.
type ExportRequest struct {
	Kind  string `json:"kind" jsonschema:"claude, basic-memory, okf, markdown or jsonl" arg:"KIND"`
	To    string `json:"to" jsonschema:"an absolute path: a folder, new or from an earlier export, or a file of JSON lines" arg:"TARGET" path:"absolute"`
	Query string `json:"query,omitempty" jsonschema:"only documents with a match; with jsonl only the matches" flag:"only what matches this <QUERY>"`
}

// Exported is the result of an export.
type Exported struct {
	To       string   `json:"to" jsonschema:"where it is"`
	Notes    int      `json:"notes" jsonschema:"how many"`
	Files    int      `json:"files" jsonschema:"how many"`
	Problems []string `json:"problems" jsonschema:"what could not be carried over"`
}

// maxFirst is the maximum number of bytes read from a file to see whether it is an export.
const maxFirst = 64 << 20

// listFile is the file in an export that lists the files written, in JSON.
const listFile = ".fovea-export"

func exportNotes(ctx context.Context, a *api.Local, req ExportRequest) (*Exported, error) {
	const op = "export"
	if !filepath.IsAbs(req.To) {
		return nil, fault.Errorf(op, req.To, fault.Invalid, "to must be an absolute path")
	}
	v, err := a.Readable(ctx)
	if err != nil {
		return nil, err
	}
	keep, err := chosen(v, req.Query)
	if err != nil {
		return nil, fault.Wrap(op, req.Query, fault.Invalid, err)
	}
	var done *Exported
	if kind := foreign.Kind(req.Kind); kind == foreign.JSONLines {
		done, err = exportLines(ctx, v, req.To, keep)
	} else {
		done, err = exportFolder(ctx, v, kind, req.To, keep)
	}
	return done, fault.Wrap(op, req.To, kindOf(err), err)
}

// chosen returns the ids of the nodes that match a query, nil if there is no query.
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

func exportLines(ctx context.Context, v *view.View, to string, keep map[string]bool) (*Exported, error) {
	var notes []*node.Node
	for n := range v.All() {
		if (keep == nil || keep[n.ID]) && !document.IsMemory(n.Path) {
			notes = append(notes, n)
		}
	}
	text, problems := foreign.ToLines(notes)
	if err := cmp.Or(ctx.Err(), replaceableExport(to)); err != nil {
		return nil, err
	}
	return &Exported{To: to, Notes: len(notes), Files: 1, Problems: problems}, vfs.WriteFile(to, []byte(text), 0o600)
}

// exportFolder writes the Org files with a chosen node.
func exportFolder(ctx context.Context, v *view.View, kind foreign.Kind, to string, keep map[string]bool) (*Exported, error) {
	var docs []foreign.Out
	of := map[string]string{} // the file that an id is in
	for top := range v.Documents() {
		nodes := v.Nodes(top.Path)
		isChosen := func(n *node.Node) bool { return keep == nil || keep[n.ID] }
		if document.IsMemory(top.Path) || top.Derived.Opaque || !slices.ContainsFunc(nodes, isChosen) {
			continue
		}
		for _, n := range nodes {
			of[n.ID] = top.Path
		}
		docs = append(docs, foreign.Out{Node: top, Text: textOf(nodes)})
	}
	files, problems, err := foreign.Folder(ctx, kind, docs, of)
	if err != nil {
		return nil, err
	}
	return &Exported{To: to, Notes: len(docs), Files: len(files), Problems: problems}, writeFolder(ctx, to, files)
}

// writeFolder replaces the files of the previous export. It refuses a folder with any other files.
func writeFolder(ctx context.Context, to string, files map[string]string) error {
	in, err := vfs.CreateDir(to, 0o700)
	if err != nil {
		return err
	}
	defer in.Close()
	var before []string
	err = vfs.ReadJSON(in, listFile, &before)
	if err == nil && len(before) == 0 {
		var entries []fs.DirEntry
		entries, err = in.ReadDir(".")
		if slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.Name() != listFile }) {
			err = fault.Errorf("export", to, fault.Conflict, "the folder is not empty and is not an earlier export; name a new one")
		}
	}
	if err != nil {
		return err
	}
	ours, written := map[string]bool{}, slices.Sorted(maps.Keys(files))
	for _, name := range before {
		ours[foreign.Fold(name)] = true
	}
	for _, name := range written {
		if _, err := in.Lstat(name); err == nil && !ours[foreign.Fold(name)] {
			return fault.Errorf("export", path.Join(to, name), fault.Conflict,
				"this file is not from an earlier export; move it away, or name another folder")
		}
	}
	gone := slices.DeleteFunc(before, func(name string) bool {
		_, stays := files[name]
		return stays || !fs.ValidPath(name)
	})
	if err := vfs.WriteJSON(in, listFile, slices.Concat(written, gone)); err != nil { // first, so that an interrupted export can be replaced
		return err
	}
	for _, name := range gone { // before others are written: on some file systems A.md is a.md
		if err := vfs.RemoveIfThere(in, name); err != nil {
			return err
		}
	}
	for _, name := range written {
		if err := ctx.Err(); err != nil { // the list has all files, so the next export can continue
			return err
		}
		if err := in.MkdirAll(path.Dir(name), 0o700); err != nil {
			return err
		}
		if err := vfs.WriteAtomic(in, name, []byte(files[name]), 0o600); err != nil {
			return err
		}
	}
	return vfs.WriteJSON(in, listFile, written)
}

// replaceableExport refuses to replace a file that is not an earlier export.
func replaceableExport(name string) error {
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
		return fault.Errorf("export", name, fault.Conflict, "the file exists and is not an earlier export; name another one")
	}
	return nil
}
