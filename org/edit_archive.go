// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package org

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/fovea-memory/fovea/document"
)

// defaultArchive is the default archive location of Emacs.
const defaultArchive = "%s_archive::"

// ArchiveFile returns the path of the archive file for headline i of d, whose own
// path is name: name with the suffix _archive, or the location in the property
// ARCHIVE or in #+ARCHIVE. It returns [ErrArchive] for a location that contains a
// headline.
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

// Archive moves the subtree of headline i of from to the end of the archive, at the
// top level, and records its origin in properties as Emacs does. name is the path of
// from to record. archive is the document that [ArchiveFile] names, or nil if it does
// not exist yet. The statistics cookies of ancestors are updated.
//
// Neither document changes. archiveSplices apply to the archive's source, or to the
// empty text. For now and the errors see [Document.Edit]; another error is
// [ErrArchive].
func Archive(from *Document, i int, name string, archive *Document, now time.Time) (fromSplices, archiveSplices []document.Splice, err error) {
	if i == -1 {
		return nil, nil, kindErrorf(ErrNoHeadline, "a document cannot be archived; move the file")
	}
	if i < 0 || i >= len(from.Headlines) {
		return nil, nil, fmt.Errorf("archive: %w", ErrNoHeadline)
	}
	if _, err := ArchiveFile(from, i, name); err != nil {
		return nil, nil, err
	}
	h := &from.Headlines[i]
	archive = cmp.Or(archive, &Document{Todo: from.Todo})
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
	return source.draft.splices, e.draft.splices, nil
}

// archiveProperties returns the properties that record the origin of headline i.
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
	h := &d.Headlines[i]
	add("ARCHIVE_OLPATH", d.outlinePath(int(h.Parent)))
	add("ARCHIVE_CATEGORY", d.CategoryOf(i, name))
	add("ARCHIVE_TODO", h.Todo)
	inherited := slices.DeleteFunc(d.AllTags(int(h.Parent)), func(tag string) bool { return slices.Contains(h.Tags, tag) })
	add("ARCHIVE_ITAGS", strings.Join(inherited, " "))
	return properties
}

// outlinePath returns the displayed titles from the top down to headline i, separated
// by slashes.
func (d *Document) outlinePath(i int) string {
	var titles []string
	for ; i >= 0; i = int(d.Headlines[i].Parent) {
		p := d.parts(i)
		titles = append([]string{displayTitle(d.Source[p.title:p.titleEnd])}, titles...)
	}
	return strings.Join(titles, "/")
}

// displayTitle returns a title with its links as displayed and without statistics
// cookies that have a number.
func displayTitle(title string) string {
	var b strings.Builder
	at := 0
	for link := range Links(title) {
		if title[link.Start] != '[' {
			continue
		}
		shown := cmp.Or(link.Description, link.Raw)
		b.WriteString(title[at:link.Start] + shown)
		at = link.End
	}
	return trimBlanks(mapCookies(b.String()+title[at:], func(cookie string) string {
		if len(cookie) > len("[/]") {
			return ""
		}
		return cookie
	}))
}
