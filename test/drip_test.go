// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fovea-memory/fovea/embed"
	"github.com/fovea-memory/fovea/internal/daemon"
	"github.com/fovea-memory/fovea/internal/ipfs"
	"github.com/fovea-memory/fovea/internal/place"
	"github.com/fovea-memory/fovea/internal/place/hosted"
	"github.com/fovea-memory/fovea/internal/transfer"
	"github.com/fovea-memory/fovea/merkle"
)

// dripping is a server at the other end of a connection, which is there at once and then takes a byte
// a second of a request, or sends a byte a second of its answer: from the first one on, or after some.
type dripping struct {
	name   string
	takes  bool // the request a byte a second, else all at once
	answer string
}

const drippingHead = "HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\nETag: \"1\"\r\nContent-Type: application/json\r\n\r\n"

var drippingServers = []dripping{
	{"takes a byte a second", true, ""},
	{"head a byte a second", false, ""},
	{"body a byte a second", false, drippingHead},
	{"ends slowly", false, strings.Replace(drippingHead, "Content-Length: 1000000", "Transfer-Encoding: chunked", 1) + "2\r\n{}\r\n"},
	{"refuses slowly", false, strings.Replace(drippingHead, "200 OK", "500 Broken", 1)},
}

// serve serves a connection until that is closed.
func (d dripping) serve(c net.Conn) {
	defer c.Close()
	in := bufio.NewReaderSize(c, 16)
	if _, err := in.Peek(1); err != nil {
		return
	}
	go func() {
		for {
			if d.takes {
				<-time.After(time.Second)
			}
			if _, err := in.Discard(1); err != nil {
				return
			}
		}
	}()
	_, err := io.WriteString(c, d.answer)
	for i := 0; err == nil; i++ {
		<-time.After(time.Second)
		if d.takes {
			_, err = c.Write(nil)
			continue
		}
		rest := " "
		if d.answer == "" {
			rest = drippingHead
		}
		_, err = c.Write([]byte{rest[i%len(rest)]})
	}
}

// TestEveryClientEnds: each client of another machine ends against a server that goes on at a byte a
// second, in every part of an exchange, within its limit, with an error that names the server.
func TestEveryClientEnds(t *testing.T) {
	const host = "far.example:5001"
	block := []byte("\x81\x01")
	ipfsCall := func(do func(*ipfs.Client, context.Context) error) func(context.Context) error {
		return func(ctx context.Context) error {
			c := ipfs.NewClient("http://" + host)
			defer c.Close()
			return do(c, ctx)
		}
	}
	bucket := func(do func(place.Place, context.Context) error) func(context.Context) error {
		return func(ctx context.Context) error {
			b := farBucket(t, host)
			defer b.Close()
			return do(b, ctx)
		}
	}
	model := func(kind string) embed.Config { return embed.Config{Kind: kind, URL: "http://" + host, Model: "m"} }
	send := func(url string) func(context.Context) error {
		return func(ctx context.Context) error {
			sink, err := daemon.ParseSink(url)
			if err == nil {
				err = sink.Send(ctx, strings.Repeat("guard ", 100))
			}
			return err
		}
	}
	for _, client := range []struct {
		name   string
		do     func(context.Context) error
		want   error
		within time.Duration // that it takes at most
		early  bool          // the beginning of an answer is enough for it
	}{
		{"ipfs block", ipfsCall(func(c *ipfs.Client, ctx context.Context) error {
			_, err := c.Block(ctx, merkle.Sum(block))
			return err
		}), ipfs.ErrSlow, 4 * ipfs.Deadline, false},
		{"ipfs online", ipfsCall(func(c *ipfs.Client, ctx context.Context) error {
			_, err := c.Online(ctx)
			return err
		}), ipfs.ErrSlow, 4 * ipfs.Deadline, false},
		{"ipfs pin", ipfsCall(func(c *ipfs.Client, ctx context.Context) error { return c.Pin(ctx, merkle.Sum(block), merkle.Digest{}) }),
			ipfs.ErrSlow, 4 * ipfs.Deadline, false},
		{"ipfs import", ipfsCall(func(c *ipfs.Client, ctx context.Context) error {
			return c.Import(ctx, func(w io.Writer) (int, error) {
				out, err := place.NewWriter(w, merkle.Sum(block))
				if err == nil {
					_, err = out.PutRaw([]byte(strings.Repeat("x", 100<<10)))
				}
				if err == nil {
					err = out.Close()
				}
				return 1, err
			})
		}), ipfs.ErrSlow, 4 * ipfs.Deadline, false},
		{"ipfs archive", ipfsCall(func(c *ipfs.Client, ctx context.Context) error {
			m := &place.Manifest{Packs: []place.Pack{{List: merkle.Sum(block), Size: 1 << 20}}}
			return c.ReadArchive(ctx, m, nil, func(r io.Reader) error {
				_, err := io.Copy(io.Discard, r)
				return err
			})
		}), ipfs.ErrSlow, 4 * ipfs.Deadline, true},
		{"bucket get", bucket(func(b place.Place, ctx context.Context) error {
			_, _, err := b.Get(ctx, "k")
			return err
		}), place.ErrNoAnswer, 5 * time.Minute, false},
		{"bucket put", bucket(func(b place.Place, ctx context.Context) error {
			return b.Put(ctx, "k", "", make([]byte, 100<<10))
		}), place.ErrNoAnswer, 5 * time.Minute, false},
		{"bucket list", bucket(func(b place.Place, ctx context.Context) error {
			_, err := b.List(ctx, "")
			return err
		}), place.ErrNoAnswer, 5 * time.Minute, false},
		{"bucket remove", bucket(func(b place.Place, ctx context.Context) error { return b.Remove(ctx, "k") }), place.ErrNoAnswer, 5 * time.Minute, false},
		{"embedder of OpenAI", func(ctx context.Context) error {
			_, err := embed.Open(ctx, model(embed.KindOpenAI))
			return err
		}, embed.ErrUnavailable, 2 * time.Minute, false},
		{"embedder of Ollama", func(ctx context.Context) error {
			_, err := embed.Open(ctx, model(embed.KindOllama))
			return err
		}, embed.ErrUnavailable, 2 * time.Minute, false},
		{"embedder of TEI", func(ctx context.Context) error {
			_, err := embed.Open(ctx, model(embed.KindTEI))
			return err
		}, embed.ErrUnavailable, 2 * time.Minute, false},
		{"any embedder", func(ctx context.Context) error {
			_, err := embed.Open(ctx, model(embed.KindAuto))
			return err
		}, embed.ErrUnavailable, 2 * time.Minute, false},
		{"reranker", func(ctx context.Context) error {
			_, err := embed.OpenReranker(ctx, model(embed.KindAuto))
			return err
		}, embed.ErrUnavailable, 2 * time.Minute, false},
		{"chat", func(ctx context.Context) error {
			c, err := embed.OpenChat(model(""))
			if err == nil {
				_, err = c.Ask(ctx, "shorten", "a text", 100)
			}
			return err
		}, embed.ErrUnavailable, 2 * time.Minute, false},
		{"telegram", send("telegram://TOKEN@" + host + "?chats=1&disabletls=yes"), transfer.ErrStalled, time.Minute, true},
		{"signal", send("signal://" + host + "/+1/+2?disabletls=yes"), transfer.ErrStalled, time.Minute, true},
		{"ntfy", send("ntfy://" + host + "/topic?scheme=http"), transfer.ErrStalled, time.Minute, true},
	} {
		for _, server := range drippingServers {
			t.Run(client.name+"/"+server.name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					throughPipes(t, server.serve)
					begin := time.Now()
					ctx, cancel := context.WithTimeoutCause(t.Context(), time.Hour, errors.New("nothing else ends it"))
					defer cancel()
					err := client.do(ctx)
					took := time.Since(begin)
					isEarly := client.early && server.answer != ""
					if !isEarly && (!errors.Is(err, client.want) || !strings.Contains(err.Error(), "far.example")) {
						t.Errorf("it ended with %v", err)
					}
					if took > client.within {
						t.Errorf("it took %v: %v", took, err)
					}
				})
			})
		}
	}
}

// farBucket is a bucket on another machine.
func farBucket(t *testing.T, host string) place.Place {
	t.Helper()
	keys := func(context.Context) (hosted.Credentials, error) {
		return hosted.Credentials{KeyID: "id", Secret: "secret"}, nil
	}
	o := hosted.BucketOptions{Name: "notes", Insecure: true}
	o.Endpoint, o.Credentials = "http://"+host, keys
	b, err := hosted.OpenBucket(o)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// throughPipes makes every new HTTP client of a test dial the other end of a pipe, which serve serves.
func throughPipes(t *testing.T, serve func(net.Conn)) {
	t.Helper()
	before := http.DefaultTransport
	t.Cleanup(func() {
		http.DefaultTransport = before
		<-time.After(time.Minute) // the servers see that their connections are closed
	})
	http.DefaultTransport = &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) {
		here, there := net.Pipe()
		go serve(there)
		return here, nil
	}}
}

// TestSlowTransfersPass: a large object arrives and leaves at twice the least rate, however long that takes.
func TestSlowTransfersPass(t *testing.T) {
	const size = 2 << 20
	synctest.Test(t, func(t *testing.T) {
		throughPipes(t, func(c net.Conn) {
			defer c.Close()
			in := bufio.NewReaderSize(c, 2*transfer.MinRate)
			r, err := http.ReadRequest(in)
			if err != nil {
				return
			}
			for err == nil {
				<-time.After(time.Second)
				_, err = io.CopyN(io.Discard, r.Body, 2*transfer.MinRate)
			}
			n := size
			if r.Method == http.MethodPut {
				n = 0
			}
			_, err = fmt.Fprintf(c, "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: %d\r\nETag: \"1\"\r\n\r\n", n)
			for ; n > 0 && err == nil; n -= 2 * transfer.MinRate {
				<-time.After(time.Second)
				_, err = c.Write(make([]byte, 2*transfer.MinRate))
			}
		})
		b := farBucket(t, "far.example")
		begin := time.Now()
		if data, _, err := b.Get(t.Context(), "k"); err != nil || len(data) != size || time.Since(begin) < size/(2*transfer.MinRate)*time.Second {
			t.Errorf("%d bytes after %v: %v", len(data), time.Since(begin), err)
		}
		begin = time.Now()
		if err := b.Put(t.Context(), "k", "", make([]byte, size)); err != nil || time.Since(begin) < size/(2*transfer.MinRate)*time.Second {
			t.Errorf("after %v: %v", time.Since(begin), err)
		}
	})
}
