// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package ops_test

import (
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/api/ops"
	"github.com/fovea-memory/fovea/internal/foveatest"
	"github.com/fovea-memory/fovea/internal/ipfs"
)

// wire stands between a memory and a daemon, and does something when so many bytes went by.
type wire struct {
	t  *testing.T
	to string

	mu     sync.Mutex
	passed int
	at     int
	do     func() // nil when it is done
}

// through returns a wire to a daemon, and the daemon as it is seen through it.
func through(t *testing.T, k *foveatest.Kubo) (*wire, *foveatest.Kubo) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	w := &wire{t: t, to: k.Address}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			from, err := l.Accept()
			if err != nil {
				return
			}
			go w.carry(from)
		}
	}()
	return w, &foveatest.Kubo{Address: l.Addr().String()}
}

func (w *wire) carry(from net.Conn) {
	defer from.Close()
	to, err := net.Dial("tcp", w.to)
	if err != nil {
		return
	}
	defer to.Close()
	go func() {
		defer from.Close()
		_, _ = io.Copy(wired{from, w}, to) // what is lost shows at the ends
	}()
	_, _ = io.Copy(wired{to, w}, from) // likewise
}

type wired struct {
	net.Conn
	w *wire
}

func (c wired) Write(b []byte) (int, error) {
	c.w.pass(len(b))
	return c.Conn.Write(b)
}

func (w *wire) pass(n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.passed += n; w.do != nil && w.passed >= w.at {
		w.do()
		w.do = nil
	}
}

// when has do done when so many bytes more went by, and returns how many went by before.
func (w *wire) when(bytes int, do func()) (before int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.at, w.do = w.passed+bytes, do
	return w.passed
}

// chaos is a memory and another one, of the same history, beside a daemon that gets harmed.
type chaos struct {
	*testing.T
	k        *foveatest.Kubo
	w        *wire
	p, other *machine
	round    int
	archive  string // of p, the newest
}

// grow changes p by some 100 KB.
func (c *chaos) grow() {
	c.round++
	c.p.write(fmt.Sprintf("r%d.org", c.round), strings.Repeat(fmt.Sprintf("* Headline of round %d\n", c.round)+strings.Repeat("and a text\n", 1000), 10))
}

// push returns whether the memory is on the daemon. Its local part always stands.
func (c *chaos) push(req api.CheckpointRequest) error {
	req.Name, req.To = fmt.Sprintf("round-%d", c.round), api.PlaceIPFS
	done := c.p.checkpoint(req)
	if _, err := os.Stat(done.Image); err != nil {
		c.Errorf("the local part: %v", err)
	}
	if (done.CID == "") != (len(done.Errors) == 1) {
		c.Errorf("%+v", done)
	}
	if err := done.Failed(); err != nil {
		return err
	}
	if c.archive = done.Archive; req.StateOnly {
		c.archive = done.CID
	}
	return nil
}

// unharmed does something that may fail, and is then as if it had not begun.
func (c *chaos) unharmed(of *machine, do func() error) error {
	files, head := of.files(), of.m.View().Head().Digest
	err := do()
	if err == nil {
		return nil
	}
	if diff := cmp.Diff(files, of.files()); diff != "" || of.m.View().Head().Digest != head {
		c.Errorf("something changed by what failed with %v:\n%s", err, diff)
	}
	if _, err := os.Stat(filepath.Join(of.state, "incoming")); !os.IsNotExist(err) {
		c.Error("what was fetched is still there")
	}
	return err
}

// comesBack restores what was pushed in a memory of another folder.
func (c *chaos) comesBack() {
	c.Helper()
	q := newPlace(c.T, c.k, nil, map[string]string{"r0.org": "* Stale\n"})
	if _, err := api.OpRestore.Call(c.Context(), q.svc, api.RestoreRequest{From: api.PlaceIPFS, CID: c.archive}); err != nil {
		c.Errorf("it does not come back: %v", err)
	} else if diff := cmp.Diff(c.p.files(), q.files()); diff != "" {
		c.Errorf("other files come back (-want +got):\n%s", diff)
	}
}

// TestIPFSChaos is contracts P20, P22, P23 and P29: a daemon that is killed or stopped when a part
// of a push, a restore or a merge went by ends them with an error. What is here stands, and
// nothing of what was fetched counts. With a daemon again the same succeeds.
func TestIPFSChaos(t *testing.T) {
	for _, harm := range []string{"killed", "stopped"} {
		t.Run(harm, func(t *testing.T) {
			k := foveatest.StartKubo(t, false)
			w, seen := through(t, k)
			c := &chaos{T: t, k: k, w: w, p: newPlace(t, seen, nil, map[string]string{"r0.org": "* One\n"})}
			if err := c.push(api.CheckpointRequest{}); err != nil {
				t.Fatal(err)
			}
			c.other = newClone(t, seen, nil, ops.IPFSPrefix+c.archive)
			ops := map[string]attempt{
				"push":       {c.grow, func() error { return c.push(api.CheckpointRequest{}) }, c.comesBack},
				"push state": {c.grow, func() error { return c.push(api.CheckpointRequest{StateOnly: true}) }, c.comesBack},
				"pull":       {c.growAndPush, c.pull, c.merged},
				"restore":    {c.edit, c.restore, c.restored},
			}
			for _, name := range []string{"push", "pull", "push state", "restore"} {
				c.attempt(name, harm, ops[name])
			}
		})
	}
}

// attempt is something that a daemon can be harmed amid.
type attempt struct {
	changes func() // before it
	do      func() error
	settled func() // when it has succeeded
}

// attempt does something without harm, and then with the daemon harmed behind some parts of it.
func (c *chaos) attempt(name, harm string, op attempt) {
	op.changes()
	before := c.w.when(0, nil)
	if err := op.do(); err != nil {
		c.Fatalf("%s: %v", name, err)
	}
	all := c.w.when(0, nil) - before
	op.settled()
	parts, signal := []float64{0.02, 0.5, 0.97}, os.Signal(syscall.SIGKILL)
	if harm == "stopped" {
		parts, signal = []float64{0.5}, syscall.SIGSTOP
	}
	for _, part := range parts {
		op.changes()
		c.w.when(int(part*float64(all)), func() { c.k.Signal(signal) })
		begin := time.Now()
		err := op.do()
		if took := time.Since(begin); took > 6*ipfs.Deadline {
			c.Errorf("%s took %v", name, took)
		}
		if err != nil && !slices.ContainsFunc(standard, func(e error) bool { return strings.Contains(err.Error(), e.Error()) }) {
			c.Errorf("%s, %v of it: %v", name, part, err)
		}
		c.Logf("%s, %v of %d bytes: %v", name, part, all, err)
		c.w.when(0, nil)
		if harm == "killed" {
			c.k.Kill()
			c.k.Start()
		} else {
			c.k.Signal(syscall.SIGCONT)
		}
		if err := op.do(); err != nil {
			c.Errorf("%s, %v of it, with a daemon again: %v", name, part, err)
		}
		op.settled()
	}
}

// standard are the errors that a daemon without manners ends calls with.
var standard = []error{ipfs.ErrSlow, ipfs.ErrDown, ipfs.ErrDaemon}

func (c *chaos) growAndPush() {
	c.grow()
	if err := c.push(api.CheckpointRequest{}); err != nil {
		c.Fatal(err)
	}
}

func (c *chaos) pull() error {
	return c.unharmed(c.other, func() error {
		return second(ops.OpPull.Call(c.Context(), c.other.svc, ops.SyncRequest{Name: ops.IPFSPrefix + c.archive}))
	})
}

func (c *chaos) merged() {
	has := c.other.files()
	for name, text := range c.p.files() {
		if has[name] != text {
			c.Errorf("%s was not merged", name)
		}
	}
}

// edit changes the other memory.
func (c *chaos) edit() {
	c.round++
	c.other.write("own.org", fmt.Sprintf("* Own %d\n", c.round))
	if err := c.other.m.Ingest(c.Context(), nil); err != nil {
		c.Fatal(err)
	}
}

func (c *chaos) restore() error {
	return c.unharmed(c.other, func() error {
		return second(api.OpRestore.Call(c.Context(), c.other.svc, api.RestoreRequest{From: api.PlaceIPFS, CID: c.archive}))
	})
}

func (c *chaos) restored() {
	if diff := cmp.Diff(c.p.files(), c.other.files()); diff != "" {
		c.Errorf("restored (-want +got):\n%s", diff)
	}
}
