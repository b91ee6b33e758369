// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package inert

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// propertyName is what an agent may call a property: letters, digits and _ @ # % -,
// with a + at the end to add to it.
var propertyName = regexp.MustCompile(`^[\p{L}\p{N}_@#%-]{1,100}\+?$`)

// owned are properties that Fovea alone sets.
var owned = map[string]bool{
	"ID": true, "CUSTOM_ID": true, "AUTHOR": true, "SESSION": true, "CREATED": true, "TRUST": true, "LAST_REPEAT": true,
	"ARCHIVE_TIME": true, "ARCHIVE_FILE": true, "ARCHIVE_OLPATH": true, "ARCHIVE_CATEGORY": true, "ARCHIVE_TODO": true, "ARCHIVE_ITAGS": true,
}

// acting are properties that Org or a package of Emacs acts on, by name, and of names
// that end in an asterisk by what they begin with.
var acting = []string{
	"HEADER-ARGS*", "EXPORT_*", "HTML_*", "LATEX_*", "BEAMER_*", "ODT_*", "REVEAL_*", "ATTACH_DIR*", "DIR", "ARCHIVE", "COLUMNS", "LOGGING", "STYLE",
	"TABLE_EXPORT_*", "CRYPTKEY", "CLOCK_MODELINE_TOTAL", "ALT_TITLE", "OPTIONS", "BIND", "BLOCKER", "TRIGGER", "NOTER_DOCUMENT", "INTERLEAVE_PDF",
	"TANGLE", "EVAL", "VAR", "NOWEB*", "SESSION", "EXPORTS", "RESULTS", "CACHE", "COMMENTS", "PROLOGUE", "EPILOGUE", "POST", "LOG_INTO_DRAWER", "REPEAT_TO_STATE",
	"PROPERTIES", "END", "LOGBOOK",
}

// typed are properties with the check of their values: Org computes with these.
var typed = map[string]func(value string) error{
	"EFFORT": duration,
}

// durations is what Org reads as a duration.
var durations = regexp.MustCompile(`(?i)^(?:\d{1,6}(?:\.\d{1,6})?|\d{1,6}:\d\d(?::\d\d)?|(?:\d{1,6}(?:\.\d{1,6})? *(?:min|h|d|w|m|y) *)+(?:\d{1,6}:\d\d(?::\d\d)?)?)$`)

func duration(value string) error {
	if value = strings.TrimSpace(value); value == "" || durations.MatchString(value) {
		return nil
	}
	return fmt.Errorf("%q is no duration; write 1:30, 90min or 1h 30min", value)
}

// ages is what Org reads as an age: days, hours, minutes and seconds.
var ages = regexp.MustCompile(`^(?:\d{1,6} *[dhms] *)+$`)

func age(value string) error {
	if value = strings.TrimSpace(value); ages.MatchString(value) || isStamp(value) {
		return nil
	}
	return fmt.Errorf("%q is no age; write 2d 3h, or a date in brackets", value)
}

// Property returns why an agent may not set a property, nil where it may. Of a value
// that is one of a column of the file, [Check] says so.
func Property(key, value string) error {
	if !propertyName.MatchString(key) {
		return fmt.Errorf("property %q is not a name; use letters, digits, _, @, #, %% and -", key)
	}
	if owned[bare(key)] {
		return fmt.Errorf("property %s is not an agent's to set; Fovea does", key)
	}
	return actingProperty(key, value, nil)
}

// actingProperty returns why a property acts, nil where it does not.
func actingProperty(key, value string, columns map[string]func(string) error) error {
	name := bare(key)
	if !propertyName.MatchString(key) || strings.HasSuffix(name, "_ALL") {
		return fmt.Errorf("property %s is not an agent's to set; use another name", key)
	}
	for _, a := range acting {
		if begin, found := strings.CutSuffix(a, "*"); name == a || found && strings.HasPrefix(name, begin) {
			return fmt.Errorf("property %s is not an agent's to set; Org acts on it", key)
		}
	}
	var errs []error
	for _, check := range []func(string) error{typed[name], columns[name]} {
		if check != nil && strings.HasSuffix(key, "+") { // what is added makes two values of one
			return fmt.Errorf("property %s has one value; set it as %s", key, strings.TrimSuffix(key, "+"))
		}
		if check != nil {
			errs = append(errs, check(value))
		}
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("property %s: %w", key, err)
	}
	return nil
}

// bare returns the name of a property as Org compares it. Emacs takes the Kelvin sign,
// which is a capital letter already, for a k, so a name becomes small first.
func bare(key string) string { return strings.TrimSuffix(strings.ToUpper(strings.ToLower(key)), "+") }

// Tag returns why an agent may not set a tag, nil where it may. Which characters a tag
// has is up to package org.
func Tag(tag string) error {
	if tag == cryptTag {
		return fmt.Errorf("tag %s is not an agent's to set; Emacs encrypts what has it", tag)
	}
	return nil
}

// cryptTag marks what org-crypt encrypts when the file is saved.
const cryptTag = "crypt"

func dateError(when string) error {
	return fmt.Errorf("%q is no date; write 2026-03-01, then perhaps 10:00, a repeater as +1w and a warning as -3d, from %d to %d", when, firstYear, lastYear)
}
