// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package httpapi

import (
	"context"
	"errors"
	"io"
	"net/http"

	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/internal/share"
)

var (
	// errGaveWay ends the oldest request of a bearer that has too many.
	errGaveWay = errors.New("too many requests are under way for this token, or too many large ones; this one was the oldest and gave way; wait for " +
		"answers before you send more")
	// errStreamGaveWay ends the oldest stream of a bearer that has too many.
	errStreamGaveWay = errors.New("too many streams are open for this token; this one was the oldest and gave way; close those that are not read")
)

// gaveWay reports whether a request was ended for a newer one of the same bearer.
func gaveWay(ctx context.Context) bool {
	why := context.Cause(ctx)
	return errors.Is(why, errGaveWay) || errors.Is(why, errStreamGaveWay)
}

// taking serves a request while it has a share. When the share is given up, its context ends
// with why as its cause.
func taking(shares *share.Shares, why error, w http.ResponseWriter, r *http.Request, next http.Handler) {
	ctx, end := context.WithCancelCause(r.Context())
	defer end(nil)
	one := shares.Acquire(api.BearerOf(author.GrantOf(ctx)), func() { end(why) })
	defer one.Release()
	next.ServeHTTP(w, r.WithContext(ctx))
}

// sharing limits the running requests of a bearer. One that ends for a newer one before it
// was answered is answered with errGaveWay.
func (s *Server) sharing(next http.Handler) http.Handler {
	answered := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		kept := &statusWriter{ResponseWriter: w}
		next.ServeHTTP(kept, r)
		if gaveWay(r.Context()) && !kept.begun {
			w.Header().Set("Retry-After", "1")
			problem(w, http.StatusTooManyRequests, "busy", errGaveWay.Error())
		}
	})
	weighed := s.weighing(answered)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		taking(s.requests, errGaveWay, w, r, weighed)
	})
}

// streaming limits the open streams of a bearer. One that ends for a newer one says so in a
// comment, which readers of such a stream skip.
func (s *Server) streaming(next http.Handler) http.Handler {
	ended := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		next.ServeHTTP(w, r)
		if gaveWay(r.Context()) && w.Header().Get("Content-Type") == "text/event-stream" {
			_, _ = io.WriteString(w, ": "+errStreamGaveWay.Error()+"\n\n") // the client may be gone
		}
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		taking(s.streams, errStreamGaveWay, w, r, ended)
	})
}
