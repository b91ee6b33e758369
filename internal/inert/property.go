// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package inert

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/org"
)

var propertyName = regexp.MustCompile(`^[\p{L}\p{N}_@#%-]+\+?$`)

// isPropertyName reports whether an agent may use a property name: up to 100 letters, digits and
// _ @ # % -, with a trailing + to append to the value. A bound in the expression would take 4 MB.
func isPropertyName(key string) bool {
	return utf8.RuneCountInString(strings.TrimSuffix(key, "+")) <= 100 && propertyName.MatchString(key)
}

// valueChecks checks the values of properties that Org computes with.
var valueChecks = map[string]func(value string) error{
	"EFFORT": checkDuration,
}

// durations matches a duration in Org.
var durations = regexp.MustCompile(`(?i)^(?:\d{1,6}(?:\.\d{1,6})?|\d{1,6}:\d\d(?::\d\d)?|` +
	`(?:\d{1,6}(?:\.\d{1,6})? *(?:min|h|d|w|m|y) *)+(?:\d{1,6}:\d\d(?::\d\d)?)?)$`)

func checkDuration(value string) error {
	if value = strings.TrimSpace(value); value == "" || durations.MatchString(value) {
		return nil
	}
	return fmt.Errorf("%q is no duration; write 1:30, 90min or 1h 30min", value)
}

// ages matches an age in Org: days, hours, minutes and seconds.
var ages = regexp.MustCompile(`^(?:\d{1,6} *[dhms] *)+$`)

func checkAge(value string) error {
	if value = strings.TrimSpace(value); ages.MatchString(value) || isStamp(value) {
		return nil
	}
	return fmt.Errorf("%q is no age; write 2d 3h, or a date in brackets", value)
}

// Property returns an error if an agent may not set a property to a value. Values of
// columns of a file are checked by [Place.Check].
func Property(key, value string) error {
	if !isPropertyName(key) || strings.ContainsFunc(key, isUnseen) {
		return fmt.Errorf("property %q is not a name; use letters, digits, _, @, #, %% and -", key)
	}
	if row := Lookup("property", key); (row.By == ByFovea || row.By == ByTree) && row.Only == "" {
		return fmt.Errorf("property %s is not an agent's to set; Fovea does", key)
	}
	return checkProperty(key, value, nil)
}

// checkProperty returns an error if no operation of an agent may write a property.
func checkProperty(key, value string, columns map[string]func(string) error) error {
	name := propertyKey(key)
	if !isPropertyName(key) || strings.HasSuffix(name, "_ALL") {
		return fmt.Errorf("property %s is not an agent's to set; use another name", key)
	}
	if row := Lookup("property", key); row.By == ByOwner {
		return fmt.Errorf("property %s is not an agent's to set; %s", key, row.Why)
	}
	var errs []error
	for _, check := range []func(string) error{valueChecks[name], columns[name]} {
		if check != nil && strings.HasSuffix(key, "+") { // appending gives two values
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

// propertyKey returns the name of a property in the form that Org compares. Emacs treats
// the Kelvin sign, which is an upper-case letter, as a k, so the name is first converted
// to lower case.
func propertyKey(key string) string {
	return strings.TrimSuffix(strings.ToUpper(strings.ToLower(key)), "+")
}

// Tag returns an error if an agent may not set a tag. Package org checks its characters.
func Tag(tag string) error {
	switch {
	case tag == document.CryptTag:
		return fmt.Errorf("tag %s is not an agent's to set; %s", tag, Lookup("tag", tag).Why)
	case strings.ContainsFunc(tag, isUnseen):
		return fmt.Errorf("tag %q has invisible characters; leave them out", tag)
	}
	return nil
}

// isDrawableHabit reports whether org-habit can draw a date: it repeats after at least a
// day, and its maximum interval, if any, exceeds the minimum. The agenda of a day fails
// on any other habit.
func isDrawableHabit(scheduled string) bool {
	stamp, ok := org.ParseTimestamp(scheduled)
	if !ok {
		return false
	}
	every := stamp.Repeater
	minDays := habitDays(every.Count, every.Unit)
	return minDays > 0 && (every.MaxCount == 0 || habitDays(every.MaxCount, every.MaxUnit) > minDays)
}

// habitDays converts a count of units to days as org-habit does; 0 for hours.
func habitDays(count int, unit byte) int {
	return int(float64(count) * map[byte]float64{'d': 1, 'w': 7, 'm': 30.4, 'y': 365.25}[unit])
}
