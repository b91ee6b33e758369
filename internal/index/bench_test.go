// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package index

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/fovea-memory/fovea/internal/foveatest"
)

// headlines splits Org text into documents at its headlines, with ids in random order.
// It is a simplification for benchmarks; package node does the real split.
func headlines(docs []Doc, prefix, text string) []Doc {
	for len(text) > 0 {
		end := strings.Index(text[1:], "\n*") + 2
		if end < 2 {
			end = len(text)
		}
		title, body, _ := strings.Cut(text[:end], "\n")
		title, tags, _ := strings.Cut(title, " :")
		docs = append(docs, Doc{
			ID:    fmt.Sprintf("%08x-%s-%06d", uint32(len(docs))*2654435761, prefix, len(docs)),
			Title: strings.TrimLeft(title, "* "),
			Tags:  strings.FieldsFunc(tags, func(r rune) bool { return r == ':' }),
			Body:  body,
		})
		text = text[end:]
	}
	return docs
}

// generated returns the cold start data: 2,000 files of ten headlines.
func generated() (docs []Doc, bytes int64) { return files(2000) }

func files(n int) (docs []Doc, bytes int64) {
	for f := range n {
		text := foveatest.GenFile(f, 10)
		bytes += int64(len(text))
		docs = headlines(docs, "node", text)
	}
	return docs, bytes
}

// corpus returns the sections of real Org and Markdown files.
func corpus(b *testing.B) (docs []Doc, bytes int64) {
	root := filepath.Join(foveatest.Testdata(b), "corpus")
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		if ext := filepath.Ext(path); ext != ".org" && ext != ".md" {
			return nil
		}
		text, err := os.ReadFile(path)
		bytes += int64(len(text))
		docs = headlines(docs, filepath.Base(path), string(text))
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
	return docs, bytes
}

func BenchmarkBuild(b *testing.B) {
	for _, material := range []struct {
		name string
		docs func(*testing.B) ([]Doc, int64)
	}{
		{"generated", func(*testing.B) ([]Doc, int64) { return generated() }},
		{"corpus", corpus},
	} {
		b.Run(material.name, func(b *testing.B) {
			docs, bytes := material.docs(b)
			b.SetBytes(bytes)
			b.ReportAllocs()
			for b.Loop() {
				Build(docs)
			}
			b.ReportMetric(float64(len(docs)), "docs")
		})
	}
}

// many returns 75,000 documents with Zipf-distributed words, like prose.
func many() []Doc {
	rnd := rand.New(rand.NewPCG(1, 2))
	zipf := rand.NewZipf(rnd, 1.1, 8, 100_000)
	docs := make([]Doc, 75_000)
	for i := range docs {
		var body strings.Builder
		for range 20 + rnd.IntN(180) {
			fmt.Fprintf(&body, "w%dq ", zipf.Uint64())
		}
		docs[i] = Doc{ID: fmt.Sprintf("node-%07d", i), Title: "note", Body: body.String()}
	}
	return docs
}

// isFrequent reports whether a word of many is one of the 120 most frequent, which
// correspond to stop words.
func isFrequent(word string) bool {
	rank, err := strconv.Atoi(strings.Trim(word, "wq"))
	return err == nil && rank < 120
}

func BenchmarkSearch(b *testing.B) {
	docs := many()
	rnd := rand.New(rand.NewPCG(3, 4))
	asked := make([]string, 256) // three words of one document, without stop words
	for i := range asked {
		words := slices.DeleteFunc(strings.Fields(docs[rnd.IntN(len(docs))].Body), isFrequent)
		at := rnd.IntN(max(len(words)-2, 1))
		asked[i] = strings.Join(words[at:min(at+3, len(words))], " ")
	}
	built := Build(docs)
	updated := built
	for i := range 200 {
		updated = updated.Update([]string{docs[i*7].ID}, docs[i*11:i*11+3])
	}
	for _, view := range []struct {
		name string
		x    *Lexical
	}{{"built", built}, {"updated", updated}} {
		b.Run(view.name, func(b *testing.B) {
			b.ReportAllocs()
			var took []time.Duration
			for i := 0; b.Loop(); i++ {
				start := time.Now()
				view.x.Search(Query{Text: asked[i%len(asked)], Limit: 10})
				took = append(took, time.Since(start))
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)/2].Microseconds()), "µs/median")
			b.ReportMetric(float64(took[len(took)*95/100].Microseconds()), "µs/p95")
		})
	}
}

// BenchmarkSearchCommon searches for two words; every document has one of them.
func BenchmarkSearchCommon(b *testing.B) {
	for _, n := range []int{900, 4500} {
		docs, _ := files(n)
		x := Build(docs)
		b.Run(fmt.Sprintf("%d documents", len(docs)), func(b *testing.B) {
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				x.Search(Query{Text: fmt.Sprintf("cat-%02d", i%50), Limit: 10})
			}
		})
	}
}

// BenchmarkSearchLike searches with the full text of a document, as windows and new
// notes do to find similar ones.
func BenchmarkSearchLike(b *testing.B) {
	docs, _ := generated()
	x := Build(docs)
	for _, q := range []Query{{Terms: 32, Limit: 500}, {Terms: 32, Limit: 20}, {Terms: 8, Limit: 20}} {
		b.Run(fmt.Sprintf("%d terms, %d hits", q.Terms, q.Limit), func(b *testing.B) {
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				doc := &docs[i*7%len(docs)]
				q.Text = doc.Title + "\n" + doc.Body
				x.Search(q)
			}
		})
	}
}

func BenchmarkUpdate(b *testing.B) {
	docs, _ := generated()
	x := Build(docs)
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		x = x.Update(nil, docs[i%len(docs):i%len(docs)+1])
		i++
	}
}

func BenchmarkEncode(b *testing.B) {
	docs, _ := generated()
	x := Build(docs)
	written, _ := x.AppendBinary(nil)
	b.Run("write", func(b *testing.B) {
		b.SetBytes(int64(len(written)))
		for b.Loop() {
			written, _ = x.AppendBinary(written[:0])
		}
	})
	b.Run("merge and write", func(b *testing.B) {
		y := x.Update(nil, docs[:100])
		for b.Loop() {
			written, _ = y.AppendBinary(written[:0])
		}
	})
	b.Run("read", func(b *testing.B) {
		b.SetBytes(int64(len(written)))
		b.ReportAllocs()
		for b.Loop() {
			if _, err := Decode(written); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkOneLongLine builds from a text without blanks. The time must be linear in
// its length.
func BenchmarkOneLongLine(b *testing.B) {
	for _, bytes := range []int{1 << 17, 1 << 20, 1 << 23} {
		for _, unit := range []string{"x", "文"} {
			b.Run(fmt.Sprintf("%s/%d", unit, bytes), func(b *testing.B) {
				docs := []Doc{{ID: "a", Body: strings.Repeat(unit, bytes/len(unit))}}
				b.SetBytes(int64(bytes))
				for b.Loop() {
					Build(docs)
				}
			})
		}
	}
}

func BenchmarkAttributes(b *testing.B) {
	const nodes = 20_000
	ids := make([]string, nodes)
	for i := range ids {
		ids[i] = fmt.Sprintf("node-%07d", (i*7919)%nodes) // in no order
	}
	fill := func(e *AttributesEditor) {
		for i, id := range ids {
			e.Set("type", "headline", id)
			e.Set("todo", []string{"TODO", "DONE", ""}[i%3], id)
			e.Set("tag", []string{"work", "home", "project"}[i%3], id)
			e.Set("created", fmt.Sprint(i%336), id)
			e.Set("effort", fmt.Sprint(i%480), id)
			e.Set("category", fmt.Sprint(i%50), id)
			e.Set("level", fmt.Sprint(i%4), id)
			e.Set("link", ids[(i*31)%nodes], id)
		}
	}
	b.Run("bulk", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			e := Attributes{}.Edit()
			fill(e)
			e.Attributes()
		}
	})
	e := Attributes{}.Edit()
	fill(e)
	a := e.Attributes()
	b.Run("one node changed", func(b *testing.B) {
		b.ReportAllocs()
		i := 0
		for b.Loop() {
			id := ids[i%nodes]
			e := a.Edit()
			e.Remove("todo", "TODO", id)
			e.Set("todo", "DONE", id)
			e.Set("link", ids[0], id)
			a = e.Attributes()
			i++
		}
	})
	b.Run("lookup of 20,000", func(b *testing.B) {
		for b.Loop() {
			n := 0
			for range a.Lookup("type", "headline") {
				n++
			}
			if n != nodes {
				b.Fatal(n)
			}
		}
	})
}

// BenchmarkUnknown compares a misspelled word with 100,000 terms.
func BenchmarkUnknown(b *testing.B) {
	docs := make([]Doc, 1000)
	for i := range docs {
		var body strings.Builder
		for j := range 100 {
			n := 100*i + j
			fmt.Fprintf(&body, "%c%c%c%c%s ", 'a'+n%26, 'a'+n/26%26, 'a'+n/676%26, 'a'+n/17576%26, [...]string{"dition", "meter", "woodart", "calendum"}[n%4])
		}
		docs[i] = Doc{ID: fmt.Sprint(i), Body: body.String()}
	}
	x := Build(docs)
	for b.Loop() {
		x.Unknown("barmeters calendri zzzzzzzzz")
	}
}
