// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package mend

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/fault"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/internal/index"
	"github.com/fovea-memory/fovea/internal/scope"
	"github.com/fovea-memory/fovea/internal/store"
	"github.com/fovea-memory/fovea/internal/vfs"
	"github.com/fovea-memory/fovea/merkle"
	"github.com/fovea-memory/fovea/node"
)

// read scans all records of the store, including the history imported by merges. It keeps all commits in memory.
func (p *purge) read(ctx context.Context) error {
	return p.mender.scope.Chain.Store().Replay(store.Pos{}, func(r store.Record) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		switch r.Kind {
		case store.Block:
			return p.block(r.Data)
		case store.Commit:
			return p.commit(r.Data, "")
		case store.Mark:
			return p.mark(r.Data)
		}
		return nil
	})
}

// block examines a decoded block. Version blocks contain only digests.
func (p *purge) block(data []byte) error {
	d := merkle.Sum(data)
	if r := merkle.NewReader(data); r.Peek() == merkle.KindBytes {
		if contains(string(r.Bytes()), p.forms) {
			p.looseChunks[d] = true
		}
		return nil
	}
	if _, err := graph.CommitSeq(data); err == nil {
		if err = p.commit(data, " of another copy"); scope.IsGone(err) {
			err = nil // a part of it was not imported
		}
		return err
	}
	return p.own(d, data)
}

// own examines a block that may be an own block.
func (p *purge) own(d merkle.Digest, data []byte) error {
	var links []merkle.Digest
	var lacks error
	n, err := node.ReadOwn(d, func(at merkle.Digest) (block []byte, _ error) {
		if at == d {
			return data, nil
		}
		links = append(links, at)
		block, lacks = p.mender.scope.Chain.Block(at)
		return block, lacks
	})
	switch {
	case scope.IsGone(lacks):
		p.ownBlocks[d], p.broken[d] = links, true
	case lacks != nil || errors.Is(err, node.ErrFormat):
		return err
	case err == nil:
		p.ownBlocks[d] = links
		if p.holds(n) {
			p.dropOwn[d] = true
		}
	}
	return nil // otherwise not an own block
}

// commit records a commit. It returns an error if the commit itself contains the text.
func (p *purge) commit(block []byte, of string) error {
	c, err := graph.DecodeCommit(block, func(d merkle.Digest) ([]byte, error) {
		p.parts[d] = true
		return p.mender.scope.Chain.Block(d)
	})
	if err != nil {
		return err
	}
	p.commits = append(p.commits, c)
	if held := mentions(c, p.text); p.text != "" && held != "" && !p.afterwards {
		return fault.Errorf("purge", fmt.Sprintf("commit %d%s", c.Seq, of), fault.Invalid,
			"its %s holds the text, and commits are never changed; give more of the text, or name the nodes that held it", held)
	}
	return nil
}

// holds reports whether a node contains the text.
func (p *purge) holds(n *node.Node) bool {
	return contains(n.Content, p.forms) || slices.ContainsFunc(n.Attrs, func(a document.Attr) bool {
		return contains(a.Key, p.forms) || contains(a.Value.String(), p.forms)
	})
}

// formsOf returns the forms in which a text is stored: unchanged, and as a JSON string, as in blocks
// of working memory and in windows. It returns nil for no text.
func formsOf(text string) []string {
	if text == "" {
		return nil
	}
	forms := []string{text}
	if quoted, err := json.Marshal(text); err == nil {
		if inside := string(quoted[1 : len(quoted)-1]); inside != text {
			forms = append(forms, inside)
		}
	}
	return forms
}

// contains reports whether a text contains one of several forms.
func contains(text string, forms []string) bool {
	return slices.ContainsFunc(forms, func(form string) bool { return strings.Contains(text, form) })
}

// mentions names the part of a commit that contains a text, "" for none.
func mentions(c *graph.Commit, text string) string {
	if strings.Contains(c.Author.Name+"\x00"+c.Session+"\x00"+c.Op+"\x00"+c.Message, text) {
		return "author, session or message"
	}
	held := func(id string) string {
		switch {
		case !strings.Contains(id, text):
			return ""
		case node.IsDerived(id):
			return "id " + id + ", by chance,"
		}
		return "id " + id
	}
	for i := range c.Delta {
		r := &c.Delta[i]
		if id := held(r.ID); id != "" {
			return id
		}
		for _, e := range []*node.Entry{r.Old, r.New} {
			if e != nil && strings.Contains(e.Path, text) {
				return "path " + e.Path
			}
		}
	}
	for _, e := range c.Lineage {
		if id := cmp.Or(held(e.Old), held(e.New)); id != "" {
			return id
		}
	}
	return ""
}

// mark returns an error if a mark of the journal contains the text, such as a snapshot name.
func (p *purge) mark(data []byte) error {
	r := merkle.NewReader(data)
	n, kind := r.List(), r.Text()
	values, framed := bytes.CutPrefix(data, merkle.AppendText(merkle.AppendList(nil, n), kind))
	if p.text == "" || p.afterwards || !framed || !bytes.Contains(values, []byte(p.text)) {
		return nil
	}
	return fault.Errorf("purge", p.mender.scope.StateDir, fault.Invalid,
		"%s holds the text, and is never changed; give more of the text, or name the nodes that held it",
		p.mender.scope.Chain.Ledgers().Label(kind))
}

// isFraming reports whether a text occurs in the framing of stored contents, so that its bytes in a
// file prove nothing.
func (md *Mender) isFraming(text string) bool {
	var framing []byte
	add := func(_ merkle.Digest, block []byte) error {
		framing = append(framing, block...)
		return nil
	}
	for _, t := range []string{document.TypeHeadline, document.TypeDocument} {
		_, _ = (&node.Node{Type: t}).OwnBlock(add) // add returns no error
	}
	_, _ = node.VersionBlock(merkle.Digest{}, make([]merkle.Digest, 1), add)
	commit, _ := (&graph.Commit{}).Encode(nil)
	words := []string{
		string(framing), string(commit), "versions" + purgeMessage, "version" + purgeMessage,
		graph.KindIngest, graph.KindRollback, graph.KindRevert, graph.KindMerge, graph.KindEdit,
		author.Owner.String(), author.File.String(), author.Agent.String(), author.Fovea.String(),
		graph.KindPurge, graph.KindRetain, graph.KindRepair, graph.KindGuard,
	}
	words = append(words, md.scope.Chain.Ledgers().Names()...)
	words = append(words, store.Magics[:]...)
	words = append(words, index.Magic, index.AnalyzerVersion, "FVFT", "FOVTOKEN") // the last two begin files in cache/
	return slices.ContainsFunc(words, func(word string) bool { return strings.Contains(word, text) })
}

// nothingToPurge returns an error if there is nothing to remove, nil if an old image, or a file
// that was put aside, contains the text.
func (md *Mender) nothingToPurge(ctx context.Context, text string) error {
	none := errors.New("history holds none of it")
	if text == "" {
		return none
	}
	switch name, err := md.fileContaining(ctx, text); {
	case err != nil:
		return fault.Wrap("purge", md.scope.StateDir, fault.Other, err)
	case name == "":
		return none
	case strings.HasPrefix(name, scope.Folder+"/"):
		return fmt.Errorf("%w; %s does: purge it in that scope", none, name)
	}
	return nil
}

// fileContaining names a file of the state folder that contains the text, "" for none;
// files of scopes come last. If the text also occurs in framing, it decodes the records
// of the store instead.
func (md *Mender) fileContaining(ctx context.Context, text string) (found string, err error) {
	if md.isFraming(text) {
		p := newPurge(md, text)
		p.afterwards = true
		if err := p.read(ctx); err != nil || len(p.dropped()) == 0 {
			return "", err
		}
		return "the history", nil
	}
	forms := formsOf(text)
	err = vfs.Walk(md.scope.FS, ".", func(name string, _ fs.FileInfo) error {
		if found != "" || slices.Contains(aboutTheFolder, name) {
			return nil
		}
		b, err := md.scope.FS.ReadFile(name)
		if contains(string(b), forms) {
			found = name
		}
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	})
	if found != "" {
		err = nil
	}
	return found, err
}

// aboutTheFolder lists the files without content: they record the folder's owner, the process that
// has it open, and the end of its history.
var aboutTheFolder = []string{store.FormatFile, store.LockFile, store.HeadFile, "http.json"}

// logFiles are the logs of a daemon and of its calls, which contain titles and messages.
var logFiles = []string{"serve.log", "calls.log"}

// redactLog overwrites a text in a log of a daemon, in place, because the daemon keeps appending.
func (md *Mender) redactLog(logFile, text string) error {
	forms := formsOf(text)
	b, err := md.scope.FS.ReadFile(logFile)
	if err != nil || !contains(string(b), forms) {
		if errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
		return err
	}
	f, err := md.scope.FS.OpenFile(logFile, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	for _, form := range forms {
		over := bytes.Repeat([]byte("*"), len(form))
		for at := 0; err == nil; {
			next := bytes.Index(b[at:], []byte(form))
			if next < 0 {
				break
			}
			_, err = f.WriteAt(over, int64(at+next))
			at += next + len(form)
		}
	}
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}
