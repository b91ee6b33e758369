// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package httpapi

import (
	"fmt"
	"io"
	"net/http"
	"strconv"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/author"
)

func (s *Server) hello(w http.ResponseWriter, r *http.Request) { s.answer(w, r, s.opts.Hello()) }

func (s *Server) healthy(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "ok\n") }

func (s *Server) ready(w http.ResponseWriter, _ *http.Request) {
	if err := s.opts.Ready(); err != nil {
		kind := fovea.Busy
		if fovea.KindOf(err) == fovea.ReadOnly {
			kind = fovea.ReadOnly // somebody has to do something first
		} else {
			w.Header().Set("Retry-After", "1")
		}
		problem(w, http.StatusServiceUnavailable, kind.String(), err.Error())
		return
	}
	_, _ = io.WriteString(w, "ok\n")
}

// maxLogs bounds the lines of one answer: no more are kept.
const maxLogs = 1000

func (s *Server) logs(w http.ResponseWriter, r *http.Request) {
	if author.GrantOf(r.Context()).Role != api.Owner { // lines hold titles, of any file and scope
		problem(w, http.StatusForbidden, "denied", "logs: only the owner reads the log; GET /v1/log lists commits")
		return
	}
	limit := int(s.logLimit.Load())
	if text := r.URL.Query().Get("limit"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 0 || n > maxLogs {
			problem(w, http.StatusBadRequest, "invalid", fmt.Sprintf("limit: is between 0 and %d", maxLogs))
			return
		}
		limit = n
	}
	s.answer(w, r, append([]string{}, s.opts.Logs(limit)...))
}
