// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package render

import (
	"path"
	"slices"
	"strings"
	"unicode"

	"github.com/fovea-memory/fovea/internal/text"
)

// IsFile reports whether a path names a file; trees have paths that begin with a
// slash.
func IsFile(path string) bool { return path != "" && path[0] != '/' }

// IsNamedByPath reports whether the title of a document is only the name of its file. A window then shows
// the path instead.
func IsNamedByPath(item *Item) bool {
	name := path.Base(item.Path)
	return item.Level == 0 && IsFile(item.Path) && (item.Title == name || item.Title == strings.TrimSuffix(name, path.Ext(name)))
}

// MaxFact is the maximum number of runes of a property's value or an author's name.
const MaxFact = 60

// internalProperties mean nothing to a reader: names of nodes, data that Fovea keeps in drawers, and
// settings of Org.
var internalProperties = []string{
	"ID", "CUSTOM_ID", "SEMANTIC_SCORE", "END", "PROPERTIES", "TRUST", "SESSION", "VISIBILITY", "COLUMNS", "COOKIE_DATA", "LOGGING", "ORDERED",
	"HEADER-ARGS", "LAST_REPEAT", "UNNUMBERED", "ALT_TITLE", "APPENDIX", "ARCHIVE_TIME", "ARCHIVE_FILE", "ARCHIVE_OLPATH", "ARCHIVE_CATEGORY", "ARCHIVE_TODO",
	"IMPORTED_SOURCE", "IMPORTED_TEXT",
}

// IsInformative reports whether a property adds something to the heading of its item and the line below.
func IsInformative(item *Item, key, value string) bool {
	key = strings.ToUpper(key)
	switch {
	case value == "" || isInHeading(item, key, value) || !text.IsKey(key) || slices.Contains(internalProperties, key):
		return false
	case value == item.Title || strings.HasPrefix(item.Title, value+":"):
		return false
	case strings.HasPrefix(key, "EXPORT_"), strings.HasPrefix(key, "HEADER-ARGS:"), strings.HasSuffix(key, "_ALL"):
		return false
	case key == "CATEGORY":
		return value != strings.TrimSuffix(path.Base(item.Path), path.Ext(item.Path))
	case key == "AUTHOR":
		return value != item.Author
	case key == "CREATED" || key == "DATE":
		return item.Date == "" || !strings.Contains(value, item.Date)
	}
	return true
}

// shortProperties returns the informative properties of an item on one line: keys between colons and
// shortened values.
func shortProperties(item *Item) string {
	var b strings.Builder
	for _, p := range item.Properties {
		if value := text.Line(p[1]); IsInformative(item, p[0], value) {
			b.WriteString(" :" + strings.ToUpper(p[0]) + ": " + text.Truncate(value, MaxFact))
		}
	}
	return strings.TrimPrefix(b.String(), " ")
}

// isInHeading reports whether a property, its key in upper case, repeats the title or the tags of its item,
// as properties of trees do.
func isInHeading(item *Item, key, value string) bool {
	switch key {
	case "TITLE":
		return value == item.Title
	case "TAGS", "TAGS+":
		words := strings.FieldsFunc(value, func(r rune) bool { return r == ':' || unicode.IsSpace(r) })
		return !slices.ContainsFunc(words, func(word string) bool { return !slices.Contains(item.Tags, word) })
	}
	return false
}
