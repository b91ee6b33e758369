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
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/BurntSushi/toml"

	"github.com/fovea-memory/fovea/internal/guard"
	"github.com/fovea-memory/fovea/internal/vfs"
	"github.com/fovea-memory/fovea/org"
	"github.com/fovea-memory/fovea/query"
)

// Config is the loaded configuration. A field with the tag key is a setting: key is its name in the file, env
// its names in the environment, of which the first one set counts, and default is TOML. The type determines how
// it is decoded, together with the tag as for texts and numbers, and of for maps; see value.decode. Tables have
// such fields too. doc/configuration.md lists the settings in this order.
type Config struct {
	// File is the configuration file that was read, "" if there is none.
	File string
	// StateDir is the absolute path of the state folder, as StateDir gives it.
	StateDir string
	// Session, Agent and Project come from the flags, "" if not given.
	Session, Agent, Project string
	// Here reports that nothing named the memex: it was inferred from the working folder.
	Here bool
	// Problems describes each unusable value and what was used instead, in one sentence each.
	Problems []string

	// Memex is the absolute path of the memex folder, which need not exist.
	Memex string `key:"memex" env:"FOVEA_MEMEX MEMEX_ROOT" default:"\"\"" as:"folder"`
	// SkillsDir is the folder of skills, absolute or relative to the memex.
	SkillsDir string `key:"skills_dir" env:"SKILLS_DIR" default:"\"skills\"" as:"path"`
	// Opaque lists additional unparsed files of the memex, absolute or relative to it.
	Opaque []string `key:"opaque" default:"[]" as:"path"`
	// OwnerNames are the names by which notes call the owner as a speaker or writer, see Owner.
	OwnerNames []string `key:"owner_names" default:"[\"user\", \"me\", \"human\"]" as:"text"`
	// Projects maps a project's name to the paths of its files, absolute or relative to the
	// memex; nil for none.
	Projects map[string][]string `key:"projects" default:"{}" of:"lists of paths" as:"path"`
	// Guard determines, by pattern, how changes by other programs are treated.
	Guard guard.Rules `key:"guard" default:"{}"`
	// Trust selects the notes that windows treat like the owner's.
	Trust Trust `key:"trust" default:"{}"`
	// Embed configures the embedder.
	Embed Embed `key:"embed" default:"{}"`
	// Rerank configures the reranker of searches.
	Rerank Rerank `key:"rerank" default:"{}"`
	// Ipfs is the address of the IPFS daemon.
	Ipfs IPFS `key:"ipfs" env:"FOVEA_IPFS_API" default:"{}"`
	// Summary configures the model that summarizes blocks that do not fit a window.
	Summary Summary `key:"summary" default:"{}"`
	// Record selects what is recorded about agents besides what they write.
	Record Record `key:"record" default:"{}"`
	// Org holds the person's Emacs settings for reading Org files; nil for none.
	Org *org.Defaults `key:"org" default:"{}"`
	// EmacsLocations is the absolute path of Emacs' file of id locations, "" for the default paths.
	EmacsLocations string `key:"emacs_locations" default:"\"\"" as:"folder"`
	// ServerMemoryFile is the absolute path of the graph file of the MCP server
	// server-memory, "" for none.
	ServerMemoryFile string `key:"server_memory_file" env:"MEMORY_FILE_PATH" default:"\"\"" as:"folder"`
	// SemanticThreshold is the similarity, 0 to 1, from which a neighbour of the focus is shown in
	// full.
	SemanticThreshold float64 `key:"semantic_threshold" env:"CONTEXT_SEMANTIC_THRESHOLD" default:"0.75"`
	// LogLimit is the number of log lines shown, 0 to 1000.
	LogLimit int `key:"log_limit" env:"CONTEXT_LOG_LIMIT" default:"20" as:"0 to 1000"`
	// Budget is the maximum number of tokens of a window, at least 1.
	Budget int `key:"budget" default:"8000" as:"1 to 10000000"`
	// Color determines when output is coloured.
	Color string `key:"color" default:"\"auto\"" as:"color"`
	// Pager is the command that shows long output at a terminal, "cat" for none, "" if not given.
	Pager string `key:"pager" env:"FOVEA_PAGER" default:"\"\"" as:"pager"`
	// Alerts are the URLs that the daemon notifies when protected files change. They contain secrets.
	Alerts []string `key:"alerts" default:"[]" as:"text"`
	// TrustedKeys are the public keys of other machines whose signatures of heads are
	// accepted, in the format of note.NewVerifier.
	TrustedKeys []string `key:"trusted_keys" default:"[]" as:"key"`
	// SealFor are the age recipients that bundles are sealed for besides this machine.
	SealFor []string `key:"seal_for" default:"[]" as:"recipient"`
	// Sync determines when the daemon syncs the memory with its remotes; "once" means at its start.
	Sync string `key:"sync" default:"\"always\"" as:"when"`
	// HistoryWarnMb is the size of the history, in MiB, from which status warns.
	HistoryWarnMb int `key:"history_warn_mb" default:"1024" as:"1 to 1073741824"`
	// WritesPerMinute limits the writes of each agent through a daemon, at least 1.
	WritesPerMinute int `key:"writes_per_minute" default:"30000" as:"1 to 1000000000"`
	// Grants maps an agent to its additional rights.
	Grants map[string]Grant `key:"grants" default:"{}" of:"agents"`
	// Review lists files, and folders with a trailing slash, in which the changes of every agent
	// become proposals.
	Review []string `key:"review" default:"[]" as:"text"`
}

// The values of Config.Color.
const (
	Auto   = "auto"
	Always = "always"
	Never  = "never"
)

// The values of Config.Sync.
const (
	SyncAlways = "always"
	SyncOnce   = "once"
	SyncOff    = "off"
)

// Flags are the values of the command line, which override everything; "" means not given. Paths are not
// expanded: the shell has done that.
type Flags struct {
	// Memex is the folder of the memex, relative to the working folder.
	Memex string `flag:"--memex <FOLDER> of Org files (else $FOVEA_MEMEX, $MEMEX_ROOT, the configuration, the folder you stand in)"`
	// Here is the working folder, from which the memex is inferred if nothing names it; "" if it
	// must be named.
	Here string
	// Session, Agent and Project are copied to Config.
	Session string `flag:"--session session <ID> to read and write in; commits are recorded under it"`
	Agent   string `flag:"--agent <NAME> recorded as the author of commits"`
	Project string `flag:"--project project of this <NAME> to read and write in"`
}

// Load returns the configuration from flags, the environment and the file, in this order. If file is "", the
// file is fovea/config.toml below XDG_CONFIG_HOME or ~/.config, and may be missing. It returns ErrNoMemex,
// ErrFile, or an error of StateDir; other problems are in Problems. With ErrFile, the configuration still names
// the memex if possible, because its daemon may be running.
func Load(flags Flags, file string) (Config, error) {
	name, values, broken := readFile(file)
	c := Config{File: name, Session: flags.Session, Agent: flags.Agent, Project: flags.Project}
	for _, s := range settings {
		broken = cmp.Or(broken, c.take(s, values))
	}
	var err error
	for _, key := range slices.Sorted(maps.Keys(values)) {
		c.unknown(key)
	}
	if flags.Memex != "" {
		if c.Memex, err = filepath.Abs(flags.Memex); err != nil {
			return Config{}, fmt.Errorf("config: memex %s: %w", flags.Memex, err)
		}
	}
	if _, inFile := values[settings[0].key]; broken == nil && flags.Here != "" && c.Memex == "" && !inFile && !set(settings[0].env) {
		c.Memex = here(flags.Here)
		c.Here = c.Memex != ""
	}
	if c.Memex == "" {
		err = fmt.Errorf("config: %w", ErrNoMemex)
		if len(c.Problems) > 0 { // one of them may be the cause
			err = fmt.Errorf("%w (%s)", err, strings.Join(c.Problems, "; "))
		}
		return Config{}, cmp.Or(broken, err)
	}
	if c.StateDir, err = StateDir(c.Memex); err != nil {
		return Config{}, cmp.Or(broken, err)
	}
	return c, broken
}

// set reports whether any of the names has a value in the environment.
func set(names []string) bool {
	return slices.ContainsFunc(names, func(name string) bool { return strings.TrimSpace(os.Getenv(name)) != "" })
}

// take sets one setting from the first source with a usable value for it.
func (c *Config) take(s setting, values map[string]any) error {
	for _, name := range s.env {
		if text := os.Getenv(name); strings.TrimSpace(text) != "" {
			err := c.set(s, value{raw: text})
			if err == nil {
				return nil
			}
			c.problem(name, "%v; it is ignored", err)
		}
	}
	if raw, ok := values[s.key]; ok {
		switch err := c.set(s, value{raw: raw, inFile: true}); {
		case err == nil:
			return nil
		case s.key == "guard": // ignoring it would leave files unprotected
			return fmt.Errorf("config: %s: %s: %w: %w", c.place(s.key), s.key, ErrFile, err)
		default:
			c.problem(c.place(s.key)+": "+s.key, "%v; it is ignored", err)
		}
	}
	var parsed map[string]any
	if _, err := toml.Decode("v = "+s.standard, &parsed); err != nil {
		panic(err) // programming error
	}
	if parsed["v"] == "" {
		return nil
	}
	return c.set(s, value{raw: parsed["v"], inFile: true})
}

// problem records what is wrong at a place.
func (c *Config) problem(where, format string, a ...any) {
	c.Problems = append(c.Problems, where+": "+fmt.Sprintf(format, a...))
}

// set decodes a value of a setting. The tables guard and org have rules of their own.
func (c *Config) set(s setting, v value) (err error) {
	switch s.key {
	case "guard":
		c.Guard, err = v.guard()
	case "org":
		c.Org, err = c.org(v)
	default:
		err = s.set(reflect.ValueOf(c).Elem(), v)
	}
	return err
}

// unknown records a problem about an unknown key in the file.
func (c *Config) unknown(key string) {
	keys := keysOf(settings)
	if slices.Contains(keys, key) {
		return
	}
	hint := "the keys are " + names(settings)
	if near := query.Closest(key, keys, max(2, len(key)/3)); key == "relaxed_ms" {
		hint = "it is removed: every commit is on disk before it is acknowledged"
	} else if near != "" {
		hint = "did you mean " + near + "?"
	}
	c.problem(c.place(key), "unknown key %q; %s", key, hint)
}

// readFile returns the name of the file and the values in it. Only the default file may be
// missing.
func readFile(file string) (string, map[string]any, error) {
	name := cmp.Or(file, ownFile(defaultName))
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
		_, _ = toml.Decode(string(memexLine.Find(text)), &values) // the memex stays unknown if this fails too
		return name, values, fmt.Errorf("config: read %s: %w: %w", name, ErrFile, err)
	}
	return name, values, nil
}

// memexLine matches the line that names the memex in a file that is not TOML.
var memexLine = regexp.MustCompile(`(?m)^memex\s*=.*$`)

// leadsNowhere returns an error if name, or a folder above it, is a dangling link. Such a configuration was meant
// to exist, so it does not count as missing.
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
		return cmp.Or(err, fmt.Errorf("%s is a link to %s, which does not exist; fix the link or remove it", at, target))
	}
}

// configHome returns the user's configuration folder, "" without XDG_CONFIG_HOME and HOME.
func configHome() string {
	if dir := os.Getenv("XDG_CONFIG_HOME"); filepath.IsAbs(dir) {
		return dir
	}
	if home := Home(); filepath.IsAbs(home) {
		return filepath.Join(home, ".config")
	}
	return ""
}

// ownFile returns the path of a file in the folder of the configuration file, "" if there is no such folder.
func ownFile(name string) string {
	if home := configHome(); home != "" {
		return filepath.Join(home, "fovea", name)
	}
	return ""
}

// defaultName is the default name of the configuration file.
const defaultName = "config.toml"

// Errors of Load and StateDir. They come wrapped with the path concerned.
var (
	// ErrNoMemex is returned by Load if nothing names the memex.
	ErrNoMemex = errors.New("no memex is named; use --memex FOLDER, set FOVEA_MEMEX or MEMEX_ROOT, write memex = \"FOLDER\" into the configuration " +
		"file, or work in a folder that has Org files")
	// ErrFile is returned by Load if the configuration file cannot be read or is not TOML.
	// Its policy is unknown then, so nothing may proceed.
	ErrFile = errors.New("the configuration file cannot be used")
	// ErrStateFile is returned if a file is in the place of the state folder, or of a folder above
	// it. The file is not changed.
	ErrStateFile = errors.New("a file is in the way and is left alone; move it, or name another folder in MEMORY_SNAPSHOT_PATH")
	// ErrStateInside is returned if the state folder would be inside the memex.
	ErrStateInside = errors.New("the state folder may not lie inside the memex; name one elsewhere in MEMORY_SNAPSHOT_PATH")
	// ErrNoHome is returned if nothing determines the state folder.
	ErrNoHome = errors.New("no place for the state folder; set HOME, XDG_STATE_HOME, SYSTEM_DIR or MEMORY_SNAPSHOT_PATH")
)

// Coloured reports whether the environment allows colour at a terminal.
func Coloured() bool { return os.Getenv("NO_COLOR") == "" && !dumb() }

// dumb reports whether the terminal has no capabilities beyond printing.
func dumb() bool { return slices.Contains([]string{"", "dumb"}, os.Getenv("TERM")) }

// PagerCommand returns the command that shows long output at a terminal, "" for none.
func (c *Config) PagerCommand() string {
	own, given := os.LookupEnv("FOVEA_PAGER")
	other, set := os.LookupEnv("PAGER")
	command := cmp.Or(c.Pager, strings.TrimSpace(other))
	if command == "" && !set {
		command = "less"
	}
	if command == noPager || given && own == "" || dumb() {
		return ""
	}
	return command
}

// PagerEnvironment returns the environment of a pager. As with git, less quits if the text fits one screen, shows
// colour and leaves its text on the screen.
func PagerEnvironment() []string {
	return append([]string{"LESS=FRX", "LV=-c"}, os.Environ()...) // the last value of a name counts
}

// noPager is the value of Pager that disables it.
const noPager = "cat"

// Owner returns OwnerNames, and the name of the user's account.
func (c *Config) Owner() []string { return append(slices.Clone(c.OwnerNames), os.Getenv("USER")) }

// maxColumns is the largest width that COLUMNS may have.
const maxColumns = 10_000

// Columns returns the terminal's width in cells from COLUMNS, 0 if not set or invalid.
func Columns() int {
	wide, err := strconv.Atoi(os.Getenv("COLUMNS"))
	if err != nil || wide < 1 || wide > maxColumns {
		return 0
	}
	return wide
}
