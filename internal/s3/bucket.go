// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package s3

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"time"

	"github.com/fovea-memory/fovea/internal/transfer"
)

const (
	attempts    = 5
	firstWait   = 100 * time.Millisecond
	maxWait     = 5 * time.Second
	answerWait  = 30 * time.Second // that an attempt may make no progress
	renewBefore = 2 * time.Minute
	maxError    = 64 << 10
	maxPage     = 4 << 20
	maxPages    = 1000
)

// call is one request, which may be sent several times.
type call struct {
	method, key string
	query       url.Values
	header      map[string]string
	body        []byte
	limit       int    // of the body of the answer
	halfway     func() // called once, when the first half of the body is on its way
}

// answer is what came back.
type answer struct {
	status int
	header http.Header
	body   []byte
	// unsure says that an earlier attempt may have been carried out.
	unsure bool
}

// do sends a request until it is answered, a few times.
func (b *Bucket) do(ctx context.Context, c call) (a answer, err error) {
	unsure, renewed := false, false
	for attempt := range attempts {
		if attempt > 0 {
			if err := b.wait(ctx, backoff(attempt-1)); err != nil {
				return answer{}, err
			}
		}
		a, err = b.once(ctx, c)
		a.unsure = unsure
		c.halfway = nil
		switch {
		case ctx.Err() != nil:
			return answer{}, ctx.Err()
		case errors.Is(err, ErrSize), errors.Is(err, ErrKey):
			return a, err
		case err != nil:
			unsure = unsure || !unsent(err)
			continue
		case again(a.status):
			unsure = unsure || a.status >= 500
			continue
		case a.status == http.StatusConflict && c.method == http.MethodPut: // two at once; which was first is not said
			continue
		}
		if a.status/100 == 2 { // the body is an object
			return a, nil
		}
		switch readReply(a.body).Code {
		case "RequestTimeout":
			continue
		case "ExpiredToken":
			if !renewed {
				renewed = true
				b.forget()
				continue
			}
		}
		return a, nil
	}
	if err != nil {
		return a, fmt.Errorf("%w from %s: %w", ErrNoAnswer, b.base.Host, transfer.Plain(err))
	}
	return a, nil
}

// again reports whether an answer says that a later attempt may do better.
func again(status int) bool {
	return status >= 500 && status != http.StatusNotImplemented || status == http.StatusTooManyRequests || status == http.StatusRequestTimeout
}

// unsent reports whether an attempt has reached nobody.
func unsent(err error) bool {
	op, isOp := errors.AsType[*net.OpError](err)
	_, isDNS := errors.AsType[*net.DNSError](err)
	return isDNS || isOp && op.Op == "dial"
}

// once sends a request once.
func (b *Bucket) once(ctx context.Context, c call) (answer, error) {
	r, err := b.request(ctx, c)
	if err != nil {
		return answer{}, err
	}
	response, err := b.http.Do(r)
	if err != nil {
		return answer{}, err
	}
	defer response.Body.Close()
	limit := maxError
	if response.StatusCode/100 == 2 {
		limit = c.limit
	}
	body, err := io.ReadAll(io.LimitReader(response.Body, int64(limit)+1))
	if len(body) > limit {
		return answer{}, fmt.Errorf("%s: %w: more than %d bytes", c.key, ErrSize, limit)
	}
	return answer{status: response.StatusCode, header: response.Header, body: body}, err
}

// request makes a signed request.
func (b *Bucket) request(ctx context.Context, c call) (*http.Request, error) {
	u := b.base
	u.Path += c.key
	u.RawPath, u.RawQuery = escapePath(u.Path), canonicalQuery(c.query)
	var body io.Reader
	if c.body != nil {
		body = bytes.NewReader(c.body)
	}
	r, err := http.NewRequestWithContext(ctx, c.method, u.String(), body)
	if err != nil {
		return nil, err
	}
	if c.halfway != nil {
		half := len(c.body) / 2
		r.Body = io.NopCloser(io.MultiReader(bytes.NewReader(c.body[:half]), &hook{do: c.halfway}, bytes.NewReader(c.body[half:])))
		r.GetBody = nil
	}
	sum := sha256.Sum256(c.body)
	payload := hex.EncodeToString(sum[:])
	r.Header.Set("X-Amz-Content-Sha256", payload)
	for name, value := range c.header {
		r.Header.Set(name, value)
	}
	keys, err := b.credentials(ctx)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrKey, err)
	}
	Sign(r, keys, b.region, "s3", payload, b.now())
	return r, nil
}

// hook is an empty reader that calls a function.
type hook struct{ do func() }

func (h *hook) Read([]byte) (int, error) {
	h.do()
	return 0, io.EOF
}

// Get returns an object of at most limit bytes and its tag. Errors: ErrNone, ErrSize, and
// those of the bucket.
func (b *Bucket) Get(ctx context.Context, key string, limit int) (data []byte, tag string, err error) {
	c := call{method: http.MethodGet, key: key, limit: limit}
	a, err := b.do(ctx, c)
	switch {
	case err != nil:
		return nil, "", err
	case a.status != http.StatusOK:
		return nil, "", b.fault(c, a)
	case a.header.Get("ETag") == "":
		return nil, "", fmt.Errorf("%s: the store gives no ETag", key)
	}
	return a.body, a.header.Get("ETag"), nil
}

// Put writes an object if the one that is there has the tag; of the empty tag, if none is there.
// It reports whether the bucket keeps the version before. halfway, if there is one, is
// called when the first half of the bytes is on its way. Errors: ErrChanged, and those of the
// bucket.
func (b *Bucket) Put(ctx context.Context, key, tag string, data []byte, halfway func()) (kept bool, err error) {
	c := call{method: http.MethodPut, key: key, body: data, limit: maxError, halfway: halfway,
		header: map[string]string{"If-None-Match": "*", "Content-Type": "application/octet-stream"}}
	if c.body == nil {
		c.body = []byte{}
	}
	if tag != "" {
		delete(c.header, "If-None-Match")
		c.header["If-Match"] = tag
	}
	a, err := b.do(ctx, c)
	if err != nil {
		return false, err
	}
	if a.status/100 == 2 {
		version := a.header.Get("X-Amz-Version-Id")
		return version != "" && version != "null", nil
	}
	err = b.fault(c, a)
	if errors.Is(err, ErrNone) && tag != "" { // another way to say that it has not the tag
		err = fmt.Errorf("%s: %w", key, ErrChanged)
	}
	if a.unsure && errors.Is(err, ErrChanged) {
		there, _, again := b.Get(ctx, key, len(data)+1)
		switch {
		case again == nil && bytes.Equal(there, data):
			return false, nil // the attempt that nobody answered has done it
		case again != nil && !errors.Is(again, ErrNone) && !errors.Is(again, ErrSize):
			return false, fmt.Errorf("%s: nobody knows whether it was written: %w", key, again)
		}
	}
	return false, err
}

// Remove removes an object; one that is not there is no error.
func (b *Bucket) Remove(ctx context.Context, key string) error {
	c := call{method: http.MethodDelete, key: key, limit: maxError}
	a, err := b.do(ctx, c)
	if err != nil || a.status/100 == 2 {
		return err
	}
	if err = b.fault(c, a); errors.Is(err, ErrNone) {
		err = nil
	}
	return err
}

// page is one answer to a list.
type page struct {
	Encoding string `xml:"EncodingType"`
	More     bool   `xml:"IsTruncated"`
	Next     string `xml:"NextContinuationToken"`
	Keys     []struct {
		Key string `xml:"Key"`
	} `xml:"Contents"`
}

// readPage reads the body of a list.
func readPage(body []byte) (keys []string, next string, err error) {
	var p page
	if err := xml.Unmarshal(body, &p); err != nil {
		return nil, "", fmt.Errorf("the list of objects cannot be read: %w", err)
	}
	for _, one := range p.Keys {
		key := one.Key
		if p.Encoding == "url" {
			if key, err = url.QueryUnescape(key); err != nil {
				return nil, "", fmt.Errorf("the list of objects cannot be read: %w", err)
			}
		}
		keys = append(keys, key)
	}
	if p.More {
		next = p.Next
	}
	return keys, next, nil
}

// List returns the keys that begin with a prefix, in the order of the store. Errors: ErrSize,
// those of the bucket.
func (b *Bucket) List(ctx context.Context, prefix string) (keys []string, err error) {
	next := ""
	for range maxPages {
		c := call{method: http.MethodGet, limit: maxPage, query: url.Values{"list-type": {"2"}, "prefix": {prefix}, "encoding-type": {"url"}}}
		if next != "" {
			c.query.Set("continuation-token", next)
		}
		a, err := b.do(ctx, c)
		if err != nil {
			return nil, err
		}
		if a.status != http.StatusOK {
			return nil, b.fault(c, a)
		}
		some, more, err := readPage(a.body)
		if err != nil {
			return nil, err
		}
		if keys = append(keys, some...); more == "" {
			return keys, nil
		}
		next = more
	}
	return nil, fmt.Errorf("%w: more than %d pages of objects", ErrSize, maxPages)
}
