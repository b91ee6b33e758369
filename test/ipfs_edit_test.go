// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/fovea-memory/fovea/internal/foveatest"
	"github.com/fovea-memory/fovea/internal/ipfs"
	"github.com/fovea-memory/fovea/internal/place"
	"github.com/fovea-memory/fovea/internal/vfs"
)

// TestIPFSEditBytes: a push of one edit among 10,000 nodes sends at most 16 KB, plain or sealed. One
// in some dozens, which joins what those before it have sent, sends more; all together do not.
func TestIPFSEditBytes(t *testing.T) {
	const bound, pushes = 16 << 10, 80
	files := map[string]string{}
	for i := range 100 {
		files[fmt.Sprintf("f%d.org", i)] = foveatest.GenFile(i, 100)
	}
	key, err := place.NewKey()
	if err != nil {
		t.Fatal(err)
	}
	for name, to := range map[string][]place.Recipient{"plain": nil, "sealed": {key.Recipient()}} {
		t.Run(name, func(t *testing.T) {
			s := httptest.NewServer(new(standIn))
			defer s.Close()
			c := ipfs.NewClient(s.URL)
			defer c.Close()
			a := newMachine(t, files)
			if _, err := a.toIPFS(c, to...); err != nil {
				t.Fatal(err)
			}
			sum, more := int64(0), 0
			for i := range pushes {
				file := fmt.Sprintf("f%d.org", 7*i%100)
				a.write(file, fmt.Sprintf("%sedited %d times\n", files[file], i))
				sent, err := a.toIPFS(c, to...)
				if err != nil {
					t.Fatal(err)
				}
				if sum += sent.Bytes; sent.Bytes > bound {
					more++
				}
				if i == 0 && sent.Bytes > bound-1<<10 {
					t.Errorf("the first edit takes %d bytes", sent.Bytes)
				}
			}
			if more > pushes/20 || sum > bound*pushes {
				t.Errorf("%d of %d pushes take more than %d bytes, all %d", more, pushes, bound, sum)
			}
		})
	}
}

// losing stands before a daemon and loses a request, or an answer, when it is told to.
type losing struct {
	to http.Handler

	mu     sync.Mutex
	left   int // requests until the one that is lost, below 0 for never
	answer bool
}

func newLosing(t *testing.T, k *foveatest.Kubo) (*losing, *ipfs.Client) {
	t.Helper()
	l := &losing{left: -1, to: httputil.NewSingleHostReverseProxy(&url.URL{Scheme: "http", Host: k.Address})}
	s := httptest.NewServer(l)
	t.Cleanup(s.Close)
	c := ipfs.NewClient(s.URL)
	t.Cleanup(c.Close)
	return l, c
}

// lose has the request behind some others lost, or its answer.
func (l *losing) lose(behind int, answer bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.left, l.answer = behind, answer
}

func (l *losing) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	l.mu.Lock()
	now, answer := l.left == 0, l.answer
	if l.left >= 0 {
		l.left--
	}
	l.mu.Unlock()
	if now && answer {
		l.to.ServeHTTP(httptest.NewRecorder(), r)
	}
	if now {
		panic(http.ErrAbortHandler)
	}
	l.to.ServeHTTP(w, r)
}

// edits are changes of many kinds, each of which makes a commit or several.
func edits(t *testing.T, a *machine, r *rand.Rand) {
	b := a.copy("b") // for merges
	defer func() { _ = b.m.Close() }()
	file := func() string { return fmt.Sprintf("f%d.org", r.IntN(12)) }
	text := func(f string) string { return a.d.files(t)[f] }
	for range 1 + r.IntN(3) {
		f := file()
		switch r.IntN(9) {
		case 0:
			a.write(f, text(f)+fmt.Sprintf("* Added %d\nwith a text\n** Below\n", r.IntN(1000)))
		case 1:
			a.write(f, "")
		case 2: // a part of it goes
			if i := strings.LastIndex(text(f), "\n* "); i > 0 {
				a.write(f, text(f)[:i+1])
			}
		case 3:
			a.write("long.org", fmt.Sprintf("* Long %d\n", r.IntN(10))+lines(20000))
		case 4:
			a.write("many.org", strings.Repeat("* Child\n", 300+r.IntN(3))+fmt.Sprintf("* Last %d\n", r.IntN(10)))
		case 5: // moved to another file, by its id
			const moves = "* Moves\n:PROPERTIES:\n:ID: moves\n:END:\n"
			for _, name := range []string{"m0.org", "m1.org"} {
				a.d.write(t, map[string]string{name: ""})
			}
			a.write(fmt.Sprintf("m%d.org", r.IntN(2)), moves)
		case 6:
			b.write("b-"+f, fmt.Sprintf("* Of the other machine\n%d\n", r.IntN(1000)))
			a.from(b)
		case 7:
			if _, _, err := a.m.History().Rollback(t.Context(), "0", nil); err != nil {
				t.Log(err) // there is nothing to go back to
			}
		case 8:
			a.write(f, strings.Repeat(fmt.Sprintf("* Same\n%d\n", r.IntN(2)), r.IntN(40)))
		}
	}
}

// TestIPFSPushesAreEnough: whatever was changed between pushes, of which some are lost on the way
// or forgotten, what a push sends is enough for a reader who has but the pins of the newest
// archive: each state is whole, and so is all history.
func TestIPFSPushesAreEnough(t *testing.T) {
	k := foveatest.StartKubo(t, false)
	net, c := newLosing(t, k)
	direct := client(t, k)
	a := newMachine(t, map[string]string{"f0.org": "* One\n", "f1.org": strings.Repeat("* Some\nof them\n", 40)})
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 0))
	lost := 0
	for i := range 20 {
		edits(t, a, r)
		before, err := a.d.state.ReadFile("ipfs.json")
		if err != nil {
			before = nil
		}
		switch r.IntN(3) {
		case 0: // the push is lost at some request, and the memory goes on
			net.lose(r.IntN(4), r.IntN(2) == 0)
			if _, err := a.toIPFS(c); err != nil {
				lost++
			}
			net.lose(-1, false)
			edits(t, a, r)
		case 1: // it succeeds, and is forgotten
			if _, err := a.toIPFS(c); err != nil {
				t.Fatalf("seed %d, push %d: %v", seed, i, err)
			}
			if before != nil {
				if err := vfs.WriteAtomic(a.d.state, "ipfs.json", before, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			edits(t, a, r)
		}
		sent, err := a.toIPFS(c)
		if err != nil {
			t.Fatalf("seed %d, push %d: %v", seed, i, err)
		}
		for pin := range strings.FieldsSeq(k.Run("pin", "ls", "--type=recursive", "--quiet")) {
			if pin != sent.Archive.String() {
				k.Run("pin", "rm", pin)
			}
		}
		k.Run("repo", "gc")
		if _, err := fetchState(t, direct, sent.Root); err != nil {
			t.Fatalf("seed %d, push %d: %v", seed, i, err)
		}
		b := fromIPFS(t, a, direct, sent.Archive, nil)
		if got, want := bundled(t, t.Context(), b.m), bundled(t, t.Context(), a.m); !bytes.Equal(got, want) {
			t.Fatalf("seed %d, push %d: %d bytes came back of %d", seed, i, len(got), len(want))
		}
	}
	if lost == 0 {
		t.Logf("seed %d: no push was lost", seed)
	}
}

// TestIPFSKeepsSaidPins: a CID that was said stays pinned when a later push makes the same archive
// and is cut off.
func TestIPFSKeepsSaidPins(t *testing.T) {
	k := foveatest.StartKubo(t, false)
	net, c := newLosing(t, k)
	key, err := place.NewKey()
	if err != nil {
		t.Fatal(err)
	}
	a := newMachine(t, map[string]string{"a.org": "* One\n"})
	push := func(to ...place.Recipient) ipfs.Sent {
		t.Helper()
		sent, err := a.toIPFS(c, to...)
		if err != nil {
			t.Fatal(err)
		}
		return sent
	}
	said := []ipfs.Sent{push(), push(key.Recipient())}
	net.lose(1, false) // behind the import
	if _, err := a.toIPFS(c); !errors.Is(err, ipfs.ErrDown) {
		t.Fatalf("the pin was not lost: %v", err)
	}
	net.lose(-1, false)
	a.write("a.org", "* Two\n")
	said = append(said, push())
	pins := k.Run("pin", "ls", "--type=recursive", "--quiet")
	for i, sent := range said {
		if !strings.Contains(pins, sent.Archive.String()) {
			t.Errorf("push %d is not pinned any more", i)
		}
	}
}
