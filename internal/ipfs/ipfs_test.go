// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package ipfs_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/foveatest"
	"github.com/fovea-memory/fovea/internal/ipfs"
	"github.com/fovea-memory/fovea/internal/place"
	"github.com/fovea-memory/fovea/internal/store"
	"github.com/fovea-memory/fovea/internal/store/storetest"
	"github.com/fovea-memory/fovea/merkle"
	"github.com/fovea-memory/fovea/node"
)

func TestFormatPage(t *testing.T) {
	foveatest.FormatPage(t, "../../doc/format/ipfs.md", map[string]int{
		"Format": ipfs.Format, "MaxPacks": ipfs.MaxPacks, "MaxSize": place.MaxSize, "MaxPieces": ipfs.MaxPieces, "PieceSize": ipfs.PieceSize,
		"ListLinks": ipfs.ListLinks,
	})
}

// TestParseAddress: what Kubo writes and what people write is understood; another machine counts
// only where it was configured.
func TestParseAddress(t *testing.T) {
	for _, tc := range []struct {
		text string
		far  bool
		want string
		err  error
	}{
		{"/ip4/127.0.0.1/tcp/5001", false, "http://127.0.0.1:5001", nil},
		{"/ip4/127.0.0.1/tcp/5001\n", false, "http://127.0.0.1:5001", nil},
		{"/ip6/::1/tcp/5001/http", false, "http://[::1]:5001", nil},
		{"/dns/localhost/tcp/443/https", false, "https://localhost:443", nil},
		{"127.0.0.1:5001", false, "http://127.0.0.1:5001", nil},
		{"http://localhost:5001/api/v0/", false, "http://localhost:5001", nil},
		{"/ip4/10.0.0.7/tcp/5001", false, "", ipfs.ErrFar},
		{"/ip4/10.0.0.7/tcp/5001", true, "http://10.0.0.7:5001", nil},
		{"https://node.example", true, "https://node.example", nil},
		{"https://node.example", false, "", ipfs.ErrFar},
		{"/ip4/127.0.0.1/udp/5001", false, "", ipfs.ErrAddress},
		{"/ip4/127.0.0.1/tcp/99999", false, "", ipfs.ErrAddress},
		{"/ip4/::1/tcp/5001", false, "", ipfs.ErrAddress},
		{"/unix/run/ipfs.sock", true, "", ipfs.ErrAddress},
		{"ftp://127.0.0.1:5001", true, "", ipfs.ErrAddress},
		{"http://user:secret@127.0.0.1:5001", true, "", ipfs.ErrAddress},
		{"http://127.0.0.1:5001/other", true, "", ipfs.ErrAddress},
		{"http://127.0.0.1:5001?x=1", true, "", ipfs.ErrAddress},
		{"/dns/127.0.0.1@evil.example/tcp/1", false, "", ipfs.ErrAddress},
		{"", false, "", ipfs.ErrAddress},
	} {
		got, err := ipfs.ParseAddress(tc.text, tc.far)
		if got != tc.want || !errors.Is(err, tc.err) {
			t.Errorf("%q, far %v: %q, %v; want %q, %v", tc.text, tc.far, got, err, tc.want, tc.err)
		}
	}
}

// daemon returns a client of something that answers as it likes.
func daemon(t *testing.T, answer http.HandlerFunc) *ipfs.Client {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		until, end := context.WithCancel(r.Context())
		defer end()
		defer context.AfterFunc(ctx, end)() // a server does not see that a client is gone whose body it does not read
		answer(w, r.WithContext(until))
	}))
	t.Cleanup(s.Close)
	t.Cleanup(cancel)
	c := ipfs.NewClient(s.URL)
	t.Cleanup(c.Close)
	c.Link.Limit = 300 * time.Millisecond
	return c
}

func answering(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // the client sees what is left
		_, _ = io.WriteString(w, text)
	}
}

func hanging(w http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body) // likewise
	_ = http.NewResponseController(w).Flush()
	<-r.Context().Done()
}

// TestBadDaemons: whatever answers instead of Kubo, a call ends, and with an error of its
// own; no block counts that does not have its digest.
func TestBadDaemons(t *testing.T) {
	one := []byte("\x81\x01")
	block := func(c *ipfs.Client) error {
		_, err := c.Block(context.Background(), merkle.Sum(one))
		return err
	}
	sends := func(c *ipfs.Client) error {
		return c.Import(context.Background(), func(w io.Writer) (int, error) {
			out, err := place.NewWriter(w, merkle.Sum(one))
			if err == nil {
				_, err = out.Put(one)
			}
			if err == nil {
				err = out.Close()
			}
			return 1, err
		})
	}
	pins := func(c *ipfs.Client) error { return c.Pin(context.Background(), merkle.Sum(one), merkle.Sum(nil)) }
	online := func(c *ipfs.Client) error {
		_, err := c.Online(context.Background())
		return err
	}
	for _, tc := range []struct {
		name   string
		answer http.HandlerFunc
		do     func(*ipfs.Client) error
		want   error
	}{
		{"another block", answering("\x81\x02"), block, merkle.ErrDigest},
		{"a block cut off", answering("\x81"), block, merkle.ErrDigest},
		{"a block without end", answering(strings.Repeat("x", place.MaxBlock+10)), block, place.ErrTooLarge},
		{"a page", answering("<html>"), online, ipfs.ErrAnswer},
		{"a page for an import", answering("<html>"), sends, ipfs.ErrAnswer},
		{"nothing for an import", answering(""), sends, ipfs.ErrAnswer},
		{"too few blocks", answering(`{"Stats":{"BlockCount":0}}`), sends, ipfs.ErrAnswer},
		{"a pin that failed", answering(`{"Root":{"PinErrorMsg":"no child"}}`), sends, ipfs.ErrDaemon},
		{"no pin", answering(""), pins, ipfs.ErrAnswer},
		{"an error", func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusInternalServerError)
			_, _ = io.WriteString(w, `{"Message":"it is\nfull \u001b[31m","Code":0,"Type":"error"}`)
		}, block, ipfs.ErrDaemon},
		{"an error without words", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusForbidden) }, block, ipfs.ErrAnswer},
		{"an error behind the answer", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Trailer", "X-Stream-Error")
			_, _ = w.Write(one)
			w.Header().Set("X-Stream-Error", "not found")
		}, block, ipfs.ErrDaemon},
		{"elsewhere", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://192.0.2.1/", http.StatusTemporaryRedirect)
		}, block, ipfs.ErrAnswer},
		{"silence", hanging, block, ipfs.ErrSlow},
		{"silence for an import", hanging, sends, ipfs.ErrSlow},
		{"silence for a pin", hanging, pins, ipfs.ErrSlow},
		{"it takes nothing", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, func(c *ipfs.Client) error {
			return c.Import(context.Background(), func(w io.Writer) (int, error) {
				for {
					if _, err := w.Write(make([]byte, 1<<20)); err != nil {
						return 0, err
					}
				}
			})
		}, ipfs.ErrSlow},
	} {
		t.Run(tc.name, func(t *testing.T) {
			err := tc.do(daemon(t, tc.answer))
			if !errors.Is(err, tc.want) {
				t.Errorf("%v, want %v", err, tc.want)
			}
			if err != nil && strings.ContainsAny(err.Error(), "\n\x1b") {
				t.Errorf("%q is no line", err)
			}
		})
	}
	if err := block(ipfs.NewClient("http://127.0.0.1:1")); !errors.Is(err, ipfs.ErrDown) {
		t.Errorf("nobody: %v", err)
	}
}

// manifest is one with some packs.
func manifest(sealed bool) *place.Manifest {
	d := func(i int) merkle.Digest { return merkle.Sum([]byte{byte(i)}) }
	m := &place.Manifest{
		Sealed: sealed, Memex: d(1), Scopes: []place.End{{Scope: "memex", Seq: 3, Head: d(2), Root: d(3)}},
		Packs: []place.Pack{
			{List: d(4), Size: 7, Scopes: []place.Span{{Scope: "memex", Seq: 2, Head: d(5)}}},
			{List: d(6), Size: 8, Scopes: []place.Span{{Scope: "memex", SinceSeq: 2, Seq: 3, Head: d(2)}}},
		},
	}
	if !sealed {
		m.States = []merkle.Digest{d(3)}
	}
	return m
}

// TestManifest: a written manifest can be read, with the key; the body of a sealed one names
// nothing, and other manifests are refused.
func TestManifest(t *testing.T) {
	key, err := place.NewKey()
	if err != nil {
		t.Fatal(err)
	}
	for _, sealed := range []bool{false, true} {
		m := manifest(sealed)
		block, err := ipfs.Encode(m, key.Recipient())
		if err != nil {
			t.Fatal(err)
		}
		got, err := ipfs.Decode(block, key)
		if diff := cmp.Diff(*m, got); err != nil || diff != "" {
			t.Errorf("sealed %v: %v (-want +got):\n%s", sealed, err, diff)
		}
		if bytes.Contains(block, []byte("memex")) == sealed {
			t.Errorf("sealed %v: names are there: %v", sealed, !sealed)
		}
		if _, err := ipfs.Decode(block, nil); sealed != errors.Is(err, place.ErrNoKey) {
			t.Errorf("sealed %v, no key: %v", sealed, err)
		}
		if err := merkle.Check(block); err != nil {
			t.Error(err)
		}
	}
	for name, change := range map[string]func(*place.Manifest){
		"no packs":        func(m *place.Manifest) { m.Packs = nil },
		"too many":        func(m *place.Manifest) { m.Packs = make([]place.Pack, ipfs.MaxPacks+1) },
		"too many states": func(m *place.Manifest) { m.States = make([]merkle.Digest, ipfs.MaxPacks+1) },
		"no scopes":       func(m *place.Manifest) { m.Scopes = nil },
		"an endless pack": func(m *place.Manifest) { m.Packs[0].Size = 1 << 50 },
		"an empty pack":   func(m *place.Manifest) { m.Packs[0].Size = 0 },
		"another end":     func(m *place.Manifest) { m.Scopes[0].Seq = 9 },
	} {
		m := manifest(false)
		change(m)
		block, err := ipfs.Encode(m)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := ipfs.Decode(block, nil); !errors.Is(err, ipfs.ErrOther) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// serving answers an export with some blocks, and each block alone.
func serving(t *testing.T, root merkle.Digest, raw bool, blocks ...[]byte) *ipfs.Client {
	t.Helper()
	return daemon(t, func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/block/get") {
			for _, b := range blocks {
				if merkle.Sum(b).String() == r.URL.Query().Get("arg") {
					_, _ = w.Write(b)
				}
			}
			return
		}
		out, err := place.NewWriter(w, root)
		for i, b := range blocks {
			if err == nil && raw && i > 0 {
				_, err = out.PutRaw(b)
			} else if err == nil {
				_, err = out.Put(b)
			}
		}
		if err != nil || out.Close() != nil {
			t.Error(err)
		}
	})
}

// TestArchiveWithoutEnd: an archive whose lists lead back to the same piece for ever, or that
// lacks or swaps pieces, is refused after as many bytes as it declares.
func TestArchiveWithoutEnd(t *testing.T) {
	var buf bytes.Buffer
	out, err := place.NewWriter(&buf, merkle.Sum(nil))
	if err != nil {
		t.Fatal(err)
	}
	piece, other := []byte("\x81\x01"), []byte("\x81\x02")
	same := make([]merkle.Digest, 1000)
	for i := range same {
		same[i] = merkle.Sum(piece)
	}
	list, err := ipfs.WriteList(out, same)
	if err != nil || out.Close() != nil {
		t.Fatal(err)
	}
	in, err := place.NewReader(&buf)
	if err != nil {
		t.Fatal(err)
	}
	b, err := in.Next()
	if err != nil || b.Digest != list {
		t.Fatal(err)
	}
	block := bytes.Clone(b.Data)
	for _, tc := range []struct {
		name   string
		size   uint64
		blocks [][]byte
		want   error
	}{
		{"as said", 2000, [][]byte{block, piece}, nil},
		{"more than it says", 1000, [][]byte{block, piece}, place.ErrTooLarge},
		{"less than it says", 3000, [][]byte{block, piece}, ipfs.ErrOrder},
		{"another piece", 2000, [][]byte{block, other}, ipfs.ErrOrder},
		{"no piece", 2000, [][]byte{block}, ipfs.ErrAnswer},
		{"no list", 2000, [][]byte{piece}, ipfs.ErrOrder},
	} {
		m := manifest(false)
		m.Packs = []place.Pack{{List: list, Size: tc.size, Scopes: m.Packs[0].Scopes}}
		err := serving(t, list, true, tc.blocks...).ReadArchive(t.Context(), m, nil, func(r io.Reader) error {
			_, err := io.Copy(io.Discard, r)
			return err
		})
		if !errors.Is(err, tc.want) {
			t.Errorf("%s: %v, want %v", tc.name, err, tc.want)
		}
	}
}

// stateOf returns the blocks of a state: nodes that share one content.
func stateOf(t testing.TB, nodes int, content string, change func(*node.Node)) (merkle.Digest, [][]byte) {
	t.Helper()
	var blocks [][]byte
	emit := func(_ merkle.Digest, b []byte) error {
		blocks = append(blocks, bytes.Clone(b))
		return nil
	}
	own := node.Node{Type: document.TypeDocument, Content: content}
	d, err := own.OwnBlock(emit)
	if err != nil {
		t.Fatal(err)
	}
	var leaves []*node.Node
	for i := range nodes {
		n := own
		name := fmt.Sprintf("n%d.org", i)
		n.Entry = node.Entry{Own: d, Version: d, Path: name}
		n.Identify(node.DocumentID(name))
		if change != nil {
			change(&n)
		}
		leaves = append(leaves, &n)
	}
	m := merkle.Build(leaves)
	if err := m.Blocks(emit); err != nil {
		t.Fatal(err)
	}
	return m.Root(), blocks
}

// TestStateExpands: a state of few blocks that many nodes share is refused before it is made,
// and so is one whose map names missing blocks.
func TestStateExpands(t *testing.T) {
	for _, tc := range []struct {
		name  string
		nodes int
		size  int
		harm  func(*node.Node)
		drop  bool
		want  error
	}{
		{"small", 5, 10, nil, false, nil},
		{"shared by many", 2000, merkle.ChunkSize, nil, false, ipfs.ErrExpands},
		{"a child that is not there", 5, 10, func(n *node.Node) { n.Version = merkle.Sum(nil) }, false, store.ErrNotFound},
		{"a child too many", 5, 10, func(n *node.Node) { n.Parent = node.DocumentID("n0.org") }, false, ipfs.ErrOther},
		{"no content", 5, 10, nil, true, store.ErrNotFound},
	} {
		root, blocks := stateOf(t, tc.nodes, strings.Repeat("x", tc.size), tc.harm)
		if tc.drop {
			blocks = blocks[1:]
		}
		err := serving(t, root, false, blocks...).FetchState(t.Context(), root, new(storetest.InMemory).Open())
		if !errors.Is(err, tc.want) {
			t.Errorf("%s: %v, want %v", tc.name, err, tc.want)
		}
	}
}

func FuzzDecode(f *testing.F) {
	for _, sealed := range []bool{false, true} {
		key, err := place.NewKey()
		if err != nil {
			f.Fatal(err)
		}
		block, err := ipfs.Encode(manifest(sealed), key.Recipient())
		if err != nil {
			f.Fatal(err)
		}
		f.Add(block)
	}
	f.Add([]byte("\x81" + "\xd8\x2a\x58\x25\x00\x01\x55\x12\x20" + strings.Repeat("x", 32)))
	f.Fuzz(func(t *testing.T, block []byte) {
		if m, err := ipfs.Decode(block, nil); err == nil {
			again, err := ipfs.Encode(&m)
			if err != nil || !bytes.Equal(again, block) {
				t.Errorf("%x became %x, %v", block, again, err)
			}
		}
		if links, _, err := ipfs.ReadList(block); err == nil && len(links) == 0 {
			t.Error("an empty list")
		}
	})
}

// exporting hands the same bytes to every request.
type exporting []byte

func (e exporting) RoundTrip(*http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(bytes.NewReader(e)), Header: http.Header{}}, nil
}

func FuzzFetchState(f *testing.F) {
	root, blocks := stateOf(f, 3, "text", nil)
	var buf bytes.Buffer
	out, err := place.NewWriter(&buf, root)
	if err != nil {
		f.Fatal(err)
	}
	for _, b := range blocks {
		if _, err := out.Put(b); err != nil {
			f.Fatal(err)
		}
	}
	if err := out.Close(); err != nil {
		f.Fatal(err)
	}
	f.Add(buf.Bytes())
	f.Fuzz(func(t *testing.T, text []byte) {
		c := ipfs.NewClient("http://127.0.0.1:1")
		c.Through(exporting(text))
		if err := c.FetchState(t.Context(), root, new(storetest.InMemory).Open()); err == nil && len(text) == 0 {
			t.Error("nothing is a state")
		}
	})
}

// TestScopes: an archive brings the scopes that its manifest ends with, the memex first, and none that
// only an earlier pack had.
func TestScopes(t *testing.T) {
	m := manifest(false)
	m.Packs[0].Scopes = append(m.Packs[0].Scopes, place.Span{Scope: "project/gone", Seq: 1}, place.Span{Scope: "project/a", Seq: 1})
	m.Scopes = []place.End{{Scope: "project/a"}, m.Scopes[0]}
	for want, found := range map[string]ipfs.Found{"memex project/a": {Archive: m}, "memex": {}} {
		if got := strings.Join(found.Scopes(), " "); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// TestFindState: the root of a map is known for one by its first block.
func TestFindState(t *testing.T) {
	for _, n := range []int{0, 1, 40} {
		var notes []*node.Node
		for i := range n {
			notes = append(notes, (&node.Node{Type: "headline"}).Place(fmt.Sprint(i), node.Entry{Path: "a.org"}))
		}
		m := merkle.Build(notes)
		blocks := map[string][]byte{}
		if err := m.Blocks(func(d merkle.Digest, block []byte) error {
			blocks[d.String()] = bytes.Clone(block)
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		c := daemon(t, func(w http.ResponseWriter, r *http.Request) { _, _ = w.Write(blocks[r.URL.Query().Get("arg")]) })
		if found, err := c.Find(t.Context(), m.Root(), nil); err != nil || found.Root != m.Root() {
			t.Errorf("%d notes: %+v, %v", n, found, err)
		}
	}
}
