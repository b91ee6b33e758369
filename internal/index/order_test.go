// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package index

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// folder is a model of files of documents.
type folder struct {
	files map[string][]string // path -> ids
	texts map[string]string   // id -> text
}

func (f *folder) list() (files []*File) {
	for path := range f.files {
		files = append(files, f.file(path))
	}
	return files
}

func (f *folder) file(path string) *File {
	ids := slices.Clone(f.files[path])
	last := make([]int32, len(ids))
	for i := range last {
		last[i] = int32(i)
	}
	return &File{Path: path, IDs: ids, Last: last}
}

// naive scores a question by its definition: windows are documents.
func (f *folder) naive(x *Lexical, text string) map[string][4]float64 {
	total, count := 0.0, 0.0
	lengths, counts := map[string]float64{}, map[string]map[string]float64{}
	df := map[string]float64{}
	for id, body := range f.texts {
		counts[id] = map[string]float64{}
		for _, term := range Terms(body) {
			counts[id][term]++
			lengths[id]++
		}
		for term := range counts[id] {
			df[term]++
		}
		total, count = total+lengths[id], count+1
	}
	widths := [4]float64{}
	windows := map[string][4][]string{}
	for _, ids := range f.files {
		for i, id := range ids {
			var w [4][]string
			for k, r := range []int{0, nearRadius, wideRadius, len(ids)} {
				w[k] = ids[max(0, i-r):min(len(ids), i+r+1)]
				widths[k] += float64(len(w[k]))
			}
			windows[id] = w
		}
	}
	mean := total / count
	out := map[string][4]float64{}
	for id, w := range windows {
		var scores [4]float64
		for _, q := range x.QuestionTerms(text, 0) {
			if df[q.Text] == 0 {
				continue
			}
			idf := q.Weight * (k1 + 1) * math.Log(1+(count-df[q.Text]+.5)/(df[q.Text]+.5))
			for k := range w {
				tf, joined, length := 0.0, 0.0, 0.0
				for _, id := range w[k] {
					weight := counts[id][q.Text] / (1 - b + b*lengths[id]/max(mean, 1))
					if k == 1 || k == 2 {
						weight = math.Floor(weight*unit) / unit // weights in windows are integers
					}
					tf += weight
					joined, length = joined+counts[id][q.Text], length+lengths[id]
				}
				saturation := [4]float64{k1, nearSaturation, wideSaturation, 0}[k]
				if k == 3 {
					tf, saturation = joined, k1*(1-b+b*length/max(mean*widths[3]/count, 1))
				}
				if tf > 0 {
					scores[k] += idf * tf / (tf + saturation)
				}
			}
		}
		out[id] = scores
	}
	return out
}

// check compares an order with the model.
func (f *folder) check(t *rapid.T, o *Order, question string) {
	t.Helper()
	at := uint32(0)
	var paths []string
	for path := range f.files {
		paths = append(paths, path)
	}
	slices.Sort(paths)
	for n, path := range paths {
		for i, id := range f.files[path] {
			pos, ok := o.Position(id)
			file, local := o.Place(at)
			if !ok || pos != at || o.ID(at) != id || file != n || local != i {
				t.Fatalf("%s is at %d (%v), want %d; there is %s", id, pos, ok, at, o.ID(at))
			}
			at++
		}
	}
	if o.Len() != int(at) {
		t.Fatalf("%d positions, want %d", o.Len(), at)
	}
	var s Scores
	for range 2 { // a Scores is used again
		o.Score(o.index.QuestionTerms(question, 0), &s)
		for id, want := range f.naive(o.index, question) {
			pos, _ := o.Position(id)
			file, _ := o.Place(pos)
			for k, got := range []float64{s.Own[pos], s.Near[pos], s.Wide[pos], s.File[file]} {
				if math.Abs(got-want[k]) > 1e-3 {
					t.Fatalf("%s, window %d: score %v, want %v", id, k, got, want[k])
				}
			}
		}
		s.Reset()
	}
}

// TestOrderModel changes files at random and compares positions and scores with those
// of the definition.
func TestOrderModel(t *testing.T) {
	words := strings.Fields("ant bee cat dog elk fox")
	rapid.Check(t, func(t *rapid.T) {
		f := &folder{files: map[string][]string{}, texts: map[string]string{}}
		text := func() string {
			return strings.Join(rapid.SliceOfN(rapid.SampledFrom(words), 0, 5).Draw(t, "text"), " ")
		}
		x := Build(nil)
		o := NewOrder(x, nil)
		for step := range rapid.IntRange(1, 12).Draw(t, "steps") {
			changed := map[string]bool{}
			var gone []string
			var docs []Doc
			removed := map[string]bool{}
			for k := range rapid.IntRange(1, 4).Draw(t, "edits") {
				path := rapid.SampledFrom([]string{"a", "b", "c", "d"}).Draw(t, "path")
				changed[path] = true
				ids := f.files[path]
				at := 0
				if len(ids) > 0 {
					at = rapid.IntRange(0, len(ids)-1).Draw(t, "at")
				}
				switch kind := rapid.IntRange(0, 4).Draw(t, "kind"); {
				case kind == 0 && len(ids) > 0: // remove one
					delete(f.texts, ids[at])
					f.files[path] = slices.Delete(slices.Clone(ids), at, at+1)
				case kind == 1 && len(ids) > 0: // edit one
					f.texts[ids[at]] = text()
				case kind == 2 && len(ids) > 1: // move one
					moved := slices.Delete(slices.Clone(ids), at, at+1)
					f.files[path] = append(moved, ids[at])
				default:
					id := fmt.Sprintf("%c%d.%d", 'z'-rapid.IntRange(0, 25).Draw(t, "letter"), step, k)
					f.files[path] = slices.Insert(slices.Clone(ids), at, id)
					f.texts[id] = text()
				}
				if len(f.files[path]) == 0 {
					delete(f.files, path)
				}
			}
			known := map[string]bool{}
			for i := range o.Len() {
				known[o.ID(uint32(i))] = true
			}
			for id := range known {
				if _, is := f.texts[id]; !is {
					removed[id] = true
				}
			}
			for id, body := range f.texts {
				docs = append(docs, Doc{ID: id, Body: body})
			}
			for id := range removed {
				gone = append(gone, id)
			}
			var files []*File
			left := map[string]bool{}
			for path := range changed {
				if _, is := f.files[path]; is {
					files = append(files, f.file(path))
				} else {
					left[path] = true
				}
			}
			if rapid.Bool().Draw(t, "only what changed") {
				docs = slices.DeleteFunc(docs, func(d Doc) bool { return known[d.ID] && x.Has(d.ID) && !changedFile(f, changed, d.ID) })
			}
			x = x.Update(gone, docs)
			o = o.Update(x, files, left)
			question := strings.Join(rapid.SliceOfN(rapid.SampledFrom(words), 1, 4).Draw(t, "question"), " ")
			f.check(t, o, question)
			f.check(t, NewOrder(x, f.list()), question)
		}
	})
}

// changedFile reports whether a document is in a file that changed.
func changedFile(f *folder, changed map[string]bool, id string) bool {
	for path := range changed {
		if slices.Contains(f.files[path], id) {
			return true
		}
	}
	return false
}
