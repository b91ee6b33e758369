// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package ingest

import (
	"context"
	"strings"

	"github.com/fovea-memory/fovea/internal/corpus"
	"github.com/fovea-memory/fovea/internal/view"
)

// addSetupFiles ingests new and changed setup files, and the ones that they name, before the
// commit of the documents that use them. A setup file that is not Org is kept as an opaque
// document as long as a document names it, so that a state is self-contained.
func (in *ingester) addSetupFiles(ctx context.Context, paths []string) error {
	for _, path := range paths {
		switch known, met := in.setup[path]; {
		case known || met, in.taken[path]:
		case in.changed[path]:
			if err := in.file(ctx, path); err != nil {
				return err
			}
		case !in.listed[path]:
			if err := in.addSetupFile(ctx, path); err != nil {
				return err
			}
		}
	}
	return nil
}

// addSetupFile ingests a setup file that the scan does not list.
func (in *ingester) addSetupFile(ctx context.Context, path string) error {
	root := in.reader.scope.Root
	found, changed, err := root.Setup(path, in.reader.table)
	if p, _ := root.Place(path); corpus.Elsewhere(root, path) || corpus.Elsewhere(root, p.Real) { // other scopes read it
		found, err = false, nil
	}
	in.setup[path] = found || err != nil // unreadable is not absent
	if err != nil {
		in.reader.problems = append(in.reader.problems, corpus.ProblemOf(path, err))
		return nil
	}
	if _, has := in.reader.scope.Present().Document(path); !found || has && !changed {
		return nil
	}
	return in.file(ctx, path)
}

// refreshSetupFiles checks all setup files that documents name: they can change or appear without
// a change of a document.
func (in *ingester) refreshSetupFiles(ctx context.Context) error {
	for {
		before := len(in.setup)
		if err := in.addSetupFiles(ctx, in.next.draft.SetupFiles()); err != nil {
			return err
		}
		if len(in.setup) == before {
			return nil
		}
	}
}

// Skills returns a registry of the built-in skills and those in a view, which are files below the
// skills folder. It leaves out locked files, see LockedSkills, and encrypted text. If the folder is
// outside the memex, its files are read now; unreadable ones are among the problems. Nothing in a
// skill is executed. O(bytes of skills).
func (r *Reader) Skills(ctx context.Context, v *view.View) *corpus.Registry {
	var files []corpus.SkillFile
	for _, path := range v.Paths() {
		if r.isSkill(path) {
			text, _ := v.Text(path)
			files = append(files, corpus.SkillFile{Path: path, Text: v.Readable(path, text)})
		}
	}
	annex := r.scope.Memex().Annex
	if annex == nil {
		return corpus.ReadSkills(files)
	}
	var problems []corpus.SkillProblem
	found, err := annex.Files(ctx)
	if err != nil {
		problems = append(problems, corpus.SkillProblem{Skill: annex.Dir(), Kind: corpus.SkillElsewhere, Detail: err.Error()})
	}
	for _, f := range found {
		path := corpus.AnnexPrefix + f.Path
		if f.Err != nil {
			problems = append(problems, corpus.SkillProblem{Skill: corpus.SkillName(f.Path), Path: path, Kind: corpus.SkillElsewhere, Detail: f.Err.Error()})
			continue
		}
		files = append(files, corpus.SkillFile{Path: path, Text: v.Readable(path, f.Text)})
	}
	registry := corpus.ReadSkills(files)
	registry.Problems = append(registry.Problems, problems...)
	return registry
}

// LockedSkills returns the names of the skills that a guarded view leaves out, by path.
// The names are derived from the paths.
func (r *Reader) LockedSkills(v *view.View) map[string]string {
	out := map[string]string{}
	for path := range v.Locked {
		if r.isSkill(path) {
			out[path] = corpus.SkillName(path)
		}
	}
	return out
}

// isSkill reports whether the file at a path can be a skill.
func (r *Reader) isSkill(path string) bool {
	dir := r.scope.Root.SkillsDir()
	return dir != "" && strings.HasPrefix(path, dir+"/") && corpus.IsSkill(path)
}
