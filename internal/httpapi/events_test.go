// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package httpapi_test

import (
	"bufio"
	"context"
	"net/http"
	"strings"
)

// begin opens a stream of events, reads what is there up to the first commit, and ends it.
func (s *site) begin(path string) reply {
	s.t.Helper()
	ctx, stop := context.WithCancel(s.t.Context())
	defer stop()
	a := s.listen(ctx, path)
	defer a.Body.Close()
	var text strings.Builder
	for lines := bufio.NewScanner(a.Body); lines.Scan() && !strings.HasPrefix(lines.Text(), "data: "); {
		text.WriteString(lines.Text() + "\n")
	}
	return reply{a.StatusCode, a.Header, []byte(text.String())}
}

// listen opens a stream of events as the person; headers are as in ask.
func (s *site) listen(ctx context.Context, path string, headers ...string) *http.Response {
	s.t.Helper()
	r, err := http.NewRequestWithContext(ctx, "GET", s.url+path, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer person")
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	a, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		s.t.Fatal(err)
	}
	return a
}
