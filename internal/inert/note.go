// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package inert

import (
	"errors"
	"regexp"
	"slices"
	"strings"

	"github.com/fovea-memory/fovea/window/render"
)

// Body makes the body of a note inert. The error is that of StripRecalled.
func Body(body string) (string, error) {
	body, err := StripRecalled(body)
	if err != nil {
		return "", err
	}
	return Text(body), nil
}

// Revision is Body for a text that replaces now, the own text of a note. Lines of now stay
// unchanged, or at least those of clocks and drawers, unless that adds an active construct.
func Revision(now, body string) (string, error) {
	safe, err := Body(body)
	lines, sent := strings.Split(safe, "\n"), strings.Split(strings.ReplaceAll(body, "\r\n", "\n"), "\n")
	if err != nil || len(lines) != len(sent) {
		return safe, err
	}
	known := map[string]bool{}
	for line := range strings.SplitSeq(strings.ReplaceAll(now, "\r\n", "\n"), "\n") {
		known[line] = true
	}
	for _, all := range []bool{true, false} {
		as, inDrawer := slices.Clone(lines), false
		for i, line := range sent {
			isDrawer, isEnd := drawerLine.MatchString(line), strings.EqualFold(strings.TrimSpace(line), ":END:")
			if known[line] && (all || isDrawer || clockLine.MatchString(line)) && (inDrawer || !isEnd) {
				as[i] = line
			}
			if isDrawer {
				inDrawer = known[line] && !isEnd
			}
		}
		text, head := strings.Join(as, "\n"), "* x\n"
		if headlines.MatchString(text) {
			head = "" // the text has its own headline
		}
		if new(Place).Check(nil, now, head+text) == nil {
			return text, nil
		}
	}
	return safe, nil
}

// drawerLine matches the first and the last line of a drawer.
var drawerLine = regexp.MustCompile(`^[ \t]*:\S+:[ \t]*$`)

// Properties makes the values of pairs KEY=VALUE inert. It returns an error for a key, or a value of
// a key, that agents may not set, except for the allowed keys.
func Properties(pairs []string, allowed ...string) ([]string, error) {
	var out []string
	for _, pair := range pairs {
		key, value, ok := strings.Cut(pair, "=")
		if ok {
			value = Line(value)
			pair = key + "=" + value
		}
		if err := Property(key, value); err != nil && !slices.Contains(allowed, strings.ToUpper(key)) {
			return nil, err
		}
		out = append(out, pair)
	}
	return out, nil
}

// Each returns the first error of a check of several texts.
func Each(texts []string, check func(string) error) error {
	for _, text := range texts {
		if err := check(text); err != nil {
			return err
		}
	}
	return nil
}

// StripRecalled removes the fenced output of Fovea from a text, so that it is not remembered again.
// It returns an error for a text with an unfenced window, or with only recalled text.
func StripRecalled(text string) (string, error) {
	var b strings.Builder
	rest := text
	for {
		before, after, found := strings.Cut(rest, render.FenceNote+"\n")
		b.WriteString(before)
		if !found {
			break
		}
		fence, inside, _ := strings.Cut(after, "\n")
		if len(fence) < 3 || strings.Trim(fence, "`") != "" {
			rest = after
			continue
		}
		_, rest, found = strings.Cut("\n"+inside, "\n"+fence)
		if !found {
			break
		}
	}
	remaining := b.String()
	if strings.Contains(remaining, strings.TrimSpace(render.Notice)) || strings.TrimSpace(remaining) == "" && strings.TrimSpace(text) != "" {
		return "", errors.New("it is text that was recalled; keep what is new, in words of its own")
	}
	return remaining, nil
}
