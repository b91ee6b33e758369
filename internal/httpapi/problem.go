// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package httpapi

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"runtime/debug"
	"strings"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/api"
)

// Status returns the status of an error, by its kind unless HTTP has one for it. An unlisted kind is a fault of the server.
func Status(err error) int {
	switch {
	case errors.Is(err, errTooOften), errors.Is(err, errGaveWay):
		return http.StatusTooManyRequests
	case errors.Is(err, errKeyReused):
		return http.StatusUnprocessableEntity
	}
	switch fovea.KindOf(err) {
	case fovea.Invalid:
		return http.StatusBadRequest
	case fovea.Denied:
		return http.StatusForbidden
	case fovea.NotFound:
		return http.StatusNotFound
	case fovea.Ambiguous, fovea.Conflict, fovea.Held:
		return http.StatusConflict
	case fovea.Budget:
		return http.StatusUnprocessableEntity
	case fovea.Busy, fovea.Locked:
		return http.StatusLocked
	case fovea.Unreachable:
		return http.StatusBadGateway
	case fovea.ReadOnly:
		return http.StatusServiceUnavailable
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return http.StatusGatewayTimeout
	}
	return http.StatusInternalServerError
}

// fail answers a request with an error of an operation.
func fail(w http.ResponseWriter, op string, err error) {
	f := api.FaultOf(op, err)
	f.Status = Status(err)
	writeProblem(w, f)
}

// problem answers with an error that occurred before the operation began.
func problem(w http.ResponseWriter, status int, kind, detail string) {
	writeProblem(w, api.Fault{
		Type: "urn:fovea:" + strings.ReplaceAll(kind, " ", "-"), Title: kind, Status: status, Detail: detail,
	})
}

func writeProblem(w http.ResponseWriter, f api.Fault) {
	w.Header().Set("Content-Type", "application/problem+json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(f.Status)
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	_ = e.Encode(f) // the client may be gone
}

// recovered answers with 500 if a handler panics, and logs the panic as an error with its stack.
// It cuts off an answer that has begun, so that no client takes it for complete.
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
			problem(w, http.StatusInternalServerError, "other", "this request failed because of a bug in Fovea; serve.log in the state folder has the details; "+
				"please report it")
		}()
		next.ServeHTTP(kept, r)
	})
}

// panicked logs the panic of a request.
func (s *Server) panicked(r *http.Request, why any) {
	s.opts.Log.Error("panic", "in", r.Method+" "+r.URL.Path, "why", why, "stack", string(debug.Stack()))
}

// statusWriter remembers whether an answer has begun.
type statusWriter struct {
	http.ResponseWriter
	begun bool // something was written
}

func (w *statusWriter) WriteHeader(status int) {
	w.begun = true
	w.ResponseWriter.WriteHeader(status)
}

func (w *statusWriter) Write(b []byte) (int, error) {
	w.begun = true
	return w.ResponseWriter.Write(b)
}

// Unwrap is for http.ResponseController.
func (w *statusWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
