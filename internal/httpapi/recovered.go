// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package httpapi

import (
	"net/http"
	"runtime/debug"
)

// recovered answers with 500 where what serves a request panics, and logs it as an error
// with its stack. An answer that has begun is cut off, so that nobody takes it for whole.
func (s *Server) recovered(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		kept := &statusWriter{ResponseWriter: w}
		defer func() {
			why := recover()
			if why == nil {
				return
			}
			if why == http.ErrAbortHandler {
				panic(why)
			}
			s.panicked(r, why)
			if kept.begun {
				panic(http.ErrAbortHandler)
			}
			problem(w, http.StatusInternalServerError, "other", "this request failed because of a bug in Fovea; serve.log in the state folder says where; "+
				"please report it")
		}()
		next.ServeHTTP(kept, r)
	})
}

// panicked logs a panic that a request came to.
func (s *Server) panicked(r *http.Request, why any) {
	s.opts.Log.Error("panic", "in", r.Method+" "+r.URL.Path, "why", why, "stack", string(debug.Stack()))
}
