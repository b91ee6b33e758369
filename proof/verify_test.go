// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package proof_test

import (
	"bytes"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
	"pgregory.net/rapid"

	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/foveatest"
	"github.com/fovea-memory/fovea/merkle"
	"github.com/fovea-memory/fovea/node"
	"github.com/fovea-memory/fovea/proof"
)

// history is a memory of some notes as proofs see it: the map of the last commit, and the
// log of the commits, ending with the records of earlier and at.
type history struct {
	tree        merkle.Map[*node.Node]
	notes       []*node.Node
	signer      note.Signer
	keys        note.Verifiers
	log         *flatLog
	head, older string // signed, of the newest commit and of commit oldSeq
	moment      proof.Moment
}

const oldSeq = 700

// flatLog is a log whose records are all one but the last ones: a hash over equal records
// is computed once for each level.
type flatLog struct {
	size  int64
	equal []tlog.Hash // over 2^i equal records
	other map[int64]tlog.Hash
}

func (l *flatLog) hash(level int, n int64) tlog.Hash {
	first, last := n<<level, (n+1)<<level
	changed := false
	for at := range l.other {
		changed = changed || at >= first && at < last
	}
	switch {
	case !changed:
		return l.equal[level]
	case level == 0:
		return l.other[n]
	}
	return tlog.NodeHash(l.hash(level-1, 2*n), l.hash(level-1, 2*n+1))
}

func (l *flatLog) ReadHashes(indexes []int64) ([]tlog.Hash, error) {
	out := make([]tlog.Hash, len(indexes))
	for i, at := range indexes {
		level, n := tlog.SplitStoredHashIndex(at)
		out[i] = l.hash(level, n)
	}
	return out, nil
}

func newFlatLog(size int64) *flatLog {
	l := &flatLog{size: size, equal: []tlog.Hash{tlog.RecordHash([]byte("a commit"))}, other: map[int64]tlog.Hash{}}
	for i := range 40 {
		l.equal = append(l.equal, tlog.NodeHash(l.equal[i], l.equal[i]))
	}
	return l
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func signer(seed byte) (note.Signer, note.Verifier) {
	key := ed25519.NewKeyFromSeed(bytes.Repeat([]byte{seed}, ed25519.SeedSize))
	public := must(note.NewEd25519VerifierKey("machine", key.Public().(ed25519.PublicKey)))
	_, rest, _ := strings.Cut(public, "+")
	hash, _, _ := strings.Cut(rest, "+")
	secret := fmt.Sprintf("PRIVATE+KEY+machine+%s+%s", hash, base64.StdEncoding.EncodeToString(append([]byte{1}, key.Seed()...)))
	return must(note.NewSigner(secret)), must(note.NewVerifier(public))
}

// newHistory makes a memory of n notes after commits commits.
func newHistory(n int, commits int64) *history {
	h := &history{log: newFlatLog(commits)}
	var key note.Verifier
	h.signer, key = signer(7)
	h.keys = note.VerifierList(key)
	for i := range n {
		one := &node.Node{Type: "headline", Content: fmt.Sprintf("* Note %d\ntext of note %d\n", i, i)}
		node.Hash([]*node.Node{one})
		e := one.Entry
		e.Path = fmt.Sprintf("projects/area-%d/notes.org", i%50)
		if i%10 > 0 {
			e.Parent = idOf(i - i%10)
		}
		h.notes = append(h.notes, one.Place(idOf(i), e))
	}
	h.tree = merkle.Build(h.notes)
	h.moment = proof.Moment{Seq: oldSeq, Commit: merkle.Sum([]byte("old")).String(), Root: h.tree.Root().String(), Time: "2026-11-20T08:00:00.000Z"}
	h.log.other[oldSeq-1] = record(h.moment)
	h.older = h.sign(oldSeq, "")
	h.head = h.sign(commits, "baselines bafyreifjpx2h6gwvgukwjsvkmbegpglj6dtyido7spcmywdavvo6jfstum\n")
	return h
}

func record(m proof.Moment) tlog.Hash {
	return tlog.RecordHash([]byte(m.Commit + "\n" + m.Root + "\n" + m.Time + "\n"))
}

func idOf(i int) string { return fmt.Sprintf("%08x-0000-4000-8000-%012x", i, i) }

func (h *history) sign(seq int64, more string) string {
	text := fmt.Sprintf("fovea head 0 %s\n%d\n%s\n%s\n2026-11-25T08:00:00.000Z\n%slog %s\n",
		merkle.Sum([]byte("first")), seq, merkle.Sum([]byte("commit")), h.tree.Root(), more, must(tlog.TreeHash(seq, h.log)))
	return string(must(note.Sign(&note.Note{Text: text}, h.signer)))
}

// of returns the proof of a note, or that an id is absent.
func (h *history) of(id string) *proof.File {
	f := &proof.File{Format: proof.Format, Head: h.head}
	n, ok := h.tree.Get(node.Key(id))
	if f.Absent = id; ok {
		f.Absent, f.Note = "", &proof.Note{ID: id, Path: n.Path, Version: n.Version.String(), Type: n.Type, Text: &n.Content}
		if n.Parent != "" {
			key := node.Key(n.Parent)
			f.Note.Parent = key[:]
		}
	}
	p := h.tree.Prove(node.Key(id))
	for _, s := range p.Steps {
		step := proof.Step{Kids: s.Kids, Leaves: s.Leaves}
		for _, d := range s.Beside {
			step.Beside = append(step.Beside, d[:]...)
		}
		f.Map = append(f.Map, step)
	}
	if o := p.Other; o != nil {
		f.Other = &proof.Other{Key: o.Key[:], Value: o.Value[:]}
	}
	return f
}

// then is of for the earlier moment.
func (h *history) then(id string) *proof.File {
	f := h.of(id)
	moment := h.moment
	f.Moment, f.Log = &moment, join(must(tlog.ProveRecord(h.log.size, oldSeq-1, h.log)))
	return f
}

func (h *history) heads() *proof.File {
	return &proof.File{Format: proof.Format, Head: h.head, From: h.older, Log: join(must(tlog.ProveTree(h.log.size, oldSeq, h.log)))}
}

func join(hashes []tlog.Hash) (out []byte) {
	for _, h := range hashes {
		out = append(out, h[:]...)
	}
	return out
}

// TestCheck: each kind of proof holds, states what it proves, and shows the note.
func TestCheck(t *testing.T) {
	h := newHistory(3000, 1000)
	n := h.notes[1234]
	in := "in memory " + merkle.Sum([]byte("first")).String()
	now, then := in+" at commit 1000 (2026-11-25T08:00:00.000Z)", in+" at commit 700 (2026-11-20T08:00:00.000Z)"
	stood := fmt.Sprintf("the note %q with these 30 bytes stood in %q ", n.ID, n.Path)
	for name, tc := range map[string]struct {
		file  *proof.File
		claim string
		note  string
	}{
		"note":        {h.of(n.ID), stood + now, n.Content},
		"note then":   {h.then(n.ID), stood + then, n.Content},
		"absent":      {h.of("no such"), `no note with the id "no such" was ` + now, ""},
		"absent then": {h.then("no such"), `no note with the id "no such" was ` + then, ""},
		"heads": {h.heads(), "the history of" + strings.TrimPrefix(in, "in") + " up to commit 1000 (2026-11-25T08:00:00.000Z) contains all of it up to " +
			"commit 700 (2026-11-25T08:00:00.000Z), which machine+" + keyHash(h) + " signed", ""},
	} {
		t.Run(name, func(t *testing.T) {
			v, err := proof.Check(must(tc.file.Encode()), h.keys)
			if err != nil || v.Claim != tc.claim || string(v.Note) != tc.note || v.Key != "machine+"+keyHash(h)+", at commit 1000" {
				t.Errorf("%+v, %v", v, err)
			}
		})
	}
	if _, err := proof.Check(must(h.of(n.ID).Encode()), nil); err == nil {
		t.Error("a proof holds though no key is known")
	}
	if _, err := proof.Check(make([]byte, proof.MaxFile+1), h.keys); err == nil {
		t.Error("a file beyond the limit is a proof")
	}
}

func keyHash(h *history) string { return fmt.Sprintf("%08x", h.signer.KeyHash()) }

// TestContents: contents around the size of a chunk are hashed as the memory hashes them.
func TestContents(t *testing.T) {
	for _, size := range []int{0, 1, 23, 24, 255, 256, 64 << 10, 64<<10 + 1, 300 << 10, proof.MaxNote} {
		h := newHistory(0, 1000)
		one := &node.Node{Type: "document", Content: strings.Repeat("x", size)}
		node.Hash([]*node.Node{one})
		e := one.Entry
		e.Path = "a.org"
		h.tree = merkle.Build([]*node.Node{one.Place("a", e)})
		h.head = h.sign(1000, "")
		if v, err := proof.Check(must(h.of("a").Encode()), h.keys); err != nil || len(v.Note) != size {
			t.Errorf("%d bytes: %d, %v", size, len(v.Note), err)
		}
	}
}

// TestProofsAreSmall: among 100,000 notes a proof has at most 3,000 bytes beside the note,
// about an earlier one of a million commits at most 3,400, and one about two heads there at
// most 2,000.
func TestProofsAreSmall(t *testing.T) {
	h := newHistory(100_000, 1_000_000)
	largest := func(make func(id string) *proof.File, limit int) {
		t.Helper()
		most := 0
		for i := range 300 {
			n := h.notes[i*331]
			for _, f := range []*proof.File{make(n.ID), make(n.ID + "x")} {
				text := must(f.Encode())
				if _, err := proof.Check(text, h.keys); err != nil {
					t.Fatal(err)
				}
				size := len(text)
				if f.Note != nil {
					size -= len(n.Content)
				}
				most = max(most, size)
			}
		}
		if t.Logf("up to %d bytes beside the note", most); most > limit {
			t.Errorf("%d bytes beside the note, want at most %d", most, limit)
		}
	}
	largest(h.of, 2500)
	largest(h.then, 3400)
	heads := must(h.heads().Encode())
	t.Logf("%d bytes for two heads", len(heads))
	if _, err := proof.Check(heads, h.keys); err != nil || len(heads) > 2000 {
		t.Errorf("%d bytes for two heads, %v", len(heads), err)
	}
	h.log = newFlatLog(10_000)
	h.log.other[oldSeq-1] = record(h.moment)
	h.head = h.sign(10_000, "baselines none\n")
	largest(h.then, 3000)
}

// TestForgedProofsAreRefused makes 10,000 forgeries of proofs that hold: flipped bits,
// other ids, bytes and places, other nodes of the map, other moments, logs, heads and keys,
// absence of a present node and presence of an absent one.
func TestForgedProofsAreRefused(t *testing.T) {
	h := newHistory(3000, 1000)
	r := rand.New(rand.NewPCG(1, 2))
	refused := 0
	refuse := func(how string, data []byte) {
		t.Helper()
		if v, err := proof.Check(data, h.keys); err == nil {
			t.Fatalf("%s: %s\n%s", how, v.Claim, data)
		} else if strings.Contains(err.Error(), "\n") {
			t.Fatalf("%s: %q is not one line", how, err)
		}
		refused++
	}
	other, _ := signer(8)
	for refused < 10_000 {
		id := h.notes[r.IntN(len(h.notes))].ID
		whole := []func() *proof.File{func() *proof.File { return h.of(id) }, func() *proof.File { return h.then(id) },
			func() *proof.File { return h.of(id + "x") }, func() *proof.File { return h.then(id + "x") }, h.heads}[r.IntN(5)]
		text := must(whole().Encode())
		flipped := slices.Clone(text)
		flipped[r.IntN(len(flipped))] ^= 1 << r.IntN(8)
		refuse("a flipped bit", flipped)
		refuse("a cut", text[:r.IntN(len(text))])
		refuse("more behind it", append(slices.Clone(text), text[:1+r.IntN(len(text)-1)]...))
		for range 8 {
			how, f := forge(r, h, whole())
			refuse(how, must(f.Encode()))
		}
		f := whole()
		f.Head = string(must(note.Sign(&note.Note{Text: f.Head[:strings.Index(f.Head, "\n\n")+1]}, other)))
		refuse("another key", must(f.Encode()))
	}
}

// forge changes one thing in a proof.
func forge(r *rand.Rand, h *history, f *proof.File) (string, *proof.File) {
	another := h.of(h.notes[r.IntN(len(h.notes))].ID)
	var s *proof.Step
	if len(f.Map) > 0 {
		s = &f.Map[r.IntN(len(f.Map))]
	}
	cut := func(b []byte) []byte { return b[:max(0, len(b)-32)] }
	bit := uint16(1) << r.IntN(16)
	for {
		switch how := r.IntN(20); {
		case how == 0 && f.Note != nil:
			f.Note.ID += "x"
			return "another id", f
		case how == 1 && f.Note != nil:
			text := *f.Note.Text + " "
			f.Note.Text = &text
			return "other bytes", f
		case how == 2 && f.Note != nil:
			f.Note.Path = "b.org"
			return "another path", f
		case how == 3 && f.Note != nil:
			f.Note.Version = h.moment.Commit
			return "another version", f
		case how == 4 && f.Note != nil:
			f.Note.Type = "document"
			return "another type", f
		case how == 5 && f.Note != nil:
			f.Note.Parent = []byte(strings.Repeat("k", 32))
			return "another parent", f
		case how == 6 && f.Note != nil:
			f.Absent, f.Note = f.Note.ID, nil
			return "absence of what is there", f
		case how == 7 && f.Note != nil:
			f.Absent, f.Note, f.Other = f.Note.ID, nil, &proof.Other{Key: make([]byte, 32), Value: make([]byte, 32)}
			return "absence behind another leaf", f
		case how == 8 && f.Absent != "" && !reflect.DeepEqual(f.Map, another.Map): // with the same steps it is the proof of the other note
			f.Note, f.Absent, f.Other = another.Note, "", nil
			return "presence of what is elsewhere", f
		case how == 9 && f.Absent != "":
			f.Absent = another.Note.ID
			return "absence of another", f
		case how == 10 && s != nil:
			s.Kids ^= bit
			return "a child more or less", f
		case how == 11 && s != nil:
			s.Leaves ^= bit
			return "a leaf more or less", f
		case how == 12 && s != nil && len(s.Beside) >= 64:
			s.Beside = slices.Concat(s.Beside[32:64], s.Beside[:32], s.Beside[64:])
			return "swapped neighbours", f
		case how == 13 && s != nil && len(s.Beside) > 0:
			s.Beside = cut(s.Beside)
			return "a neighbour less", f
		case how == 14 && s != nil:
			s.Beside = append(s.Beside, make([]byte, 32)...)
			return "a neighbour more", f
		case how == 15 && s != nil:
			f.Map = f.Map[:len(f.Map)-1]
			return "a shorter way", f
		case how == 16 && s != nil:
			f.Map = append(f.Map, *s)
			return "a longer way", f
		case how == 17 && len(f.Log) > 0:
			f.Log = [][]byte{cut(f.Log), append(f.Log, make([]byte, 32)...), nil}[r.IntN(3)]
			return "another log", f
		case how == 18 && f.Moment != nil:
			m := f.Moment
			*m = []proof.Moment{{m.Seq + 1, m.Commit, m.Root, m.Time}, {m.Seq, m.Root, m.Root, m.Time}, {m.Seq, m.Commit, m.Commit, m.Time},
				{m.Seq, m.Commit, m.Root, "2026-11-21T08:00:00.000Z"}}[r.IntN(4)]
			return "another moment", f
		case how == 19 && f.From != "":
			f.Head, f.From = f.From, f.Head
			return "swapped heads", f
		}
	}
}

// TestOneForm: no field of a proof can be exchanged for another that says the same, or stand
// beside it. Each exchange is of a proof that holds.
func TestOneForm(t *testing.T) {
	h := newHistory(3000, 1000)
	id := h.notes[7].ID
	own := func(n *node.Node) (block []byte) {
		_ = must(0, n.Blocks(func(_ merkle.Digest, b []byte) error { block = slices.Clone(b); return nil }))
		return block
	}
	plain := own(h.notes[7])
	for how, exchange := range map[string]func(f *proof.File){
		"a block for the text":          func(f *proof.File) { f.Note.Type, f.Note.Text, f.Note.Block = "", nil, plain },
		"a block and a type":            func(f *proof.File) { f.Note.Text, f.Note.Block = nil, plain },
		"a block beside the text":       func(f *proof.File) { f.Note.Block = plain },
		"neither block nor text":        func(f *proof.File) { f.Note.Text = nil },
		"the block as a text":           func(f *proof.File) { text := string(plain); f.Note.Text = &text },
		"no type":                       func(f *proof.File) { f.Note.Type = "" },
		"an empty parent":               func(f *proof.File) { f.Note.Parent = []byte{} },
		"the id as an absent one":       func(f *proof.File) { f.Absent, f.Note = id, nil },
		"an absent id beside the note":  func(f *proof.File) { f.Absent = id },
		"another leaf beside the note":  func(f *proof.File) { f.Other = &proof.Other{Key: make([]byte, 32), Value: make([]byte, 32)} },
		"an earlier head beside a note": func(f *proof.File) { f.From = h.older },
		"a log without a moment":        func(f *proof.File) { f.Log = join(must(tlog.ProveRecord(h.log.size, oldSeq-1, h.log))) },
		"the moment of the head": func(f *proof.File) {
			lines := strings.Split(f.Head, "\n")
			m := proof.Moment{Seq: h.log.size, Commit: lines[2], Root: lines[3], Time: lines[4]}
			h.log.other[h.log.size-1] = record(m)
			f.Head = h.sign(h.log.size, "")
			f.Moment, f.Log = &m, join(must(tlog.ProveRecord(h.log.size, h.log.size-1, h.log)))
			delete(h.log.other, h.log.size-1)
		},
		"a key twice, and one with capitals": func(f *proof.File) { f.Format += `","Format":"` + proof.Format },
	} {
		f := h.of(id)
		was := must(f.Encode())
		if _, err := proof.Check(was, h.keys); err != nil {
			t.Fatal(err)
		}
		exchange(f)
		now, err := json.Marshal(f) // as a forger writes it, who need not use Encode
		if err != nil {
			t.Fatal(err)
		}
		now = append(bytes.ReplaceAll(now, []byte(`\"`), []byte(`"`)), '\n')
		if v, err := proof.Check(now, h.keys); err == nil && !bytes.Equal(now, was) {
			t.Errorf("%s: %s", how, v.Claim)
		}
	}
}

// TestBlockOnlyWhereNeeded: a block is accepted only for content that has no other form.
func TestBlockOnlyWhereNeeded(t *testing.T) {
	long := strings.Repeat("x", 70<<10)
	attr := document.Attributes(document.Attr{Key: "KEY", Value: document.TextValue("value")})
	for name, tc := range map[string]struct {
		n     node.Node
		taken bool
	}{
		"text":                      {node.Node{Type: "headline", Content: "* a\n"}, false},
		"no text":                   {node.Node{Type: "headline"}, false},
		"text with a long type":     {node.Node{Type: strings.Repeat("t", 300), Content: "* a\n"}, false},
		"a text of 300 bytes":       {node.Node{Type: "headline", Content: long[:300]}, false},
		"a text in other blocks":    {node.Node{Type: "headline", Content: long}, false},
		"bytes in other blocks":     {node.Node{Type: "headline", Content: "\xff" + long}, false},
		"bytes":                     {node.Node{Type: "headline", Content: "* \xff\n"}, true},
		"bytes with the mark":       {node.Node{Type: "headline", Content: "\xffeattrs\x80gcontentAx"}, true},
		"attributes":                {node.Node{Type: "headline", Attrs: attr, Content: "a"}, true},
		"no content":                {node.Node{Type: "headline", Bare: true}, true},
		"attributes and long bytes": {node.Node{Type: "headline", Attrs: attr, Content: long}, true},
	} {
		f := &proof.File{Format: proof.Format, Note: &proof.Note{ID: "x"}}
		_ = must(0, tc.n.Blocks(func(_ merkle.Digest, b []byte) error { f.Note.Block = slices.Clone(b); return nil }))
		if _, err := f.Encode(); (err == nil) != tc.taken {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestForgedMaps: a random change of a random proof of a small map never holds.
func TestForgedMaps(t *testing.T) {
	h := newHistory(40, 1000)
	rapid.Check(t, func(t *rapid.T) {
		f := h.of(idOf(rapid.IntRange(0, 60).Draw(t, "note")))
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		how, forged := forge(r, h, f)
		if v, err := proof.Check(must(forged.Encode()), h.keys); err == nil {
			t.Fatalf("%s: %s", how, v.Claim)
		}
	})
}

// FuzzCheck gives Check any bytes: what holds is one of the proofs that were made.
func FuzzCheck(f *testing.F) {
	h := newHistory(300, 1000)
	made := map[string]bool{}
	for _, one := range []*proof.File{h.of(h.notes[7].ID), h.then(h.notes[7].ID), h.of("none"), h.then("none"), h.heads(), {Format: proof.Format}} {
		text := must(one.Encode())
		made[string(text)] = true
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if v, err := proof.Check(data, h.keys); err == nil && !made[string(data)] {
			t.Errorf("forged: %s", v.Claim)
		}
	})
}

// TestHeadsWithoutLog: of two heads that name no log, nothing is proved, though they are of one
// commit number.
func TestHeadsWithoutLog(t *testing.T) {
	h := newHistory(1, 1000)
	without := func(commit string) string {
		text := fmt.Sprintf("fovea head 0 %s\n5\n%s\n%s\n2026-11-25T08:00:00.000Z\n",
			merkle.Sum([]byte("first")), merkle.Sum([]byte(commit)), h.tree.Root())
		return string(must(note.Sign(&note.Note{Text: text}, h.signer)))
	}
	f := &proof.File{Format: proof.Format, Head: without("one"), From: without("other")}
	if v, err := proof.Check(must(f.Encode()), h.keys); err == nil {
		t.Error(v.Claim)
	}
}

// TestVerifierIsShort: a stranger can read the verifier, and it needs no other package.
func TestVerifierIsShort(t *testing.T) {
	text := string(must(os.ReadFile("verify.go")))
	lines := 0
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "//") {
			lines++
		}
	}
	if lines > 250 {
		t.Errorf("verify.go has %d lines of code, want at most 250", lines)
	}
	for _, m := range regexp.MustCompile(`(?m)^\t"([^"]+)"$`).FindAllStringSubmatch(text, -1) {
		if first, _, _ := strings.Cut(m[1], "/"); strings.Contains(first, ".") && !strings.HasPrefix(m[1], "golang.org/x/mod/sumdb/") {
			t.Errorf("verify.go imports %s", m[1])
		}
	}
}

// TestFormatPage compares the table of doc/format/proof.md with the code.
func TestFormatPage(t *testing.T) {
	foveatest.FormatPage(t, "../doc/format/proof.md", map[string]int{"MaxFile": proof.MaxFile, "MaxNote": proof.MaxNote, "MaxSteps": proof.MaxSteps}, proof.Format)
	page := string(must(os.ReadFile("../doc/format/proof.md")))
	for _, m := range regexp.MustCompile(`json:"(\w+)`).FindAllStringSubmatch(string(must(os.ReadFile("file.go"))), -1) {
		if !strings.Contains(page, "| `"+m[1]+"` |") {
			t.Errorf("the page has no row for the key %s", m[1])
		}
	}
}

// BenchmarkCheck checks the proof of a note among 100,000, at the newest of a million
// commits and at an earlier one, and one about two heads.
func BenchmarkCheck(b *testing.B) {
	h := newHistory(100_000, 1_000_000)
	for name, f := range map[string]*proof.File{"note": h.of(h.notes[7].ID), "then": h.then(h.notes[7].ID), "absent": h.of("none"), "heads": h.heads()} {
		text := must(f.Encode())
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := proof.Check(text, h.keys); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(len(text)), "B/proof")
		})
	}
}
