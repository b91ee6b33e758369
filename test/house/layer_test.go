// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package house

import (
	"fmt"
	"go/token"
	"maps"
	"slices"
	"strings"
	"testing"
)

// reach is what a package may touch outside its own memory.
type reach int

const (
	pure  reach = iota // neither files, network, log nor clock; time is a parameter
	files              // files, but only through internal/vfs
	free               // whatever its task needs
	tests              // imported by tests alone, outside the order of layers
)

// floors are the floors of the house, from the ground up.
var floors = []string{"bricks", "formats", "states", "store", "choosing", "rooms", "memory", "faces"}

// layer is one row of the table.
type layer struct {
	number int // the floor, and the step on it as the last digit
	folder string
	reach  reach
}

func (l layer) floor() int { return l.number / 10 }

// layers is the order of the packages. An import may point only to a strictly
// lower number, so that cycles cannot be and a reader can start at the bottom.
var layers = []layer{
	{0, "author", pure},
	{0, "failure", pure},
	{0, "internal/bound", pure},
	{0, "internal/champ", pure},
	{0, "internal/text", pure},
	{0, "internal/transfer", free},
	{0, "internal/vfs", free},
	{0, "merkle", pure},
	{0, "proof", pure},
	{0, "query", pure},
	{1, "internal/fault", pure},
	{1, "internal/outline", pure},
	{1, "proof/verify", free},
	{1, "token", pure},
	{10, "document", pure},
	{11, "org", pure},
	{12, "ast", pure},
	{20, "internal/index", pure},
	{20, "internal/vector", files},
	{20, "node", pure},
	{21, "embed", free},
	{21, "history", pure},
	{21, "internal/graph", pure},
	{30, "internal/store", pure},
	{31, "internal/chain", files},
	{31, "internal/disk", files},
	{40, "internal/corpus", files},
	{40, "internal/guard", pure},
	{40, "internal/recall", pure},
	{40, "window/choose", pure},
	{40, "working", pure},
	{41, "internal/stores", files},
	{41, "window/render", pure},
	{42, "window", pure},
	{50, "internal/inert", pure},
	{50, "internal/view", pure},
	{50, "options", free},
	{51, "internal/foreign", pure},
	{51, "internal/meaning", files},
	{51, "internal/scope", files},
	{52, "internal/place", free},
	{52, "internal/write", files},
	{53, "internal/hive", files},
	{53, "internal/ingest", files},
	{53, "internal/ipfs", free},
	{53, "internal/minds", files},
	{53, "internal/place/hosted", free},
	{54, "internal/mend", files},
	{54, "internal/notes", files},
	{54, "internal/travel", files},
	{60, ".", free},
	{70, "api", free},
	{70, "examples/mcp", free},
	{70, "internal/config", free},
	{71, "api/ops", free},
	{72, "internal/face", pure},
	{73, "internal/cli", free},
	{73, "internal/clients", free},
	{73, "internal/mcpserver", free},
	{74, "internal/httpapi", free},
	{74, "internal/servermemory", free},
	{75, "internal/daemon", free},
	{76, "cmd/fovea", free},
	{0, "internal/faultfs", tests},
	{0, "internal/foveatest", tests},
	{0, "internal/foveatest/forge", tests},
	{0, "internal/foveatest/looking", tests},
	{0, "internal/store/storetest", tests},
	{0, "internal/place/placetest", tests},
	{0, "test", tests},
	{0, "test/faces", tests},
	{0, "test/house", tests},
}

func layerOf(folder string) (layer, bool) {
	i := slices.IndexFunc(layers, func(l layer) bool { return l.folder == folder })
	if i < 0 {
		return layer{}, false
	}
	return layers[i], true
}

// folderOf turns an import path of this module into its folder.
func folderOf(importPath string) (string, bool) {
	if importPath == modulePath {
		return ".", true
	}
	return strings.CutPrefix(importPath, modulePath+"/")
}

// everyFolderHasARow complains about packages that the table does not know.
func everyFolderHasARow(sources []*source) []string {
	var complaints []string
	for _, s := range sources {
		if _, ok := layerOf(s.dir()); !ok && !s.nested {
			complaints = append(complaints, fmt.Sprintf(
				"%s: the folder %s has no row in layers (test/house/layer_test.go); add one there and in ARCHITECTURE.md, or move the file", s.path, s.dir()))
		}
	}
	return complaints
}

// importsPointDown complains about imports within the module that do not point
// to a strictly lower layer, and about test helpers imported by other code.
func importsPointDown(sources []*source) []string {
	var complaints []string
	for _, s := range sources {
		from, ok := layerOf(s.dir())
		if !ok || s.nested || s.isTest() {
			continue
		}
		for _, name := range slices.Sorted(maps.Keys(s.imports())) {
			folder, ours := folderOf(name)
			if !ours {
				continue
			}
			to, ok := layerOf(folder)
			switch pos := s.imports()[name].Pos(); {
			case !ok:
				complaints = append(complaints, s.at(pos, "imports %s, which has no row in layers", folder))
			case from.reach == tests:
			case to.reach == tests:
				complaints = append(complaints, s.at(pos, "imports %s, which is for tests alone", folder))
			case to.number >= from.number:
				complaints = append(complaints, s.at(pos,
					"%s (layer %d) imports %s (layer %d); declare a small interface here and let a higher layer pass the value in", from.folder, from.number, to.folder,
					to.number))
			}
		}
	}
	return complaints
}

// outside lists the packages that reach out of the process, and why a pure
// package needs none of them.
var outside = map[string]string{
	"os":       "take bytes and return values",
	"os/exec":  "start no process",
	"os/user":  "take the name as a parameter",
	"net":      "take bytes and return values",
	"net/http": "take bytes and return values",
	"syscall":  "take bytes and return values",
	"log":      "return the error",
	"log/slog": "return the error",
}

// clock lists the names of package time that read or wait for the clock.
var clock = []string{"Now", "Since", "Until", "After", "AfterFunc", "Tick", "NewTicker", "NewTimer", "Sleep"}

// fileAccess lists the names of package os that open or change files.
var fileAccess = []string{
	"Open", "OpenFile", "OpenRoot", "OpenInRoot", "Create", "CreateTemp", "ReadFile", "WriteFile", "ReadDir", "DirFS", "Stat", "Lstat",
	"Mkdir", "MkdirAll", "MkdirTemp", "Remove", "RemoveAll", "Rename", "Link", "Symlink", "Readlink", "Truncate", "Chmod", "Chtimes", "Chown",
}

// purePackagesStayInside complains about what pure packages import or ask.
func purePackagesStayInside(sources []*source) []string {
	var complaints []string
	for _, s := range sources {
		if l, ok := layerOf(s.dir()); !ok || l.reach != pure || s.nested || s.isTest() {
			continue
		}
		for _, name := range slices.Sorted(maps.Keys(s.imports())) {
			if instead, bad := outside[name]; bad {
				complaints = append(complaints, s.at(s.imports()[name].Pos(), "%s is pure and may not import %s: %s", s.dir(), name, instead))
			}
		}
		s.uses("time", func(name string, pos token.Pos) {
			if slices.Contains(clock, name) {
				complaints = append(complaints, s.at(pos, "%s is pure and may not call time.%s: take the time as a parameter", s.dir(), name))
			}
		})
	}
	return complaints
}

// filesGoThroughVFS complains about file access that crash tests would not see.
func filesGoThroughVFS(sources []*source) []string {
	var complaints []string
	for _, s := range sources {
		if l, ok := layerOf(s.dir()); !ok || l.reach != files || s.nested || s.isTest() {
			continue
		}
		s.uses("os", func(name string, pos token.Pos) {
			if slices.Contains(fileAccess, name) {
				complaints = append(complaints, s.at(pos, "%s reaches files through internal/vfs, not os.%s: crash tests must see it", s.dir(), name))
			}
		})
	}
	return complaints
}

// openers are the packages that open stores on disk, or read which memex a state folder has.
var openers = []string{".", "internal/scope", "internal/stores"}

// diskIsForOpeners complains about packages that know the store on disk and not the contract
// alone.
func diskIsForOpeners(sources []*source) []string {
	var complaints []string
	for _, s := range shipped(sources) {
		spec := s.imports()[modulePath+"/internal/disk"]
		if l, _ := layerOf(s.dir()); spec != nil && l.reach != tests && !slices.Contains(openers, s.dir()) {
			complaints = append(complaints, s.at(spec.Pos(), "%s names internal/disk, which is for %s: use internal/store", s.dir(), strings.Join(openers, ", ")))
		}
	}
	return complaints
}

func TestDiskIsForOpeners(t *testing.T)      { hold(t, diskIsForOpeners) }
func TestEveryFolderHasALayer(t *testing.T)  { hold(t, everyFolderHasARow) }
func TestImportsPointDown(t *testing.T)      { hold(t, importsPointDown) }
func TestPurePackagesAreInside(t *testing.T) { hold(t, purePackagesStayInside) }
func TestFilesGoThroughVFS(t *testing.T)     { hold(t, filesGoThroughVFS) }

// TestLayerRulesCatch shows each rule a breach, so that none of them can decay
// into one that never complains.
func TestLayerRulesCatch(t *testing.T) {
	const node, recall = `"github.com/fovea-memory/fovea/node"`, `"github.com/fovea-memory/fovea/internal/recall"`
	for _, tc := range []struct {
		name       string
		rule       rule
		path, text string
		want       string
	}{
		{"new folder", everyFolderHasARow, "internal/extra/a.go", "package extra", "no row"},
		{"known folder", everyFolderHasARow, "node/a.go", "package node", ""},
		{"import upwards", importsPointDown, "node/a.go", "package node\nimport _ " + recall, "layer 20) imports internal/recall (layer 40)"},
		{"import within a layer", importsPointDown, "internal/corpus/a.go", "package corpus\nimport _ " + recall, "imports internal/recall"},
		{"import of the root", importsPointDown, "window/a.go", "package window\nimport _ \"github.com/fovea-memory/fovea\"", "imports ."},
		{"import downwards", importsPointDown, "internal/recall/a.go", "package recall\nimport _ " + node, ""},
		{"import upwards by a test", importsPointDown, "node/a_test.go", "package node\nimport _ " + recall, ""},
		{"test helper in production", importsPointDown, "api/a.go", "package api\nimport _ \"github.com/fovea-memory/fovea/internal/faultfs\"", "tests alone"},
		{"pure package opens files", purePackagesStayInside, "org/a.go", "package org\nimport _ \"os\"", "may not import os"},
		{"pure package asks the clock", purePackagesStayInside, "org/a.go", "package org\nimport clock \"time\"\nvar now = clock.Now", "time.Now"},
		{"pure package computes with time", purePackagesStayInside, "org/a.go", "package org\nimport \"time\"\nvar day = 24 * time.Hour", ""},
		{"file access beside the door", filesGoThroughVFS, "internal/disk/a.go", "package disk\nimport \"os\"\nvar _ = os.Remove", "os.Remove"},
		{"the store on disk in a room", diskIsForOpeners, "internal/mend/a.go",
			"package mend\nimport _ \"github.com/fovea-memory/fovea/internal/disk\"", "internal/mend names internal/disk"},
		{"the store on disk in an opener", diskIsForOpeners, "internal/scope/a.go", "package scope\nimport _ \"github.com/fovea-memory/fovea/internal/disk\"", ""},
		{"constant of os", filesGoThroughVFS, "internal/disk/a.go", "package disk\nimport \"os\"\nvar _ = os.O_APPEND", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			catches(t, tc.rule, map[string]string{tc.path: tc.text}, tc.want)
		})
	}
}
