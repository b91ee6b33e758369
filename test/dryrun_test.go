// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package test

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/api/ops"
	"github.com/fovea-memory/fovea/author"
)

// trials is a memory in which every operation that can be tried has something to do: a copy of
// it that went on, a remote, a bundle, proposals, a conflict, a vault.
type trials struct {
	*exchanging
	state, place, bundle, copied string
	proposed                     []string // of an edit, of a new note
}

const trialNotes = `* One
:PROPERTIES:
:ID: one
:END:
first
** Below
:PROPERTIES:
:ID: below
:END:
* Two
:PROPERTIES:
:ID: two
:END:
`

func newTrials(t *testing.T) *trials {
	t.Helper()
	w := &trials{exchanging: newExchanging(t), place: t.TempDir(), copied: t.TempDir()}
	w.state = w.m.Status().StateDir
	w.write(filepath.Join(w.dir, "a.org"), trialNotes)
	w.write(filepath.Join(w.dir, "gone.org"), "* Gone\n")
	w.write(filepath.Join(w.dir, "tasks.org"), "* TODO Job\n:PROPERTIES:\n:ID: job\n:END:\n")
	w.do("ingest", api.IngestRequest{})
	w.do("snapshot", api.SnapshotRequest{Name: "start"})
	w.do("remote-add", ops.RemoteAddRequest{Name: "r", URL: w.place, Plain: true})
	w.do("push", ops.SyncRequest{})

	// The copy goes on, and changes what is changed here, too.
	for from, to := range map[string]string{w.dir: "notes", w.state: "state"} {
		if err := os.CopyFS(filepath.Join(w.copied, to), os.DirFS(from)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.RemoveAll(filepath.Join(w.copied, "state", "remotes")); err != nil {
		t.Fatal(err)
	}
	other := &exchanging{t: t, dir: filepath.Join(w.copied, "notes")}
	m, err := fovea.Open(t.Context(), other.dir, &fovea.Options{StateDir: filepath.Join(w.copied, "state"), Adopt: true})
	if err != nil {
		t.Fatal(err)
	}
	other.svc = api.NewLocal(m, nil)
	there := &trials{exchanging: other}
	there.do("edit", api.EditRequest{ID: "one", Title: new("Uno")})
	there.do("remember", api.RememberRequest{Title: "From there", Under: "there.org"})
	there.do("remote-add", ops.RemoteAddRequest{Name: "r", URL: w.place, Plain: true})
	there.do("push", ops.SyncRequest{})
	w.bundle = filepath.Join(w.copied, "b.fovea")
	there.do("bundle-write", ops.BundleRequest{File: w.bundle, Plain: true})
	if err := m.Close(); err != nil {
		t.Fatal(err)
	}

	w.do("edit", api.EditRequest{ID: "two", Append: new("secret word")})
	w.do("edit", api.EditRequest{ID: "two", Body: new("later")})
	w.do("edit", api.EditRequest{ID: "job", Property: []string{"CONFLICT=yes"}})
	ada := author.WithGrant(t.Context(), api.Grant{Agent: "ada", Role: api.Agent, Review: []string{"/"}})
	for _, r := range []asking{{"edit", api.EditRequest{ID: "two", Append: new("By ada")}}, {"remember", api.RememberRequest{Title: "New", Under: "a.org"}}} {
		answer, err := ops.Guarded(w.svc)(ada, api.Call{Op: api.OperationNamed(r.op), Request: r.req})
		if err != nil {
			t.Fatal(err)
		}
		w.proposed = append(w.proposed, answer.(*api.EditResponse).Proposal)
	}
	w.add("v.md", "# Vault\n")
	return w
}

type asking struct {
	op  string
	req any
}

func (w *trials) call(op string, req any) (any, error) {
	ctx := author.WithGrant(w.t.Context(), api.Grant{Role: api.Owner})
	return ops.Guarded(w.svc)(ctx, api.Call{Op: api.OperationNamed(op), Request: req})
}

func (w *trials) do(op string, req any) any {
	w.t.Helper()
	answer, err := w.call(op, req)
	if err != nil {
		w.t.Fatalf("%s %+v: %v", op, req, err)
	}
	return answer
}

// bytesIn are the files below a folder.
func bytesIn(t *testing.T, folder string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := fs.WalkDir(os.DirFS(folder), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(filepath.Join(folder, name))
		files[name] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// all are the bytes that a dry run must leave: notes, histories, remote. What the state folder
// has besides, such as a copy of what the remote holds, is no history.
func (w *trials) all() map[string]string {
	files := map[string]string{}
	for name, folder := range map[string]string{"notes": w.dir, "state": w.state, "place": w.place} {
		for file, text := range bytesIn(w.t, folder) {
			if name != "state" || strings.Contains(file, "journal/") && !strings.HasPrefix(file, "remotes/") {
				files[name+"/"+file] = text
			}
		}
	}
	return files
}

// told is what an answer says in JSON: the files and the notes that change.
type told struct {
	Files         []string
	RestoredFiles []string        `json:"restored_files"`
	RemovedFiles  []string        `json:"removed_files"`
	Would         *api.Difference `json:"would"`
	Pushed        uint64          `json:"pushed"`
	Machines      []struct{ Brought []told }
}

func (a *told) files() []string {
	files := slices.Concat(a.Files, a.RestoredFiles, a.RemovedFiles)
	for _, m := range a.Machines {
		for _, b := range m.Brought {
			files = append(files, b.files()...)
		}
	}
	if len(files) == 0 {
		files = pathsOf(a.Would)
	}
	slices.Sort(files)
	return slices.Compact(files)
}

func (a *told) notes() *api.Difference {
	for _, m := range a.Machines {
		for _, b := range m.Brought {
			return b.Would
		}
	}
	return a.Would
}

// pathsOf are the files of what changes.
func pathsOf(d *api.Difference) (paths []string) {
	if d == nil {
		return nil
	}
	for _, c := range slices.Concat(d.Added, d.Removed, d.Changed, d.Moved) {
		paths = append(paths, c.Path)
		if strings.HasSuffix(c.Was, ".org") {
			paths = append(paths, c.Was)
		}
	}
	return paths
}

// readTold reads what an answer says; of a list, of its first element.
func readTold(t *testing.T, answer any) (a told) {
	t.Helper()
	text, err := json.Marshal(answer)
	if err == nil && strings.HasPrefix(string(text), "[") {
		var list []told
		if err = json.Unmarshal(text, &list); err == nil && len(list) > 0 {
			a = list[0]
		}
	} else if err == nil {
		err = json.Unmarshal(text, &a)
	}
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// noteLines are what changes, but for what each run makes anew: ids and digests.
func noteLines(d *api.Difference) (all []string) {
	if d == nil {
		return nil
	}
	for mark, list := range map[string][]api.Changed{"+": d.Added, "-": d.Removed, "~": d.Changed, ">": d.Moved} {
		for _, c := range list {
			if c.Title != "" || mark != "~" { // the document of a new note
				all = append(all, mark+" "+c.Title+" "+c.Path)
			}
		}
	}
	slices.Sort(all)
	return all
}

// trialRequests are requests of every operation that can be tried, each of which changes something.
var trialRequests = map[string][]func(w *trials, dry bool) any{
	"forget": {
		func(_ *trials, dry bool) any { return api.MoveRequest{ID: "one", DryRun: dry} },
		func(_ *trials, dry bool) any { return api.MoveRequest{ID: "below", DryRun: dry} },
	},
	"refile":  {func(_ *trials, dry bool) any { return api.MoveRequest{ID: "one", To: "mine.org", DryRun: dry} }},
	"archive": {func(_ *trials, dry bool) any { return api.MoveRequest{ID: "one", DryRun: dry} }},
	"rollback": {
		func(_ *trials, dry bool) any { return api.RollbackRequest{DryRun: dry} },
		func(_ *trials, dry bool) any { return api.RollbackRequest{To: "start", DryRun: dry} },
		func(_ *trials, dry bool) any { return api.RollbackRequest{To: "seq:1", DryRun: dry} }, // removes files
		func(_ *trials, dry bool) any { return api.RollbackRequest{To: "seq:1", MemoryOnly: true, DryRun: dry} },
	},
	"restore": {
		func(_ *trials, dry bool) any { return api.RestoreRequest{Name: "start", DryRun: dry} },
		func(_ *trials, dry bool) any { return api.RestoreRequest{DryRun: dry} },
		func(_ *trials, dry bool) any {
			return api.RestoreRequest{Files: []string{"a.org"}, At: "start", DryRun: dry}
		},
	},
	"revert":  {func(_ *trials, dry bool) any { return api.RevertRequest{Commits: []string{"4"}, DryRun: dry} }},
	"resolve": {func(_ *trials, dry bool) any { return api.ResolveRequest{ID: "one", Take: "theirs", DryRun: dry} }},
	"merge": {func(w *trials, dry bool) any {
		return ops.MergeRequest{State: filepath.Join(w.copied, "state"), DryRun: dry}
	}},
	"bundle-read": {
		func(w *trials, dry bool) any { return ops.BundleReadRequest{File: w.bundle, DryRun: dry} },
		func(w *trials, dry bool) any {
			return ops.BundleReadRequest{File: w.bundle, Replace: true, DryRun: dry}
		},
	},
	"sync":         {func(_ *trials, dry bool) any { return ops.SyncRequest{DryRun: dry} }},
	"pull":         {func(_ *trials, dry bool) any { return ops.SyncRequest{DryRun: dry} }},
	"push":         {func(_ *trials, dry bool) any { return ops.SyncRequest{DryRun: dry} }},
	"remote-scrub": {func(_ *trials, dry bool) any { return ops.SyncRequest{DryRun: dry} }},
	"review-accept": {
		func(w *trials, dry bool) any { return ops.ReviewDecision{ID: w.proposed[0], DryRun: dry} },
		func(w *trials, dry bool) any { return ops.ReviewDecision{ID: w.proposed[1], DryRun: dry} },
	},
	"review-reject": {func(w *trials, dry bool) any {
		return ops.ReviewDecision{ID: w.proposed[0], Reason: "no", DryRun: dry}
	}},
	"import": {func(w *trials, dry bool) any {
		return ops.ImportRequest{Kind: "markdown", Source: w.other, DryRun: dry}
	}},
	"repair": {func(_ *trials, dry bool) any { return api.RepairRequest{DryRun: dry} }},
	"retain": {func(_ *trials, dry bool) any { return api.RetainRequest{KeepAll: "1h", DryRun: dry} }},
	"purge":  {func(_ *trials, dry bool) any { return api.PurgeRequest{Text: "secret word", DryRun: dry} }},
}

// silent are operations whose real run tells what the dry one told, and that change no notes.
var silent = []string{"push", "review-reject", "import", "repair", "retain", "purge"}

// TestDryRuns: a dry run of any operation that takes one changes no byte of notes, history and
// remote, and what it tells is what the real run then does.
func TestDryRuns(t *testing.T) {
	for _, op := range api.Operations {
		if _, can := op.Request.FieldByName("DryRun"); can && trialRequests[op.Name] == nil {
			t.Errorf("%s can be tried, and has no row", op.Name)
		}
	}
	for name, requests := range trialRequests {
		for i, request := range requests {
			t.Run(fmt.Sprintf("%s %d", name, i), func(t *testing.T) {
				t.Parallel()
				dryRun(t, name, request)
			})
		}
	}
}

// TestDryRunsOfNothing: what would change nothing says that it was a dry run, too.
func TestDryRunsOfNothing(t *testing.T) {
	w := newTrials(t)
	w.do("checkpoint", api.CheckpointRequest{Name: "now"})
	for _, r := range []asking{
		{"rollback", api.RollbackRequest{To: "head", DryRun: true}}, {"restore", api.RestoreRequest{Name: "now", DryRun: true}},
		{"restore", api.RestoreRequest{Name: "now", MemoryOnly: true, DryRun: true}}, {"restore", api.RestoreRequest{Missing: true, DryRun: true}},
		{"archive", api.MoveRequest{ID: "one", DryRun: true}},
	} {
		if told := readTold(t, w.do(r.op, r.req)); told.Would == nil {
			t.Errorf("%s %+v does not say that it was a dry run", r.op, r.req)
		}
	}
}

func dryRun(t *testing.T, name string, request func(w *trials, dry bool) any) {
	w := newTrials(t)
	if name == "resolve" {
		w.do("edit", api.EditRequest{ID: "one", Title: new("Eins")})
		w.do("pull", ops.SyncRequest{})
	}
	before, head := w.all(), w.m.View().Head().Seq
	would := w.do(name, request(w, true))
	if diff := cmp.Diff(before, w.all()); diff != "" {
		t.Errorf("the dry run changed something:\n%s", diff)
	}
	if seq := w.m.View().Head().Seq; seq != head {
		t.Errorf("the dry run made commit %d", seq)
	}
	notes := bytesIn(t, w.dir)
	did := w.do(name, request(w, false))
	if slices.Contains(silent, name) {
		return
	}
	var changed []string
	after := bytesIn(t, w.dir)
	for file := range after {
		if notes[file] != after[file] {
			changed = append(changed, file)
		}
	}
	for file := range notes {
		if _, there := after[file]; !there {
			changed = append(changed, file)
		}
	}
	slices.Sort(changed)
	told := readTold(t, would)
	if files := told.files(); !slices.Equal(files, changed) && !strings.Contains(fmt.Sprintf("%+v", request(w, false)), "MemoryOnly:true") {
		t.Errorf("the dry run told of the files %q, changed are %q", files, changed)
	}
	real, err := api.OpDiff.Call(context.WithoutCancel(t.Context()), w.svc, api.DiffRequest{From: fmt.Sprintf("seq:%d", head)})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(noteLines(told.notes()), noteLines(real)); diff != "" || len(noteLines(real)) == 0 {
		t.Errorf("the dry run told of other notes than changed:\n%s", diff)
	}
	if done := readTold(t, did); done.Pushed != told.Pushed {
		t.Errorf("the dry run told of %d commits to push, %d were pushed", told.Pushed, done.Pushed)
	}
}
