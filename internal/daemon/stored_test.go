// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package daemon

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
)

// TestQueueOutlivesTheProcess: the next process sends pending messages, to exactly the
// sinks that have not received them.
func TestQueueOutlivesTheProcess(t *testing.T) {
	file := filepath.Join(t.TempDir(), "new", "alerts.json")
	var got []string
	accepting := func(name string) Sink {
		return Sink{name, name + "-1", func(_ context.Context, text string) error { got = append(got, name+" "+text); return nil }}
	}
	failing := func(name string) Sink {
		return Sink{name, name + "-1", func(context.Context, string) error { return errors.New("no route") }}
	}
	for _, tc := range []struct {
		name  string
		sinks []Sink
		text  string // "" for none
		want  []string
		left  int
	}{
		{"both are down", []Sink{failing("a"), failing("b")}, "one", nil, 1},
		{"again, with another message", []Sink{failing("a"), failing("b")}, "two", nil, 2},
		{"one is back", []Sink{accepting("a"), failing("b")}, "", []string{"a one", "a two"}, 2},
		{"the other is", []Sink{accepting("a"), accepting("b")}, "", []string{"b one", "b two"}, 0},
		{"nothing waits", []Sink{accepting("a"), accepting("b")}, "", nil, 0},
	} {
		synctest.Test(t, func(t *testing.T) {
			got = nil
			q := newQueue(t, file, tc.sinks...)
			if tc.text != "" {
				enqueue(t, q, tc.text)
			}
			synctest.Wait()
			q.Close()
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s: sent (-want +got):\n%s", tc.name, diff)
			}
			if left := storedIn(t, file); len(left.Pending) != tc.left {
				t.Errorf("%s: the file has %+v", tc.name, left)
			}
			if _, err := os.Stat(file); (err == nil) != (tc.left > 0) {
				t.Errorf("%s: %v", tc.name, err)
			}
		})
	}
}

// TestDrain: Drain waits for a message that was never tried, not for one that just
// failed, and no longer than its context.
func TestDrain(t *testing.T) {
	file := filepath.Join(t.TempDir(), "alerts.json")
	sent := 0
	slow := Sink{"slow", "s", func(ctx context.Context, _ string) error { sent++; return ctx.Err() }}
	q := newQueue(t, file, slow)
	enqueue(t, q, "one")
	q.Drain(t.Context())
	q.Close()
	if sent != 1 {
		t.Errorf("sent %d times", sent)
	}
	down := Sink{"down", "s", func(context.Context, string) error { return errors.New("no route") }}
	q = newQueue(t, file, down)
	enqueue(t, q, "two")
	q.Drain(t.Context())
	q.Close()
	hangs := Sink{"hangs", "s", func(ctx context.Context, _ string) error { <-ctx.Done(); return ctx.Err() }}
	q = newQueue(t, file, hangs)
	q.Drain(t.Context()) // it was tried a moment ago
	q.Close()
	old := storedIn(t, file)
	old.Tried = old.Tried.Add(-retryWait)
	write(t, file, old)
	ctx, stop := context.WithCancel(t.Context())
	tried := make(chan bool)
	hangs.Send = func(ctx context.Context, _ string) error { close(tried); <-ctx.Done(); return ctx.Err() }
	q = newQueue(t, file, hangs)
	go func() { <-tried; stop() }()
	q.Drain(ctx)
	q.Close()
}

// TestRemnants: messages for unknown sinks are dropped, and a file of another form is as none.
func TestRemnants(t *testing.T) {
	file := filepath.Join(t.TempDir(), "alerts.json")
	stays := func(context.Context, string) error { return errors.New("no route") }
	write(t, file, stored{Pending: []*message{{"x", []string{"gone"}}, {"y", []string{"gone", "s"}}}})
	q := newQueue(t, file, Sink{ID: "s", Send: stays})
	q.Close()
	if len(q.stored.Pending) != 1 || q.stored.Pending[0].Text != "y" {
		t.Errorf("%+v", q.stored)
	}
	for _, text := range []string{"{", `{"pending":["z"]}`, "[]", `{"pending":[null]}`} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		q := newQueue(t, file, Sink{ID: "s", Send: stays})
		if len(q.stored.Pending) > 0 {
			t.Errorf("%s: %+v", text, q.stored)
		}
		enqueue(t, q, "one")
		q.Close()
		if left := storedIn(t, file); len(left.Pending) != 1 {
			t.Errorf("%s: the file has %+v", text, left)
		}
	}
	if _, err := NewQueue(filepath.Dir(file), nil, nil); err == nil {
		t.Error("a folder in the place of the file is none")
	}
}

// storedIn returns what a file has, none without it.
func storedIn(t *testing.T, file string) (s stored) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(text, &s)
	}
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	return s
}

func write(t *testing.T, file string, s stored) {
	t.Helper()
	text, err := json.Marshal(s)
	if err == nil {
		err = os.WriteFile(file, text, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}
