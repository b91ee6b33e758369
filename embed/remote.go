// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package embed

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/fovea-memory/fovea/internal/transfer"
)

const (
	maxAnswer      = 64 << 20 // bytes of an answer
	maxMessage     = 200      // bytes of a server's message in an error
	defaultTimeout = 30 * time.Second
)

// remote is a server. It sends requests and classifies errors: a refusal of the content,
// a server that cannot be used, or a wrong answer.
type remote struct {
	base      string // without a slash at the end
	key       string
	timeout   time.Duration
	maxAnswer int // bytes
	http      *http.Client
	now       func() time.Time
	breaker   breaker
}

// newRemote checks the address. It may end in /v1, as other programs write it.
func newRemote(c Config) (*remote, error) {
	u, err := url.Parse(c.URL)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return nil, fmt.Errorf("%w: the address of the server must be like http://localhost:11434, without user, password or query", ErrConfig)
	}
	if strings.ContainsFunc(c.Key, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return nil, fmt.Errorf("%w: the key of the server has characters that no key has", ErrConfig)
	}
	u.Path = strings.TrimSuffix(strings.TrimSuffix(u.Path, "/"), "/v1")
	r := &remote{base: strings.TrimSuffix(u.String(), "/"), key: c.Key, timeout: cmp.Or(max(c.Timeout, 0), defaultTimeout), maxAnswer: maxAnswer, now: c.Now}
	if r.now == nil {
		r.now = time.Now
	}
	r.http = transfer.NewClient(&transfer.Transport{Limit: r.timeout})
	return r, nil
}

// local reports whether the server is on this computer.
func (r *remote) local() bool {
	u, err := url.Parse(r.base)
	if err != nil {
		return false
	}
	ip := net.ParseIP(u.Hostname())
	return u.Hostname() == "localhost" || ip != nil && ip.IsLoopback()
}

// refusal is an error that the content may have caused: smaller parts may pass.
type refusal struct{ message string }

func (e *refusal) Error() string { return e.message }

// unavailable is an ErrUnavailable with the delay that the server asks for.
type unavailable struct {
	cause string
	delay time.Duration
}

func (e *unavailable) Error() string { return e.cause + ": " + ErrUnavailable.Error() }
func (e *unavailable) Unwrap() error { return ErrUnavailable }

// call sends body by POST, or a GET if body is nil, and decodes the answer into into.
// Errors: a refusal, ErrUnavailable, ErrProtocol, and that of a context that ended.
func (r *remote) call(ctx context.Context, path string, body, into any) error {
	inner, cancel := context.WithTimeout(ctx, r.timeout)
	defer cancel()
	method, content := http.MethodGet, io.Reader(http.NoBody)
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			return fmt.Errorf("%w: %w", ErrConfig, err)
		}
		method, content = http.MethodPost, bytes.NewReader(text)
	}
	request, err := http.NewRequestWithContext(inner, method, r.base+path, content)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrConfig, err)
	}
	request.Header.Set("Content-Type", "application/json")
	if r.key != "" {
		request.Header.Set("Authorization", "Bearer "+r.key)
	}
	response, err := r.http.Do(request)
	if err != nil {
		return r.lost(ctx, err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(io.LimitReader(response.Body, int64(r.maxAnswer)+1))
	switch {
	case err != nil:
		return r.lost(ctx, err)
	case len(text) > r.maxAnswer:
		return fmt.Errorf("%s: more than %d bytes: %w", path, r.maxAnswer, ErrProtocol)
	case response.StatusCode != http.StatusOK:
		return r.status(path, response, text)
	}
	if err := json.Unmarshal(text, into); err != nil {
		return &refusal{fmt.Sprintf("%s: the answer is no JSON of the expected form (%s)", path, r.quote(text))}
	}
	return nil
}

// lost classifies the errors of a connection. A connection that breaks after the request
// was sent can mean that the text crashed the model.
func (r *remote) lost(ctx context.Context, err error) error {
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, transfer.ErrStalled):
		return &unavailable{cause: fmt.Sprintf("%s did not answer in time (%v)", r.base, r.timeout)}
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, syscall.ECONNRESET):
		return &refusal{"the server closed the connection"}
	}
	return &unavailable{cause: r.base + " cannot be reached"}
}

// status classifies the answers that are not a success.
func (r *remote) status(path string, response *http.Response, text []byte) error {
	code := response.StatusCode
	message := fmt.Sprintf("%s: status %d: %s", path, code, r.quote(text))
	switch {
	case code == http.StatusUnauthorized, code == http.StatusForbidden: // their text may repeat parts of the key
		return &unavailable{cause: fmt.Sprintf("%s: status %d: the server refuses the key", path, code)}
	case code == http.StatusTooManyRequests, code == http.StatusBadGateway, code == http.StatusServiceUnavailable, code == http.StatusGatewayTimeout:
		seconds, _ := strconv.Atoi(response.Header.Get("Retry-After")) // 0 without the header
		return &unavailable{cause: message, delay: time.Duration(min(seconds, 3600)) * time.Second}
	case code == http.StatusNotFound, code == http.StatusMethodNotAllowed:
		return fmt.Errorf("%w: %w", &unavailable{cause: message}, errNoPath)
	case code >= 400:
		return &refusal{message}
	}
	return fmt.Errorf("%s: status %d; redirects are not followed: %w", path, code, ErrProtocol)
}

// ofRequest returns the error that the caller of a request to a model gets.
func ofRequest(ctx context.Context, op, model string, err error) error {
	refused, is := errors.AsType[*refusal](err)
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case is:
		err = fmt.Errorf("%s: %w", refused, ErrRefused)
	}
	return failed(op, model, err)
}

// ofOpening is ofRequest for opening a server, which must not refuse the texts of the probe.
func ofOpening(ctx context.Context, op string, c Config, err error) error {
	return ofRequest(ctx, op, strings.TrimSpace(c.Kind+" "+c.Model), wrong(err))
}

// errNoPath means that the server does not have a path, or a model.
var errNoPath = errors.New("not found")

// quote returns a server's text in a form for errors: one short line without the key.
func (r *remote) quote(text []byte) string {
	s := strings.ToValidUTF8(string(text[:min(len(text), 4*maxMessage)]), "")
	if r.key != "" {
		s = strings.ReplaceAll(s, r.key, "…")
	}
	s = strings.Join(strings.FieldsFunc(s, func(c rune) bool { return c <= ' ' || c == 0x7f || c >= 0x80 && c < 0xa0 }), " ")
	return strings.ToValidUTF8(s[:min(len(s), maxMessage)], "")
}
