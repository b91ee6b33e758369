// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package mcpserver

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// codeNoSession is the JSON-RPC error code of other MCP servers for an unknown session.
const codeNoSession = -32001

// checked reads the body of a POST, which stays readable, and refuses invalid messages.
func checked(w http.ResponseWriter, r *http.Request) bool {
	if r.Method != http.MethodPost {
		return true
	}
	body, err := io.ReadAll(r.Body)
	if err != nil && r.Context().Err() != nil {
		return false // the limit that ended it answers
	}
	if err != nil {
		status := http.StatusBadRequest
		if _, large := errors.AsType[*http.MaxBytesError](err); large {
			status = http.StatusRequestEntityTooLarge
		}
		http.Error(w, "the request: "+err.Error(), status)
		return false
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	_, refusal := Check(body)
	if refusal == nil {
		return true
	}
	status := http.StatusBadRequest
	if refusal.Code == jsonrpc.CodeInvalidParams { // the answer to a call
		status = http.StatusOK
	}
	refuse(w, status, refusal)
	return false
}

func refuse(w http.ResponseWriter, status int, why *Refusal) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Del("Content-Length")
	w.WriteHeader(status)
	_, _ = w.Write(append(why.Response(), '\n')) // the client may be gone
}

// refusing turns a refusal that the SDK writes as plain text into a JSON-RPC error, at end; it reports other writes.
type refusing struct {
	http.ResponseWriter
	status int // of a refusal, else 0
	text   bytes.Buffer
	wrote  func(event []byte, ok bool) // called after each write of an answer; nil until the server is known
}

func (w *refusing) WriteHeader(status int) {
	if status >= 400 && strings.HasPrefix(w.Header().Get("Content-Type"), "text/plain") {
		w.status = status
		return
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *refusing) Write(b []byte) (int, error) {
	if w.status != 0 {
		return w.text.Write(b)
	}
	n, err := w.ResponseWriter.Write(b)
	if w.wrote != nil {
		w.wrote(b, err == nil && http.NewResponseController(w.ResponseWriter).Flush() == nil)
	}
	return n, err
}

// Unwrap is for http.ResponseController.
func (w *refusing) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func (w *refusing) end() {
	if w.status == 0 {
		return
	}
	why := &Refusal{Code: jsonrpc.CodeInvalidRequest, Message: strings.TrimSpace(w.text.String())}
	if w.status == http.StatusNotFound {
		why.Code = codeNoSession
	}
	if !strings.Contains(why.Message, "Next:") {
		why.Message += ". Next: " + nextOf(w.status)
	}
	refuse(w.ResponseWriter, w.status, why)
}

// nextOf returns the next step after a refused request.
func nextOf(status int) string {
	switch status {
	case http.StatusNotFound:
		return "begin another session with initialize"
	case http.StatusMethodNotAllowed:
		return "use POST"
	case http.StatusUnsupportedMediaType:
		return "send Content-Type: application/json"
	case http.StatusRequestEntityTooLarge:
		return "send less at once"
	case http.StatusConflict:
		return "close the other stream first"
	}
	return "correct the request; status " + strconv.Itoa(status)
}
