// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/internal/foveatest"
	"github.com/fovea-memory/fovea/internal/httpapi"
)

const (
	colonySize  = 16
	colonyTasks = 6
)

// colony is many agents on one served memex, and what was acknowledged to them.
type colony struct {
	*served
	fenced *httpapi.Client // of writes that name their claim
	agents []*worker

	mu    sync.Mutex
	sent  map[string]string         // receivers of the messages whose sending was acknowledged, by subject
	tried map[string]string         // likewise, of all that were sent
	got   map[string]map[string]int // how often an agent was given a message
	acks  map[string]bool           // lines and notes that were acknowledged
	held  map[string]bool           // claims that were acknowledged: task, number and holder
	stale int                       // writes under an old number that were refused
	kills map[string]int
}

// worker is one agent, with the process of its MCP server.
type worker struct {
	*colony
	name    string
	rand    *rand.Rand
	session *mcp.ClientSession
	n       int // of what it made
	mu      sync.Mutex
	process *exec.Cmd
	old     []author.Claim // claims that it had
}

// newColony serves a memex with tasks.
func newColony(t *testing.T, seed uint64) *colony {
	t.Helper()
	c := &colony{served: newServed(t), sent: map[string]string{}, tried: map[string]string{}, got: map[string]map[string]int{}, acks: map[string]bool{},
		held: map[string]bool{}, kills: map[string]int{}}
	if err := os.Mkdir(filepath.Join(c.memex, "tasks"), 0o755); err != nil {
		t.Fatal(err)
	}
	texts := map[string]string{}
	for i := range colonyTasks {
		texts[fmt.Sprintf("%d.org", i/3)] += fmt.Sprintf("* TODO Task %d\n:PROPERTIES:\n:ID: t%d\n:END:\n", i, i)
	}
	for name, text := range texts {
		if err := os.WriteFile(filepath.Join(c.memex, "tasks", name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if said, err := c.command("serve", "--detach", "--idle", "10m").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	c.fenced = c.socketClient()
	for i := range colonySize {
		name := fmt.Sprintf("agent%02d", i)
		c.agents, c.got[name] = append(c.agents, &worker{colony: c, name: name, rand: rand.New(rand.NewPCG(seed, uint64(i)))}), map[string]int{}
	}
	return c
}

// socketClient reaches the daemon by its socket, as an agent; it repeats what a kill cut short.
func (c *colony) socketClient() *httpapi.Client {
	c.t.Helper()
	text, err := os.ReadFile(filepath.Join(c.state, "socket"))
	if err != nil {
		c.t.Fatal(err)
	}
	h := httpapi.Unix(string(text), &httpapi.ClientOptions{Role: api.Agent})
	h.OnLoss(func(ctx context.Context) error {
		for ctx.Err() == nil { // until a shim has started another daemon
			if _, err := h.Hello(ctx); err == nil {
				return nil
			}
			pause(ctx, 20*time.Millisecond)
		}
		return ctx.Err()
	})
	return h
}

// pause waits for a real process.
func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// call calls a tool of the agent's server under a key of its own, again after each kill, until
// there is an answer of the memory.
func (w *worker) call(tool string, args map[string]any) (text string, refused bool) {
	key := fmt.Sprintf("%s-%s-%d", w.name, tool, w.next())
	for try := 0; ; try++ {
		if w.t.Context().Err() != nil || try == 200 {
			w.t.Errorf("%s: no answer of %s %v after %d tries: %s", w.name, tool, args, try, text)
			return text, true
		}
		if w.session == nil && !w.connect() {
			continue
		}
		params := &mcp.CallToolParams{Name: tool, Arguments: args, Meta: mcp.Meta{"io.github.fovea-memory/idempotency-key": key}}
		r, err := w.session.CallTool(w.t.Context(), params)
		if err != nil {
			text = err.Error()
			_ = w.session.Close() // killed
			w.session = nil
			continue
		}
		text = r.Content[0].(*mcp.TextContent).Text
		if !r.IsError || refusals.MatchString(text) {
			return text, r.IsError
		}
		pause(w.t.Context(), 20*time.Millisecond) // no daemon yet
	}
}

// refusals matches what the memory refuses for good.
var refusals = regexp.MustCompile(`the task is claimed|not in force|at most 60 messages|unread messages of this sender`)

// connect starts the agent's server.
func (w *worker) connect() bool {
	command := w.command("mcp", "--agent", w.name)
	c := mcp.NewClient(&mcp.Implementation{Name: w.name, Version: "1"}, nil)
	session, err := c.Connect(w.t.Context(), &mcp.CommandTransport{Command: command}, &mcp.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
	if err != nil {
		return false
	}
	w.session = session
	w.mu.Lock()
	defer w.mu.Unlock()
	w.process = command
	return true
}

func (w *worker) next() int { w.n++; return w.n }

// work does one thing after another until ctx ends.
func (w *worker) work(ctx context.Context) {
	for ctx.Err() == nil && !w.t.Failed() {
		switch w.rand.IntN(4) {
		case 0:
			w.send()
		case 1:
			w.read()
		case 2:
			w.late(ctx)
		default:
			w.claim(ctx)
		}
	}
}

// send sends a message to another agent.
func (w *worker) send() {
	to := w.agents[w.rand.IntN(colonySize)].name
	if to == w.name {
		return
	}
	subject := fmt.Sprintf("m-%s-%d", w.name, w.next())
	w.colony.mu.Lock()
	w.tried[subject] = to
	w.colony.mu.Unlock()
	_, refused := w.call("remember", map[string]any{"title": subject, "body": "about it", "to": to})
	w.colony.mu.Lock()
	defer w.colony.mu.Unlock()
	if !refused {
		w.sent[subject] = to
	}
}

// subjects matches those of messages.
var subjects = regexp.MustCompile(`m-agent\d\d-\d+`)

// read takes what is in the inbox, and reports whether that was anything.
func (w *worker) read() bool {
	text, _ := w.call("history", map[string]any{"action": "inbox"})
	w.colony.mu.Lock()
	defer w.colony.mu.Unlock()
	for _, subject := range subjects.FindAllString(text, -1) {
		w.got[w.name][subject]++
	}
	return !strings.HasPrefix(text, "No unread")
}

// claims matches the number of a claim.
var claims = regexp.MustCompile(`"number":(\d+)`)

// claim claims a task, writes to it and under it, and gives it back, or not.
func (w *worker) claim(ctx context.Context) {
	task := fmt.Sprintf("t%d", w.rand.IntN(colonyTasks))
	text, refused := w.call("edit", map[string]any{"id": task, "task": "claim", "lease": fmt.Sprintf("%dms", 1000+w.rand.IntN(2000))})
	if refused {
		return
	}
	m := claims.FindStringSubmatch(text)
	if m == nil {
		w.t.Errorf("a claim is answered %q", text)
		return
	}
	number, _ := strconv.ParseUint(m[1], 10, 64)
	w.acked(w.held, fmt.Sprint(task, " ", number, " ", w.name))
	for range 1 + w.rand.IntN(2) {
		line := fmt.Sprintf("LINE %s %d %d", w.name, number, w.next())
		if _, refused := w.call("edit", map[string]any{"id": task, "append": line}); !refused {
			w.acked(w.acks, line)
		}
	}
	held := author.Claim{Task: task, Number: number}
	w.note(ctx, held)
	if w.old = append(w.old, held); w.rand.IntN(3) > 0 {
		w.call("edit", map[string]any{"id": task, "task": "release", "claim": number})
	}
}

func (w *worker) acked(in map[string]bool, what string) {
	w.colony.mu.Lock()
	defer w.colony.mu.Unlock()
	in[what] = true
}

// note writes a note under a claim, by the socket.
func (w *worker) note(ctx context.Context, under author.Claim) {
	title := fmt.Sprintf("NOTE %s %s %d %d", w.name, under.Task, under.Number, w.next())
	as := author.WithGrant(author.WithActor(ctx, author.Actor{Claim: under}), api.Grant{Agent: w.name, Role: api.Agent})
	_, err := api.OpRemember.Call(as, w.fenced.Service, api.RememberRequest{Title: title})
	switch {
	case err == nil:
		w.acked(w.acks, title)
	case refusals.MatchString(err.Error()):
		w.colony.mu.Lock()
		w.stale++
		w.colony.mu.Unlock()
	}
}

// late writes under a claim that the agent had.
func (w *worker) late(ctx context.Context) {
	if len(w.old) > 0 {
		w.note(ctx, w.old[w.rand.IntN(len(w.old))])
	}
}

// kill kills shims and the daemon until ctx ends.
func (c *colony) kill(ctx context.Context, draw *rand.Rand, every time.Duration) {
	for pause(ctx, every); ctx.Err() == nil; pause(ctx, every) {
		if draw.IntN(6) == 0 {
			c.killDaemon()
			continue
		}
		w := c.agents[draw.IntN(colonySize)]
		w.mu.Lock()
		if p := w.process; p != nil && p.Process != nil && p.Process.Kill() == nil {
			c.kills["shims"]++
		}
		w.mu.Unlock()
	}
}

// killDaemon kills the daemon that holds the lock.
func (c *colony) killDaemon() {
	var by struct{ PID int }
	text, err := os.ReadFile(filepath.Join(c.state, "LOCK"))
	if err == nil && json.Unmarshal(text, &by) == nil && by.PID > 1 && by.PID != os.Getpid() && syscall.Kill(by.PID, syscall.SIGKILL) == nil {
		c.kills["daemons"]++
	}
}

// TestCampaignOfAgents: 16 agents in 16 processes claim tasks, write under their claims, and send
// each other messages, while their servers and the daemon are killed. Each task is held by one at
// a time, no write under an old number is in history, each message arrives, none is marked as
// read that its receiver was not given, and nothing that was acknowledged is lost.
func TestCampaignOfAgents(t *testing.T) {
	campaign := foveatest.NewCampaign(t)
	c := newColony(t, campaign.Seed)
	var all sync.WaitGroup
	for _, w := range c.agents { // an agent is known from its first note
		all.Go(func() { w.call("remember", map[string]any{"title": "I am " + w.name}) })
	}
	all.Wait()
	ctx, stop := context.WithTimeout(t.Context(), time.Duration(campaign.Length(5, 60))*time.Second)
	defer stop()
	for _, w := range c.agents {
		all.Go(func() { w.work(ctx) })
	}
	all.Go(func() { c.kill(ctx, campaign.Rand, time.Duration(campaign.Length(150, 250))*time.Millisecond) })
	all.Wait()
	for _, w := range c.agents {
		all.Go(func() {
			for w.read() && !t.Failed() {
			}
			if w.session != nil {
				_ = w.session.Close()
			}
		})
	}
	all.Wait()
	c.run("serve", "--stop")
	if t.Failed() {
		return
	}
	c.judge()
}
