// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package ipfs_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fovea-memory/fovea/internal/ipfs"
	"github.com/fovea-memory/fovea/internal/place"
	"github.com/fovea-memory/fovea/merkle"
)

// wait lets time pass, or returns earlier when ctx ends.
func wait(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// taking is a daemon that takes an import: at once, except for a pause after each part.
type taking struct{ pause time.Duration }

func (d taking) RoundTrip(r *http.Request) (*http.Response, error) {
	buf := make([]byte, 64<<10)
	for {
		_, err := r.Body.Read(buf)
		if err == io.EOF {
			break
		}
		if err == nil {
			err = wait(r.Context(), d.pause)
		}
		if err != nil {
			return nil, err
		}
	}
	const said = `{"Stats":{"BlockCount":3}}`
	return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(bytes.NewReader([]byte(said))), Header: http.Header{}}, nil
}

// giving is a daemon that gives the same bytes to every request, until that ends.
type giving []byte

func (d giving) RoundTrip(r *http.Request) (*http.Response, error) {
	from, to := io.Pipe()
	context.AfterFunc(r.Context(), func() { _ = to.CloseWithError(context.Cause(r.Context())) })
	go func() {
		_, err := to.Write(d)
		_ = to.CloseWithError(err)
	}()
	return &http.Response{StatusCode: http.StatusOK, Body: from, Header: http.Header{}}, nil
}

// TestOwnTimeIsNotTheDaemons: a memory that takes long to make the next part of what it sends, or
// to keep what it has read, does not blame the daemon; one that pauses itself is given up.
func TestOwnTimeIsNotTheDaemons(t *testing.T) {
	const long = 10 * ipfs.Deadline
	blocks := [][]byte{bytes.Repeat([]byte("x"), 200<<10), bytes.Repeat([]byte("y"), 200<<10), []byte("z")}
	for _, tc := range []struct {
		own, daemon time.Duration
		want        error
	}{{0, 0, nil}, {long, 0, nil}, {long, ipfs.Deadline / 2, nil}, {0, long, ipfs.ErrSlow}} {
		t.Run(fmt.Sprint(tc.own, tc.daemon), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := ipfs.NewClient("http://127.0.0.1:1")
				c.Through(taking{tc.daemon})
				err := c.Import(t.Context(), func(w io.Writer) (int, error) {
					out, err := place.NewWriter(w, merkle.Sum(nil))
					for _, block := range blocks {
						if err == nil {
							err = wait(t.Context(), tc.own)
						}
						if err == nil {
							_, err = out.PutRaw(block)
						}
					}
					return len(blocks), errors.Join(err, out.Close())
				})
				if !errors.Is(err, tc.want) {
					t.Errorf("an import: %v, want %v", err, tc.want)
				}
			})
		})
	}
	synctest.Test(t, func(t *testing.T) {
		list, pack := packOf(t, blocks)
		c := ipfs.NewClient("http://127.0.0.1:1")
		c.Through(giving(pack))
		m := manifest(false)
		m.Packs = []place.Pack{{List: list, Size: uint64(400<<10 + 1), Scopes: m.Packs[0].Scopes}}
		err := c.ReadArchive(t.Context(), m, nil, func(r io.Reader) error {
			for {
				if _, err := r.Read(make([]byte, 100<<10)); err != nil {
					return noEnd(err)
				}
				if err := wait(t.Context(), long); err != nil {
					return err
				}
			}
		})
		if err != nil {
			t.Errorf("a read: %v", err)
		}
	})
}

func noEnd(err error) error {
	if err == io.EOF {
		return nil
	}
	return err
}

// packOf returns the archive of a list and its pieces, as a daemon exports it.
func packOf(t *testing.T, blocks [][]byte) (list merkle.Digest, pack []byte) {
	t.Helper()
	var buf bytes.Buffer
	out, err := place.NewWriter(&buf, merkle.Sum(nil))
	if err != nil {
		t.Fatal(err)
	}
	var pieces []merkle.Digest
	for _, block := range blocks {
		pieces = append(pieces, merkle.Sum(block))
	}
	if list, err = ipfs.WriteList(out, pieces); err != nil {
		t.Fatal(err)
	}
	for _, block := range blocks {
		if _, err := out.PutRaw(block); err != nil {
			t.Fatal(err)
		}
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
	return list, buf.Bytes()
}
