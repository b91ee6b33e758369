// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package httpapi

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"time"

	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/internal/bound"
)

var (
	// errGaveWay ends the oldest request of a bearer with too many.
	errGaveWay = errors.New("too many requests are under way for this token, or too many large ones; this one was the oldest and gave way; wait for " +
		"answers before you send more")
	// errStreamGaveWay ends the oldest stream of a bearer with too many.
	errStreamGaveWay = errors.New("too many streams are open for this token; this one was the oldest and gave way; close those that are not read")
)

// gaveWay reports whether a request was ended for a newer one of the same bearer.
func gaveWay(ctx context.Context) bool {
	why := context.Cause(ctx)
	return errors.Is(why, errGaveWay) || errors.Is(why, errStreamGaveWay)
}

// taking serves requests, each with a share. If a request loses its share, it ends with the cause why, then ended is called.
func taking(shares *bound.Shares, why error, next http.Handler, ended func(w *statusWriter)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, end := context.WithCancelCause(r.Context())
		defer end(nil)
		one := shares.Acquire(api.BearerOf(author.GrantOf(ctx)), func() { end(why) })
		defer one.Release()
		kept := &statusWriter{ResponseWriter: w}
		next.ServeHTTP(kept, r.WithContext(ctx))
		if gaveWay(ctx) {
			ended(kept)
		}
	})
}

// sharing limits the running requests of a bearer. One that ends for a newer one is answered with errGaveWay.
func (s *Server) sharing(next http.Handler) http.Handler {
	return s.weighing(taking(s.requests, errGaveWay, next, func(w *statusWriter) {
		if !w.begun {
			w.Header().Set("Retry-After", "1")
			problem(w, http.StatusTooManyRequests, "busy", errGaveWay.Error())
		}
	}))
}

// streaming limits the open streams of a bearer. One that ends for a newer one ends with a comment, which readers skip.
func (s *Server) streaming(next http.Handler) http.Handler {
	return taking(s.streams, errStreamGaveWay, next, func(w *statusWriter) {
		if w.Header().Get("Content-Type") == "text/event-stream" {
			_, _ = io.WriteString(w, ": "+errStreamGaveWay.Error()+"\n\n") // the client may be gone
		}
	})
}

// small is the size up to which a body or an answer is not counted. A larger one takes a share while it is in memory, which
// bounds the memory for a client that sends without end or does not read its answers.
const small = 256 << 10

// past is a deadline that ends reads and writes of a connection.
var past = time.Unix(1, 0)

// weighing limits the large bodies of a bearer in memory. One that gives way ends with errGaveWay.
func (s *Server) weighing(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.ContentLength == 0 {
			next.ServeHTTP(w, r)
			return
		}
		ctx, end := context.WithCancelCause(r.Context())
		defer end(nil)
		control := http.NewResponseController(w)
		body := &weighed{ReadCloser: r.Body, left: small, take: func() *bound.Share {
			return s.take(r, func() {
				end(errGaveWay)
				_ = control.SetReadDeadline(past) // not every writer has deadlines
			})
		}}
		defer func() {
			if body.share != nil {
				body.share.Release()
			}
		}()
		r = r.WithContext(ctx)
		r.Body = body
		next.ServeHTTP(w, r)
	})
}

// take takes a share of large texts for the bearer of a request.
func (s *Server) take(r *http.Request, end func()) *bound.Share {
	return s.large.Acquire(api.BearerOf(author.GrantOf(r.Context())), end)
}

// weighed is a body that takes a share once it is large.
type weighed struct {
	io.ReadCloser
	left  int // bytes that are not counted
	take  func() *bound.Share
	share *bound.Share // nil while it is small
}

func (b *weighed) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if b.left -= n; b.left < 0 && b.share == nil {
		b.share = b.take()
	}
	return n, err
}

// answer writes a value as JSON.
func (s *Server) answer(w http.ResponseWriter, r *http.Request, v any) {
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		fail(w, "answer", err)
		return
	}
	s.send(w, r, "application/json", &text)
}

// send writes the text of an answer. A large one that gives way is cut off: no client takes it for complete.
func (s *Server) send(w http.ResponseWriter, r *http.Request, kind string, text *bytes.Buffer) {
	w.Header().Set("Content-Type", kind)
	control := http.NewResponseController(w)
	_ = control.SetWriteDeadline(time.Now().Add(transferTimeout))
	if text.Len() > small {
		one := s.take(r, func() { _ = control.SetWriteDeadline(past) })
		defer one.Release()
	}
	_, _ = w.Write(text.Bytes()) // the client may be gone
}
