// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package hosted

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/ratelimit"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/fovea-memory/fovea/internal/place"
)

// exchange is one operation: it sends each attempt, reads the bounded answer, and keeps what the
// next attempt needs to know.
type exchange struct {
	b       *bucket
	key     string
	right   string // that the operation needs
	limit   int    // of the body of an answer
	halfway func() // called once, when the first half of the body has been sent

	host    string
	status  int // of the last answer, 0 for none
	header  http.Header
	body    []byte
	failed  error // of the last attempt, if it got no answer
	again   bool  // another attempt may succeed
	unsure  bool  // an attempt without a clear answer may have succeeded
	renewed bool  // new credentials were requested
}

// use makes an operation of the client go through the exchange.
func (e *exchange) use(o *s3.Options) {
	o.HTTPClient = e
	o.Retryer = retry.NewStandard(func(s *retry.StandardOptions) {
		s.MaxAttempts, s.RateLimiter = attempts, ratelimit.None
		s.Retryables = []retry.IsErrorRetryable{retry.IsErrorRetryableFunc(func(error) aws.Ternary { return aws.BoolTernary(e.again) })}
		s.Backoff = retry.BackoffDelayerFunc(func(attempts int, _ error) (time.Duration, error) {
			e.again = false // unless the next attempt is sent
			return e.b.wait(attempts), nil
		})
	})
}

// Do sends one attempt.
func (e *exchange) Do(r *http.Request) (*http.Response, error) {
	if e.halfway != nil && r.Body != nil {
		first := io.LimitReader(r.Body, r.ContentLength/2)
		r.Body = struct {
			io.Reader
			io.Closer
		}{io.MultiReader(first, &hook{do: e.halfway}, r.Body), r.Body}
		r.GetBody, e.halfway = nil, nil
	}
	r.Header.Set("User-Agent", "fovea") // the client's own describes this machine
	e.host, e.status, e.header, e.body, e.again = r.URL.Host, 0, nil, nil, false
	response, err := e.b.http.Do(r)
	if err == nil {
		err = e.read(response)
	}
	e.judge(r.Method, err)
	return response, err
}

// read reads an answer into memory.
func (e *exchange) read(response *http.Response) error {
	defer response.Body.Close()
	limit := maxError
	if response.StatusCode/100 == 2 {
		limit = e.limit
	}
	body, err := io.ReadAll(io.LimitReader(response.Body, int64(limit)+1))
	switch {
	case len(body) > limit:
		return fmt.Errorf("%s has more than %d bytes: %w", e.key, limit, place.ErrDamaged)
	case err != nil:
		return err
	}
	e.status, e.header, e.body = response.StatusCode, response.Header, body
	response.Body = io.NopCloser(bytes.NewReader(body))
	return nil
}

// judge records whether an attempt may have succeeded, and whether another one may succeed.
func (e *exchange) judge(method string, err error) {
	e.failed = err
	switch {
	case errors.Is(err, place.ErrDamaged):
	case err != nil:
		e.again, e.unsure = true, e.unsure || !unsent(err)
	case later(e.status):
		e.again, e.unsure = true, e.unsure || e.status >= 500
	case e.status == http.StatusConflict && method == http.MethodPut: // two at once; it is unknown which was first
		e.again = true
	case e.status/100 == 2: // the body is an object
	default:
		switch code := readReply(e.body).Code; {
		case code == "RequestTimeout":
			e.again = true
		case code == "ExpiredToken" && !e.renewed:
			e.again, e.renewed = true, true
			e.b.known.Invalidate()
		}
	}
}

// later reports whether a later attempt may succeed after a status.
func later(status int) bool {
	return status >= 500 && status != http.StatusNotImplemented || status == http.StatusTooManyRequests || status == http.StatusRequestTimeout
}

// unsent reports whether an attempt reached no server.
func unsent(err error) bool {
	op, isOp := errors.AsType[*net.OpError](err)
	_, isDNS := errors.AsType[*net.DNSError](err)
	return isDNS || isOp && op.Op == "dial"
}

// hook is an empty reader that calls a function.
type hook struct{ do func() }

func (h *hook) Read([]byte) (int, error) {
	h.do()
	return 0, io.EOF
}
