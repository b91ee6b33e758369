// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package config

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/fovea-memory/fovea/internal/vfs"
)

// Follower rereads the configuration of a running process when the file changes. It is not safe for concurrent use.
type Follower struct {
	flags  Flags
	file   string
	seen   string // the text of the file at the last call of Look
	taken  string // the text that was loaded last
	advice string
}

// Follow returns a Follower of a configuration that Load returned for flags.
func (c *Config) Follow(flags Flags) *Follower {
	return &Follower{flags: flags, file: cmp.Or(c.File, ownFile(defaultName)), taken: "not read yet"}
}

// Look returns the present configuration, given the one that it returned last, and a message for a person, "" for
// none: that the file cannot be used, so that the last configuration stays, or that part of it needs a restart. A
// changed file is loaded only when two calls find the same text, because editors write it in several steps.
func (f *Follower) Look(now Config) (Config, string) {
	text, err := vfs.ReadPlain(f.file)
	at := fmt.Sprintf("%v\n%s", err, text)
	if stable := at == f.seen; !stable || at == f.taken {
		f.seen = at
		return now, f.advice
	}
	f.taken, f.advice = at, ""
	if errors.Is(err, fs.ErrNotExist) && now.File == "" {
		return now, ""
	}
	next, err := Load(f.flags, f.file)
	for _, p := range next.Problems {
		bare := func(p string) string { return strings.TrimLeft(strings.TrimPrefix(p, f.file), ":0123456789") } // lines move
		if err == nil && !slices.ContainsFunc(now.Problems, func(old string) bool { return bare(old) == bare(p) }) {
			err = errors.New(strings.TrimSuffix(p, "; it is ignored"))
		}
	}
	if err != nil {
		return now, f.Refuse(err)
	}
	if next.Memex != now.Memex || next.StateDir != now.StateDir {
		f.advice = fmt.Sprintf("%s names another memex or state folder; it takes effect at the next start: fovea serve --stop", f.file)
		next.Memex, next.StateDir = now.Memex, now.StateDir
	}
	return next, f.advice
}

// Refuse records why the configuration that Look returned last is not in force, and returns the message for a person.
func (f *Follower) Refuse(why error) string {
	f.advice = fmt.Sprintf("%s; what was in force before stays", strings.TrimPrefix(why.Error(), "config: "))
	return f.advice
}

// perRequest lists the fields that a daemon reads at each request. The others need a restart.
var perRequest = []string{"Problems", "File", "Ipfs", "Trust", "SemanticThreshold", "LogLimit", "Budget", "SealFor", "WritesPerMinute", "Grants", "Review",
	"ServerMemoryFile", "Sync"}

// AtOnce returns the configuration with the fields of next that may change without a restart.
func (c Config) AtOnce(next *Config) Config {
	into, from := reflect.ValueOf(&c).Elem(), reflect.ValueOf(next).Elem()
	for _, name := range perRequest {
		into.FieldByName(name).Set(from.FieldByName(name))
	}
	return c
}

// Digests returns digests of settings, by key, so that processes can compare them. It omits those that hold
// secrets, and those that a daemon does not use.
func (c *Config) Digests() map[string]string {
	all := map[string]string{}
	for _, s := range settings {
		if slices.Contains([]string{"memex", "server_memory_file", "alerts", "color", "pager"}, s.key) {
			continue
		}
		text, err := json.Marshal(reflect.ValueOf(c).Elem().Field(s.field).Interface())
		if err != nil {
			text = []byte(err.Error())
		}
		all[s.key] = fmt.Sprintf("%x", sha256.Sum256(text))[:12]
	}
	return all
}

// Settled reports whether the file has been unchanged long enough for every daemon to have read it.
func (c *Config) Settled() bool {
	info, err := os.Stat(c.File)
	return err != nil || time.Since(info.ModTime()) > 2*time.Second
}
