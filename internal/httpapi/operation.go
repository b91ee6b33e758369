// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package httpapi

import (
	"context"
	"errors"
	"io"
	"mime"
	"net/http"
	"strconv"
	"strings"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/api"
)

// operation serves one operation.
func (s *Server) operation(op *api.Operation) http.HandlerFunc {
	shape := shapeOf(op)
	return func(w http.ResponseWriter, r *http.Request) {
		if err := api.MayAsk(r.Context(), op); err != nil {
			fail(w, op.Name, err, Status(err))
			return
		}
		body, pg, ok := s.request(w, r, shape)
		if !ok {
			return
		}
		ctx, stop := context.WithTimeout(r.Context(), s.opts.Time)
		defer stop()
		if ctx, ok = synced(ctx, w, r); !ok {
			return
		}
		ctx = api.WithWarn(ctx, func(err error) { w.Header().Add(api.HeaderWarning, strconv.QuoteToASCII(err.Error())) })
		before := s.opts.Hello()
		a, err := s.call(ctx, r, op, body)
		after := s.opts.Hello()
		if err == nil && pg.first() && !same(before, after) { // the list may be of either
			before = after
			a, err = s.call(ctx, r, op, body)
			after = s.opts.Hello()
		}
		if err != nil {
			if gaveWay(r.Context()) {
				err = &fovea.Error{Op: op.Name, Kind: fovea.Busy, Err: errGaveWay}
			}
			if errors.Is(err, errTooOften) || errors.Is(err, errGaveWay) {
				w.Header().Set("Retry-After", "1")
			}
			fail(w, op.Name, err, statusOf(r, err))
			return
		}
		if a, ok = pg.cut(w, r, a, before, after); !ok {
			return
		}
		if tag := shape.tag(a, before.Root, after.Root); tag != "" && (api.ScopesOf(ctx) == api.Scopes{} || op.Name == "show") {
			w.Header().Set("ETag", `"`+tag+`"`)
			if r.Method == http.MethodGet && matches(r.Header.Get("If-None-Match"), tag) {
				w.WriteHeader(http.StatusNotModified)
				return
			}
		}
		w.Header().Set("Cache-Control", "private, no-cache")
		s.answer(w, r, a)
	}
}

// statusOf is Status, but a condition of the request that does not hold is told
// as HTTP does.
func statusOf(r *http.Request, err error) int {
	if r.Header.Get("If-Match") != "" && fovea.KindOf(err) == fovea.Conflict {
		return http.StatusPreconditionFailed
	}
	switch {
	case errors.Is(err, errTooOften), errors.Is(err, errGaveWay):
		return http.StatusTooManyRequests
	case errors.Is(err, errOtherRequest):
		return http.StatusUnprocessableEntity
	}
	return Status(err)
}

// request reads the JSON of a request: the body of a POST, the parameters of a
// GET.
func (s *Server) request(w http.ResponseWriter, r *http.Request, sh *shape) ([]byte, *page, bool) {
	fields, pg, err := sh.parameters(r)
	if err != nil {
		fail(w, sh.op.Name, err, http.StatusBadRequest)
		return nil, nil, false
	}
	if r.Method == http.MethodGet {
		return fields, pg, true
	}
	if how := r.Header.Get("Content-Encoding"); how != "" && !strings.EqualFold(how, "identity") {
		problem(w, http.StatusUnsupportedMediaType, "invalid", "Content-Encoding: send the JSON as it is, without "+strconv.QuoteToASCII(how))
		return nil, nil, false
	}
	body, err := io.ReadAll(r.Body)
	if err != nil && gaveWay(r.Context()) {
		return nil, nil, false // sharing says so
	}
	if err != nil {
		status := http.StatusBadRequest
		if _, large := errors.AsType[*http.MaxBytesError](err); large {
			status = http.StatusRequestEntityTooLarge
		}
		problem(w, status, "invalid", "the request: "+err.Error())
		return nil, nil, false
	}
	if kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); len(body) > 0 && kind != "application/json" {
		problem(w, http.StatusUnsupportedMediaType, "invalid", "send JSON, with Content-Type: application/json")
		return nil, nil, false
	}
	if body, err = sh.rebased(body, r.Header.Get("If-Match")); err != nil {
		fail(w, sh.op.Name, err, Status(err))
		return nil, nil, false
	}
	return body, pg, true
}

// call carries an operation out, once for each key.
func (s *Server) call(ctx context.Context, r *http.Request, op *api.Operation, body []byte) (any, error) {
	if key := r.Header.Get(api.HeaderOp); key != "" {
		ctx = api.WithOp(ctx, key)
	}
	return op.Call(ctx, s.service, body)
}

// synced reads how the folder is to be seen to.
func synced(ctx context.Context, w http.ResponseWriter, r *http.Request) (context.Context, bool) {
	switch how := api.Sync(r.URL.Query().Get("sync")); how {
	case "":
		return ctx, true
	case api.SyncScan, api.SyncNone:
		return api.WithSync(ctx, how), true
	}
	problem(w, http.StatusBadRequest, "invalid", "sync: is scan or none")
	return ctx, false
}

// matches reports whether an If-None-Match header names a tag.
func matches(header, tag string) bool {
	for one := range strings.SplitSeq(header, ",") {
		one = strings.TrimPrefix(strings.TrimSpace(one), "W/")
		if one == "*" || strings.Trim(one, `"`) == tag {
			return true
		}
	}
	return false
}
