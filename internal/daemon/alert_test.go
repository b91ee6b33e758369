// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package daemon

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestSinks sends to servers shaped like those of Telegram, signal-cli and ntfy.
func TestSinks(t *testing.T) {
	for _, tc := range []struct{ name, url, want string }{
		{"telegram", "telegram://123:abc@HOST?chats=7,@me&disabletls=yes", `/bot123:abc/sendMessage {"chat_id":"7","text":"hello"}` + "\n" +
			`/bot123:abc/sendMessage {"chat_id":"@me","text":"hello"}`},
		{"signal", "signal://HOST/+15550001/+15550002,+15550003?disabletls=yes",
			`/v2/send {"message":"hello","number":"+15550001","recipients":["+15550002","+15550003"]}`},
		{"signal with a password", "signal://u:p@HOST/+1/+2?disabletls=yes", `u:p /v2/send {"message":"hello","number":"+1","recipients":["+2"]}`},
		{"signal, a path for each recipient", "signal://HOST/+1/+2/+3?disabletls=yes", `/v2/send {"message":"hello","number":"+1","recipients":["+2","+3"]}`},
		{"telegram, channels", "telegram://1:a@HOST?channels=7&disabletls=Yes&preview=no", `/bot1:a/sendMessage {"chat_id":"7","text":"hello"}`},
		{"ntfy", "ntfy://HOST/fovea?disabletls=yes", "/fovea hello"},
		{"ntfy, scheme", "ntfy://u:p@HOST/fovea?scheme=http&priority=5", "u:p /fovea hello"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var got []string
			server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
				body, _ := io.ReadAll(r.Body)
				line := r.URL.Path + " " + string(body)
				if user, password, ok := r.BasicAuth(); ok {
					line = user + ":" + password + " " + line
				}
				got = append(got, line)
			}))
			defer server.Close()
			sink, err := ParseSink(strings.Replace(tc.url, "HOST", server.Listener.Addr().String(), 1))
			if err != nil {
				t.Fatal(err)
			}
			if err := sink.Send(t.Context(), "hello"); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, strings.Join(got, "\n")); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestSinkFails(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) }))
	address := server.Listener.Addr().String()
	for _, up := range []bool{true, false} {
		if !up {
			server.Close()
		}
		sink, err := ParseSink("telegram://123:secret@" + address + "?chats=7&disabletls=yes")
		if err != nil {
			t.Fatal(err)
		}
		if err := sink.Send(t.Context(), "x"); err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("got %v", err)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	for _, text := range []string{"", "x", "http://a/b", "telegram://telegram?chats=1", "telegram://tok@telegram", "signal://host/+1", "ntfy://host",
		"ntfy:///x", "smtp://h", "smtp://h/?from=a@b", "smtp://h/?from=a@b&to=c", "smtp://h/?from=a%0d%0ax@b&to=c@d", "telegram://a b:secret@%zz"} {
		if _, err := ParseSink(text); !errors.Is(err, errURL) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: got %v", text, err)
		}
	}
}

func newQueue(t *testing.T, file string, sinks ...Sink) *Queue {
	t.Helper()
	q, err := NewQueue(file, sinks, nil)
	if err != nil {
		t.Fatal(err)
	}
	return q
}

func enqueue(t *testing.T, q *Queue, text string) {
	t.Helper()
	if err := q.Send(text); err != nil {
		t.Error(err)
	}
}

// TestQueueTriesAgain: a failing sink is retried, does not delay the others, and
// receives everything in order after it recovers.
func TestQueueTriesAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var good, bad []string
		var down atomic.Bool
		down.Store(true)
		q := newQueue(t, filepath.Join(t.TempDir(), "alerts.json"),
			Sink{"bad", "bad-1", func(_ context.Context, text string) error {
				if down.Load() {
					return errors.New("no route")
				}
				bad = append(bad, text)
				return nil
			}},
			Sink{"good", "good-1", func(_ context.Context, text string) error { good = append(good, text); return nil }})
		defer q.Close()
		enqueue(t, q, "one")
		enqueue(t, q, "two")
		synctest.Wait()
		if diff := cmp.Diff([]string{"one", "two"}, good); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff([]string{"bad: no route; 2 messages pending, 0 dropped"}, q.Failures()); diff != "" {
			t.Error(diff)
		}
		<-time.After(time.Hour) // of the bubble
		down.Store(false)
		<-time.After(maxBackoff + time.Second)
		synctest.Wait()
		if diff := cmp.Diff([]string{"one", "two"}, bad); diff != "" || len(q.Failures()) > 0 {
			t.Errorf("%q %s", q.Failures(), diff)
		}
	})
}

// TestQueueNeverBlocks: a sink that hangs does not block Send, and dropped messages are
// counted.
func TestQueueNeverBlocks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(t, filepath.Join(t.TempDir(), "alerts.json"),
			Sink{"hangs", "hangs-1", func(ctx context.Context, _ string) error { <-ctx.Done(); return ctx.Err() }})
		for i := range maxPending + 7 {
			enqueue(t, q, fmt.Sprint(i))
		}
		<-time.After(sendTimeout + time.Millisecond)
		want := []string{fmt.Sprintf("hangs: context deadline exceeded; %d messages pending, 7 dropped", maxPending)}
		if diff := cmp.Diff(want, q.Failures()); diff != "" {
			t.Error(diff)
		}
		q.Close()
	})
}
