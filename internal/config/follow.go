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

// Follower reads the configuration of a process that goes on running again when its file changes.
// It is for one goroutine.
type Follower struct {
	flags  Flags
	file   string
	seen   string // the text of the file at the last look
	taken  string // that was read last
	advice string
}

// Follow returns a Follower of a configuration that Load returned for flags.
func (c *Config) Follow(flags Flags) *Follower {
	return &Follower{flags: flags, file: cmp.Or(c.File, ownFile(defaultName)), taken: "not read yet"}
}

// Look returns the configuration that holds now, given the one that it returned last, and what a
// person should know of the file, "" for nothing: that it cannot be used, so that the last one stays,
// or that a part of it waits for a restart. A file that changes is read when it has stopped changing:
// editors write it in several steps.
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
		f.advice = fmt.Sprintf("the memex or its state folder is another one in %s; that takes effect with the next start: fovea serve --stop", f.file)
		next.Memex, next.StateDir = now.Memex, now.StateDir
	}
	return next, f.advice
}

// Refuse records why the configuration that Look returned last is not in force, and returns what a
// person should know.
func (f *Follower) Refuse(why error) string {
	f.advice = fmt.Sprintf("%s; what was in force before stays", strings.TrimPrefix(why.Error(), "config: "))
	return f.advice
}

// perRequest are the fields that a daemon asks for at each request. The others shape its memory.
var perRequest = []string{"Problems", "File", "Ipfs", "Trust", "SemanticThreshold", "LogLimit", "Budget", "SealFor", "WritesPerMinute", "Grants", "Review",
	"ServerMemoryFile", "Sync"}

// AtOnce returns the configuration with those fields of another one, that may change at once.
func (c Config) AtOnce(next *Config) Config {
	into, from := reflect.ValueOf(&c).Elem(), reflect.ValueOf(next).Elem()
	for _, name := range perRequest {
		into.FieldByName(name).Set(from.FieldByName(name))
	}
	return c
}

// Digests returns digests of settings, by key, so that processes can compare them. Those that hold
// secrets, or that a daemon does not use, are left out.
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

// Settled reports whether the file has not changed for so long that every daemon has read it.
func (c *Config) Settled() bool {
	info, err := os.Stat(c.File)
	return err != nil || time.Since(info.ModTime()) > 2*time.Second
}
