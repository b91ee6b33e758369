// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package httpapi_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/internal/httpapi"
)

// owner lets everybody in as the person.
func owner(*http.Request) (api.Grant, error) { return api.Grant{Role: api.Owner}, nil }

// remote returns a client of a server over svc.
func remote(t *testing.T, svc api.Service, opts *httpapi.ClientOptions) *httpapi.Client {
	t.Helper()
	s := httptest.NewServer(httpapi.New(httpapi.Options{
		Service: svc, Feed: &api.Feed{}, Hello: func() api.Hello { return api.Hello{Protocol: api.Protocol, Root: "root"} },
	}).Handler(owner))
	t.Cleanup(s.Close)
	c := httpapi.HTTP(s.URL, opts)
	t.Cleanup(c.Close)
	return c
}

// fill sets everything below v that can be in JSON to something that tells it
// from everything else.
func fill(v reflect.Value, n *int) {
	*n++
	switch v.Kind() {
	case reflect.String:
		v.SetString(fmt.Sprintf("text %d <&>\u2028 سلام", *n))
	case reflect.Int, reflect.Int64:
		v.SetInt(int64(*n))
	case reflect.Uint64:
		v.SetUint(uint64(*n))
	case reflect.Float64:
		v.SetFloat(float64(*n) + 0.5)
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), n)
	case reflect.Slice:
		if v.Type() == reflect.TypeFor[json.RawMessage]() {
			v.SetBytes(fmt.Appendf(nil, `{"raw":%d}`, *n))
			return
		}
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		fill(v.Index(0), n)
		fill(v.Index(1), n)
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		value := reflect.New(v.Type().Elem()).Elem()
		if value.Kind() == reflect.Interface {
			value.Set(reflect.ValueOf(fmt.Sprint(*n)))
		} else {
			fill(value, n)
		}
		v.SetMapIndex(reflect.ValueOf("KEY"), value)
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			v.Set(reflect.ValueOf(time.Unix(int64(*n), 5e6).UTC()))
			return
		}
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() && f.Tag.Get("json") != "-" {
				fill(v.Field(i), n)
			}
		}
	}
}

// TestEveryOperationTravels: what goes in comes out on the other side, request
// and answer, whatever they hold.
func TestEveryOperationTravels(t *testing.T) {
	type call struct {
		name string
		req  any
	}
	var got call
	var reply any
	c := remote(t, api.Service(func(_ context.Context, c api.Call) (any, error) {
		got = call{c.Op.Name, c.Request}
		return reply, nil
	}), nil)
	n := 0
	for _, op := range api.Operations {
		t.Run(op.Name, func(t *testing.T) {
			req, answer := reflect.New(op.Request).Elem(), reflect.New(op.Answer).Elem()
			fill(req, &n)
			fill(answer, &n)
			reply = answer.Interface()
			a, err := c.Service(t.Context(), api.Call{Op: op, Request: req.Interface()})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(call{op.Name, req.Interface()}, got, cmp.AllowUnexported(call{})); diff != "" {
				t.Errorf("request (-sent +come):\n%s", diff)
			}
			if diff := cmp.Diff(reply, a); diff != "" {
				t.Errorf("answer (-given +come):\n%s", diff)
			}
		})
	}
}

// TestErrorsTravel: each kind comes back unchanged.
func TestErrorsTravel(t *testing.T) {
	var failure error
	c := remote(t, api.Service(func(context.Context, api.Call) (any, error) { return nil, failure }), nil)
	for kind := fovea.Other; kind <= fovea.Unreachable; kind++ {
		failure = &fovea.Error{Op: "edit", What: "a.org", Kind: kind, Err: errors.New("so it is"), Mine: "m", Theirs: "t"}
		_, err := api.OpEdit.Call(t.Context(), c.Service, api.EditRequest{ID: "x"})
		var e *fovea.Error
		if !errors.As(err, &e) || e.Error() != failure.Error() || e.Kind != kind || e.Mine != "m" || e.Theirs != "t" {
			t.Errorf("%v: %+v", kind, err)
		}
	}
}

// memory opens a real memory, served with a feed.
func memory(t *testing.T, files map[string]string) (m *fovea.Memory, s *httpapi.Server, write func(name, text string)) {
	t.Helper()
	dir, feed := t.TempDir(), &api.Feed{}
	write = func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range files {
		write(name, text)
	}
	m, err := fovea.Open(t.Context(), dir, &fovea.Options{StateDir: filepath.Join(t.TempDir(), "state"), Committed: feed.Committed})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	return m, httpapi.New(httpapi.Options{
		Service: api.NewLocal(m, &api.LocalOptions{Progress: feed.Progress}), Feed: feed,
		Hello: func() api.Hello {
			head := m.View().Head()
			return api.Hello{Protocol: api.Protocol, Memex: m.Dir(), Root: m.View().Root().String(), Seq: head.Seq}
		},
	}), write
}

// TestCommitsAreToldAtOnce: an ingest tells of a commit before its answer is there, and once.
func TestCommitsAreToldAtOnce(t *testing.T) {
	_, server, _ := memory(t, map[string]string{"a.org": "* Gauge\n"})
	inner, told := server.Handler(owner), make(chan uint64, 3)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/v1/ingest" {
			inner.ServeHTTP(w, r)
			return
		}
		answer := httptest.NewRecorder()
		inner.ServeHTTP(answer, r)
		select {
		case seq := <-told:
			told <- seq
		case <-time.After(10 * time.Second):
			t.Error("no commit is told of before the answer")
		}
		maps.Copy(w.Header(), answer.Header())
		w.WriteHeader(answer.Code)
		_, _ = w.Write(answer.Body.Bytes())
	}))
	t.Cleanup(s.Close)
	far := httpapi.HTTP(s.URL, nil)
	t.Cleanup(far.Close)
	st, err := api.OpIngest.Call(t.Context(), far.Service, api.IngestRequest{Committed: func(c api.Commit) { told <- c.Seq }})
	if err != nil || len(told) != 1 || <-told != st.Seq {
		t.Errorf("%+v, %v, and %d more are told of", st, err, len(told))
	}
}

// TestALostAnswerIsAskedForAgain: a write whose answer got lost happens once.
func TestALostAnswerIsAskedForAgain(t *testing.T) {
	m, server, _ := memory(t, nil)
	inner := server.Handler(owner)
	var broken atomic.Int32
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if broken.Add(-1) >= 0 {
			inner.ServeHTTP(httptest.NewRecorder(), r)
			panic(http.ErrAbortHandler)
		}
		inner.ServeHTTP(w, r)
	}))
	t.Cleanup(s.Close)
	again := 0
	c := httpapi.HTTP(s.URL, &httpapi.ClientOptions{Again: func(context.Context) error { again++; return nil }})
	broken.Store(2)
	r, err := api.OpRemember.Call(t.Context(), c.Service, api.RememberRequest{Title: "Once"})
	if err != nil || again != 2 || r.Seq != 1 {
		t.Fatalf("%+v, %v, asked %d times again", r, err, again)
	}
	if seq := m.View().Head().Seq; seq != 1 {
		t.Errorf("%d commits, want one", seq)
	}
	broken.Store(1)
	c = httpapi.HTTP(s.URL, nil)
	if _, err := api.OpStatus.Call(t.Context(), c.Service, api.StatusRequest{}); err == nil {
		t.Error("a lost connection is no error")
	}
}

// TestEventsFromAnyNumber: what was before comes first, then what happens, each
// once.
func TestEventsFromAnyNumber(t *testing.T) {
	_, server, _ := memory(t, nil)
	s := httptest.NewServer(server.Handler(owner))
	t.Cleanup(s.Close)
	c := httpapi.HTTP(s.URL, nil)
	remember := func(n int) {
		for range n {
			if _, err := api.OpRemember.Call(t.Context(), c.Service, api.RememberRequest{Title: "Note"}); err != nil {
				t.Error(err)
			}
		}
	}
	remember(3)
	var writing sync.WaitGroup
	var got []uint64
	enough := errors.New("enough")
	err := c.Events(t.Context(), 1, func(kind string, data []byte) error {
		if kind != "commit" {
			return nil
		}
		var commit api.Commit
		if err := json.Unmarshal(data, &commit); err != nil {
			return err
		}
		if got = append(got, commit.Seq); len(got) == 2 {
			writing.Go(func() { remember(2) })
		}
		if len(got) == 4 {
			return enough
		}
		return nil
	})
	writing.Wait()
	if !errors.Is(err, enough) || !cmp.Equal(got, []uint64{2, 3, 4, 5}) {
		t.Errorf("told of %v, %v", got, err)
	}
}

// TestWhoAnswersIsNoDaemon: another server is distinguished from ours.
func TestWhoAnswersIsNoDaemon(t *testing.T) {
	for _, tc := range []struct {
		name, answer string
		status       int
		want         string
	}{
		{"a page", "<html>", 200, "hello: the answer is not that of a Fovea daemon: invalid character '<' looking for beginning of value"},
		{"a refusal", "no", 403, "hello: the server that answers is not a Fovea daemon (403 Forbidden)"},
		{"another protocol", `{"protocol":99,"pid":7,"version":"v9"}`, 200,
			"hello: the daemon (process 7, version v9) speaks protocol 99, this program 1; restart the daemon"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(tc.status)
				_, _ = w.Write([]byte(tc.answer))
			}))
			defer s.Close()
			if _, err := httpapi.HTTP(s.URL, nil).Hello(t.Context()); err == nil || err.Error() != tc.want {
				t.Errorf("%v, want %s", err, tc.want)
			}
		})
	}
}

// TestWhatNoHeaderCanSay: a name that cannot be sent is refused, and not sent again and
// again.
func TestWhatNoHeaderCanSay(t *testing.T) {
	svc := api.Service(func(context.Context, api.Call) (any, error) { return &api.Status{}, nil })
	for _, opts := range []*httpapi.ClientOptions{{Agent: "a\nb"}, {Session: "s\x00"}, {Project: "p\r\n"}} {
		opts.Again = func(context.Context) error { return nil }
		if _, err := api.OpStatus.Call(t.Context(), remote(t, svc, opts).Service, api.StatusRequest{}); fovea.KindOf(err) != fovea.Invalid {
			t.Errorf("%+v: %v", opts, err)
		}
	}
}

// TestAKeyOfTheCaller: a key of the call is sent unchanged; without one each
// request has its own.
func TestAKeyOfTheCaller(t *testing.T) {
	var keys []string
	svc := api.Service(func(_ context.Context, c api.Call) (any, error) {
		keys = append(keys, c.Key)
		return &api.Snapshot{}, nil
	})
	c := remote(t, svc, nil)
	for _, key := range []string{"mine", "", ""} {
		if _, err := api.OpSnapshot.Call(t.Context(), api.WithKey(c.Service, key), api.SnapshotRequest{}); err != nil {
			t.Fatal(err)
		}
	}
	if keys[0] != "mine" || len(keys[1]) < 20 || keys[1] == keys[2] {
		t.Errorf("keys %q", keys)
	}
}

// TestLostEachTime: a request that ends every daemon that gets it is given up, and the
// error reports it.
func TestLostEachTime(t *testing.T) {
	var asked atomic.Int32
	again := 0
	s := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		asked.Add(1)
		panic(http.ErrAbortHandler)
	}))
	t.Cleanup(s.Close)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	c := httpapi.HTTP(s.URL, &httpapi.ClientOptions{Again: func(context.Context) error {
		if again++; again > 20 {
			stop() // it runs for ever
		}
		return nil
	}})
	_, err := api.OpSnapshot.Call(ctx, c.Service, api.SnapshotRequest{})
	if err == nil || !strings.Contains(err.Error(), "lost 4 times") || asked.Load() != 4 || again != 3 {
		t.Errorf("asked %d times, waited %d times: %v", asked.Load(), again, err)
	}
}
