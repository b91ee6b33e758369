// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package embed

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

const (
	maxNested = 8 // sequences within sequences
	maxParts  = 64
)

// settings reads an element into its settings.
func (p *component) settings(into any) error {
	if err := json.Unmarshal(p.all, into); err != nil {
		return fmt.Errorf("%s: %w: %w", p.Type, errTokenizer, err)
	}
	return nil
}

// plainNormalizers are those without settings.
var plainNormalizers = map[string]normalizer{
	"NFC": norm.NFC.String, "NFD": norm.NFD.String, "NFKC": norm.NFKC.String, "NFKD": norm.NFKD.String,
	"Lowercase": strings.ToLower, "StripAccents": withoutAccents, "Precompiled": precompiled,
}

func newNormalizer(p *component, depth int) (normalizer, error) {
	if p == nil {
		return func(text string) string { return text }, nil
	}
	if plain, ok := plainNormalizers[p.Type]; ok {
		return plain, nil
	}
	switch p.Type {
	case "BertNormalizer":
		return newBertNormalizer(p)
	case "Sequence":
		return newNormalizers(p, depth)
	case "Strip", "Prepend":
		return newTrimmer(p)
	case "Replace":
		return newReplacer(p)
	}
	return nil, fmt.Errorf("normalizer %.40q: %w", p.Type, errUnknown)
}

func newNormalizers(p *component, depth int) (normalizer, error) {
	var s struct{ Normalizers []*component }
	if err := p.settings(&s); err != nil {
		return nil, err
	}
	return sequence("normalizers", s.Normalizers, depth, newNormalizer)
}

// sequence returns a step that does the parts of a sequence one after another.
func sequence[T any, Step ~func(T) T](what string, parts []*component, depth int, of func(p *component, depth int) (Step, error)) (Step, error) {
	if depth >= maxNested || len(parts) > maxParts {
		return nil, fmt.Errorf("%s are nested too deeply or too many: %w", what, errTokenizer)
	}
	var all []Step
	for _, p := range parts {
		step, err := of(p, depth+1)
		if err != nil {
			return nil, err
		}
		all = append(all, step)
	}
	return func(in T) T {
		for _, step := range all {
			in = step(in)
		}
		return in
	}, nil
}

func newTrimmer(p *component) (normalizer, error) {
	var s struct {
		Left    bool `json:"strip_left"`
		Right   bool `json:"strip_right"`
		Prepend string
	}
	if err := p.settings(&s); err != nil {
		return nil, err
	}
	return func(text string) string {
		if s.Left {
			text = strings.TrimLeftFunc(text, unicode.IsSpace)
		}
		if s.Right {
			text = strings.TrimRightFunc(text, unicode.IsSpace)
		}
		if text == "" {
			return ""
		}
		return s.Prepend + text
	}, nil
}

func newReplacer(p *component) (normalizer, error) {
	var s struct {
		Pattern pattern
		Content string
	}
	if err := p.settings(&s); err != nil {
		return nil, err
	}
	if text := s.Pattern.String; text != nil && *text != "" {
		return func(in string) string { return strings.ReplaceAll(in, *text, s.Content) }, nil
	}
	re, err := s.Pattern.compile()
	if err != nil {
		return nil, err
	}
	return func(text string) string { return re.re.ReplaceAllLiteralString(text, s.Content) }, nil
}

func newBertNormalizer(p *component) (normalizer, error) {
	var s struct {
		Clean   bool  `json:"clean_text"`
		Chinese bool  `json:"handle_chinese_chars"`
		Strip   *bool `json:"strip_accents"`
		Lower   bool  `json:"lowercase"`
	}
	if err := p.settings(&s); err != nil {
		return nil, err
	}
	strip := s.Lower
	if s.Strip != nil {
		strip = *s.Strip
	}
	return func(text string) string {
		var b strings.Builder
		for _, r := range text {
			space := unicode.IsSpace(r)
			switch {
			case s.Clean && !space && (r == unicode.ReplacementChar || unicode.Is(unicode.C, r)):
			case s.Clean && space:
				b.WriteByte(' ')
			case s.Chinese && isChinese(r):
				b.WriteString(" " + string(r) + " ")
			default:
				b.WriteRune(r)
			}
		}
		text = b.String()
		if strip {
			text = withoutAccents(norm.NFD.String(text))
		}
		if s.Lower {
			text = strings.ToLower(text)
		}
		return text
	}, nil
}

// isChinese reports whether a rune is in one of the blocks that BERT's own code names.
func isChinese(r rune) bool {
	return r >= 0x4e00 && r <= 0x9fff || r >= 0x3400 && r <= 0x4dbf || r >= 0x20000 && r <= 0x2a6df || r >= 0x2a700 && r <= 0x2ceaf ||
		r >= 0xf900 && r <= 0xfaff || r >= 0x2f800 && r <= 0x2fa1f
}

// withoutAccents drops combining marks.
func withoutAccents(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return r
	}, text)
}

// precompiled is what the maps of SentencePiece do in most models: controls are dropped,
// blanks become spaces, the rest NFKC; the full-width tilde stays.
func precompiled(text string) string {
	text = strings.Map(func(r rune) rune {
		switch {
		case r == '\t', r == '\n', r == '\f', r == '\r', r == 0x2581, r >= 0x200b && r <= 0x200f, r == 0xfeff, r == 0xfffd:
			return ' '
		case r > 0 && r < ' ', r == 0x7f, r == 0x8f, r == 0x9f:
			return -1
		case r != 0x85 && unicode.IsSpace(r):
			return ' '
		}
		return r
	}, text)
	parts := strings.Split(text, "\uff5e")
	for i := range parts {
		parts[i] = norm.NFKC.String(parts[i])
	}
	return strings.Join(parts, "\uff5e")
}
