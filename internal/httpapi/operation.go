// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package httpapi

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strconv"
	"strings"

	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/api/ops"
	"github.com/fovea-memory/fovea/internal/face"
	"github.com/fovea-memory/fovea/internal/fault"
)

// operation serves one operation.
func (s *Server) operation(op *api.Operation) http.HandlerFunc {
	shape := shapeOf(op)
	return func(w http.ResponseWriter, r *http.Request) {
		if err := ops.MayAsk(r.Context(), op); err != nil {
			api.LogCall(r.Context(), s.opts.Calls, op, err)
			fail(w, op.Name, err)
			return
		}
		call, ok := s.callOf(w, r, shape)
		if !ok {
			return
		}
		ctx, stop := context.WithTimeout(r.Context(), s.opts.Time)
		defer stop()
		a, err := s.service(ctx, call)
		if err != nil {
			if gaveWay(r.Context()) {
				err = fault.Wrap(op.Name, "", fault.Busy, errGaveWay)
			}
			if errors.Is(err, errTooOften) || errors.Is(err, errGaveWay) {
				w.Header().Set("Retry-After", "1")
			}
			fail(w, op.Name, err)
			return
		}
		w.Header().Set("Cache-Control", "private, no-cache")
		w.Header().Set("Vary", "Accept")
		if !asText(r) {
			s.answer(w, r, a)
			return
		}
		var text bytes.Buffer
		face.Of(op).Show(face.Pipe(&text), call.Request, a)
		s.send(w, r, "text/plain; charset=utf-8", &text)
	}
}

// asText reports whether a client asks for the text that a pipe gets: its Accept names text first.
func asText(r *http.Request) bool {
	first, _, _ := strings.Cut(r.Header.Get("Accept"), ",")
	kind, parameters, err := mime.ParseMediaType(first)
	return err == nil && kind == "text/plain" && parameters["q"] != "0"
}

// callOf returns the call in a request.
func (s *Server) callOf(w http.ResponseWriter, r *http.Request, sh *shape) (c api.Call, ok bool) {
	body, ok := s.request(w, r, sh)
	if !ok {
		return c, false
	}
	sync := api.Sync(r.URL.Query().Get("sync"))
	if sync != "" && sync != api.SyncScan && sync != api.SyncNone {
		problem(w, http.StatusBadRequest, "invalid", "sync: is scan or none")
		return c, false
	}
	req, err := sh.op.DecodeRequest(body)
	if err != nil {
		api.LogCall(r.Context(), s.opts.Calls, sh.op, err)
		fail(w, sh.op.Name, err)
		return c, false
	}
	return api.Call{Op: sh.op, Request: req, Key: r.Header.Get(api.HeaderOp), Sync: sync, Warn: func(err error) {
		w.Header().Add(api.HeaderWarning, strconv.QuoteToASCII(err.Error()))
	}}, true
}

// request reads the JSON of a request: the body of a POST, the parameters of a GET.
func (s *Server) request(w http.ResponseWriter, r *http.Request, sh *shape) ([]byte, bool) {
	fields, err := sh.parameters(r)
	if err != nil {
		fail(w, sh.op.Name, err)
		return nil, false
	}
	if r.Method != http.MethodPost {
		return fields, true
	}
	if how := r.Header.Get("Content-Encoding"); how != "" && !strings.EqualFold(how, "identity") {
		problem(w, http.StatusUnsupportedMediaType, "invalid", "Content-Encoding: send the JSON as it is, without "+strconv.QuoteToASCII(how))
		return nil, false
	}
	body, err := io.ReadAll(r.Body)
	if err != nil && gaveWay(r.Context()) {
		return nil, false // the middleware sharing answers
	}
	if err != nil {
		status, why := http.StatusBadRequest, "the request: "+err.Error()
		if large, ok := errors.AsType[*http.MaxBytesError](err); ok {
			status, why = http.StatusRequestEntityTooLarge, fmt.Sprintf("the request has more than %d bytes; send less", large.Limit)
		}
		problem(w, status, "invalid", why)
		return nil, false
	}
	if kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); len(body) > 0 && kind != "application/json" {
		problem(w, http.StatusUnsupportedMediaType, "invalid", "send JSON, with Content-Type: application/json")
		return nil, false
	}
	if r.Header.Get("If-Match") != "" && sh.op.Effect != api.Reads { // the client expects the write to depend on it
		fail(w, sh.op.Name, sh.invalid(errors.New("If-Match is not supported; send the digest of the node as base, if the operation has it")))
		return nil, false
	}
	return body, true
}
