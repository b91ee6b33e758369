// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package test

import (
	"bytes"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/fovea-memory/fovea/internal/foveatest"
	"github.com/fovea-memory/fovea/internal/ipfs"
	"github.com/fovea-memory/fovea/internal/place"
)

// standIn takes an import as fast as it can be read, hands out its blocks, and says yes to
// pins: what a push takes beyond the time of a daemon.
type standIn struct{ blocks sync.Map }

func (s *standIn) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case strings.HasSuffix(r.URL.Path, "/block/get"):
		if block, ok := s.blocks.Load(r.URL.Query().Get("arg")); ok {
			_, _ = w.Write(block.([]byte))
		}
		return
	case !strings.HasSuffix(r.URL.Path, "/dag/import"):
		_, _ = io.WriteString(w, `{"Pins":["x"],"Keys":{"x":{}}}`)
		return
	}
	_, args, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	blocks := 0
	if err == nil {
		var part *multipart.Part
		if part, err = multipart.NewReader(r.Body, args["boundary"]).NextPart(); err == nil {
			var in *place.Reader
			if in, err = place.NewMixedReader(part); err == nil {
				for b, end := in.Next(); end == nil; b, end = in.Next() {
					blocks++
					s.blocks.Store(b.Digest.String(), bytes.Clone(b.Data))
				}
			}
		}
	}
	_, _ = io.Copy(io.Discard, r.Body)
	_, _ = fmt.Fprintf(w, `{"Stats":{"BlockCount":%d}}`, blocks)
}

// BenchmarkIPFSEdit pushes one edit among 10,000 nodes: to a stand-in that only counts, and to
// a real daemon.
func BenchmarkIPFSEdit(b *testing.B) {
	files := map[string]string{}
	for i := range 100 {
		files[fmt.Sprintf("f%d.org", i)] = foveatest.GenFile(i, 100)
	}
	key, err := place.NewKey()
	if err != nil {
		b.Fatal(err)
	}
	for _, at := range []string{"own", "kubo"} {
		for name, to := range map[string][]place.Recipient{"plain": nil, "sealed": {key.Recipient()}} {
			b.Run(at+"/"+name, func(b *testing.B) {
				var c *ipfs.Client
				if at == "own" {
					s := httptest.NewServer(new(standIn))
					defer s.Close()
					c = ipfs.NewClient(s.URL)
				} else {
					c = client(b, foveatest.StartKubo(b, false))
				}
				a := newMachine(b, files)
				if _, err := a.toIPFS(c, to...); err != nil {
					b.Fatal(err)
				}
				all, first := int64(0), int64(0)
				for i := 0; b.Loop(); i++ {
					b.StopTimer()
					a.write("f7.org", fmt.Sprintf("%sedited %d times\n", files["f7.org"], i))
					b.StartTimer()
					sent, err := a.toIPFS(c, to...)
					if err != nil {
						b.Fatal(err)
					}
					if all += sent.Bytes; i == 0 {
						first = sent.Bytes
					}
				}
				b.ReportMetric(float64(all)/float64(b.N)/1000, "KB/push")
				b.ReportMetric(float64(first)/1000, "KB/first")
			})
		}
	}
}
