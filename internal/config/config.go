// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package config

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"

	"github.com/fovea-memory/fovea/internal/guard"
	"github.com/fovea-memory/fovea/internal/vfs"
	"github.com/fovea-memory/fovea/org"
)

// Config is what was chosen. doc/configuration.md lists the settings with their
// names and defaults.
type Config struct {
	// File is the configuration file that was read, "" if there is none.
	File string
	// Memex is the absolute path of the memex folder, which need not exist.
	Memex string
	// Here says that nothing named the memex: it is the folder that somebody stands in.
	Here bool
	// StateDir is the absolute path of its state folder, as StateDir gives it.
	StateDir string
	// Session, Agent and Project are those of the flags, "" where not given.
	Session, Agent, Project string
	// SkillsDir is the folder of skills, absolute or relative to the memex.
	SkillsDir string
	// Opaque are further files that belong to the memex, unparsed, absolute or
	// relative to it.
	Opaque []string
	// Projects are the paths of the files that are a project's, by its name,
	// absolute or relative to the memex; nil for none.
	Projects map[string][]string
	// Guard says what becomes of files that somebody else changed, by pattern.
	Guard guard.Rules
	// Alerts are URLs of where the daemon tells of protected files that changed. They
	// hold tokens.
	Alerts []string
	// Org are the settings of the person's Emacs under which Org files are read; nil for
	// none.
	Org *org.Defaults
	// EmacsLocations is the absolute path of the file in which Emacs keeps where ids
	// are, "" for the places where Emacs puts it.
	EmacsLocations string
	// ServerMemoryFile is the absolute path of the file that the MCP server
	// server-memory keeps its graph in, "" for none.
	ServerMemoryFile string
	// SemanticThreshold is the similarity, 0 to 1, from which a neighbour of
	// the focus is shown in full.
	SemanticThreshold float64
	// LogLimit is how many lines of the log are shown, 0 to 1000.
	LogLimit int
	// Budget is how many tokens a window may have, at least 1.
	Budget int
	// TrustedKeys are the public keys of other machines whose signatures under
	// heads count, as note.NewVerifier takes them.
	TrustedKeys []string
	// RelaxedMs is how many milliseconds a commit may wait for its sync, 0 to
	// 60,000. 0 tells no commit before it is on the disk.
	RelaxedMs int
	// HistoryWarnMb is from how many MiB of history status warns.
	HistoryWarnMb int
	// WritesPerMinute is how often each agent may write through a daemon, at least 1.
	WritesPerMinute int
	// Grants are what agents may do beyond what every agent may, by agent.
	Grants map[string]Grant
	// Problems name each value that could not be used and what was used
	// instead, one sentence each, for a person.
	Problems []string
}

// Flags are the values of the command line that go before everything; "" is
// not given. Paths in them are taken as they are: the shell has expanded them.
type Flags struct {
	// Memex is the folder of the memex, relative to the working folder.
	Memex string
	// Here is the working folder, of which the memex is told where nothing names it;
	// "" where it must be named.
	Here string
	// Session, Agent and Project are passed on to Config.
	Session, Agent, Project string
}

// Load returns the configuration from flags, the environment and the file, in
// this order. env is os.Getenv if nil, as in StateDir. If file is "", the file is fovea/config.toml
// below XDG_CONFIG_HOME or ~/.config, and may be missing. It returns ErrNoMemex,
// ErrFile, or an error of StateDir; whatever else is wrong is in Problems.
func Load(env func(string) string, flags Flags, file string) (Config, error) {
	env = environmentOr(env)
	name, values, err := readFile(env, file)
	if err != nil {
		return Config{}, err
	}
	c := Config{File: name, Session: flags.Session, Agent: flags.Agent, Project: flags.Project}
	for _, s := range settings {
		if err := c.take(s, env, values); err != nil {
			return Config{}, err
		}
	}
	for _, key := range slices.Sorted(maps.Keys(values)) {
		c.unknown(key)
	}
	if flags.Memex != "" {
		if c.Memex, err = filepath.Abs(flags.Memex); err != nil {
			return Config{}, fmt.Errorf("config: memex %s: %w", flags.Memex, err)
		}
	}
	if _, inFile := values[settings[0].key]; flags.Here != "" && c.Memex == "" && !inFile && !set(env, settings[0].env) {
		c.Memex = here(env, flags.Here)
		c.Here = c.Memex != ""
	}
	if c.Memex == "" {
		return Config{}, c.noMemex()
	}
	if c.StateDir, err = StateDir(env, c.Memex); err != nil {
		return Config{}, err
	}
	return c, nil
}

// environmentOr returns env, or that of the process: no other package may name it.
func environmentOr(env func(string) string) func(string) string {
	if env == nil {
		return os.Getenv
	}
	return env
}

// set reports whether one of the names has a value in the environment.
func set(env func(string) string, names []string) bool {
	return slices.ContainsFunc(names, func(name string) bool { return strings.TrimSpace(env(name)) != "" })
}

// noMemex names the problems too: one of them may be why the memex has no name.
func (c *Config) noMemex() error {
	if len(c.Problems) == 0 {
		return fmt.Errorf("config: %w", ErrNoMemex)
	}
	return fmt.Errorf("config: %w (%s)", ErrNoMemex, strings.Join(c.Problems, "; "))
}

// take sets one setting from the first place that has a value for it that can
// be used.
func (c *Config) take(s setting, env func(string) string, values map[string]any) error {
	type found struct {
		where string
		value value
	}
	var all []found
	for _, name := range s.env {
		if text := env(name); strings.TrimSpace(text) != "" {
			all = append(all, found{name, value{text, false, env}})
		}
	}
	if raw, ok := values[s.key]; ok {
		all = append(all, found{c.File + ": " + s.key, value{raw, true, env}})
	}
	for _, f := range all {
		err := s.set(c, f.value)
		switch {
		case err == nil:
			return nil
		case errors.Is(err, errPolicy): // what it was to protect would not be
			return fmt.Errorf("config: %s: %w: %w", f.where, ErrFile, err)
		}
		c.Problems = append(c.Problems, fmt.Sprintf("%s: %v; it is ignored", f.where, err))
	}
	s.setStandard(c)
	return nil
}

// unknown complains about a key of the file that no setting has.
func (c *Config) unknown(key string) {
	if slices.Contains(keys(), key) {
		return
	}
	hint := "the keys are " + strings.Join(keys(), ", ")
	if near := nearest(key); near != "" {
		hint = "did you mean " + near + "?"
	}
	c.Problems = append(c.Problems, fmt.Sprintf("%s: unknown key %q; %s", c.File, key, hint))
}

// setStandard sets the default. The text of it is ours, so it cannot fail.
func (s setting) setStandard(c *Config) {
	var parsed map[string]any
	if _, err := toml.Decode("v = "+s.standard, &parsed); err != nil {
		panic(err)
	}
	if parsed["v"] == "" {
		return
	}
	if err := s.set(c, value{parsed["v"], true, func(string) string { return "" }}); err != nil {
		panic(err)
	}
}

// readFile returns the name of the file and the values in it. Only a file that
// nobody named may be missing.
func readFile(env func(string) string, file string) (string, map[string]any, error) {
	name := file
	if name == "" {
		name = defaultFile(env)
	}
	if name == "" {
		return "", nil, nil
	}
	text, err := vfs.ReadPlain(name)
	if errors.Is(err, fs.ErrNotExist) && file == "" {
		if err = leadsNowhere(name); err == nil {
			return "", nil, nil
		}
	}
	values := map[string]any{}
	if err == nil {
		_, err = toml.Decode(string(text), &values)
	}
	if err != nil {
		return "", nil, fmt.Errorf("config: read %s: %w: %w", name, ErrFile, err)
	}
	return name, values, nil
}

// leadsNowhere returns an error when name, or a folder above it, is a link whose target
// does not exist. Such a configuration was meant to be there: it does not count as none.
func leadsNowhere(name string) error {
	for at := name; ; at = filepath.Dir(at) {
		info, err := os.Lstat(at)
		if errors.Is(err, fs.ErrNotExist) && at != filepath.Dir(at) {
			continue
		}
		if err != nil || info.Mode()&fs.ModeSymlink == 0 {
			return err
		}
		if _, err := os.Stat(at); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		target, err := os.Readlink(at)
		return cmp.Or(err, fmt.Errorf("%s is a link to %s, which does not exist; mend the link or remove it", at, target))
	}
}

// defaultFile is where the file is looked for, "" if there is no such place.
func defaultFile(env func(string) string) string {
	if dir := env("XDG_CONFIG_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "fovea", "config.toml")
	}
	if home := env("HOME"); filepath.IsAbs(home) {
		return filepath.Join(home, ".config", "fovea", "config.toml")
	}
	return ""
}
