// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package embed

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/fovea-memory/fovea/internal/fault"
)

// newChatFake is a chat endpoint that repeats what it is told, unless it has an answer.
func newChatFake(tb testing.TB, key string, answer func(w http.ResponseWriter, r *http.Request) bool) *httptest.Server {
	f := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var in struct {
			Model    string
			Messages []chatMessage
			Stream   *bool
		}
		if r.URL.Path != "/v1/chat/completions" {
			http.NotFound(w, r)
			return
		}
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil || len(in.Messages) != 2 || in.Stream == nil || *in.Stream {
			http.Error(w, "no messages", http.StatusUnprocessableEntity)
			return
		}
		if key != "" && r.Header.Get("Authorization") != "Bearer "+key {
			http.Error(w, "wrong key "+r.Header.Get("Authorization"), http.StatusUnauthorized)
			return
		}
		if answer != nil && answer(w, r) {
			return
		}
		said := fmt.Sprintf("<think>Hm.</think>\n%s: %s, %s\n", in.Model, in.Messages[0].Content, in.Messages[1].Content)
		reply(w, map[string]any{"choices": []any{map[string]any{"message": chatMessage{"assistant", said}, "finish_reason": "stop"}}})
	}))
	tb.Cleanup(f.Close)
	return f
}

// TestChat: a model is asked with its instruction and its key, and answers.
func TestChat(t *testing.T) {
	f := newChatFake(t, "k", nil)
	c, err := OpenChat(Config{URL: f.URL + "/v1", Model: "m", Key: "k"})
	if err != nil || c.Remote() || c.Model() != "m" {
		t.Fatal(c, err)
	}
	if got, err := c.Ask(t.Context(), "Be short", "text", 10); got != "m: Be short, text" || err != nil {
		t.Errorf("got %q, %v", got, err)
	}
	for name, config := range map[string]Config{"model": {URL: f.URL}, "address": {URL: "localhost", Model: "m"}} {
		if _, err := OpenChat(config); !errors.Is(err, ErrConfig) || fault.KindOf(err) != fault.Invalid {
			t.Errorf("%s: %v", name, err)
		}
	}
	if c, err := OpenChat(Config{URL: "https://chat.example.org", Model: "m"}); err != nil || !c.Remote() {
		t.Errorf("a server elsewhere: %v, %v", c, err)
	}
	wrong, err := OpenChat(Config{URL: f.URL, Model: "m", Key: "topsecret"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := wrong.Ask(t.Context(), "", "text", 10); !errors.Is(err, ErrUnavailable) || strings.Contains(err.Error(), "topsecret") {
		t.Errorf("a wrong key: %v", err)
	}
}

// TestLyingChats: wrong answers are named errors, an enormous one is not read, and a server
// that cannot be used is left alone.
func TestLyingChats(t *testing.T) {
	for name, tc := range map[string]struct {
		status int
		answer string
		want   error
	}{
		"no JSON":      {200, `<html>`, ErrRefused},
		"no answer":    {200, `{}`, ErrProtocol},
		"two answers":  {200, `{"choices":[{"message":{"content":"a"}},{"message":{"content":"b"}}]}`, ErrProtocol},
		"empty":        {200, `{"choices":[{"message":{"content":" \n"}}]}`, ErrProtocol},
		"a thought":    {200, `{"choices":[{"message":{"content":"<think>What shall I"}}]}`, ErrProtocol},
		"no text":      {200, `{"choices":[{"message":{"content":null}}]}`, ErrProtocol},
		"cut off":      {200, `{"choices":[{"message":{"content":"a"},"finish_reason":"length"}]}`, ErrProtocol},
		"another form": {200, `{"choices":"a"}`, ErrRefused},
		"enormous":     {200, strings.Repeat(" ", maxChatAnswer+1), ErrProtocol},
		"refused":      {400, `too long`, ErrRefused},
		"broken":       {500, `out of memory`, ErrRefused},
		"moved":        {302, ``, ErrProtocol},
		"busy":         {503, ``, ErrUnavailable},
		"no such path": {404, ``, ErrUnavailable},
	} {
		t.Run(name, func(t *testing.T) {
			f := newChatFake(t, "", func(w http.ResponseWriter, _ *http.Request) bool {
				w.WriteHeader(tc.status)
				fmt.Fprint(w, tc.answer)
				return true
			})
			c, err := OpenChat(Config{URL: f.URL, Model: "m"})
			if err != nil {
				t.Fatal(err)
			}
			if got, err := c.Ask(t.Context(), "", "text", 10); got != "" || !errors.Is(err, tc.want) {
				t.Errorf("got %q, %v, want %v", got, err, tc.want)
			}
			_, err = c.Ask(t.Context(), "", "text", 10)
			if errors.Is(tc.want, ErrUnavailable) && (!strings.Contains(err.Error(), "left alone") || fault.KindOf(err) != fault.Busy) {
				t.Errorf("a second time: %v", err)
			}
		})
	}
}

// TestSlowChat: a server that does not answer costs its timeout, and a caller that leaves is
// told so.
func TestSlowChat(t *testing.T) {
	f := newChatFake(t, "", func(_ http.ResponseWriter, r *http.Request) bool { <-r.Context().Done(); return true })
	c, err := OpenChat(Config{URL: f.URL, Model: "m", Timeout: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Ask(t.Context(), "", "text", 10); !errors.Is(err, ErrUnavailable) || !strings.Contains(err.Error(), "did not answer in time") {
		t.Errorf("slow: %v", err)
	}
	gone, err := OpenChat(Config{URL: f.URL, Model: "m"})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := gone.Ask(ctx, "", "text", 10); !errors.Is(err, context.Canceled) {
		t.Errorf("a caller that left: %v", err)
	}
	f.Close()
	if _, err := gone.Ask(t.Context(), "", "text", 10); !errors.Is(err, ErrUnavailable) {
		t.Errorf("a server that is gone: %v", err)
	}
}

// FuzzChatAnswer: whatever a server answers, there is an answer with text or an error.
func FuzzChatAnswer(f *testing.F) {
	f.Add(`{"choices":[{"message":{"content":"a"}}]}`)
	f.Add(`{"choices":[{"message":{"content":"<think>a</think>"}}]}`)
	var answer string
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, answer) }))
	f.Cleanup(s.Close)
	f.Fuzz(func(t *testing.T, text string) {
		answer = text
		c, err := OpenChat(Config{URL: s.URL, Model: "m"})
		if err != nil {
			t.Fatal(err)
		}
		if got, err := c.Ask(context.Background(), "", "text", 10); (got == "") != (err != nil) || got != strings.TrimSpace(got) {
			t.Errorf("%q, %v", got, err)
		}
	})
}
