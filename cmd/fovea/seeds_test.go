// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/api"
)

// theirNames are what the five documents name: functions, tools, variables, classes, events.
const theirNames = `compute-merkle-hash context-assemble-global-awareness context-get-active-projects context-get-recent-completed-tasks
context-get-skill-source context-get-system-logs context-list-all-skills context-query-store context-render-to-org context-resolve-path copy-hash-table
cosine-similarity deep-copy-memory-object ensure-memory-snapshot-path file-name-nondirectory find-headline-missing-id get-embedding ingest-ast
list-objects-by-type list-objects-with-attribute load-memory-from-disk lookup-object memory-hash-table-copy memory-id-generate memory-merkle-hash
memory-object-get memory-objects-by-attribute memory-snapshot-path-ensure org-id-new persistence-dump-local persistence-get-local-path
persistence-load-local persistence-push-ipfs persistence-restore-ipfs persistence-serialize-for-archival rollback-memory save-memory-to-disk
semantic-search snapshot-memory checkpoint-memory restore-memory skill-state-persistence memory-object org-object *embedding-cache* *history-store* *memory*
*memory-history* *memory-snapshot-path* *memory-snapshots* *memory-store* *object-store-snapshots* make-load-form buffer-update point-update heartbeat
manual-persist foveal-focus target-id EMBED SEMANTIC_SCORE MEMORY_SNAPSHOT_PATH SYSTEM_DIR SKILLS_DIR CONTEXT_LOG_LIMIT CONTEXT_SEMANTIC_THRESHOLD INSTALL_DIR
Priority MemoryType MemoryBlock FileMemoryBlock StatusMemoryBlock TaskMemoryBlock MessageMemoryBlock KnowledgeMemoryBlock HistoryMemoryBlock
ContextMemoryBlock WorkingMemoryManager add_memory remove_memory update_confidence MemorySelector select_memories estimate_tokens ContentLoader load_content
load_file_content ContextBuilder build_context build_metadata MemoryCompressor compress_if_needed compress_code RelevanceScorer score_memory
create_memory_from_action read_file check_mailbox MemoryJanitor cleanup_memories`

// seedRows returns the rows of the tables of doc/seeds.md, each with its cells.
func seedRows(t *testing.T) (rows [][]string) {
	t.Helper()
	text, err := os.ReadFile("../../doc/seeds.md")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.SplitSeq(string(text), "\n") {
		if cells := strings.Split(strings.Trim(line, "| "), " | "); strings.HasPrefix(line, "| ") && cells[0] != "theirs" && cells[0] != "---" {
			if len(cells) != 6 {
				t.Errorf("%d cells, want 6: %s", len(cells), line)
				continue
			}
			rows = append(rows, cells)
		}
	}
	return rows
}

// TestSeedNames: each thing that the seeds name is on the page, and each verb, flag, route, tool, resource
// and Go name that the page has for it exists.
func TestSeedNames(t *testing.T) {
	verbs := map[string]bool{}
	var walk func(c *cobra.Command)
	walk = func(c *cobra.Command) {
		verbs[c.CommandPath()] = true
		c.Flags().VisitAll(func(f *pflag.Flag) { verbs["--"+f.Name] = true })
		c.PersistentFlags().VisitAll(func(f *pflag.Flag) { verbs["--"+f.Name] = true })
		for _, sub := range c.Commands() {
			walk(sub)
		}
	}
	walk(command(newSession()))
	tools := sources(t, "../../internal/mcpserver")
	routes := sources(t, "../../internal/httpapi") + sources(t, "../../internal/daemon")
	exists := []func(name string) bool{1: func(name string) bool {
		name, _, _ = strings.Cut(name, " shares")
		name, _, _ = strings.Cut(name, " json")
		return verbs[name]
	}, 2: func(name string) bool {
		if route, ok := strings.CutPrefix(name, "GET "); ok {
			return strings.Contains(routes, route)
		}
		return api.OperationNamed(name) != nil || name == api.HeaderSession || name == api.HeaderProject
	}, 3: func(name string) bool {
		if strings.HasPrefix(name, "fovea://") {
			return strings.Contains(tools, strings.TrimSuffix(name, "NAME"))
		}
		return strings.Contains(tools, `{"`+name+`", "`)
	}, 4: goNames(t)}
	quoted := regexp.MustCompile("`[^`]+`")
	var theirs strings.Builder
	for _, cells := range seedRows(t) {
		theirs.WriteString(cells[0] + " ")
		for column := 1; column <= 4; column++ {
			for _, name := range quoted.FindAllString(cells[column], -1) {
				if !exists[column](strings.Trim(name, "`")) {
					t.Errorf("%s: there is no %s", cells[0], name)
				}
			}
		}
	}
	for name := range strings.FieldsSeq(theirNames) {
		if !strings.Contains(theirs.String()+"`MEMORY_SNAPSHOT_PATH`", "`"+name+"`") && !strings.Contains(theirs.String(), " "+name) {
			t.Errorf("%s of the seeds is not on the page", name)
		}
	}
}

// sources returns the code of a package.
func sources(t *testing.T, folder string) string {
	t.Helper()
	files, err := filepath.Glob(folder + "/*.go")
	if err != nil || len(files) == 0 {
		t.Fatal(folder, err)
	}
	var all strings.Builder
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(text)
	}
	return all.String()
}

// goNames returns whether m.NAME is a method of a memory, v.NAME one of a view, h.NAME one of a history, b.NAME
// one of working memory, and PACKAGE.NAME declared.
func goNames(t *testing.T) func(name string) bool {
	declared := map[string]bool{}
	for name, folder := range map[string]string{"fovea": "../..", "working": "../../working"} {
		files, _ := filepath.Glob(folder + "/*.go")
		for _, file := range files {
			parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range parsed.Decls {
				switch d := d.(type) {
				case *ast.FuncDecl:
					declared[fmt.Sprintf("%s.%s", name, d.Name)] = d.Recv == nil
				case *ast.GenDecl:
					for _, s := range d.Specs {
						if s, ok := s.(*ast.TypeSpec); ok {
							declared[fmt.Sprintf("%s.%s", name, s.Name)] = true
						}
					}
				}
			}
		}
	}
	for receiver, of := range map[string]reflect.Type{
		"m": reflect.TypeFor[*fovea.Memory](), "v": reflect.TypeFor[fovea.View](), "h": reflect.TypeFor[fovea.History](), "b": reflect.TypeFor[fovea.Blocks](),
	} {
		for method := range of.Methods() {
			declared[receiver+"."+method.Name] = true
		}
	}
	return func(name string) bool { return declared[name] }
}
