// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package alert

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestQueueOutlivesTheProcess: the next process sends pending messages, to exactly the
// sinks that have not received them.
func TestQueueOutlivesTheProcess(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "alerts")
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
		files int
	}{
		{"both are down", []Sink{failing("a"), failing("b")}, "one", nil, 1},
		{"again, with another message", []Sink{failing("a"), failing("b")}, "two", nil, 2},
		{"one is back", []Sink{accepting("a"), failing("b")}, "", []string{"a one", "a two"}, 2},
		{"the other is", []Sink{accepting("a"), accepting("b")}, "", []string{"b one", "b two"}, 0},
		{"nothing waits", []Sink{accepting("a"), accepting("b")}, "", nil, 0},
	} {
		synctest.Test(t, func(t *testing.T) {
			got = nil
			q := newQueue(t, folder, tc.sinks...)
			if tc.text != "" {
				enqueue(t, q, tc.text)
			}
			synctest.Wait()
			q.Close()
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s: sent (-want +got):\n%s", tc.name, diff)
			}
			if names, err := filepath.Glob(filepath.Join(folder, "*"+messageSuffix)); err != nil || len(names) != tc.files {
				t.Errorf("%s: the folder has %v, %v", tc.name, names, err)
			}
		})
	}
}

// TestDrain: Drain waits for a message that was never tried, not for one that just
// failed, and no longer than its context.
func TestDrain(t *testing.T) {
	folder := t.TempDir()
	sent := 0
	slow := Sink{"slow", "s", func(ctx context.Context, _ string) error { sent++; return ctx.Err() }}
	q := newQueue(t, folder, slow)
	enqueue(t, q, "one")
	q.Drain(t.Context())
	q.Close()
	if sent != 1 {
		t.Errorf("sent %d times", sent)
	}
	down := Sink{"down", "s", func(context.Context, string) error { return errors.New("no route") }}
	q = newQueue(t, folder, down)
	enqueue(t, q, "two")
	q.Drain(t.Context())
	q.Close()
	hangs := Sink{"hangs", "s", func(ctx context.Context, _ string) error { <-ctx.Done(); return ctx.Err() }}
	q = newQueue(t, folder, hangs)
	q.Drain(t.Context()) // it was tried a moment ago
	q.Close()
	old := time.Now().Add(-drainRetryInterval)
	if err := os.Chtimes(filepath.Join(folder, lastFailureFile), old, old); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	tried := make(chan bool)
	hangs.Send = func(ctx context.Context, _ string) error { close(tried); <-ctx.Done(); return ctx.Err() }
	q = newQueue(t, folder, hangs)
	go func() { <-tried; stop() }()
	q.Drain(ctx)
	q.Close()
}

// TestOutboxRemnants: invalid files and messages for unknown sinks are removed.
func TestOutboxRemnants(t *testing.T) {
	folder := t.TempDir()
	for name, text := range map[string]string{"1.json": "{", "2.json": `{"text":"x","waits":["gone"]}`, "3.json": `{"text":"y","waits":["gone","s"]}`,
		"note": "z"} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	_, pending, err := openOutbox(folder, []Sink{{ID: "s"}})
	if err != nil || len(pending) != 1 || pending[0].Text != "y" {
		t.Errorf("%+v, %v", pending, err)
	}
	left, err := os.ReadDir(folder)
	if err != nil || len(left) != 2 {
		t.Errorf("%v, %v", left, err)
	}
}
