// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package fovea

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"

	"github.com/fovea-memory/fovea/internal/corpus"
	"github.com/fovea-memory/fovea/internal/scope"
	"github.com/fovea-memory/fovea/internal/vfs"
)

// checkProjects rejects invalid project names and paths.
func checkProjects(projects map[string][]string, root *corpus.Root) error {
	owner := map[string]string{}
	for _, project := range slices.Sorted(maps.Keys(projects)) {
		if err := scope.CheckName(scope.Project + "/" + project); err != nil {
			return fmt.Errorf("project %q: %w", project, err)
		}
		for _, name := range projects[project] {
			rel, ok := root.Relative(name)
			if !ok {
				return fmt.Errorf("project %s: %s lies outside the memex", project, name)
			}
			if other, taken := owner[rel]; taken && other != project {
				return fmt.Errorf("project %s: %s is a path of project %s, too", project, name, other)
			}
			owner[rel] = project
		}
	}
	return nil
}

// regionOf returns the paths of the memex folder that a scope holds, as arguments of
// corpus.Root.Region. The paths of a project belong neither to the memex nor to an enclosing
// project.
func regionOf(projects map[string][]string, name string) (within, without []string) {
	for project, paths := range projects {
		if scope.Project+"/"+project == name {
			within = append([]string{}, paths...)
		} else {
			without = append(without, paths...)
		}
	}
	if within == nil && name != scope.Memex {
		return nil, []string{"."}
	}
	return within, without
}

// listScopes lists the scopes with a store in a state folder.
func listScopes(in vfs.FS) ([]string, error) {
	entries, err := in.ReadDir(scope.Folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var names []string
	for _, e := range entries {
		if name, ok := scope.NameOf(e.Name()); ok {
			names = append(names, name)
		}
	}
	return names, err
}
