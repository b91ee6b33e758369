// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package s3

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// store is a server that answers as a test says.
type store struct {
	t     *testing.T
	mu    sync.Mutex
	seen  []*http.Request // guarded by mu
	waits []time.Duration
	b     *Bucket
}

// serve starts a store. each gets the number of the request.
func serve(t *testing.T, each func(n int, w http.ResponseWriter, r *http.Request)) *store {
	t.Helper()
	s := &store{t: t}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.seen = append(s.seen, r.Clone(context.Background()))
		n := len(s.seen)
		s.mu.Unlock()
		_, _ = io.Copy(io.Discard, r.Body) // so that no connection breaks by itself
		each(n, w, r)
	}))
	t.Cleanup(server.Close)
	o := Options{Name: "notes", Settings: Settings{Endpoint: server.URL, Credentials: fixed},
		Wait: func(ctx context.Context, d time.Duration) error { s.waits = append(s.waits, d); return ctx.Err() }}
	var err error
	if s.b, err = Open(o); err != nil {
		t.Fatal(err)
	}
	return s
}

// asked returns the requests so far.
func (s *store) asked() []*http.Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.seen
}

func fixed(context.Context) (Credentials, error) {
	return Credentials{KeyID: "id", Secret: "verysecret"}, nil
}

func say(w http.ResponseWriter, status int, code string) {
	w.WriteHeader(status)
	fmt.Fprintf(w, "<?xml version=\"1.0\"?><Error><Code>%s</Code><Message>because</Message></Error>", code)
}

// TestAnswers: each way in which stores say the same thing has one meaning.
func TestAnswers(t *testing.T) {
	put := func(tag string) func(*Bucket) error {
		return func(b *Bucket) error { _, err := b.Put(t.Context(), "k", tag, []byte("x"), nil); return err }
	}
	get := func(b *Bucket) error { _, _, err := b.Get(t.Context(), "k", 10); return err }
	list := func(b *Bucket) error { _, err := b.List(t.Context(), "k"); return err }
	remove := func(b *Bucket) error { return b.Remove(t.Context(), "k") }
	for _, c := range []struct {
		name   string
		do     func(*Bucket) error
		status int
		code   string
		want   error
		text   string
	}{
		{"create what is there", put(""), 412, "PreconditionFailed", ErrChanged, ""},
		{"create at the same time", put(""), 409, "ConditionalRequestConflict", ErrChanged, ""},
		{"replace another one", put(`"t"`), 412, "PreconditionFailed", ErrChanged, ""},
		{"replace none, at Amazon", put(`"t"`), 404, "NoSuchKey", ErrChanged, ""},
		{"replace none, elsewhere", put(`"t"`), 412, "PreconditionFailed", ErrChanged, ""},
		{"replace none, without a body", put(`"t"`), 404, "", ErrChanged, ""},
		{"put to no bucket", put(`"t"`), 404, "NoSuchBucket", ErrBucket, "notes"},
		{"get none", get, 404, "NoSuchKey", ErrNone, ""},
		{"remove none", remove, 404, "NoSuchKey", nil, ""},
		{"put without a right", put(""), 403, "AccessDenied", ErrDenied, "s3:PutObject"},
		{"get without a right", get, 403, "AccessDenied", ErrDenied, "s3:GetObject"},
		{"list without a right", list, 403, "AccessDenied", ErrDenied, "s3:ListBucket"},
		{"remove without a right", remove, 403, "AccessDenied", ErrDenied, "s3:DeleteObject"},
		{"a key that nobody knows", list, 403, "InvalidAccessKeyId", ErrKey, "access key"},
		{"a wrong secret", list, 403, "SignatureDoesNotMatch", ErrKey, "secret key"},
		{"an old token", list, 400, "ExpiredToken", ErrKey, "expired"},
		{"too busy", put(""), 503, "SlowDown", ErrNoAnswer, "SlowDown"},
		{"asked too often", get, 429, "TooManyRequests", ErrNoAnswer, "429"},
		{"not known there", put(""), 501, "NotImplemented", nil, "501 NotImplemented because"},
	} {
		s := serve(t, func(_ int, w http.ResponseWriter, _ *http.Request) {
			if c.code == "" {
				w.WriteHeader(c.status)
				return
			}
			say(w, c.status, c.code)
		})
		err := c.do(s.b)
		if c.want == nil && c.text == "" && err != nil || c.want != nil && !errors.Is(err, c.want) || c.text != "" && !strings.Contains(fmt.Sprint(err), c.text) {
			t.Errorf("%s: %v, want %v with %q", c.name, err, c.want, c.text)
		}
		if strings.Contains(fmt.Sprint(err), "verysecret") {
			t.Errorf("%s: the error has the secret: %v", c.name, err)
		}
		retried := len(s.asked()) > 1
		if want := c.status >= 500 && c.status != 501 || c.status == 409 || c.status == 429 || c.code == "ExpiredToken"; retried != want {
			t.Errorf("%s: asked %d times", c.name, len(s.asked()))
		}
	}
}

// TestUnknownWrite: a write whose answer was lost, and whose repetition is refused, was done if the
// object has its bytes.
func TestUnknownWrite(t *testing.T) {
	for there, want := range map[string]error{"ours": nil, "theirs": ErrChanged, "": ErrChanged} {
		s := serve(t, func(n int, w http.ResponseWriter, r *http.Request) {
			switch {
			case n == 1:
				panic(http.ErrAbortHandler)
			case r.Method == http.MethodPut:
				say(w, 412, "PreconditionFailed")
			case there == "":
				say(w, 404, "NoSuchKey")
			default:
				w.Header().Set("ETag", `"x"`)
				_, _ = io.WriteString(w, there)
			}
		})
		if _, err := s.b.Put(t.Context(), "k", "", []byte("ours"), nil); !errors.Is(err, want) {
			t.Errorf("there is %q: %v, want %v", there, err, want)
		}
		if n := len(s.asked()); n != 3 || s.asked()[2].Method != http.MethodGet {
			t.Errorf("asked %d times", n)
		}
	}
	s := serve(t, func(_ int, w http.ResponseWriter, _ *http.Request) { say(w, 412, "PreconditionFailed") })
	if _, err := s.b.Put(t.Context(), "k", "", []byte("ours"), nil); !errors.Is(err, ErrChanged) || len(s.asked()) != 1 {
		t.Errorf("a first answer that says no is looked up: %v, %d", err, len(s.asked()))
	}
}

// TestClock: a clock a year off is said, with how far it is off.
func TestClock(t *testing.T) {
	for days, want := range map[int]string{365: "365 days behind", -400: "400 days ahead of"} {
		s := serve(t, func(_ int, w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Date", time.Now().AddDate(0, 0, days).Add(time.Duration(days)*time.Second).UTC().Format(http.TimeFormat))
			say(w, 403, "RequestTimeTooSkewed")
		})
		if err := s.b.Remove(t.Context(), "k"); !errors.Is(err, ErrClock) || !strings.Contains(err.Error(), want) {
			t.Errorf("%d days: %v", days, err)
		}
	}
}

// TestWaits: attempts are few, and each waits longer than the one before, up to a limit.
func TestWaits(t *testing.T) {
	s := serve(t, func(int, http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
	if _, _, err := s.b.Get(t.Context(), "k", 1); !errors.Is(err, ErrNoAnswer) || strings.Contains(err.Error(), "/notes/") {
		t.Error(err)
	}
	if len(s.asked()) != attempts || len(s.waits) != attempts-1 {
		t.Errorf("asked %d times, waited %v", len(s.asked()), s.waits)
	}
	for attempt := range 40 {
		most := min(firstWait<<min(attempt, 20), maxWait)
		if d := backoff(attempt); d < most/2 || d > most {
			t.Errorf("before attempt %d: %v", attempt, d)
		}
	}
}

// TestBounds: answers that do not end, or that are another store's page, end in an error.
func TestBounds(t *testing.T) {
	endless := serve(t, func(_ int, w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("ETag", `"x"`)
		_, _ = io.WriteString(w, strings.Repeat("x", 1000))
	})
	if _, _, err := endless.b.Get(t.Context(), "k", 999); !errors.Is(err, ErrSize) {
		t.Error(err)
	}
	if data, tag, err := endless.b.Get(t.Context(), "k", 1000); err != nil || len(data) != 1000 || tag != `"x"` {
		t.Error(len(data), tag, err)
	}
	turning := serve(t, func(n int, w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, "<ListBucketResult><IsTruncated>true</IsTruncated><NextContinuationToken>%d</NextContinuationToken></ListBucketResult>", n)
	})
	if _, err := turning.b.List(t.Context(), ""); !errors.Is(err, ErrSize) || len(turning.asked()) != maxPages {
		t.Error(err, len(turning.asked()))
	}
	page := serve(t, func(_ int, w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "<html><body>Sign in") })
	if names, err := page.b.List(t.Context(), ""); err == nil {
		t.Errorf("a page is a list of %q", names)
	}
	away := serve(t, func(_ int, w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Location", "http://elsewhere.example/")
		w.Header().Set("X-Amz-Bucket-Region", "eu-west-3")
		say(w, 301, "PermanentRedirect")
	})
	if err := away.b.Remove(t.Context(), "k"); !errors.Is(err, ErrBucket) || !strings.Contains(err.Error(), "region=eu-west-3") {
		t.Error(err)
	}
}

// TestRequests: where a request goes, by the style of the address, and what it has.
func TestRequests(t *testing.T) {
	for _, c := range []struct {
		o    Options
		want string
	}{
		{Options{Name: "notes"}, "https://notes.s3.us-east-1.amazonaws.com/a%20b/%C3%A9%2B"},
		{Options{Name: "notes.dotted"}, "https://s3.us-east-1.amazonaws.com/notes.dotted/a%20b/%C3%A9%2B"},
		{Options{Name: "notes", Settings: Settings{Region: "cn-north-1"}}, "https://notes.s3.cn-north-1.amazonaws.com.cn/a%20b/%C3%A9%2B"},
		{Options{Name: "notes", Settings: Settings{Endpoint: "https://box:9000"}}, "https://box:9000/notes/a%20b/%C3%A9%2B"},
		{Options{Name: "notes", VirtualHost: true, Settings: Settings{Endpoint: "https://box:9000/"}}, "https://notes.box:9000/a%20b/%C3%A9%2B"},
		{Options{Name: "notes", Settings: Settings{Endpoint: "http://[::1]:9000"}}, "http://[::1]:9000/notes/a%20b/%C3%A9%2B"},
		{Options{Name: "notes", Insecure: true, Settings: Settings{Endpoint: "http://box"}}, "http://box/notes/a%20b/%C3%A9%2B"},
	} {
		c.o.Credentials = fixed
		b, err := Open(c.o)
		if err != nil {
			t.Fatal(err)
		}
		r, err := b.request(t.Context(), call{method: http.MethodPut, key: "a b/é+", body: []byte("x"), header: map[string]string{"If-Match": `"t"`}})
		if err != nil || r.URL.String() != c.want || r.ContentLength != 1 {
			t.Errorf("%v, %v, want %s", r.URL, err, c.want)
		}
		if auth := r.Header.Get("Authorization"); !strings.Contains(auth, "SignedHeaders=host;if-match;x-amz-content-sha256;x-amz-date,") {
			t.Errorf("signed are %s", auth)
		}
	}
	for _, o := range []Options{
		{Name: "no"}, {Name: "UPPER"}, {Name: "a/b"}, {Name: "notes", Settings: Settings{Region: "eu/../x"}},
		{Name: "notes", Settings: Settings{Endpoint: "http://box"}}, {Name: "notes", Settings: Settings{Endpoint: "ftp://box"}},
		{Name: "notes", Settings: Settings{Endpoint: "https://id:verysecret@box"}}, {Name: "notes", Settings: Settings{Endpoint: "https://box/path"}},
		{Name: "notes", Settings: Settings{Endpoint: "https://box?x=verysecret"}}, {Name: "notes", Settings: Settings{Endpoint: "http://127.0.0.1.example"}},
	} {
		o.Credentials = fixed
		if _, err := Open(o); !errors.Is(err, ErrOptions) || strings.Contains(err.Error(), "verysecret") {
			t.Errorf("%+v: %v", o, err)
		}
	}
}

// TestCredentialsAreRenewed: credentials that end are asked for again before, others once.
func TestCredentialsAreRenewed(t *testing.T) {
	now, asked := time.Now(), 0
	s := serve(t, func(_ int, w http.ResponseWriter, _ *http.Request) { w.WriteHeader(204) })
	s.b.now = func() time.Time { return now }
	s.b.ask = func(context.Context) (Credentials, error) {
		asked++
		return Credentials{KeyID: fmt.Sprint("id", asked), Secret: "s", Token: "t", Expires: now.Add(time.Hour)}, nil
	}
	for range 3 {
		if err := s.b.Remove(t.Context(), "k"); err != nil {
			t.Fatal(err)
		}
	}
	now = now.Add(59 * time.Minute)
	if err := s.b.Remove(t.Context(), "k"); err != nil || asked != 2 {
		t.Errorf("asked %d times, %v", asked, err)
	}
	if got := s.asked()[3].Header; !strings.Contains(got.Get("Authorization"), "Credential=id2/") || got.Get("X-Amz-Security-Token") != "t" {
		t.Error(got)
	}
}

// FuzzAnswers: whatever a store answers, nothing panics, and an error is one short line.
func FuzzAnswers(f *testing.F) {
	f.Add([]byte("<ListBucketResult><EncodingType>url</EncodingType><Contents><Key>a%2Fb</Key></Contents></ListBucketResult>"))
	f.Add([]byte("<Error><Code>NoSuchKey</Code><Message>a\nb</Message></Error>"))
	f.Add([]byte("<a><Code>"))
	f.Fuzz(func(t *testing.T, body []byte) {
		keys, _, err := readPage(body)
		if err != nil && keys != nil {
			t.Errorf("keys and %v", err)
		}
		b := &Bucket{name: "notes", base: url.URL{Host: "h"}, now: time.Now}
		for _, status := range []int{301, 403, 404, 412, 500} {
			text := b.fault(call{method: http.MethodGet, key: "k"}, answer{status: status, body: body}).Error()
			if strings.ContainsAny(text, "\n\r\x1b\x00") || len(text) > 2500 {
				t.Errorf("%q", text)
			}
		}
	})
}

// FuzzEscape: what is escaped in a path is read as the same path, and has only the letters of one.
func FuzzEscape(f *testing.F) {
	f.Add("a b/é+%")
	f.Fuzz(func(t *testing.T, text string) {
		escaped := escapePath(text)
		back, err := url.PathUnescape(escaped)
		if err != nil || back != text {
			t.Errorf("%q, %v", back, err)
		}
		if slices.ContainsFunc([]rune(escaped), func(r rune) bool { return r <= ' ' || r > '~' || r == '?' || r == '#' || r == '+' }) {
			t.Error(escaped)
		}
	})
}

// TestBodyIsNoError: bytes that look like the answer of a store are an object all the same.
func TestBodyIsNoError(t *testing.T) {
	const body = "<Error><Code>RequestTimeout</Code></Error>"
	s := serve(t, func(_ int, w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("ETag", `"1"`)
		_, _ = io.WriteString(w, body)
	})
	data, _, err := s.b.Get(t.Context(), "key", 100)
	if string(data) != body || err != nil || len(s.asked()) != 1 {
		t.Errorf("%q, %v after %d requests", data, err, len(s.asked()))
	}
}
