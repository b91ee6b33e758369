// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package httpapi

import "net/http"

// statusWriter remembers the status of an answer.
type statusWriter struct {
	http.ResponseWriter
	status int
	begun  bool // something was written
}

func (w *statusWriter) WriteHeader(status int) {
	w.begun = true
	w.status = status
	w.ResponseWriter.WriteHeader(status)
}

func (w *statusWriter) Write(b []byte) (int, error) {
	w.begun = true
	return w.ResponseWriter.Write(b)
}

// Unwrap gives http.ResponseController the connection.
func (w *statusWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
