// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package config

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// standard is what Load gives for the memex notes and nothing else.
func standard(root string) Config {
	return Config{
		Memex: filepath.Join(root, "notes"), StateDir: filepath.Join(root, "state"),
		SkillsDir: "skills", OwnerNames: []string{"user", "me", "human"}, SemanticThreshold: 0.75, LogLimit: 20, Budget: 8000,
		HistoryWarnMb: 1024, WritesPerMinute: 30_000, Sync: SyncAlways, Color: Auto,
	}
}

func TestLoad(t *testing.T) {
	const everything = `
memex = "$ROOT/from-file"
skills_dir = "tricks"
opaque = ["a.go", "$ROOT/b.go"]
projects = {kaplja = ["projects/kaplja.org", "$ROOT/rain"]}
semantic_threshold = 1
log_limit = 7
budget = 100
`
	root := folders(t, "notes")
	for _, tc := range []struct {
		name, file string
		vars       map[string]string
		flags      Flags
		want       func(*Config)
	}{
		{name: "defaults", flags: Flags{Memex: root + "/notes"}, want: func(*Config) {}},
		{
			name: "flags go first", file: everything,
			vars:  map[string]string{"FOVEA_MEMEX": root + "/from-env"},
			flags: Flags{Memex: root + "/notes", Session: "s", Agent: "a", Project: "p"},
			want: func(c *Config) {
				c.Session, c.Agent, c.Project = "s", "a", "p"
				c.Projects = map[string][]string{"kaplja": {"projects/kaplja.org", root + "/rain"}}
				c.SkillsDir, c.Opaque, c.SemanticThreshold, c.LogLimit, c.Budget = "tricks", []string{"a.go", root + "/b.go"}, 1, 7, 100
			},
		},
		{
			name: "environment before file", file: everything,
			vars: map[string]string{"FOVEA_MEMEX": " '$ROOT/notes' ", "MEMEX_ROOT": "/no", "SKILLS_DIR": "$ROOT/s", "CONTEXT_SEMANTIC_THRESHOLD": " .5 ",
				"CONTEXT_LOG_LIMIT": "0"},
			want: func(c *Config) {
				c.Projects = map[string][]string{"kaplja": {"projects/kaplja.org", root + "/rain"}}
				c.SkillsDir, c.Opaque, c.SemanticThreshold, c.LogLimit, c.Budget = root+"/s", []string{"a.go", root + "/b.go"}, 0.5, 0, 100
			},
		},
		{name: "MEMEX_ROOT", vars: map[string]string{"MEMEX_ROOT": "$ROOT/notes", "FOVEA_MEMEX": " "}, want: func(*Config) {}},
		{name: "file before default", file: `memex = "~/notes"`, want: func(*Config) {}},
		{
			name: "bad values in the environment", file: `log_limit = 7`, flags: Flags{Memex: root + "/notes"},
			vars: map[string]string{"CONTEXT_SEMANTIC_THRESHOLD": "(quit)", "CONTEXT_LOG_LIMIT": "1e9"},
			want: func(c *Config) {
				c.LogLimit = 7
				c.Problems = []string{
					`CONTEXT_SEMANTIC_THRESHOLD: "(quit)" is not a number from 0 to 1; it is ignored`,
					`CONTEXT_LOG_LIMIT: "1e9" is not a whole number from 0 to 1000; it is ignored`,
				}
			},
		},
		{
			name: "bad values in the file", flags: Flags{Memex: root + "/notes"},
			file: "memex = \"notes\"\nskills_dir = 3\nopaque = [1]\nprojects = {a = \"x\"}\nsemantic_threshold = nan\nlog_limit = \"20\"\nbudget = 0\n",
			want: func(c *Config) {
				c.Problems = []string{
					`FILE:1: memex: "notes" does not start at / or ~; it is ignored`,
					`FILE:2: skills_dir: 3 is not a text; it is ignored`,
					`FILE:3: opaque: 1 is not a text; it is ignored`,
					`FILE:4: projects: a: x is not a list of texts; it is ignored`,
					`FILE:5: semantic_threshold: NaN is not a number from 0 to 1; it is ignored`,
					`FILE:6: log_limit: "20" is not a whole number from 0 to 1000; it is ignored`,
					`FILE:7: budget: 0 is not a whole number from 1 to 10000000; it is ignored`,
				}
			},
		},
		{
			name: "unknown keys", flags: Flags{Memex: root + "/notes"},
			file: "bugdet = 1\nrelaxed_ms = 50\n[zebra.crossing]\nx = 1\n",
			want: func(c *Config) {
				c.Problems = []string{
					`FILE:1: unknown key "bugdet"; did you mean budget?`,
					`FILE:2: unknown key "relaxed_ms"; it is removed: every commit is on disk before it is acknowledged`,
					`FILE:3: unknown key "zebra"; the keys are alerts, budget, color, emacs_locations, embed, grants, guard, history_warn_mb, ipfs, log_limit, memex, ` +
						`opaque, org, owner_names, pager, projects, record, rerank, review, seal_for, semantic_threshold, ` +
						`server_memory_file, skills_dir, summary, sync, trust, trusted_keys, writes_per_minute`,
				}
			},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			vars := map[string]string{"MEMORY_SNAPSHOT_PATH": root + "/state", "ROOT": root, "HOME": root}
			maps.Copy(vars, tc.vars)
			want := standard(root)
			name := ""
			if tc.file != "" {
				name = filepath.Join(t.TempDir(), "config.toml")
				file(t, name, tc.file)
				want.File = name
			}
			tc.want(&want)
			for i := range want.Problems {
				want.Problems[i] = strings.ReplaceAll(want.Problems[i], "FILE", name)
			}
			environment(t, vars)
			got, err := Load(tc.flags, name)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestLoadFindsTheFile(t *testing.T) {
	root := folders(t, "xdg/fovea", ".config/fovea")
	file(t, filepath.Join(root, "xdg/fovea/config.toml"), "budget = 1")
	file(t, filepath.Join(root, ".config/fovea/config.toml"), "budget = 2")
	for _, tc := range []struct {
		name string
		vars map[string]string
		want int
	}{
		{"XDG", map[string]string{"XDG_CONFIG_HOME": root + "/xdg", "HOME": root}, 1},
		{"home", map[string]string{"HOME": root}, 2},
		{"relative XDG does not count", map[string]string{"XDG_CONFIG_HOME": "xdg", "HOME": root}, 2},
		{"no file", map[string]string{"XDG_CONFIG_HOME": root + "/none"}, 8000},
		{"no place", nil, 8000},
	} {
		t.Run(tc.name, func(t *testing.T) {
			vars := map[string]string{"MEMORY_SNAPSHOT_PATH": root + "/state", "MEMEX_ROOT": root + "/notes"}
			maps.Copy(vars, tc.vars)
			environment(t, vars)
			if c, err := Load(Flags{}, ""); err != nil || c.Budget != tc.want {
				t.Errorf("got %d, %v, want %d", c.Budget, err, tc.want)
			}
		})
	}
}

func TestLoadRefuses(t *testing.T) {
	root := folders(t, "notes", "folder.toml")
	bad := filepath.Join(root, "bad.toml")
	file(t, bad, "budget = 1\nmemex = \n")
	named := filepath.Join(root, "named.toml")
	file(t, named, "memex = '"+root+"/notes' # mine\nx = [\n[org]\n")
	relative := filepath.Join(root, "relative.toml")
	file(t, relative, "memex = 'notes'")
	for _, tc := range []struct {
		name, file, memex string
		want              error
		says              string
	}{
		{"no memex", "", "", ErrNoMemex, "--memex"},
		{"a memex that cannot be used", relative, "", ErrNoMemex, "does not start at"},
		{"no TOML", bad, "notes", ErrFile, "line 2"},
		{"a file that was named and is not there", filepath.Join(root, "none.toml"), "notes", os.ErrNotExist, "none.toml"},
		{"no TOML, but it names the memex", named, "", ErrFile, "line 3"},
		{"a folder", filepath.Join(root, "folder.toml"), "notes", ErrFile, "folder.toml"},
		{"no place for state", "", "notes", ErrNoHome, "XDG_STATE_HOME"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			vars := map[string]string{}
			if tc.file == named {
				vars["XDG_STATE_HOME"] = root
			}
			environment(t, vars)
			c, err := Load(Flags{Memex: tc.memex}, tc.file)
			if tc.file == named && c.Memex != filepath.Join(root, "notes") { // its daemon may run
				t.Errorf("the memex is %q", c.Memex)
			}
			if !errors.Is(err, tc.want) || !strings.Contains(err.Error(), tc.says) || strings.Contains(err.Error(), "\n") {
				t.Errorf("got %v, want %v and the words %q", err, tc.want, tc.says)
			}
		})
	}
}

// TestLoadLinks checks that a configuration behind a link is read, and that a link to
// nowhere, at the file or above it, is an error and not the same as no configuration.
func TestLoadLinks(t *testing.T) {
	for _, tc := range []struct {
		name, link, target string // below the root
		nowhere            bool
	}{
		{"the file", "xdg/fovea/config.toml", "kept/config.toml", false},
		{"the folder", "xdg/fovea", "kept", false},
		{"the file leads nowhere", "xdg/fovea/config.toml", "unmounted/config.toml", true},
		{"the folder leads nowhere", "xdg/fovea", "unmounted", true},
		{"the folder above leads nowhere", "xdg", "unmounted/xdg", true},
		{"the file leads to a link that leads nowhere", "xdg/fovea/config.toml", "kept/dangling", true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			root := folders(t, "notes", "kept", filepath.Dir(tc.link))
			file(t, filepath.Join(root, "kept/config.toml"), "budget = 1\n[guard]\nlockdown = ['/people/']\n")
			for link, target := range map[string]string{tc.link: tc.target, "kept/dangling": "unmounted/config.toml"} {
				if err := os.Symlink(filepath.Join(root, target), filepath.Join(root, link)); err != nil {
					t.Fatal(err)
				}
			}
			environment(t, map[string]string{"XDG_CONFIG_HOME": root + "/xdg", "MEMORY_SNAPSHOT_PATH": root + "/state"})
			c, err := Load(Flags{Memex: root + "/notes"}, "")
			if !tc.nowhere {
				if err != nil || len(c.Guard.Lockdown) != 1 {
					t.Errorf("got the rules %v, %v", c.Guard, err)
				}
				return
			}
			if !errors.Is(err, ErrFile) || !strings.Contains(err.Error(), filepath.Join(root, tc.link)+" is a link to ") ||
				!strings.Contains(err.Error(), "fix the link or remove it") {
				t.Errorf("got %v and the rules %v", err, c.Guard)
			}
		})
	}
}

// TestConfigurationPage compares the page with the settings, and the settings
// with the fields of Config.
func TestConfigurationPage(t *testing.T) {
	page, err := os.ReadFile("../../doc/configuration.md")
	if err != nil {
		t.Fatal(err)
	}
	var got, want [][]string
	for _, row := range regexp.MustCompile("(?m)^\\| `(\\w+)` \\| (.*?) \\| `?(.*?)`? \\| (.*?) \\| ").FindAllStringSubmatch(string(page), -1) {
		flag := ""
		if row[4] != "-" {
			flag = row[4]
		}
		got = append(got, []string{row[1], strings.ReplaceAll(row[2], "`", ""), row[3], flag})
	}
	for _, s := range settings {
		env, flag := strings.Join(s.env, ", "), ""
		if env == "" {
			env = "-"
		}
		if _, ok := reflect.TypeFor[Flags]().FieldByName(fieldOf(s)); ok {
			flag = "`--" + s.key + "`"
		}
		if _, ok := reflect.TypeFor[Config]().FieldByName(fieldOf(s)); !ok {
			t.Errorf("%s sets no field of Config", s.key)
		}
		want = append(want, []string{s.key, env, s.standard, flag})
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-code +page):\n%s", diff)
	}
	derived := []string{"File", "StateDir", "Problems"}
	flags := reflect.TypeFor[Flags]()
	for field := range flags.Fields() {
		name := field.Name
		derived = append(derived, name)
		if name == "Here" { // which no flag gives
			continue
		}
		if !strings.Contains(string(page), "`--"+strings.ToLower(name)+"`") {
			t.Errorf("the page lacks the flag --%s", strings.ToLower(name))
		}
	}
	var known strings.Builder
	known.WriteString(" " + strings.Join(derived, " ") + " ")
	for _, s := range settings {
		known.WriteString(fieldOf(s) + " ")
	}
	fields := reflect.TypeFor[Config]()
	for field := range fields.Fields() {
		if name := field.Name; !strings.Contains(known.String(), " "+name+" ") {
			t.Errorf("the field %s has no setting", name)
		}
	}
	for _, name := range []string{"MEMORY_SNAPSHOT_PATH", "SYSTEM_DIR", "XDG_STATE_HOME", "XDG_CONFIG_HOME"} {
		if !strings.Contains(string(page), name) {
			t.Errorf("the page lacks %s", name)
		}
	}
}

// fieldOf is the name of the field of Config for a key: log_limit, LogLimit.
func fieldOf(s setting) string {
	var name strings.Builder
	for part := range strings.SplitSeq(s.key, "_") {
		name.WriteString(strings.ToUpper(part[:1]) + part[1:])
	}
	return name.String()
}
