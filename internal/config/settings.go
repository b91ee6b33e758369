// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package config

import (
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"
)

// setting is one configuration setting: its names and its setter.
type setting struct {
	key      string   // in the file
	env      []string // names in the environment; the first one set counts
	standard string   // the default, as TOML
	set      func(*Config, value) error
}

// value is a value from the file or the environment: a string, an int64, a float64, or a
// list of values.
type value struct {
	raw    any
	inFile bool
	env    func(string) string
}

// settings lists all settings, in the order of doc/configuration.md.
var settings = []setting{
	{"memex", []string{"FOVEA_MEMEX", "MEMEX_ROOT"}, `""`, func(c *Config, v value) (err error) {
		c.Memex, err = v.folder()
		return err
	}},
	{"skills_dir", []string{"SKILLS_DIR"}, `"skills"`, func(c *Config, v value) (err error) {
		c.SkillsDir, err = v.path()
		return err
	}},
	{"opaque", nil, "[]", func(c *Config, v value) (err error) {
		c.Opaque, err = v.paths()
		return err
	}},
	{"projects", nil, "{}", func(c *Config, v value) (err error) {
		c.Projects, err = v.projects()
		return err
	}},
	{"guard", nil, "{}", func(c *Config, v value) (err error) {
		c.Guard, err = v.guard()
		return err
	}},
	{"org", nil, "{}", (*Config).setOrg},
	{"emacs_locations", nil, `""`, func(c *Config, v value) (err error) {
		c.EmacsLocations, err = v.folder()
		return err
	}},
	{"server_memory_file", []string{"MEMORY_FILE_PATH"}, `""`, func(c *Config, v value) (err error) {
		c.ServerMemoryFile, err = v.folder()
		return err
	}},
	{"semantic_threshold", []string{"CONTEXT_SEMANTIC_THRESHOLD"}, "0.75", func(c *Config, v value) (err error) {
		c.SemanticThreshold, err = v.number(0, 1)
		return err
	}},
	{"log_limit", []string{"CONTEXT_LOG_LIMIT"}, "20", func(c *Config, v value) (err error) {
		c.LogLimit, err = v.whole(0, 1000)
		return err
	}},
	{"budget", nil, "8000", func(c *Config, v value) (err error) {
		c.Budget, err = v.whole(1, 10_000_000)
		return err
	}},
	{"alerts", nil, "[]", func(c *Config, v value) (err error) {
		c.Alerts, err = v.texts()
		return err
	}},
	{"trusted_keys", nil, "[]", func(c *Config, v value) (err error) {
		c.TrustedKeys, err = v.publicKeys()
		return err
	}},
	{"relaxed_ms", nil, "0", func(c *Config, v value) (err error) {
		c.RelaxedMs, err = v.whole(0, 60_000)
		return err
	}},
	{"history_warn_mb", nil, "1024", func(c *Config, v value) (err error) {
		c.HistoryWarnMb, err = v.whole(1, 1<<30)
		return err
	}},
	{"writes_per_minute", nil, "30000", func(c *Config, v value) (err error) {
		c.WritesPerMinute, err = v.whole(1, 1_000_000_000)
		return err
	}},
	{"grants", nil, "{}", func(c *Config, v value) (err error) {
		c.Grants, err = v.grants()
		return err
	}},
}

func (v value) text() (string, error) {
	s, ok := v.raw.(string)
	if !ok {
		return "", fmt.Errorf("%v is not a text", v.raw)
	}
	return s, nil
}

func (v value) path() (string, error) {
	s, err := v.text()
	if err != nil {
		return "", err
	}
	if s = Expand(s, v.env); s == "" {
		return "", fmt.Errorf("the path is empty")
	}
	return s, nil
}

// folder returns a path. In the environment it may be relative to the working folder; in the
// file that would differ from run to run.
func (v value) folder() (string, error) {
	s, err := v.path()
	if err == nil && v.inFile && !filepath.IsAbs(s) {
		return "", fmt.Errorf("%q does not start at / or ~", s)
	}
	if err != nil {
		return "", err
	}
	return filepath.Abs(s)
}

func (v value) paths() ([]string, error) {
	list, ok := v.raw.([]any)
	if !ok {
		return nil, fmt.Errorf("%v is not a list of texts", v.raw)
	}
	var paths []string
	for _, raw := range list {
		s, err := value{raw, v.inFile, v.env}.path()
		if err != nil {
			return nil, err
		}
		paths = append(paths, s)
	}
	return paths, nil
}

// projects parses lists of paths by name.
func (v value) projects() (map[string][]string, error) {
	table, ok := v.raw.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("%v is not a table of lists of paths", v.raw)
	}
	var projects map[string][]string
	for _, name := range slices.Sorted(maps.Keys(table)) {
		paths, err := value{table[name], v.inFile, v.env}.paths()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if projects == nil {
			projects = map[string][]string{}
		}
		projects[name] = paths
	}
	return projects, nil
}

// publicKeys parses a list of lines from other machines' key.pub.
func (v value) publicKeys() ([]string, error) {
	list, ok := v.raw.([]any)
	if !ok {
		return nil, fmt.Errorf("%v is not a list of texts", v.raw)
	}
	var keys []string
	for _, raw := range list {
		line, err := value{raw, v.inFile, v.env}.text()
		if err != nil {
			return nil, err
		}
		if _, err := note.NewVerifier(line); err != nil {
			return nil, fmt.Errorf("%q is not a public key; copy the line of the file key.pub", line)
		}
		keys = append(keys, line)
	}
	return keys, nil
}

func (v value) number(low, high float64) (float64, error) {
	f := math.NaN()
	switch raw := v.raw.(type) {
	case float64:
		f = raw
	case int64:
		f = float64(raw)
	case string:
		parsed, err := strconv.ParseFloat(strings.TrimSpace(raw), 64)
		if err == nil && !v.inFile {
			f = parsed
		}
	}
	if !(low <= f && f <= high) {
		return 0, fmt.Errorf("%#v is not a number from %v to %v", v.raw, low, high)
	}
	return f, nil
}

func (v value) whole(low, high int) (int, error) {
	i, ok := v.raw.(int64)
	if s, isText := v.raw.(string); isText && !v.inFile {
		parsed, err := strconv.ParseInt(strings.TrimSpace(s), 10, 64)
		i, ok = parsed, err == nil
	}
	if !ok || i < int64(low) || i > int64(high) {
		return 0, fmt.Errorf("%#v is not a whole number from %d to %d", v.raw, low, high)
	}
	return int(i), nil
}

// nearest returns the key most similar to name, "" if none is close.
func nearest(name string) string {
	best, least := "", max(2, len(name)/3)+1
	for _, s := range settings {
		if d := distance(name, s.key); d < least {
			best, least = s.key, d
		}
	}
	return best
}

// distance returns the Levenshtein distance in bytes. O(len(a) * len(b)).
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}

// keys returns the names of all settings.
func keys() []string {
	var names []string
	for _, s := range settings {
		names = append(names, s.key)
	}
	return slices.Sorted(slices.Values(names))
}
