// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package hosted

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fovea-memory/fovea/internal/place"
)

// gateway is a server that answers as a test tells it to.
type gateway struct {
	t     *testing.T
	mu    sync.Mutex
	seen  []*http.Request // guarded by mu
	waits int
	b     *bucket
}

// gatewayOf starts a store. each gets the number of the request.
func gatewayOf(t *testing.T, each func(n int, w http.ResponseWriter, r *http.Request)) *gateway {
	t.Helper()
	s := &gateway{t: t}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.seen = append(s.seen, r.Clone(context.Background()))
		n := len(s.seen)
		s.mu.Unlock()
		_, _ = io.Copy(io.Discard, r.Body) // so that no connection breaks by itself
		each(n, w, r)
	}))
	t.Cleanup(server.Close)
	o := BucketOptions{Name: "notes", BucketSettings: BucketSettings{Endpoint: server.URL, Credentials: fixed},
		Wait: func(int) time.Duration { s.waits++; return 0 }}
	var err error
	if s.b, err = openBucket(o); err != nil {
		t.Fatal(err)
	}
	return s
}

// asked returns the requests so far.
func (s *gateway) asked() []*http.Request {
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

// TestAnswers: the ways in which stores express the same thing have one meaning.
func TestAnswers(t *testing.T) {
	put := func(tag string) func(*bucket) error {
		return func(b *bucket) error { _, err := b.PutSlowly(t.Context(), "k", tag, []byte("x"), nil); return err }
	}
	get := func(b *bucket) error { _, _, err := b.get(t.Context(), "k", 10); return err }
	list := func(b *bucket) error { _, err := b.List(t.Context(), "k"); return err }
	remove := func(b *bucket) error { return b.Remove(t.Context(), "k") }
	for _, c := range []struct {
		name   string
		do     func(*bucket) error
		status int
		code   string
		want   error
		text   string
	}{
		{"create what is there", put(""), 412, "PreconditionFailed", place.ErrChanged, ""},
		{"create at the same time", put(""), 409, "ConditionalRequestConflict", place.ErrChanged, ""},
		{"replace another one", put(`"t"`), 412, "PreconditionFailed", place.ErrChanged, ""},
		{"replace none, at Amazon", put(`"t"`), 404, "NoSuchKey", place.ErrChanged, ""},
		{"replace none, elsewhere", put(`"t"`), 412, "PreconditionFailed", place.ErrChanged, ""},
		{"replace none, without a body", put(`"t"`), 404, "", place.ErrChanged, ""},
		{"put to no bucket", put(`"t"`), 404, "NoSuchBucket", errBucket, "notes"},
		{"get none", get, 404, "NoSuchKey", place.ErrNone, ""},
		{"remove none", remove, 404, "NoSuchKey", nil, ""},
		{"put without a right", put(""), 403, "AccessDenied", errDenied, "s3:PutObject"},
		{"get without a right", get, 403, "AccessDenied", errDenied, "s3:GetObject"},
		{"list without a right", list, 403, "AccessDenied", errDenied, "s3:ListBucket"},
		{"remove without a right", remove, 403, "AccessDenied", errDenied, "s3:DeleteObject"},
		{"a key that nobody knows", list, 403, "InvalidAccessKeyId", errKey, "access key"},
		{"a wrong secret", list, 403, "SignatureDoesNotMatch", errKey, "secret key"},
		{"an old token", list, 400, "ExpiredToken", errKey, "expired"},
		{"too busy", put(""), 503, "SlowDown", place.ErrNoAnswer, "SlowDown"},
		{"asked too often", get, 429, "TooManyRequests", place.ErrNoAnswer, "429"},
		{"not known there", put(""), 501, "NotImplemented", nil, "501 NotImplemented because"},
	} {
		s := gatewayOf(t, func(_ int, w http.ResponseWriter, _ *http.Request) {
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
	for there, want := range map[string]error{"ours": nil, "theirs": place.ErrChanged, "": place.ErrChanged} {
		s := gatewayOf(t, func(n int, w http.ResponseWriter, r *http.Request) {
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
		if _, err := s.b.PutSlowly(t.Context(), "k", "", []byte("ours"), nil); !errors.Is(err, want) {
			t.Errorf("there is %q: %v, want %v", there, err, want)
		}
		if n := len(s.asked()); n != 3 || s.asked()[2].Method != http.MethodGet {
			t.Errorf("asked %d times", n)
		}
	}
	s := gatewayOf(t, func(_ int, w http.ResponseWriter, _ *http.Request) { say(w, 412, "PreconditionFailed") })
	if _, err := s.b.PutSlowly(t.Context(), "k", "", []byte("ours"), nil); !errors.Is(err, place.ErrChanged) || len(s.asked()) != 1 {
		t.Errorf("a first answer that says no is looked up: %v, %d", err, len(s.asked()))
	}
}

// TestClock: a clock a year off is reported, with the difference.
func TestClock(t *testing.T) {
	for days, want := range map[int]string{365: "365 days behind", -400: "400 days ahead of"} {
		s := gatewayOf(t, func(_ int, w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Date", time.Now().AddDate(0, 0, days).Add(time.Duration(days)*time.Second).UTC().Format(http.TimeFormat))
			say(w, 403, "RequestTimeTooSkewed")
		})
		if err := s.b.Remove(t.Context(), "k"); !errors.Is(err, errClock) || !strings.Contains(err.Error(), want) {
			t.Errorf("%d days: %v", days, err)
		}
	}
}

// TestWaits: attempts are few, and each waits longer than the one before, up to a limit.
func TestWaits(t *testing.T) {
	s := gatewayOf(t, func(int, http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
	if _, _, err := s.b.get(t.Context(), "k", 1); !errors.Is(err, place.ErrNoAnswer) || strings.Contains(err.Error(), "/notes/") {
		t.Error(err)
	}
	if len(s.asked()) != attempts || s.waits != attempts-1 {
		t.Errorf("asked %d times, waited %v", len(s.asked()), s.waits)
	}
	for attempt := range 40 {
		most := min(firstWait<<min(attempt, 20), maxWait)
		if d := backoff(attempt + 1); d < most/2 || d > most {
			t.Errorf("before attempt %d: %v", attempt, d)
		}
	}
}

// TestBounds: answers that do not end, or that are another store's page, end in an error.
func TestBounds(t *testing.T) {
	endless := gatewayOf(t, func(_ int, w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("ETag", `"x"`)
		_, _ = io.WriteString(w, strings.Repeat("x", 1000))
	})
	if _, _, err := endless.b.get(t.Context(), "k", 999); !errors.Is(err, place.ErrDamaged) {
		t.Error(err)
	}
	if data, tag, err := endless.b.get(t.Context(), "k", 1000); err != nil || len(data) != 1000 || tag != `"x"` {
		t.Error(len(data), tag, err)
	}
	turning := gatewayOf(t, func(n int, w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, "<ListBucketResult><IsTruncated>true</IsTruncated><NextContinuationToken>%d</NextContinuationToken></ListBucketResult>", n)
	})
	if _, err := turning.b.List(t.Context(), ""); !errors.Is(err, place.ErrDamaged) || len(turning.asked()) != maxPages {
		t.Error(err, len(turning.asked()))
	}
	page := gatewayOf(t, func(_ int, w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "<html><body>Sign in") })
	if names, err := page.b.List(t.Context(), ""); err == nil {
		t.Errorf("a page is a list of %q", names)
	}
	away := gatewayOf(t, func(_ int, w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Location", "http://elsewhere.example/")
		w.Header().Set("X-Amz-Bucket-Region", "eu-west-3")
		say(w, 301, "PermanentRedirect")
	})
	if err := away.b.Remove(t.Context(), "k"); !errors.Is(err, errBucket) || !strings.Contains(err.Error(), "region=eu-west-3") {
		t.Error(err)
	}
}

// answers is a transport that keeps the requests and has one answer to all.
type answers struct {
	seen   []*http.Request
	bodies []string
	status int
	header http.Header
	body   []byte
}

func (a *answers) RoundTrip(r *http.Request) (*http.Response, error) {
	var sent []byte
	if r.Body != nil {
		sent, _ = io.ReadAll(r.Body)
	}
	a.seen, a.bodies = append(a.seen, r.Clone(context.Background())), append(a.bodies, string(sent))
	return &http.Response{StatusCode: a.status, Header: a.header, Body: io.NopCloser(bytes.NewReader(a.body)), Request: r,
		ContentLength: int64(len(a.body)), ProtoMajor: 1, ProtoMinor: 1}, nil
}

// TestRequests: where a request goes, by the style of the address, and what it has. All that says
// what is written, and under which condition, is signed; nothing is that a gateway rewrites.
func TestRequests(t *testing.T) {
	for _, c := range []struct {
		o    BucketOptions
		want string
	}{
		{BucketOptions{Name: "notes"}, "https://notes.s3.us-east-1.amazonaws.com/a%20b/%C3%A9%2B/k"},
		{BucketOptions{Name: "notes.dotted"}, "https://s3.us-east-1.amazonaws.com/notes.dotted/a%20b/%C3%A9%2B/k"},
		{BucketOptions{Name: "notes", BucketSettings: BucketSettings{Region: "cn-north-1"}}, "https://notes.s3.cn-north-1.amazonaws.com.cn/a%20b/%C3%A9%2B/k"},
		{BucketOptions{Name: "notes", BucketSettings: BucketSettings{Endpoint: "https://box:9000"}}, "https://box:9000/notes/a%20b/%C3%A9%2B/k"},
		{BucketOptions{Name: "notes", VirtualHost: true, BucketSettings: BucketSettings{Endpoint: "https://box:9000/"}}, "https://notes.box:9000/a%20b/%C3%A9%2B/k"},
		{BucketOptions{Name: "notes", BucketSettings: BucketSettings{Endpoint: "http://[::1]:9000"}}, "http://[::1]:9000/notes/a%20b/%C3%A9%2B/k"},
		{BucketOptions{Name: "notes", Insecure: true, BucketSettings: BucketSettings{Endpoint: "http://box"}}, "http://box/notes/a%20b/%C3%A9%2B/k"},
	} {
		a := &answers{status: 200, header: http.Header{"Etag": {`"x"`}}}
		day := time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)
		c.o.Prefix, c.o.Credentials, c.o.Transport, c.o.Now = "a b/é+", fixed, a, func() time.Time { return day }
		b, err := openBucket(c.o)
		if err != nil {
			t.Fatal(err)
		}
		for condition, tag := range map[string]string{"if-match": `"t"`, "if-none-match": ""} {
			if _, err := b.PutSlowly(t.Context(), "k", tag, []byte("body"), nil); err != nil {
				t.Fatal(c.want, err)
			}
			r, sent := a.seen[len(a.seen)-1], a.bodies[len(a.bodies)-1]
			where := *r.URL
			where.RawQuery = ""
			if where.String() != c.want || r.ContentLength != 4 || sent != "body" || r.Header.Get(condition) != cmp.Or(tag, "*") {
				t.Errorf("%v with %q and %v, want %s", r.URL, sent, r.Header, c.want)
			}
			auth := r.Header.Get("Authorization")
			_, names, _ := strings.Cut(auth, "SignedHeaders=")
			names, _, _ = strings.Cut(names, ",")
			signed := strings.Split(names, ";")
			for _, name := range []string{condition, "content-type", "host", "x-amz-content-sha256", "x-amz-date"} {
				if !slices.Contains(signed, name) {
					t.Errorf("%s: %s is not signed: %s", c.want, name, names)
				}
			}
			if slices.Contains(signed, "accept-encoding") || !strings.Contains(auth, "Credential=id/20300102/") {
				t.Errorf("%s: %s", c.want, auth)
			}
			sum := sha256.Sum256([]byte("body"))
			if r.Header.Get("X-Amz-Content-Sha256") != hex.EncodeToString(sum[:]) || r.Header.Get("Expect") != "" || r.UserAgent() != "fovea" {
				t.Errorf("%s: the body is not signed, or another header is wrong: %v", c.want, r.Header)
			}
		}
	}
	at := func(endpoint string) BucketOptions {
		return BucketOptions{Name: "notes", BucketSettings: BucketSettings{Endpoint: endpoint}}
	}
	for _, o := range []BucketOptions{
		{Name: "no"}, {Name: "UPPER"}, {Name: "a/b"}, {Name: "notes", BucketSettings: BucketSettings{Region: "eu/../x"}},
		at("http://box"), at("ftp://box"),
		at("https://id:verysecret@box"), at("https://box/path"),
		at("https://box?x=verysecret"), at("http://127.0.0.1.example"),
	} {
		o.Credentials = fixed
		if _, err := openBucket(o); !errors.Is(err, place.ErrURL) || strings.Contains(err.Error(), "verysecret") {
			t.Errorf("%+v: %v", o, err)
		}
	}
}

// TestCredentialsAreRenewed: credentials that end are asked for again before, and where the store
// reports that they have ended; others once.
func TestCredentialsAreRenewed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked, a := 0, &answers{status: 204}
		b, err := openBucket(BucketOptions{Name: "notes", Transport: a, BucketSettings: BucketSettings{Credentials: func(context.Context) (Credentials, error) {
			asked++
			return Credentials{KeyID: fmt.Sprint("id", asked), Secret: "s", Token: "t", Expires: time.Now().Add(time.Hour)}, nil
		}}})
		if err != nil {
			t.Fatal(err)
		}
		for range 3 {
			if err := b.Remove(t.Context(), "k"); err != nil {
				t.Fatal(err)
			}
		}
		<-time.After(59 * time.Minute) // of the bubble
		if err := b.Remove(t.Context(), "k"); err != nil || asked != 2 {
			t.Errorf("asked %d times, %v", asked, err)
		}
		if got := a.seen[3].Header; !strings.Contains(got.Get("Authorization"), "Credential=id2/") || got.Get("X-Amz-Security-Token") != "t" {
			t.Error(got)
		}
		a.status, a.body = 400, []byte("<Error><Code>ExpiredToken</Code></Error>")
		if err := b.Remove(t.Context(), "k"); !errors.Is(err, errKey) || asked != 3 || len(a.seen) != 6 {
			t.Errorf("asked %d times, %v", asked, err)
		}
	})
}

// TestNoCredentials: an error of credentials is reported in our words, and nobody is asked.
func TestNoCredentials(t *testing.T) {
	for why, ask := range map[string]func(context.Context) (Credentials, error){
		"there are none":     func(context.Context) (Credentials, error) { return Credentials{KeyID: "id"}, nil },
		"the program failed": func(context.Context) (Credentials, error) { return Credentials{}, errors.New("the program failed") },
	} {
		a := &answers{status: 204}
		b, err := openBucket(BucketOptions{Name: "notes", Transport: a, BucketSettings: BucketSettings{Credentials: ask}})
		if err != nil {
			t.Fatal(err)
		}
		if err := b.Remove(t.Context(), "k"); !errors.Is(err, errKey) || err.Error() != string(errKey)+": "+why || len(a.seen) > 0 {
			t.Errorf("%v after %d requests", err, len(a.seen))
		}
	}
}

// FuzzAnswers: whatever a store answers, nothing panics, and an error is one short line without
// the secret.
func FuzzAnswers(f *testing.F) {
	f.Add(200, []byte("<ListBucketResult><Contents><Key>a</Key></Contents></ListBucketResult>"))
	f.Add(200, []byte("<ListBucketResult><Contents><Key>a</Key></Contents><Contents><Key>"))
	f.Add(404, []byte("<Error><Code>NoSuchKey</Code><Message>a\nb</Message></Error>"))
	f.Add(301, []byte("<a><Code>"))
	f.Add(500, []byte{})
	f.Fuzz(func(t *testing.T, status int, body []byte) {
		if status < 200 || status > 599 {
			return
		}
		header := http.Header{"Date": {string(body)}, "Etag": {string(body)}, "X-Amz-Bucket-Region": {string(body)}}
		a := &answers{status: status, header: header, body: body}
		b, err := openBucket(BucketOptions{Name: "notes", Transport: a, BucketSettings: BucketSettings{Credentials: fixed},
			Wait: func(int) time.Duration { return 0 }})
		if err != nil {
			t.Fatal(err)
		}
		keys, err := b.List(t.Context(), "k")
		if err != nil && keys != nil || err == nil && !bytes.Contains(body, []byte("ListBucketResult")) {
			t.Errorf("keys %q and %v", keys, err)
		}
		data, _, errGet := b.get(t.Context(), "k", len(body))
		if errGet == nil && !bytes.Equal(data, body) {
			t.Errorf("got %q", data)
		}
		_, errPut := b.PutSlowly(t.Context(), "k", "", body, nil)
		for _, err := range []error{err, errGet, errPut, b.Remove(t.Context(), "k")} {
			if err != nil && (strings.ContainsAny(err.Error(), "\n\r\x1b\x00") || len(err.Error()) > 2500 || strings.Contains(err.Error(), "verysecret")) {
				t.Errorf("%q", err)
			}
		}
	})
}

// TestListsAreWhole: a list that ends in the middle is no list.
func TestListsAreWhole(t *testing.T) {
	const whole = "<?xml version=\"1.0\"?>\n<ListBucketResult xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\"><Contents><Key>a</Key></Contents>" +
		"<Contents><Key>b</Key></Contents></ListBucketResult>"
	for cut := range len(whole) {
		a := &answers{status: 200, body: []byte(whole[:cut])}
		b, err := openBucket(BucketOptions{Name: "notes", Transport: a, BucketSettings: BucketSettings{Credentials: fixed}})
		if err != nil {
			t.Fatal(err)
		}
		if keys, err := b.List(t.Context(), ""); err == nil {
			t.Errorf("%q is a list of %q", whole[:cut], keys)
		}
	}
}

// TestCredentialsPrintNothing: no way of printing shows a secret.
func TestCredentialsPrintNothing(t *testing.T) {
	c := Credentials{KeyID: "AKIDEXAMPLE", Secret: "verysecret", Token: "token-of-it"}
	var log strings.Builder
	slog.New(slog.NewJSONHandler(&log, nil)).Info("x", "c", c, "in", struct{ C Credentials }{c})
	said := log.String() + fmt.Sprintf("%v %+v %#v %s %q %d %v %+v", c, c, c, c, c, c, struct{ C Credentials }{c}, []*Credentials{&c})
	if strings.Contains(said, "secret") || strings.Contains(said, "token") || strings.Contains(said, "AKID") {
		t.Error(said)
	}
}

// TestBodyIsNoError: bytes that look like the answer of a store are an object all the same.
func TestBodyIsNoError(t *testing.T) {
	const body = "<Error><Code>RequestTimeout</Code></Error>"
	s := gatewayOf(t, func(_ int, w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("ETag", `"1"`)
		_, _ = io.WriteString(w, body)
	})
	data, _, err := s.b.get(t.Context(), "key", 100)
	if string(data) != body || err != nil || len(s.asked()) != 1 {
		t.Errorf("%q, %v after %d requests", data, err, len(s.asked()))
	}
}
