// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package place

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/fovea-memory/fovea/internal/text"
	"github.com/fovea-memory/fovea/internal/transfer"
)

// request is one line to the other end of a pipe, and answer is the reply.
type request struct {
	Do   string `json:"do"` // get, put, list or remove
	Name string `json:"name"`
	Tag  string `json:"tag,omitempty"`
	Data []byte `json:"data,omitempty"`
}

type answer struct {
	Data  []byte   `json:"data,omitempty"`
	Tag   string   `json:"tag,omitempty"`
	Names []string `json:"names,omitempty"`
	None  bool     `json:"none,omitempty"`
	Other bool     `json:"changed,omitempty"`
	Error string   `json:"error,omitempty"`
}

// maxLine bounds a line: an object in base 64, and its frame.
const maxLine = MaxObject/3*4 + 64<<10

// Serve answers requests of another machine, one JSON object per line, from a place until the input
// ends or a request cannot be read. It serves one request at a time.
func Serve(ctx context.Context, p Place, in io.Reader, out io.Writer) error {
	lines := &bounded{in: in, left: maxLine}
	from, to := json.NewDecoder(lines), json.NewEncoder(out)
	for {
		lines.left = maxLine
		var q request
		if err := from.Decode(&q); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return fmt.Errorf("remote serve: %w", err)
		}
		if err := to.Encode(serve(ctx, p, q)); err != nil {
			return fmt.Errorf("remote serve: %w", err)
		}
	}
}

func serve(ctx context.Context, p Place, q request) (a answer) {
	var err error
	switch q.Do {
	case "get":
		a.Data, a.Tag, err = p.Get(ctx, q.Name)
	case "put":
		err = p.Put(ctx, q.Name, q.Tag, q.Data)
	case "list":
		a.Names, err = p.List(ctx, q.Name)
	case "remove":
		err = p.Remove(ctx, q.Name)
	default:
		err = fmt.Errorf("%q is not a request", q.Do)
	}
	a.None, a.Other = errors.Is(err, ErrNone), errors.Is(err, ErrChanged)
	if err != nil {
		a.Error = err.Error()
	}
	return a
}

// bounded is a reader that fails on a line that is too long.
type bounded struct {
	in    io.Reader
	left  int
	moved func(bytes int) // called when bytes arrive; may be nil
}

func (b *bounded) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, fmt.Errorf("a line of more than %d bytes", maxLine)
	}
	n, err := b.in.Read(p[:min(len(p), b.left)])
	b.left -= n
	if n > 0 && b.moved != nil {
		b.moved(n)
	}
	return n, err
}

// maxIdle is how long a request may make no progress.
const maxIdle = 2 * time.Minute

var errIdle = fmt.Errorf("%w: fewer than %d bytes a second were transferred for %v", ErrNoAnswer, transfer.MinRate, maxIdle)

// moving is a writer that reports its progress.
type moving struct {
	to    io.Writer
	moved func(bytes int)
}

func (m *moving) Write(p []byte) (n int, err error) {
	for n < len(p) && err == nil {
		var some int
		some, err = m.to.Write(p[n:min(len(p), n+32<<10)])
		n += some
		m.moved(some)
	}
	return n, err
}

// line is a place behind a pipe.
type line struct {
	mu    sync.Mutex // held for a request and its answer
	to    io.WriteCloser
	enc   *json.Encoder
	out   *moving
	dec   *json.Decoder
	limit *bounded
	end   func() error // waits for the other end
	err   error        // the first one that left the pipe unusable
}

// Pipe returns the place that Serve serves at the other end of a pipe. Close calls end
// once, after it has closed to.
func Pipe(in io.Reader, to io.WriteCloser, end func() error) Place {
	limit := &bounded{in: in}
	out := &moving{to: to}
	return &line{to: to, enc: json.NewEncoder(out), out: out, dec: json.NewDecoder(limit), limit: limit, end: end}
}

// ask sends a request and waits for its answer. It closes the pipe if the context ends or the other
// machine makes no progress.
func (l *line) ask(ctx context.Context, q request) (answer, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err != nil {
		return answer{}, l.err
	}
	ctx, watch := transfer.NewWatch(ctx, maxIdle, transfer.MinRate, errIdle)
	defer watch.Stop()
	stop := context.AfterFunc(ctx, func() { _ = l.to.Close() })
	defer stop()
	l.limit.moved, l.out.moved = watch.Wait, watch.Wait
	var a answer
	l.limit.left = maxLine
	err := l.enc.Encode(q)
	if err == nil {
		err = l.dec.Decode(&a)
	}
	if err != nil {
		l.err = fmt.Errorf("the other machine no longer answers; try again: %w", cmp.Or(context.Cause(ctx), err))
		return answer{}, l.err
	}
	switch {
	case a.None:
		return a, fmt.Errorf("%s: %w", q.Name, ErrNone)
	case a.Other:
		return a, fmt.Errorf("%s: %w", q.Name, ErrChanged)
	case a.Error != "":
		return a, fmt.Errorf("the other machine reports: %s", text.Page(text.Line(a.Error), maxReport))
	}
	return a, nil
}

// maxReport is the largest number of bytes of another machine's error that is reported.
const maxReport = 1000

func (l *line) Get(ctx context.Context, name string) ([]byte, string, error) {
	a, err := l.ask(ctx, request{Do: "get", Name: name})
	return a.Data, a.Tag, err
}

func (l *line) Put(ctx context.Context, name, tag string, data []byte) error {
	_, err := l.ask(ctx, request{Do: "put", Name: name, Tag: tag, Data: data})
	return err
}

func (l *line) List(ctx context.Context, prefix string) ([]string, error) {
	a, err := l.ask(ctx, request{Do: "list", Name: prefix})
	return a.Names, err
}

func (l *line) Remove(ctx context.Context, name string) error {
	_, err := l.ask(ctx, request{Do: "remove", Name: name})
	return err
}

// Close ends the pipe. If the pipe has failed, ask has already returned the error.
func (l *line) Close() error {
	err := errors.Join(l.to.Close(), l.end())
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err != nil {
		return nil
	}
	return err
}
