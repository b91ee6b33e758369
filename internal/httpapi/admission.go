// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package httpapi

import (
	"context"
	"net"
	"net/http"
	"slices"
	"strconv"
	"time"
)

// reauthorized serves streams until the server stops. It admits the caller again at each write and at each beat: a
// removed token ends the stream. A client that does not read for transferTimeout loses the connection.
func (s *Server) reauthorized(admit Admission, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, stop := context.WithCancel(r.Context())
		defer stop()
		original := r.Clone(ctx)   // next may change the request
		var ending <-chan struct{} // of a stream; other requests are answered
		if r.Method == http.MethodGet || r.Method == http.MethodHead {
			ending = s.opts.Stop
		}
		still := func() error {
			_, err := admit(original)
			return err
		}
		go func() {
			defer func() {
				if why := recover(); why != nil {
					s.panicked(original, why)
					stop()
				}
			}()
			beats := time.NewTicker(beat)
			defer beats.Stop()
			for {
				select {
				case <-ctx.Done():
					return
				case <-ending:
					stop()
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
	still func() error // returns why the caller is no longer admitted, or nil
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

// Unwrap is for http.ResponseController.
func (w *reauthorizedWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// Loopback admits requests to a port of this machine from programs on it. It refuses pages of other sites in a browser,
// whatever their names resolve to.
func Loopback(port int, next http.Handler) http.Handler {
	var hosts, origins []string
	for _, name := range []string{"127.0.0.1", "localhost", "::1"} {
		host := net.JoinHostPort(name, strconv.Itoa(port))
		hosts, origins = append(hosts, host), append(origins, "http://"+host)
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !slices.Contains(hosts, r.Host) {
			w.Header().Set("Connection", "close")
			problem(w, http.StatusForbidden, "denied", "Host: this is not "+hosts[0])
			return
		}
		for _, origin := range r.Header.Values("Origin") {
			if !slices.Contains(origins, origin) {
				w.Header().Set("Connection", "close")
				problem(w, http.StatusForbidden, "denied", "Origin: requests from pages of other sites are refused")
				return
			}
		}
		next.ServeHTTP(w, r)
	})
}
