// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

//go:build unix

package bench

import (
	"bufio"
	"encoding/gob"
	"flag"
	"fmt"
	"io"
	"os"
	"path"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/disk"
	"github.com/fovea-memory/fovea/internal/foveatest"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/internal/index"
	"github.com/fovea-memory/fovea/internal/recall"
	"github.com/fovea-memory/fovea/internal/store"
	"github.com/fovea-memory/fovea/internal/vfs"
	"github.com/fovea-memory/fovea/merkle"
	"github.com/fovea-memory/fovea/node"
	"github.com/fovea-memory/fovea/org"
)

var million = flag.Bool("million", false, "BenchmarkImage: measure 1,000,000 headlines too")

// rounds is how often each side takes its turn.
func rounds() int { return foveatest.Size(5, 1) }

// BenchmarkImage saves a state and then loads it, by turns: as an image of the nodes
// alone, as one with the index of words beside them, and with encoding/gob. Loading
// an image verifies it to the root; what gob reads is believed. What was saved is
// given up before, as a process that opens a memory has no other state for its
// collector to walk.
func BenchmarkImage(b *testing.B) {
	sizes := []int{10_000, 100_000}
	switch {
	case testing.Short():
		sizes = []int{500}
	case *million:
		sizes = append(sizes, 1_000_000)
	}
	for _, headlines := range sizes {
		b.Run(fmt.Sprint(headlines), func(b *testing.B) {
			for b.Loop() {
				keepers := newKeepers(b, generated(headlines))
				turns(b, keepers)
				for _, k := range keepers {
					k.report(b)
				}
			}
			b.ReportMetric(0, "ns/op") // of all turns together: says nothing
		})
	}
}

// turns takes the figures of saving and then those of loading.
func turns(b *testing.B, keepers []*keeper) {
	for range rounds() {
		for _, k := range keepers {
			k.saves = append(k.saves, spend(b, k.save))
		}
	}
	for _, k := range keepers {
		k.giveUp()
	}
	for range rounds() {
		for _, k := range keepers {
			k.loads = append(k.loads, spend(b, k.load))
		}
	}
}

// TestKeepersGiveBackTheState: who saves less would be no comparison.
func TestKeepersGiveBackTheState(t *testing.T) {
	for _, k := range newKeepers(t, generated(100)) {
		must(t, k.save())
		k.giveUp()
		must(t, k.load())
		if k.size() == 0 {
			t.Errorf("%s has written nothing", k.name)
		}
	}
}

// keeper is one way to keep a state in a file.
type keeper struct {
	name string
	save func() error // returns when the file is durable
	load func() error // checks that everything is there again
	size func() int64 // of the file

	giveUp func() // lets go of what save needs

	saves, loads []cost
}

// report gives the medians of what was spent.
func (k *keeper) report(b *testing.B) {
	b.ReportMetric(middle(k.saves, cost.wallMS), k.name+"-save-ms")
	b.ReportMetric(middle(k.saves, cost.processorMS), k.name+"-save-cpu-ms")
	b.ReportMetric(middle(k.loads, cost.wallMS), k.name+"-load-ms")
	b.ReportMetric(middle(k.loads, cost.processorMS), k.name+"-load-cpu-ms")
	b.ReportMetric(mib(k.size()), k.name+"-MiB")
}

// cost is what a piece of work took.
type cost struct{ wall, cpu time.Duration }

func (c cost) wallMS() float64      { return ms(c.wall) }
func (c cost) processorMS() float64 { return ms(c.cpu) }

// spend does a piece of work on a heap that was just collected.
func spend(tb testing.TB, work func() error) cost {
	runtime.GC()
	begun, cpu := time.Now(), processor()
	must(tb, work())
	return cost{time.Since(begun), processor() - cpu}
}

// newKeepers makes one of each for a state.
func newKeepers(tb testing.TB, s *graph.State) []*keeper {
	var docs []index.Doc
	for n := range s.All() {
		docs = append(docs, recall.Document(n))
	}
	return []*keeper{newImage(tb, "image", s, nil), newImage(tb, "image+words", s, index.Build(docs)), newGob(tb, s)}
}

// generated is a state of documents of ten headlines each.
func generated(headlines int) *graph.State {
	d := graph.Empty(document.Formats{org.Format{}}).Edit(1)
	for f := range headlines / 10 {
		d.Put(fmt.Sprintf("f%06d.org", f), document.File(foveatest.GenFile(f, 10), false))
	}
	s, _ := d.Seal()
	return s
}

// newImage keeps a state as the memory does, words and all unless they are nil.
func newImage(tb testing.TB, name string, s *graph.State, words *index.Lexical) *keeper {
	folder := stateFolder(tb)
	images, _, err := disk.Open(folder, nil)
	must(tb, err)
	tb.Cleanup(func() { must(tb, images.Close()) })
	seq := uint64(0)
	save := func() error {
		seq++
		var sections []store.Section
		for i, p := range s.Encode(1<<20, 64) {
			sections = append(sections, store.Section{Name: fmt.Sprint("nodes.", i), Data: p.Nodes},
				store.Section{Name: fmt.Sprint("derived.", i), Data: p.Derived, Derived: true})
		}
		if words != nil {
			data, err := words.AppendBinary(nil)
			if err != nil {
				return err
			}
			sections = append(sections, store.Section{Name: "words", Data: data, Derived: true})
		}
		return images.WriteImage(store.Image{Seq: seq, Sections: sections})
	}
	root, indexed := s.Root(), -1
	if words != nil {
		indexed = words.Len()
	}
	load := func() error {
		img, err := images.LoadImage()
		if err != nil {
			return err
		}
		return reread(img, root, indexed)
	}
	return &keeper{
		name: name, save: save, load: load, size: func() int64 { return newest(tb, folder, "image") },
		giveUp: func() { s, words = nil, nil },
	}
}

// reread decodes an image, its index of words beside its nodes, and compares it
// with the root of the state that it was made from, and the number of nodes that
// were indexed, negative for none.
func reread(img *store.Image, root merkle.Digest, indexed int) error {
	section := func(name string) []byte {
		data, _ := img.Section(name)
		return data
	}
	var parts []graph.Part
	for nodes := section("nodes.0"); nodes != nil; nodes = section(fmt.Sprint("nodes.", len(parts))) {
		parts = append(parts, graph.Part{Nodes: nodes, Derived: section(fmt.Sprint("derived.", len(parts)))})
	}
	var found *index.Lexical
	var wordsErr error
	var decoding sync.WaitGroup
	if indexed >= 0 {
		decoding.Go(func() { found, wordsErr = index.Decode(section("words")) })
	}
	got, _, err := graph.Decode(parts, document.Formats{org.Format{}})
	decoding.Wait()
	switch {
	case err != nil:
		return err
	case wordsErr != nil:
		return wordsErr
	case got.Root() != root:
		return fmt.Errorf("the image has the root %v, want %v", got.Root(), root)
	case indexed >= 0 && found.Len() != indexed:
		return fmt.Errorf("the index holds %d nodes, want %d", found.Len(), indexed)
	}
	return nil
}

// newest returns the size of the last file of a folder.
func newest(tb testing.TB, folder vfs.FS, name string) int64 {
	entries, err := folder.ReadDir(name)
	must(tb, err)
	info, err := entries[len(entries)-1].Info()
	must(tb, err)
	return info.Size()
}

// plain is an Org node for gob, which has no hashed attributes.
type plain struct {
	ID string
	node.Entry
	Type, Content string
	Derived       *document.Derived
}

// newGob keeps the nodes of a state, digests and all, with encoding/gob, and reads
// them into a map.
func newGob(tb testing.TB, s *graph.State) *keeper {
	folder := stateFolder(tb)
	const name = "gob/nodes"
	must(tb, folder.MkdirAll(path.Dir(name), 0o700))
	var nodes []*plain
	for n := range s.All() {
		nodes = append(nodes, &plain{n.ID, n.Entry, n.Type, n.Content, n.Derived})
	}
	save := func() error {
		return vfs.WriteAtomicFunc(folder, name, 0o600, func(w io.Writer) error {
			buffered := bufio.NewWriterSize(w, 1<<20)
			if err := gob.NewEncoder(buffered).Encode(nodes); err != nil {
				return err
			}
			return buffered.Flush()
		})
	}
	count, samples := len(nodes), []*plain{nodes[0], nodes[len(nodes)-1]}
	load := func() error {
		file, err := folder.OpenFile(name, os.O_RDONLY, 0)
		if err != nil {
			return err
		}
		defer file.Close()
		var read []*plain
		if err := gob.NewDecoder(bufio.NewReaderSize(file, 1<<20)).Decode(&read); err != nil {
			return err
		}
		byID := make(map[string]*plain, len(read))
		for _, n := range read {
			byID[n.ID] = n
		}
		for _, n := range samples {
			if got := byID[n.ID]; len(byID) != count || got == nil || !got.Equal(&n.Entry) || got.Content != n.Content {
				return fmt.Errorf("gob lost %s", n.ID)
			}
		}
		return nil
	}
	return &keeper{
		name: "gob", save: save, load: load, size: func() int64 { return newest(tb, folder, path.Dir(name)) },
		giveUp: func() { nodes = nil },
	}
}
