// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package httpapi

import (
	"context"
	"net/http"
	"time"
)

// reauthorized serves answers that go on for long. Who asked must be let in still
// whenever something is written, and at each beat where nothing is: who is not any
// more, since a token was taken away, gets nothing further, and the stream ends. Who does not
// read while something waits to be sent loses the connection, see slowest.
func (s *Server) reauthorized(admit Admission, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, stop := context.WithCancel(r.Context())
		defer stop()
		asked := r.Clone(ctx) // next may change the request
		still := func() error {
			_, err := admit(asked)
			return err
		}
		go func() {
			defer func() {
				if why := recover(); why != nil {
					s.panicked(asked, why)
					stop()
				}
			}()
			beats := time.NewTicker(beat)
			defer beats.Stop()
			for {
				select {
				case <-ctx.Done():
					return
				case <-beats.C:
					if still() != nil {
						stop()
					}
				}
			}
		}()
		next.ServeHTTP(&reauthorizedWriter{ResponseWriter: w, still: still, stop: stop}, r.WithContext(ctx))
	})
}

type reauthorizedWriter struct {
	http.ResponseWriter
	still func() error // why who asked is not let in any more
	stop  context.CancelFunc
}

func (w *reauthorizedWriter) Write(b []byte) (int, error) {
	if err := w.still(); err != nil {
		w.stop()
		return 0, err
	}
	_ = http.NewResponseController(w.ResponseWriter).SetWriteDeadline(time.Now().Add(transferTimeout)) // not every writer has deadlines
	return w.ResponseWriter.Write(b)
}

// Unwrap gives http.ResponseController the connection.
func (w *reauthorizedWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
