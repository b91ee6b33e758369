// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package travel

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/corpus"
	"github.com/fovea-memory/fovea/internal/fault"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/internal/scope"
	"github.com/fovea-memory/fovea/merkle"
)

// maxNamed is the number of refused paths that an error lists.
const maxNamed = 100

// judge applies the rule of paths to the files that a rollback would write or remove, and returns
// the documents that stay as in head. Documents that this machine keeps no files of stay in memory,
// and their files are left alone. So are ignore files, because only their owner puts one into
// force: they stay, but those of another memory are adopted and differ from the file. A document
// without a file drifts, so that no scan takes it for removed. A state of another memory with a
// path that no memex may have is rejected as a whole.
func (r *rollback) judge(head *graph.State, changed, lost []string) (stay []string, err error) {
	r.drift = map[string]merkle.Digest{}
	s, never := r.history.scope, []string(nil)
	coming := func(path string) (string, bool) {
		if text, wanted := r.target.Text(path); wanted && slices.Contains(lost, path) {
			return text, true
		}
		return "", false
	}
	for i, path := range slices.Concat(changed, lost) {
		if !s.IsFile(path) {
			continue
		}
		verdict, err := corpus.Judge(s.Root, path, r.isSetup(head, path), coming)
		switch {
		case err == nil, errors.Is(err, corpus.ErrElsewhere):
		case errors.Is(err, corpus.ErrOutside), errors.Is(err, corpus.ErrLoop):
			if r.closeOther == nil {
				continue // Stage returns the error
			}
		default:
			return nil, scope.FailWrite(r.action.Name, path, err)
		}
		_, wanted := r.target.Text(path)
		isChanged := i < len(changed)
		switch {
		case verdict == corpus.Never && wanted && r.closeOther != nil:
			never = append(never, path)
		case verdict == corpus.Listed && !(document.IsIgnore(path) && isChanged):
		case isChanged && r.closeOther == nil:
			stay = append(stay, path)
			r.report(path)
		default:
			r.leave(path, verdict == corpus.Listed)
		}
	}
	return stay, refused(r.action.Name, never)
}

// leave lets memory adopt or drop a document while its file is left alone. isRead means that scans
// read that file.
func (r *rollback) leave(path string, isRead bool) {
	text, wanted := r.target.Text(path)
	var seen string
	err := corpus.ErrVanished
	if isRead {
		seen, _, err = r.history.scope.Root.Read(path, 0)
	}
	var differs merkle.Digest
	switch {
	case err == nil && wanted && seen == text:
		return // in step
	case err == nil:
		differs = merkle.SumText(seen)
	case wanted:
		differs = scope.NoFile
	}
	r.drift[path] = differs
	r.report(path)
}

// report records why the file of a document is left alone.
func (r *rollback) report(path string) {
	why := "this machine ignores it, or reads no such files"
	if document.IsIgnore(path) {
		why = "only you put an ignore file into force, by saving it"
	}
	r.left = append(r.left, aside{path, why})
}

// keep lets memory adopt or drop a document without its file.
func (r *rollback) keep(path string) {
	if text, wanted := r.target.Text(path); wanted {
		top, _ := r.target.Document(path)
		r.op.Keep(path, &text, top.Derived.Opaque)
		return
	}
	r.op.Keep(path, nil, false)
}

// isSetup reports whether a document names the file as its setup file, before or after the
// rollback, and the file holds settings.
func (r *rollback) isSetup(head *graph.State, path string) bool {
	text, wanted := r.target.Text(path)
	if !wanted {
		text, _ = head.Text(path)
	}
	return (head.Asked(path) || r.target.Asked(path)) && corpus.HoldsSettings(text)
}

// Refuse returns an error that lists the files of the present state that no memex may have. It is
// for a history that came from elsewhere, before its files are written. Errors: Denied.
func Refuse(h *History) error {
	defer h.scope.Chain.Reading()()
	return refused("clone", slices.DeleteFunc(slices.Clone(h.scope.Chain.Head().State.Paths()), func(path string) bool {
		verdict, _ := corpus.Judge(h.scope.Root, path, false, nil)
		return verdict != corpus.Never || !h.scope.IsFile(path)
	}))
}

// refused returns the error for paths that no memex may have, nil for no paths.
func refused(op string, never []string) error {
	if len(never) == 0 {
		return nil
	}
	var named []string
	for _, path := range never[:min(len(never), maxNamed)] {
		named = append(named, fmt.Sprintf("%q", path))
	}
	if more := len(never) - len(named); more > 0 {
		named = append(named, fmt.Sprintf("and %d more", more))
	}
	return fault.Errorf(op, "", fault.Denied, "%w; nothing of it was taken in; a file that is meant to be there "+
		"stands under opaque in the configuration:\n  %s", corpus.ErrNever, strings.Join(named, "\n  "))
}
