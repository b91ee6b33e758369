// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package servermemory

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/api"
)

const (
	// full is the size of a graph file, in bytes, from which a new one is started. An edit
	// rewrites its whole file; a new file costs a commit.
	full = 64 << 10
	// maxAddedBytes is the size of one edit in bytes; the last headline may exceed it.
	maxAddedBytes = 128 << 10
)

// file is one file of the graph: a headline above all its entities and relations.
type file struct {
	begun bool
	size  int
}

// files holds the files of the graph by number.
type files map[int]*file

// add adds the size of a headline to its file. Later growth is ignored: the sizes only
// decide when the next file starts.
func (f files) add(path, id string, size int) {
	var number int
	if _, err := fmt.Sscanf(path, folder+"graph-%d.org", &number); err != nil || number < 1 || path != filePath(number) {
		return // a person's own file
	}
	if f[number] == nil {
		f[number] = &file{}
	}
	f[number].size += size
	if id == headID(number) {
		f[number].begun = true
	}
}

func filePath(number int) string { return fmt.Sprintf("%sgraph-%04d.org", folder, number) }

func headID(number int) string { return fmt.Sprintf("%s-graph-%04d", Agent, number) }

// write makes a batch durable. After an error the next use reloads the model.
func (s *Store) write(ctx context.Context, b *batch) (err error) {
	w := &writing{s: s, ctx: ctx, first: s.seq}
	defer func() {
		if err != nil {
			s.model = nil
		}
	}()
	if err := w.headlines(b); err != nil {
		return err
	}
	for _, node := range slices.Sorted(maps.Keys(b.dropped)) {
		if err := w.drop(node, b.dropped[node]); err != nil {
			return err
		}
	}
	for _, node := range slices.Sorted(maps.Keys(b.observed)) {
		text := items(b.observed[node])
		if err := w.commit(api.OpEdit.Call(ctx, s.svc, api.EditRequest{ID: node, Append: &text})); err != nil {
			return err
		}
	}
	for _, node := range b.forgotten {
		err := w.commit(api.OpForget.Call(ctx, s.svc, api.MoveRequest{ID: node}))
		if err != nil && fovea.KindOf(err) != fovea.NotFound { // NotFound: another writer has forgotten it
			return err
		}
	}
	if w.alone {
		s.seq = w.last
	}
	return nil
}

// writing is one batch being written to the files. While its commits are consecutive, the
// model is at the last of them; after a commit of another writer, the next refresh reads all
// changes since first.
type writing struct {
	s           *Store
	ctx         context.Context
	first, last uint64
	alone       bool
}

// commit records the commit of an operation.
func (w *writing) commit(e *api.EditResponse, err error) error {
	if err != nil || e.Seq == 0 {
		return err
	}
	if w.last == 0 {
		w.last, w.alone = w.first, true
	}
	w.alone = w.alone && e.Seq == w.last+1
	w.last = e.Seq
	return nil
}

// headlines writes new entities and relations in edits of about maxAddedBytes.
func (w *writing) headlines(b *batch) error {
	var text strings.Builder
	for _, h := range b.created {
		text.WriteString(headlineText(h, b.model))
		if text.Len() < maxAddedBytes {
			continue
		}
		if err := w.put(&text); err != nil {
			return err
		}
	}
	return w.put(&text)
}

// put appends headlines to the newest file, or to the next one if that is full.
func (w *writing) put(text *strings.Builder) error {
	if text.Len() == 0 {
		return nil
	}
	number := max(1, slices.Max(append(slices.Collect(maps.Keys(w.s.files)), 0)))
	if f := w.s.files[number]; f != nil && f.size >= full {
		number++
	}
	if f := w.s.files[number]; f == nil || !f.begun {
		if err := w.begin(number); err != nil {
			return err
		}
	}
	headlines := text.String()
	text.Reset()
	w.s.files[number].size += len(headlines)
	return w.commit(api.OpEdit.Call(w.ctx, w.s.svc, api.EditRequest{ID: headID(number), Append: &headlines, AllowSubheadings: true}))
}

// begin creates a file.
func (w *writing) begin(number int) error {
	if w.s.files[number] == nil {
		w.s.files[number] = &file{}
	}
	w.s.files[number].begun = true
	err := w.commit(api.OpRemember.Call(w.ctx, w.s.svc, api.RememberRequest{
		Under: filePath(number), Title: fmt.Sprintf("Memory graph %d", number), Property: []string{"ID=" + headID(number)},
	}))
	if fovea.KindOf(err) == fovea.Conflict {
		w.alone = false
		return nil // another process has created it
	}
	return err
}

// maxTries is how often drop retries after a concurrent edit of the headline.
const maxTries = 5

// drop removes observations from a headline and keeps everything else, such as a person's
// text.
func (w *writing) drop(node string, observations []string) error {
	var err error
	for range maxTries {
		var n *api.Shown
		if n, err = api.OpShow.Call(w.ctx, w.s.svc, api.ShowRequest{ID: node}); err != nil {
			return err
		}
		text := without(n.Content, observations)
		err = w.commit(api.OpEdit.Call(w.ctx, w.s.svc, api.EditRequest{ID: node, Base: n.Digest, Body: &text}))
		if fovea.KindOf(err) != fovea.Conflict {
			break
		}
	}
	return err
}

// without returns the text below a headline and its drawer, minus some list items.
func without(content string, observations []string) string {
	var body strings.Builder
	headline, inside, done := true, false, false
	for line := range strings.Lines(content) {
		trimmed := strings.TrimSpace(line)
		switch {
		case headline:
			headline = false
		case !inside && !done && strings.EqualFold(trimmed, ":PROPERTIES:"):
			inside = true
		case inside && strings.EqualFold(trimmed, ":END:"):
			inside, done = false, true
		case inside, strings.HasPrefix(trimmed, "- ") && slices.Contains(observations, decode(trimmed[1:])):
		default:
			body.WriteString(line)
		}
	}
	return body.String()
}
