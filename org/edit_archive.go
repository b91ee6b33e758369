// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package org

import (
	"fmt"
	"path"
	"strings"
	"time"
)

// defaultArchive is where Emacs archives to unless the file says otherwise.
const defaultArchive = "%s_archive::"

// ArchiveFile returns the path of the file that headline i of d, the file at path
// name, is archived to: name with _archive behind it, or what the property ARCHIVE
// or #+ARCHIVE says. A location with a headline in it is [ErrArchive].
func ArchiveFile(d *Document, i int, name string) (string, error) {
	location := defaultArchive
	for _, k := range d.Settings {
		if k.Key == "ARCHIVE" {
			location = k.Value
		}
	}
	if value, ok := d.Property(i, "ARCHIVE", true); ok {
		location = value
	}
	file, headline, ok := strings.Cut(location, "::")
	if !ok || file == "" || trimBlanks(headline) != "" {
		return "", kindErrorf(ErrArchive, "archive to %q: only whole files; end the location in ::, as in %q", location, defaultArchive)
	}
	file = strings.ReplaceAll(file, "%s", path.Base(name))
	if path.IsAbs(file) {
		return file, nil
	}
	return path.Join(path.Dir(name), file), nil
}

// Archive moves headline i of from, with all below it, to the end of the archive, at
// the top level, and notes where it came from in properties as Emacs does. Name is
// the path of from as it shall stand there; archive is the file that [ArchiveFile]
// names, nil when there is none yet. The cookies of ancestors follow.
//
// It changes neither document. ArchiveSplices are those of the archive's source, or
// of an empty text. Errors and now are as for [Document.Edit], and [ErrArchive].
func Archive(from *Document, i int, name string, archive *Document, now time.Time) (fromSplices, archiveSplices []Splice, err error) {
	if i == -1 {
		return nil, nil, kindErrorf(ErrNoHeadline, "a document is not archived; move the file")
	}
	if i < 0 || i >= len(from.Headlines) {
		return nil, nil, fmt.Errorf("archive: %w", ErrNoHeadline)
	}
	if _, err := ArchiveFile(from, i, name); err != nil {
		return nil, nil, err
	}
	h := &from.Headlines[i]
	if archive == nil {
		archive = &Document{Todo: from.Todo}
	}
	e := newEditor(archive, -1, now)
	if archive.Source == "" {
		e.insertLines(0, "#    -*- mode: org -*-\n\n\nArchived entries from file "+name+"\n\n")
	}
	text := from.Source[h.Start:h.End]
	if h.Level > 1 {
		text = from.subtreeAtLevel(text, 1)
	}
	start := e.paste(e.convertLineEnds("\n" + text))
	start = lineAt(e.doc.Source, start, len(e.doc.Source)).next
	e.at = e.doc.headlineAt(start)
	for _, p := range from.archiveProperties(i, name, e.now) {
		e.putProperty(p.Key, propertyLine(p.Key, p.Value))
	}

	source := newEditor(from, i, now)
	source.updateTodoCookies(i, true)
	h = source.headline()
	source.removeLines(h.Start, h.End)
	return source.draft.splices(), e.draft.splices(), nil
}

// archiveProperties returns what is noted of headline i when it is archived.
func (d *Document) archiveProperties(i int, name string, now time.Time) []Property {
	properties := []Property{
		{Key: "ARCHIVE_TIME", Value: now.Format("2006-01-02 Mon 15:04")},
		{Key: "ARCHIVE_FILE", Value: name},
	}
	add := func(key, value string) {
		if value != "" {
			properties = append(properties, Property{Key: key, Value: value})
		}
	}
	add("ARCHIVE_OLPATH", d.outlinePath(int(d.Headlines[i].Parent)))
	add("ARCHIVE_CATEGORY", d.CategoryOf(i, name))
	add("ARCHIVE_TODO", d.Headlines[i].Todo)
	own := map[string]bool{}
	for _, tag := range d.Headlines[i].Tags {
		own[tag] = true
	}
	var inherited []string
	for _, tag := range d.AllTags(i) {
		if !own[tag] {
			inherited = append(inherited, tag)
		}
	}
	add("ARCHIVE_ITAGS", strings.Join(inherited, " "))
	return properties
}

// outlinePath returns the titles from the top down to headline i, parted by slashes:
// links as they are shown, without cookies.
func (d *Document) outlinePath(i int) string {
	var titles []string
	for ; i >= 0; i = int(d.Headlines[i].Parent) {
		p := d.parts(i)
		titles = append([]string{displayTitle(d.Source[p.title:p.titleEnd])}, titles...)
	}
	return strings.Join(titles, "/")
}

// displayTitle returns a title with its links as they are shown and without cookies
// that hold a number.
func displayTitle(title string) string {
	var b strings.Builder
	at := 0
	for link := range Links(title) {
		if title[link.Start] != '[' {
			continue
		}
		shown := link.Description
		if shown == "" {
			shown = link.Raw
		}
		b.WriteString(title[at:link.Start] + shown)
		at = link.End
	}
	title = b.String() + title[at:]
	b.Reset()
	for i := 0; i < len(title); {
		if title[i] == '[' {
			if n := cookieLength(title[i:]); n > len("[/]") {
				i += n
				continue
			}
		}
		b.WriteByte(title[i])
		i++
	}
	return trimBlanks(b.String())
}
