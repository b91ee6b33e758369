// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package org

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
)

// ErrDefaults is wrapped by the errors of [Defaults.Check].
var ErrDefaults = errors.New("not a setting of Org")

// Defaults are the settings that a user's Emacs applies to every file. Settings in a
// file and its setup files take precedence: a #+TODO line replaces the default
// sequences, a #+TAGS line the default tags. A nil *Defaults has no settings. Do not
// modify Defaults while they are in use by a parse.
type Defaults struct {
	// Todo holds sequences of TODO keywords, each written as after #+TODO:.
	Todo []string
	// Tags holds groups of tags, each written as after #+TAGS:.
	Tags []string
	// Startup holds words as after #+STARTUP:, such as logdone.
	Startup []string
	// LogDrawer is the drawer for log lines; "" for none.
	LogDrawer string
	// Archive is the archive location, written as after #+ARCHIVE:.
	Archive string
	// Links maps link types to their expansions, as after #+LINK:.
	Links map[string]string
}

// IsZero reports whether nothing is set.
func (d *Defaults) IsZero() bool { return d == nil || len(d.lines()) == 0 && d.LogDrawer == "" }

// Check returns an error that wraps [ErrDefaults] if Org would misread one of the
// settings.
func (d *Defaults) Check() error {
	seen := map[string]bool{}
	for _, sequence := range d.Todo {
		if err := checkSequence(sequence, seen); err != nil {
			return err
		}
	}
	for _, word := range d.Startup {
		if word == "" || strings.ContainsFunc(word, unicode.IsSpace) {
			return kindErrorf(ErrDefaults, "%q is not a word of #+STARTUP", word)
		}
	}
	if name := d.LogDrawer; name != "" && (nameLength(name) < len(name) || strings.EqualFold(name, "PROPERTIES") || strings.EqualFold(name, "END")) {
		return kindErrorf(ErrDefaults, "%q is not a drawer name; use letters, digits, - and _", name)
	}
	for _, tags := range d.Tags {
		if strings.TrimSpace(tags) == "" || strings.ContainsFunc(tags, unicode.IsControl) {
			return kindErrorf(ErrDefaults, "%q has no tags; write them as after #+TAGS:", tags)
		}
	}
	if d.Archive != "" && (strings.ContainsFunc(d.Archive, unicode.IsControl) || !strings.HasSuffix(strings.TrimSpace(d.Archive), "::") ||
		strings.TrimSpace(d.Archive) == "::") {
		return kindErrorf(ErrDefaults, "archive to %q: only whole files; end the location in ::, as in %q", d.Archive, defaultArchive)
	}
	for _, name := range slices.Sorted(maps.Keys(d.Links)) {
		to := d.Links[name]
		if name == "" || strings.ContainsFunc(name, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) || r == ':' || r == '"' }) ||
			strings.TrimSpace(to) == "" || strings.ContainsFunc(to, unicode.IsControl) {
			return kindErrorf(ErrDefaults, "link %q to %q: want a name without blanks and colons, and an address", name, to)
		}
	}
	return nil
}

// checkSequence checks one sequence of keywords. seen holds those of the other
// sequences.
func checkSequence(sequence string, seen map[string]bool) error {
	bars, words := 0, 0
	for _, word := range strings.FieldsFunc(sequence, isFieldSpace) {
		if word == "|" {
			bars++
			continue
		}
		words++
		name := withoutFastKey(word)
		key := word[len(name):]
		switch {
		case name == "" || strings.ContainsAny(name, "()|") || strings.ContainsFunc(name, unicode.IsControl) || strings.ContainsFunc(name, unicode.IsSpace):
			return kindErrorf(ErrDefaults, "%q is not a keyword; write it as TODO or TODO(t)", word)
		case name == "COMMENT" || strings.HasPrefix(name, "[#") || strings.HasPrefix(name, ":") && strings.HasSuffix(name, ":"):
			return kindErrorf(ErrDefaults, "%q has another meaning in a headline; choose another keyword", name)
		case key != "" && (strings.Count(key, "(") != 1 || strings.Trim(key[1:len(key)-1], "!@/") != "" && len([]rune(strings.Trim(key[1:len(key)-1], "!@/"))) > 1):
			return kindErrorf(ErrDefaults, "%q: the brackets hold one key and optionally ! or @, as in WAIT(w@/!)", word)
		case seen[name]:
			return kindErrorf(ErrDefaults, "the keyword %s is listed twice", name)
		}
		seen[name] = true
	}
	switch {
	case words == 0:
		return kindErrorf(ErrDefaults, "%q has no keyword; write it as TODO NEXT | DONE", sequence)
	case bars > 1:
		return kindErrorf(ErrDefaults, "%q has more than one |, which separates the keywords from the done ones", sequence)
	}
	return nil
}

// lines returns the defaults as keyword lines, in the order in which Org reads them.
func (d *Defaults) lines() []Keyword {
	if d == nil {
		return nil
	}
	var out []Keyword
	add := func(key, value string) {
		out = append(out, Keyword{Key: key, Value: trimBlanks(value), Start: -1, End: -1})
	}
	for _, sequence := range d.Todo {
		add("TODO", sequence)
	}
	for _, tags := range d.Tags {
		add("TAGS", tags)
	}
	if len(d.Startup) > 0 {
		add("STARTUP", strings.Join(d.Startup, " "))
	}
	if d.Archive != "" {
		add("ARCHIVE", d.Archive)
	}
	for _, name := range slices.Sorted(maps.Keys(d.Links)) {
		add("LINK", name+" "+d.Links[name])
	}
	return out
}

// Fingerprint returns a hash of the settings that affect parsing: 0 if there are
// none, else a number below 1<<48.
func (d *Defaults) Fingerprint() uint64 {
	if d.IsZero() {
		return 0
	}
	const offset, prime, most = 14695981039346656037, 1099511628211, 1<<48 - 1
	sum := uint64(offset) // FNV-1a
	for _, k := range append(d.lines(), Keyword{Key: "DRAWER", Value: d.LogDrawer}) {
		for _, c := range fmt.Appendf(nil, "%s\n%s\n", k.Key, k.Value) {
			sum = (sum ^ uint64(c)) * prime
		}
	}
	return max(sum&most, 1)
}

func isTodoKey(key string) bool { return key == "TODO" || key == "SEQ_TODO" || key == "TYP_TODO" }

// applicable returns the defaults that the settings of a file do not replace.
func (d *Defaults) applicable(settings []Keyword) []Keyword {
	hides := map[string]bool{}
	for _, k := range settings {
		hides["TODO"] = hides["TODO"] || isTodoKey(k.Key)
		hides["TAGS"] = hides["TAGS"] || k.Key == "TAGS"
	}
	return slices.DeleteFunc(d.lines(), func(k Keyword) bool { return hides[k.Key] })
}
