// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package graph

import (
	"iter"
	"slices"

	"github.com/fovea-memory/fovea/ast"
	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/bound"
	"github.com/fovea-memory/fovea/internal/champ"
	"github.com/fovea-memory/fovea/node"
)

// filesOf returns the texts of documents that can be read, by path.
func filesOf(nodes func(path string) []*node.Node) document.Files {
	return func(path string) (string, bool) {
		found := nodes(path)
		if found == nil || document.IsEncrypted(path) {
			return "", false
		}
		return node.Join(found), true
	}
}

// Files returns the text of a document that another one may read, such as a setup file;
// it is a document.Files.
func (s *State) Files(path string) (string, bool) { return filesOf(s.Nodes)(path) }

// Formats returns the formats of the state's documents.
func (s *State) Formats() document.Formats { return s.formats }

// format returns the format of a document.
func (s *State) format(path string) document.Format {
	if s.IsTree(path) {
		return ast.Format{}
	}
	return s.formats.Of(path)
}

// setupCounts counts, by setup file, the documents that name it.
type setupCounts struct{ *champ.Editor[int] }

// replace counts a document with new nodes instead of old ones.
func (a setupCounts) replace(old, now []*node.Node) {
	a.add(old, -1)
	a.add(now, 1)
}

func (a setupCounts) add(nodes []*node.Node, by int) {
	if len(nodes) == 0 {
		return
	}
	for _, p := range nodes[0].Derived.Setup {
		n, _ := a.Get(p)
		if n += by; n == 0 {
			a.Delete(p)
		} else {
			a.Set(p, n)
		}
	}
}

// SetupFiles returns the sorted paths that documents name as setup files, whether they
// exist or not. The caller owns the slice.
func (s *State) SetupFiles() []string { return sortedKeys(s.setup.All()) }

// SetupFiles is State.SetupFiles for the present draft.
func (d *Draft) SetupFiles() []string { return sortedKeys(d.setup.Map().All()) }

// Setup returns Derived.Setup of a document in the draft. The draft owns the slice.
func (d *Draft) Setup(path string) []string {
	if nodes := d.current(path); len(nodes) > 0 {
		return nodes[0].Derived.Setup
	}
	return nil
}

func sortedKeys[V any](all iter.Seq2[string, V]) []string {
	var keys []string
	for k := range all {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// Asked reports whether a document names the setup file at a path, which need not exist.
func (s *State) Asked(path string) bool {
	_, ok := s.setup.Get(path)
	return ok
}

// dependents returns the sorted documents that name any of the setup files. O(paths), and
// O(documents) only if one is a setup file.
func (s *State) dependents(paths iter.Seq[string]) []string {
	changed := map[string]bool{}
	for p := range paths {
		if _, ok := s.setup.Get(p); ok {
			changed[p] = true
		}
	}
	if len(changed) == 0 {
		return nil
	}
	return usingSetup(s.documents, changed, s.nodes.Get)
}

// dependents returns the sorted documents of the draft that name a setup file.
func (d *Draft) dependents(path string) []string {
	if _, ok := d.setup.Get(path); !ok {
		return nil
	}
	return usingSetup(d.documents.Map(), map[string]bool{path: true}, d.nodes.Get)
}

// usingSetup returns the sorted documents that name any of the setup files.
func usingSetup(documents champ.Map[*docNodes], files map[string]bool, get func(id string) (*node.Node, bool)) []string {
	var out []string
	for path, d := range documents.All() {
		top, ok := get(d.top)
		if ok && slices.ContainsFunc(top.Derived.Setup, func(p string) bool { return files[p] }) {
			out = append(out, path)
		}
	}
	slices.Sort(out)
	return out
}

// Problems parses documents again, on all processors, and returns in the i-th list the problems of the i-th
// path, with those that also finds in its text. The list is nil for a missing document, and for one that is
// opaque for another reason than its size. Problems depend only on the nodes of a document and of its setup
// files. O(bytes).
func (s *State) Problems(paths []string, also func(path, text string) []document.Problem) [][]document.Problem {
	out := make([][]document.Problem, len(paths))
	bound.Each(len(paths), func(i int) {
		if d, ok := s.Document(paths[i]); ok && (!d.Derived.Opaque || s.formats.KeptWhole(paths[i], d.Content) != "") {
			text, _ := s.Text(paths[i])
			out[i] = append(s.problems(paths[i]), also(paths[i], text)...)
		}
	})
	return out
}

func (s *State) problems(path string) (found []document.Problem) {
	bears := func(c node.Claim) bool {
		list, ok := s.contested.Get(c.ID)
		return !ok || list[0] == c
	}
	o, of := node.Read(s.formats, path, s.Files, node.Parts(s.Nodes(path))...), s.CopyOf(path)
	o.Copy = of != ""
	if _, found = o.Nodes(bears); o.Copy {
		found = append(found, document.Problem{Path: path, Line: 1, Kind: "copy", Message: "a conflict copy of " + document.Quote(of) +
			", left out of windows and search; fovea resolve " + document.Quote(path) + " merges it into that file"})
	}
	return found
}

// Rivals returns the nodes of other documents that claim the id of a node, except those of conflict copies.
// O(1) for an uncontested id, else O(nodes of those documents).
func (s *State) Rivals(n *node.Node) []*node.Node {
	claims, _ := s.contested.Get(n.ID)
	var out []*node.Node
	for _, c := range claims {
		if c.Path == n.Path {
			continue
		}
		for _, o := range s.Nodes(c.Path) {
			if o.ClaimedID() == n.ID {
				out = append(out, o)
			}
		}
	}
	return out
}
