// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package api_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/api/ops"
	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/internal/guard"
	"github.com/fovea-memory/fovea/working"
)

// named are more ways in which text comes to be withheld: those in which a file of it has
// several names, or none that a scan lists. They are asked for as hidden ones are.
var named = map[string]func(t *testing.T) *reading{
	"hard link of a locked file": func(t *testing.T) *reading {
		r := newReading(t, common(map[string]string{"skills/plan.org": plain}), &fovea.Options{})
		r.link("skills/plan.org", "notes/plan.org", "src/plan.txt", "src/plan.org~")
		r.save("skills/plan.org", planted)
		r.symlink("notes/plan.org", "src/far.txt", "src/far.org")
		r.step("changed")
		return r
	},
	"hard link made before the first scan": func(t *testing.T) *reading {
		dir := t.TempDir()
		put(t, dir, "core.org", plain)
		if err := os.Link(filepath.Join(dir, "core.org"), filepath.Join(dir, "hard.org")); err != nil {
			t.Fatal(err)
		}
		r := openReading(t, dir, &fovea.Options{Guard: guard.Rules{Lockdown: []string{"/core.org"}}})
		r.paths = []string{"core.org", "hard.org"}
		if text, err := os.OpenFile(filepath.Join(dir, "hard.org"), os.O_WRONLY|os.O_TRUNC, 0); err != nil {
			t.Fatal(err)
		} else if _, err := text.WriteString(planted); errors.Join(err, text.Close()) != nil {
			t.Fatal(err)
		}
		r.step("changed")
		return r
	},
	"in a project, by other names": func(t *testing.T) *reading {
		r := newReading(t, common(map[string]string{
			"lake/l.org": planted, "lake/code.py": "print('zy9code')\n", "lake/deep/theme.setup": "#+TODO: WAIT | OVER\nzy9setup\n",
			"uses.org": "#+SETUPFILE: lake/deep/theme.setup\n* WAIT Uses\n", "river/r.org": "#+SETUPFILE: ../lake/code.py\n* River\n",
			"skills/theirs.org": "* Theirs\n#+INCLUDE: \"../lake/l.org\"\n",
		}), &fovea.Options{Projects: map[string][]string{"lake": {"lake"}, "river": {"river"}}, Guard: guard.Rules{}})
		r.paths = []string{"lake/l.org", "lake/code.py", "lake/deep/theme.setup", "lake", "./lake/l.org", "notes/../lake/l.org",
			filepath.Join(r.memory.Dir(), "lake/l.org")}
		r.symlink("lake/l.org", "alias.org", "alias.txt", "river/alias.org")
		r.symlink("lake", "all", "river/all", "skills/all")
		r.symlink("lake/deep/theme.setup", "theme.setup")
		r.save("also.org", "#+SETUPFILE: theme.setup\n* WAIT Also\n")
		r.paths = append(r.paths, "all/l.org", "all/code.py", "river/all/l.org", "skills/all/l.org")
		r.link("lake/l.org", "hard.txt")
		r.link("lake/code.py", "hard.py")
		r.step("named")
		return r.foreign("project/lake")
	},
	"encrypted, ignored or hidden": func(t *testing.T) *reading {
		const vault = "* Open\nopen text\n* Vault :crypt:\nzy9vault\n** Zy9below\nzy9deeper\n* After\nafter\n"
		const skill = "#+TITLE: Mend\n* Vault :crypt:\nzy9skill\n:PROPERTIES:\n:SKILL_TRIGGERS: zy9trigger\n:END:\n"
		files := map[string]string{
			"sec.org": vault, "deep.org": "* Top\n** Inner :crypt:\nzy9inner\n*** Zy9in\n** Beside\nbeside\n",
			"all.org": "#+FILETAGS: :crypt:\nzy9zeroth\n* Zy9head\nzy9headbody\n", "tags.setup": "#+FILETAGS: :crypt:\n",
			"set.org": "#+SETUPFILE: tags.setup\n* Zy9set\nzy9setbody\n", "set.org~": "#+SETUPFILE: tags.setup\n* Zy9set\nzy9setbody\n",
			"copy.txt": vault, "sec.org~": vault, "crlf.txt": strings.ReplaceAll(vault, "\n", "\r\n"), "skills/mend.org": skill,
			"vault.org.gpg": "zy9gpg\n", "notes.gpg": "zy9gpg\n", ".hid.org": "zy9hidden\n", ".dir/h.org": "zy9hidden\n",
			"notes/top.org": "* Top\n:PROPERTIES:\n:ID: top\n:END:\nopen\n** Vault :crypt:\nzy9kid\n*** Zy9grandkid\nzy9deep\n",
			".foveaignore":  "private/\n*.key\n", "private/p.org": "* Zy9private\nzy9private\n", "k.key": "zy9key\n",
		}
		r := newReading(t, common(files), &fovea.Options{})
		// Who may move a note out of a subtree may read it; who may forget one has not read a word.
		forgets := api.Grant{Agent: "bob", Role: api.Agent, Paths: []string{"notes/"}, Operations: []string{"forget"}}
		r.grants = append(r.grants[:2], forgets)
		for name := range files {
			r.paths = append(r.paths, name)
		}
		slices.Sort(r.paths)
		r.symlink("sec.org", "link.org", "link.txt")
		r.symlink("private/p.org", "pub.txt")
		r.symlink(".hid.org", "pub.md")
		r.symlink("vault.org.gpg", "gpg.txt")
		r.link("sec.org", "hard.txt")
		r.link("set.org", "hard.md")
		r.link("vault.org.gpg", "gpg.md")
		r.step("written")
		for _, name := range []string{"sec.org", "all.org", "vault.org.gpg"} {
			r.save(name, files[name]+"zy9more\n* Zy9more\nzy9more\n")
			if name == "sec.org" {
				r.save(name, strings.Replace(vault, "zy9vault", "zy9changed", 1))
			}
		}
		r.step("edited")
		r.paths = append(r.paths, "sec.org:3", "Vault", "top", "Top", "notes/top.org:1", "notes/top.org:6", "notes/top.org:7", "notes/top.org:8")
		r.allowed = byName
		return r
	},
}

// byName are the operations that answer the bytes of an encrypted subtree to who names it, and
// why. Nobody else does.
var byName = map[string]string{
	"show":  "by name the bytes come unchanged, see SECURITY.md",
	"blame": "names the note, and answers its lines",
	"prove": "names the note, and proves its bytes",
}

func init() {
	maps.Copy(hidden, named)
}

// link gives a file more names, which are asked for, too.
func (r *reading) link(to string, names ...string) { r.more(os.Link, to, names) }

// symlink makes links to a file or folder.
func (r *reading) symlink(to string, names ...string) {
	r.more(func(to, at string) error { return os.Symlink(to, at) }, to, names)
}

func (r *reading) more(how func(to, at string) error, to string, names []string) {
	r.t.Helper()
	for _, name := range names {
		at := filepath.Join(r.memory.Dir(), filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(at), 0o700), how(filepath.Join(r.memory.Dir(), to), at)); err != nil {
			r.t.Fatal(err)
		}
		r.paths = append(r.paths, name)
	}
}

// blockOf are the blocks of each type that name a file. A new type needs a row.
var blockOf = map[working.Type]func(path string) working.Block{
	working.ROM:       func(path string) working.Block { return working.Block{Location: path} },
	working.File:      func(path string) working.Block { return working.Block{Location: path} },
	working.Knowledge: func(path string) working.Block { return working.Block{Location: path, Topic: "t"} },
	working.Message:   func(path string) working.Block { return working.Block{FullPath: path, Subject: "s"} },
	working.Task:      func(path string) working.Block { return working.Block{Location: path, FullPath: path, TaskID: path} },
	working.Status: func(path string) working.Block {
		return working.Block{Location: path, FullPath: path, StatusType: path}
	},
	working.History: func(path string) working.Block {
		return working.Block{Location: path, FullPath: path, ActionType: path}
	},
	working.Context: func(path string) working.Block {
		return working.Block{Location: path, FullPath: path, Summary: path, RelatedIDs: []string{path}}
	},
}

// actionsOf are the actions that leave blocks of files.
func actionsOf(path string) []working.Action {
	return []working.Action{{Name: "read_file", Path: path}, {Name: "read_file", Path: path, StartLine: 4, EndLine: 5}, {Name: "edit_file", Path: path},
		{Name: working.CheckMailbox, Messages: []working.Mail{{From: "bob", To: "ada", Subject: "s", Path: path}}}}
}

// askBlocks puts everything that has a name into working memory, as each type of block, whole
// and by lines, and has windows made of it.
func (r *reading) askBlocks() {
	var adds []api.BlockAddRequest
	names := append(slices.Clone(r.paths), r.names()...)
	for _, kind := range working.Types {
		of := blockOf[kind]
		if of == nil {
			r.t.Fatalf("blocks of type %s have no row in blockOf", kind)
		}
		var add api.BlockAddRequest
		for i, name := range names {
			for _, lines := range [][2]int{{}, {4, 5}, {5, 6}} {
				b := of(name)
				b.ID = fmt.Sprintf("%s-%d-%d", kind, i, lines[0])
				if b.Type = kind; lines[0] > 0 && kind == working.File {
					b.StartLine, b.EndLine = lines[0], lines[1]
				} else if lines[0] > 0 {
					continue
				}
				add.Blocks = append(add.Blocks, b)
			}
		}
		adds = append(adds, add)
	}
	var acted api.BlockAddRequest
	for _, name := range names {
		acted.Actions = append(acted.Actions, actionsOf(name)...)
	}
	for _, add := range append(adds, acted) {
		r.askBlocksOf(add)
	}
}

func (r *reading) askBlocksOf(add api.BlockAddRequest) {
	svc := ops.Guarded(api.NewLocal(r.memory, &r.options))
	for _, scopes := range r.scopes {
		ctx := author.WithScopes(author.WithGrant(r.t.Context(), r.grants[0]), scopes)
		var added *api.BlockAddResponse
		ask := func(op *api.Operation, req any) any {
			answer, err := svc(ctx, api.Call{Op: op, Request: req, Sync: api.SyncNone})
			text, _ := json.Marshal(answer)
			r.asked++
			if leak := leaked(string(text)+fmt.Sprint(err), []any{add, req}); leak != "" {
				at := strings.Index(strings.ToLower(string(text)), leak)
				r.t.Errorf("%s of blocks as %+v in %+v tells %s: …%.600s", op.Name, add.Blocks[:min(1, len(add.Blocks))], scopes, leak, text[max(0, at-300):])
			}
			return answer
		}
		before := 0 // windows, which have the words of earlier questions
		if list, err := api.OpWindows.Call(ctx, svc, api.WindowsRequest{Limit: 1}); err == nil && len(list) > 0 {
			before = int(list[0].ID)
		}
		added, _ = ask(api.OpBlockAdd.Operation, add).(*api.BlockAddResponse)
		if added == nil {
			continue // the scopes are not the agent's
		}
		for _, budget := range []int{300, 4000, 1_000_000} {
			for _, policy := range []string{"shares", "foveal"} {
				ask(api.OpContext.Operation, api.ContextRequest{Policy: policy, Budget: budget, Question: "vault plan look", Fresh: true})
			}
		}
		ask(api.OpBlocks.Operation, api.BlocksRequest{})
		for n := range 8 {
			ask(api.OpWindows.Operation, api.WindowsRequest{ID: fmt.Sprint(before + 1 + n)})
		}
		var remove api.BlockRemoveRequest
		for _, b := range added.Blocks {
			if b.Error == "" && !slices.Contains(remove.IDs, b.ID) {
				remove.IDs = append(remove.IDs, b.ID)
			}
		}
		ask(api.OpBlockRemove.Operation, remove)
	}
}

// varying is what differs from memory to memory.
var (
	varying = regexp.MustCompile(`"(handle|signed_by)":"[^"]*"`)
	numbers = regexp.MustCompile(`[0-9a-f-]{16,}|[0-9]+`)
)

// TestCampaignForeignIsNowhere: of two memories, one has notes in a project that the callers may not
// name, the other has none of them. Both answer every request for them with the same words.
func TestCampaignForeignIsNowhere(t *testing.T) {
	world := func(lake map[string]string) *reading {
		files := common(map[string]string{
			"river/r.org": "* River\n:PROPERTIES:\n:ID: river\n:END:\n",
			"tasks/a.org": "* TODO Waits for the open\n:PROPERTIES:\n:ID: open\n:DEPENDS_ON: zy9-id\n:END:\n[[id:zy9-id]]\n" +
				"* TODO Waits for the done\n:PROPERTIES:\n:ID: done\n:DEPENDS_ON: zy9-done\n:END:\n[[file:../lake/l.org]]\n",
		})
		maps.Copy(files, lake)
		opts := &fovea.Options{Projects: map[string][]string{"lake": {"lake"}, "river": {"river"}}, Guard: guard.Rules{}}
		return newReading(t, files, opts).foreign("project/lake")
	}
	there := world(map[string]string{
		"lake/l.org":   "* TODO Planet\n:PROPERTIES:\n:ID: zy9-id\n:TASK: t\n:END:\nzy9body\n* DONE Zy9done\n:PROPERTIES:\n:ID: zy9-done\n:TASK: t\n:END:\n",
		"lake/code.py": "zy9\n",
	})
	nowhere := world(map[string]string{"lake/o.org": "* Other\n"})
	asked := 0
	for _, effect := range []api.Effect{api.Reads, api.Writes, api.Mends} {
		for _, op := range api.Operations {
			if op.Effect != effect {
				continue
			}
			for _, req := range there.foreigners(op) {
				for _, scopes := range []api.Scopes{{}, {Project: "river"}} {
					g := there.grants[(asked+asked/len(there.grants))%len(there.grants)] // in turn, also if the scopes are
					told, want := there.answer(op, req, g, scopes), nowhere.answer(op, req, g, scopes)
					if asked++; told != want {
						text, _ := json.Marshal(req)
						t.Errorf("%s %s of %s in %+v\n%.500s\nis answered otherwise than where there is nothing\n%.500s", op.Name, text, g.Role, scopes, told, want)
					}
				}
			}
		}
	}
	t.Logf("%d requests", asked)
}

// foreigners are requests of an operation that name what is in a foreign project.
func (r *reading) foreigners(op *api.Operation) (out []any) {
	names := []string{"zy9-id", "zy9-done", "Zy9done", "Planet", "lake/l.org", "lake/l.org:2", "lake/l.org:+9", "zy9-id::src-block.1", "lake/code.py"}
	list := templates[op.Name]
	if list == nil {
		list = []any{reflect.Zero(op.Request).Interface()}
	}
	for _, template := range list {
		out = append(out, template)
		for _, f := range fieldsOf(op.Request) {
			t := f.Type
			for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
				t = t.Elem()
			}
			for _, name := range names {
				if t.Kind() == reflect.String {
					out = append(out, with(template, f, reflect.ValueOf(name).Convert(t).Interface()))
				}
			}
		}
	}
	switch op.Name {
	case "block-add":
		for _, kind := range working.Types {
			for _, name := range names {
				b := blockOf[kind](name)
				b.Type, b.ID = kind, "b"
				out = append(out, api.BlockAddRequest{Blocks: []working.Block{b}})
			}
		}
	case "task-claim", "task-renew", "task-release", "task-done":
		f, _ := op.Request.FieldByName("Task")
		for _, id := range []string{"open", "done"} {
			out = append(out, with(list[0], f, id))
		}
	case "remember":
		for _, p := range []string{"ID=zy9-id", "DEPENDS_ON=zy9-done"} {
			out = append(out, api.RememberRequest{Title: "New", Property: []string{p}})
		}
		out = append(out, api.RememberRequest{Title: "Planet", Body: "zy9body"}, api.RememberRequest{Title: "Zy9done"})
	case "ingest-tree":
		out = append(out, api.IngestTreeRequest{AST: json.RawMessage(`{"type":"headline","properties":{"ID":"zy9-id","TITLE":"Tree"}}`)})
	}
	return out
}

// answer is what a call is answered, without numbers and digests.
func (r *reading) answer(op *api.Operation, req any, g api.Grant, scopes api.Scopes) string {
	svc := ops.Guarded(api.NewLocal(r.memory, &r.options))
	told := ""
	ctx := author.WithScopes(author.WithGrant(r.t.Context(), g), scopes)
	answer, err := svc(ctx, api.Call{Op: op, Request: req, Sync: api.SyncNone, Warn: func(err error) { told += err.Error() }})
	text, _ := json.Marshal(answer)
	told = strings.ReplaceAll(told+string(text)+fmt.Sprint(err), r.memory.Dir(), "DIR")
	return numbers.ReplaceAllString(digests.ReplaceAllString(varying.ReplaceAllString(told, ""), ""), "")
}

// TestNamedFilesAreRead: what is not withheld is read under each of its names: the files of a
// project by who may name it, and what stands around an encrypted subtree, on its own lines.
func TestNamedFilesAreRead(t *testing.T) {
	r := newReading(t, common(map[string]string{
		"lake/l.org": "* Lake\nwater\n", "lake/code.py": "print('water')\n", "sec.org": "* Open\nwater\n* Vault :crypt:\nhush\n** Sub\nhush\n* After\nmore water\n",
		"src/main.c": "int water; /* crypt */\n",
	}), &fovea.Options{Projects: map[string][]string{"lake": {"lake"}}, Guard: guard.Rules{}})
	r.symlink("sec.org", "link.txt")
	r.link("sec.org", "hard.txt")
	r.link("src/main.c", "src/same.c")
	r.step("written")
	svc := ops.Guarded(r.owner)
	for _, name := range []string{"lake/l.org", "lake/code.py", "sec.org", "link.txt", "hard.txt", "src/main.c", "src/same.c"} {
		ctx := author.WithGrant(t.Context(), api.Grant{Agent: "ada", Role: api.Agent})
		b := working.Block{Type: working.File, ID: "b", Location: name}
		if strings.HasSuffix(name, ".txt") {
			b.StartLine, b.EndLine = 7, 8
		}
		_, err := api.OpBlockAdd.Call(ctx, svc, api.BlockAddRequest{Blocks: []working.Block{b}})
		w, windowErr := api.OpContext.Call(ctx, svc, api.ContextRequest{Policy: "shares", Fresh: true})
		if err := errors.Join(err, windowErr); err != nil || !strings.Contains(w.Text, "water") || strings.Contains(w.Text, "hush") {
			t.Errorf("%s: %v, %s", name, err, w.Text)
		}
	}
}
