// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package forge

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"math/rand/v2"
	"path"
	"regexp"
	"slices"
	"time"

	"golang.org/x/mod/sumdb/note"

	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/chain"
	"github.com/fovea-memory/fovea/internal/corpus"
	"github.com/fovea-memory/fovea/internal/disk"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/internal/vfs"
)

// Paths are forbidden paths.
var Paths = []string{
	".git/config", ".git/hooks/post-checkout", ".GIT/config", ".gIt/HEAD", "sub/.git/config", "a/b/.git/x.org", ".dir-locals.el", ".envrc", ".bashrc",
	".x.org", "notes/.x.org", ".config/fovea/config.toml", ".#a.org", "\u200b.git/config", "\u200d.git/x.org", ".g\u200cit/config", "\ufeff.envrc",
	"\uff0egit/x.org", "\u2024git/x.org", "GIT~1/config", "git~2/x.org", "a/gi\u200bt~1/x.org", "../x.org", "a/../../x.org",
	"a//b.org",
	"a/./b.org", "./a.org", "..", ".", "", "x.org/", "a\nb.org", "a\tb.org", "a\x1b[2Jb.org", "a\u0085b.org", "a\u009bb.org", "a\x00b.org", "a\xffb.org",
	".foveaignore/x.org", ".hidden/.foveaignore", "agents/.git/ROM.org",
}

// Elsewhere are paths that a memory without configuration ignores.
var Elsewhere = []string{
	"run.sh", "Makefile", "a.txt", "package.json", "sub/x.py", "a.org~", "#a.org#", "a.ORG.bak", "AGENTS.md", "agents/x/run.sh", "index.html", "CLAUDE.md",
}

// Start is the memory from which forged states continue.
var Start = map[string]string{
	"a.org": "* A\n", "notes/x.org": "* X\n:PROPERTIES:\n:ID: x\n:END:\n", "drafts/mine.org": "* Mine alone\n",
	".foveaignore": "drafts/\n", "run.sh": "echo mine\n",
}

// Draw draws what a hostile machine puts into a state, and reports whether a path is forbidden.
func Draw(r *rand.Rand, into map[string]Document) (never bool) {
	texts := []string{"* T\n", "* T\n:PROPERTIES:\n:ID: x\n:END:\n", "#+SETUPFILE: x.setup\n* S\n", "#+SETUPFILE: .envrc\n* S\n", "#+SETUPFILE: there.sh\n* S\n",
		"[core]\n\tfsmonitor = \"touch PWNED; false\"\n", "", "*\n", "notes/\n"}
	pick := func(from ...string) string { return from[r.IntN(len(from))] }
	if r.IntN(4) == 0 { // not settings, under names that programs look for
		name := pick("there.sh", "GNUmakefile", "conftest.py", "run.sh", "sub/there.sh")
		into["b.org"] = Document{Text: "#+SETUPFILE: " + name + "\n* S\n"}
		into[name] = Document{Text: pick("#!/bin/sh\ntouch PWNED\n", "# \n\nall:\n", "#+TODO: A | B\n"), Opaque: true}
	}
	for range 1 + r.IntN(4) {
		d := Document{Text: pick(texts...), Opaque: r.IntN(3) == 0}
		at := ""
		switch r.IntN(8) {
		case 0:
			at, never = pick(Paths...), true
		case 1, 2:
			at = pick(Elsewhere...)
		case 3:
			at = pick("drafts/new.org", "drafts/mine.org", "drafts/.foveaignore", "drafts/deep/x.txt")
		case 4:
			at = pick(".foveaignore", "notes/.foveaignore", "new/.foveaignore")
		case 5:
			at = pick("x.setup", "there.sh", "run.sh", "agents/ada/ROM.md", "skills/run.sh", "b.org.gpg")
		default:
			at, d.Opaque = pick("b.org", "notes/y.org", "new/z.org", "a.org", "notes/x.org"), false
			d.Gone = r.IntN(4) == 0
		}
		into[at] = d
	}
	return never
}

// Document is a document of a forged commit.
type Document struct {
	Text   string
	Opaque bool
	Gone   bool
}

// Append adds a commit with these documents, by their paths, to the history in a state folder that is
// not open, and signs the head if signer is not nil. It uses kind, author, session, message and time
// of c.
func Append(ctx context.Context, in vfs.FS, formats document.Formats, signer note.Signer, c graph.Commit, documents map[string]Document) (err error) {
	to, recovery, err := disk.Open(in, &disk.Options{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, to.Close()) }()
	if recovery.Corrupt != nil {
		return recovery.Corrupt
	}
	made := chain.New(to, chain.Options{
		Name: "forged", Log: slog.New(slog.DiscardHandler), FS: in, Formats: formats, Ledgers: &chain.Ledgers{}, Deriver: nothing{}, Signer: signer,
	})
	tx := made.Begin()
	defer tx.End()
	if _, err := tx.Load(); err != nil {
		return err
	}
	draft := made.Head().State.Edit(c.Time)
	for _, path := range slices.Sorted(maps.Keys(documents)) {
		if d := documents[path]; d.Gone {
			draft.Drop(path)
		} else {
			draft.Put(path, document.File(d.Text, d.Opaque))
		}
	}
	state, delta := draft.Seal()
	_, err = tx.Append(ctx, state, &delta, c)
	return err
}

// setups matches the setup files of an Org file.
var setups = regexp.MustCompile(`(?im)^#\+SETUPFILE:[ \t]*(\S+)`)

// Unlisted returns the new or changed files in a folder that a fresh scan neither lists nor reads as
// settings of a listed file. It closes root.
func Unlisted(ctx context.Context, root *corpus.Root, before, after map[string]string) (unlisted []string, err error) {
	defer func() { err = errors.Join(err, root.Close()) }()
	s, err := root.Scan(ctx, nil, time.Now())
	if err != nil {
		return nil, err
	}
	listed := map[string]bool{}
	for _, f := range s.Files {
		listed[f.Path] = true
		for _, m := range setups.FindAllStringSubmatch(after[f.Path], -1) {
			setup := path.Join(path.Dir(f.Path), m[1])
			if found, _, err := root.Setup(setup, nil); err == nil && found {
				listed[setup] = true
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(after)) {
		if was, had := before[name]; (!had || was != after[name]) && !listed[name] {
			unlisted = append(unlisted, name)
		}
	}
	return unlisted, nil
}

// nothing derives nothing.
type nothing struct{}

func (nothing) Derive(*chain.Moment, any) any               { return nil }
func (nothing) Follow(any, *chain.Moment, *graph.Delta) any { return nil }
func (nothing) Encode(any) ([]byte, error)                  { return nil, nil }
func (nothing) Load([]byte) any                             { return nil }
