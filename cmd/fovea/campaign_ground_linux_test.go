// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/fovea-memory/fovea/internal/foveatest"
)

// quake is one thing that befalls a file or folder under a daemon.
type quake struct {
	name string
	do   func(path string) error
}

// aside is where a quake puts what it takes away.
func aside(path string) string { return path + ".aside" }

func copied(from, to string) error { return exec.Command("cp", "-a", from, to).Run() }

// amidst copies a folder in which files come and go.
func amidst(from, to string) error {
	_ = copied(from, to) // it may tell of a file that went
	_, err := os.Stat(to)
	return err
}

// gone removes a folder in which files come and go.
func gone(path string) error {
	var err error
	for range 1000 {
		if err = os.RemoveAll(path); err == nil {
			return nil
		}
	}
	return err
}

var quakes = []quake{
	{"removed", gone},
	{"renamed", func(p string) error { return os.Rename(p, aside(p)) }},
	{"renamed and put back", func(p string) error { return errors.Join(os.Rename(p, aside(p)), os.Rename(aside(p), p)) }},
	{"replaced by a copy", func(p string) error {
		return errors.Join(amidst(p, p+".copy"), os.Rename(p, aside(p)), os.Rename(p+".copy", p))
	}},
	{"removed and replaced by a copy", func(p string) error {
		return errors.Join(amidst(p, p+".copy"), gone(p), os.Rename(p+".copy", p))
	}},
	{"replaced by a link", func(p string) error {
		return errors.Join(os.Rename(p, aside(p)), os.Symlink(filepath.Base(aside(p)), p))
	}},
	{"replaced by an empty folder", func(p string) error { return errors.Join(gone(p), os.Mkdir(p, 0o700)) }},
	{"replaced by an empty file", func(p string) error { return errors.Join(gone(p), os.WriteFile(p, nil, 0o600)) }},
	{"replaced by a pipe", func(p string) error { return errors.Join(gone(p), syscall.Mkfifo(p, 0o600)) }},
	{"made read-only", func(p string) error {
		info, err := os.Stat(p)
		if err != nil {
			return err
		}
		return os.Chmod(p, info.Mode().Perm()&^0o222)
	}},
}

// grounds is the campaign of folders and files that go from under a daemon.
type grounds struct {
	*served
	campaign *foveatest.Campaign
	daemon   *exec.Cmd
	ended    chan error
	url, key string
	n        int
	told     map[string]bool // titles of what was acknowledged, and must be there
}

// start runs a daemon with a port.
func (g *grounds) start() {
	g.t.Helper()
	g.daemon = g.command("serve", "--http")
	said, err := g.daemon.StderrPipe()
	if err == nil {
		err = g.daemon.Start()
	}
	if err != nil {
		g.t.Fatal(err)
	}
	ready, all := make(chan bool, 1), &strings.Builder{}
	g.ended = make(chan error, 1)
	go func() {
		buf := make([]byte, 4096)
		for {
			n, err := said.Read(buf)
			if all.Write(buf[:n]); strings.Contains(all.String(), "serving ") {
				select {
				case ready <- true:
				default:
				}
			}
			if err != nil {
				close(ready)
				g.ended <- g.daemon.Wait()
				return
			}
		}
	}()
	if !<-ready {
		g.t.Fatalf("the daemon does not serve:\n%s", all)
	}
	var at struct{ URL, Token string }
	b, err := os.ReadFile(filepath.Join(g.state, "http.json"))
	if err == nil {
		err = json.Unmarshal(b, &at)
	}
	if err != nil {
		g.t.Fatal(err)
	}
	g.url, g.key = at.URL, at.Token
}

func (g *grounds) stop() {
	g.t.Helper()
	_ = g.daemon.Process.Signal(syscall.SIGTERM)
	<-g.ended
}

// post asks the daemon, and returns the status of the answer, 0 for none.
func (g *grounds) post(operation, body string) (int, string) {
	req, err := http.NewRequestWithContext(g.t.Context(), http.MethodPost, g.url+"/v1/"+operation, strings.NewReader(body))
	if err != nil {
		g.t.Error(err)
		return 0, ""
	}
	req.Header.Set("Authorization", "Bearer "+g.key)
	req.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, err.Error()
	}
	defer res.Body.Close()
	text, _ := io.ReadAll(res.Body)
	return res.StatusCode, string(text)
}

// write has several writers remember notes at the same time, and returns the titles of
// those that were acknowledged.
func (g *grounds) write(writers int) []string {
	var mu sync.Mutex
	var told []string
	var all sync.WaitGroup
	for range writers {
		g.n++
		title := fmt.Sprintf("note%dq", g.n)
		all.Go(func() {
			if code, _ := g.post("remember", fmt.Sprintf(`{"title":%q}`, title)); code == http.StatusOK {
				mu.Lock()
				told = append(told, title)
				mu.Unlock()
			}
		})
	}
	all.Wait()
	return told
}

// verb runs a command that must end by itself, without a daemon.
func (g *grounds) verb(words ...string) (out string, said string, err error) {
	c := g.command(append(words, "--no-daemon")...)
	var o, e bytes.Buffer
	c.Stdout, c.Stderr = &o, &e
	err = c.Run()
	return o.String(), e.String(), err
}

// history returns the messages of the log as one text.
func (g *grounds) history() string {
	out, said, err := g.verb("log", "--json")
	if err != nil {
		return said
	}
	return out
}

// places lists what may be hit: the parts of the state folder and of the memex.
func (g *grounds) places() []string {
	var out []string
	for _, root := range []string{g.state, g.memex} {
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			name := filepath.Base(path)
			if err == nil && name != "socket" && !strings.HasPrefix(name, ".fovea-tmp-") {
				out = append(out, path)
			}
			return err
		})
		if err != nil {
			g.t.Fatal(err)
		}
	}
	return out
}

// inMemex reports whether the notes stand in files where their owner looks for them.
func (g *grounds) inMemex(titles []string) (missing string) {
	var text strings.Builder
	_ = filepath.WalkDir(g.memex+"/", func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			b, _ := os.ReadFile(path)
			text.Write(b)
		}
		return nil
	})
	for _, title := range titles {
		if !strings.Contains(text.String(), title) {
			return title
		}
	}
	return ""
}

// round hits one place under a daemon that writes, and looks what became of everything
// that was acknowledged.
func (g *grounds) round() (what string) {
	g.start()
	for _, title := range g.write(1 + g.campaign.Rand.IntN(6)) {
		g.told[title] = true
	}
	if g.campaign.Rand.IntN(4) == 0 {
		g.post("checkpoint", "{}")
	}
	backup := filepath.Join(filepath.Dir(g.state), "backup")
	if err := errors.Join(os.RemoveAll(backup), os.Mkdir(backup, 0o700), copied(g.state, backup+"/state"), copied(g.memex, backup+"/memex")); err != nil {
		g.t.Fatal(err)
	}
	places := g.places()
	place := places[g.campaign.Rand.IntN(len(places))]
	if g.campaign.Rand.IntN(3) == 0 { // the roots, as often as all the rest of them
		place = []string{g.state, g.memex, g.state + "/journal"}[g.campaign.Rand.IntN(3)]
	}
	q := quakes[g.campaign.Rand.IntN(len(quakes))]
	rel, _ := filepath.Rel(filepath.Dir(g.state), place)
	what = rel + " " + q.name
	before, err := os.Stat(g.memex)
	if err != nil {
		g.t.Fatal(err)
	}
	beside := make(chan []string, 1)
	go func() { beside <- g.write(3) }() // these may be told before it or after it
	if err := q.do(place); err != nil && !errors.Is(err, fs.ErrNotExist) {
		g.t.Fatalf("%s: %v", what, err)
	}
	<-beside
	after := g.write(2)
	if g.campaign.Rand.IntN(8) == 0 {
		g.n++
		title := fmt.Sprintf("note%dq", g.n)
		if g.command("remember", title).Run() == nil {
			after = append(after, title)
		}
	}
	now, err := os.Stat(g.memex)
	swapped := err != nil || !os.SameFile(before, now)
	g.swapped(what, swapped, after)
	code, _ := g.post("status", "{}")
	ready, readyErr := http.Get(g.url + "/readyz")
	if readyErr == nil {
		ready.Body.Close()
	}
	wasTold := code != http.StatusOK || readyErr != nil || ready.StatusCode != http.StatusOK
	if len(after) == 0 && !wasTold && !strings.HasPrefix(place, g.memex) {
		g.t.Fatalf("%s: writes are refused, and readyz is well", what)
	}
	g.stop()
	g.unrestored(what, after, swapped)
	if err := errors.Join(os.RemoveAll(g.state), os.RemoveAll(g.memex), os.RemoveAll(aside(g.state)), os.RemoveAll(aside(g.memex)),
		os.Rename(backup+"/state", g.state), os.Rename(backup+"/memex", g.memex)); err != nil {
		g.t.Fatal(err)
	}
	log := g.history()
	for title := range g.told {
		if !strings.Contains(log, title) {
			g.t.Fatalf("%s: %s was acknowledged, and is not in the history that was put back", what, title)
		}
	}
	return what
}

// swapped demands that nothing is answered of a memex that is another folder.
func (g *grounds) swapped(what string, swapped bool, after []string) {
	g.t.Helper()
	if title := g.inMemex(after); title != "" && swapped {
		g.t.Fatalf("%s: %s was acknowledged into a folder that nobody sees", what, title)
	}
	if code, text := g.post("search", `{"text":"note"}`); swapped && code == http.StatusOK {
		g.t.Fatalf("%s: a reader gets the notes of another folder: %s", what, text)
	}
}

// unrestored opens what is left, as somebody does who knows of nothing: what was
// acknowledged after the quake must be there, and where anything else is not, it is told.
func (g *grounds) unrestored(what string, after []string, swapped bool) {
	g.t.Helper()
	out, said, err := g.verb("status", "--json")
	if strings.Contains(said, "move it out") { // a pipe or link is refused by name
		g.moveOut(what, said)
		out, said, err = g.verb("status", "--json")
	}
	log := g.history()
	for _, title := range after {
		if !strings.Contains(log, title) {
			g.t.Fatalf("%s: %s was acknowledged after that, and is not in the history\n%s", what, title, said)
		}
	}
	quiet := err == nil && !strings.Contains(said, "read-only") && !strings.Contains(said, "recovered") && strings.Contains(out, `"root"`)
	for title := range g.told {
		if quiet && !swapped && !strings.Contains(log, title) {
			g.t.Fatalf("%s: %s is gone, and nothing is said of that: %s%s", what, title, out, said)
		}
	}
}

// moveOut does what the refusal of a pipe or link in the state folder says.
func (g *grounds) moveOut(what, said string) {
	g.t.Helper()
	before, _, _ := strings.Cut(said, ": it is a ")
	name := before[strings.LastIndex(before, " ")+1:]
	if err := os.Rename(filepath.Join(g.state, name), filepath.Join(filepath.Dir(g.state), "moved-out")); err != nil {
		g.t.Fatalf("%s: %v\n%s", what, err, said)
	}
}

// TestCampaignGround removes, renames, replaces and makes read-only files and folders of
// the state and of the memex under a daemon that writes. Nothing acknowledged is lost,
// and nothing goes without a word.
func TestCampaignGround(t *testing.T) {
	t.Parallel()
	campaign := foveatest.NewCampaign(t)
	rounds, counts := campaign.Length(foveatest.Size(12, 5), 2000), map[string]int{}
	var g *grounds
	notes := 0
	for i := range rounds {
		if i%20 == 0 { // a new history: each round reads all of it
			g = &grounds{served: newServed(t), campaign: campaign, told: map[string]bool{}}
			for name, text := range map[string]string{"inbox.org": "* Inbox\n", "people.org": "* Ana\n", "sub/deep.org": "* Deep\n", "skills/s.org": "* Skill\n"} {
				path := filepath.Join(g.memex, name)
				if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
					t.Fatal(err)
				}
			}
		}
		had := len(g.told)
		what := g.round()
		notes += len(g.told) - had
		counts[what[strings.Index(what, " ")+1:]]++
		if t.Context().Err() == context.Canceled {
			return
		}
	}
	t.Logf("seed %d: %d rounds, %d notes acknowledged before: %v", campaign.Seed, rounds, notes, counts)
}
