// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package clients

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"

	"github.com/fovea-memory/fovea/internal/vfs"
)

// mergeFile replaces a file's text with merge's result and keeps a copy of the old file next
// to it. It follows symbolic links. It does not change a read-only file.
func mergeFile(file string, merge edit) (kept string, changed bool, err error) {
	file = realPath(file)
	old, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", false, err
	}
	next, err := merge(string(old))
	if err != nil || next == string(old) {
		return "", false, err
	}
	if info, err := os.Stat(file); err == nil && info.Mode().Perm()&0o222 == 0 {
		return "", false, errors.New("it is read-only; make it writable, or change it by hand")
	}
	if len(old) > 0 {
		if kept, err = keepBeside(file, old); err != nil {
			return "", false, err
		}
	} else if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return "", false, err
	}
	return kept, true, vfs.WriteFile(file, []byte(next), 0o600)
}

// realPath returns the file that a link leads to.
func realPath(file string) string {
	if real, err := filepath.EvalSymlinks(file); err == nil {
		return real
	}
	return file
}

// copyName is the name of the i-th copy of a file.
func copyName(file string, i int) string { return fmt.Sprintf("%s.before-fovea-%d", file, i) }

// copiesOf reads the copies of a file, newest first, up to the first missing number.
func copiesOf(file string) []string {
	var texts []string
	for i := 1; ; i++ {
		text, err := os.ReadFile(copyName(file, i))
		if err != nil {
			slices.Reverse(texts)
			return texts
		}
		texts = append(texts, string(text))
	}
}

// keepBeside writes a copy under an unused name next to file, with its permissions.
func keepBeside(file string, text []byte) (string, error) {
	info, err := os.Stat(file)
	if err != nil {
		return "", err
	}
	for i := 1; ; i++ {
		name := copyName(file, i)
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, info.Mode().Perm())
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return "", err
		}
		_, err = f.Write(text)
		return name, errors.Join(err, f.Close())
	}
}

// putTOML replaces the table mcp_servers.fovea, or adds it at the end; "" removes it. It returns an
// error unless everything else decodes as before.
func putTOML(text, table string) (string, error) {
	was, err := decodeTOML(text)
	if err != nil {
		return "", err
	}
	inline := was["mcp_servers"] != nil && !serverTable.MatchString(text) // TOML forbids a second table of that name
	want, _ := decodeTOML(table)                                          // it always decodes
	entry := takeServer(want)
	if reflect.DeepEqual(takeServer(was), entry) {
		return text, nil
	}
	if inline && table != "" {
		return "", errors.New("mcp_servers is an inline table; add the entry by hand")
	}
	next := cutTable(text, "[mcp_servers.fovea]")
	if table != "" && next != "" && !strings.HasSuffix(next, "\n") {
		next += "\n"
	}
	if table != "" && strings.TrimSpace(next) != "" && !strings.HasSuffix(next, "\n\n") {
		next += "\n"
	}
	next += table
	is, err := decodeTOML(next)
	if !reflect.DeepEqual(takeServer(is), entry) || !reflect.DeepEqual(was, is) || err != nil {
		return "", errors.New("mcp_servers has a form that is not supported; change it by hand")
	}
	return next, nil
}

// serverTable matches the beginning of a table of servers.
var serverTable = regexp.MustCompile(`(?m)^[ \t]*\[mcp_servers`)

// takeServer removes mcp_servers.fovea from a decoded file, and the table of servers if it is then empty.
func takeServer(all map[string]any) (entry any) {
	servers, _ := all["mcp_servers"].(map[string]any)
	entry = servers["fovea"]
	if delete(servers, "fovea"); servers != nil && len(servers) == 0 {
		delete(all, "mcp_servers")
	}
	return entry
}

func decodeTOML(text string) (map[string]any, error) {
	values := map[string]any{}
	_, err := toml.Decode(text, &values)
	return values, err
}

// cutTable removes a table from a TOML text: its header and the lines up to the next table.
func cutTable(text, name string) string {
	var b strings.Builder
	inside := false
	for line := range strings.Lines(text) {
		if trimmed := strings.TrimSpace(line); strings.HasPrefix(trimmed, "[") {
			inside = trimmed == name
		}
		if !inside {
			b.WriteString(line)
		}
	}
	return b.String()
}

// Markers around Fovea's part of an Emacs Lisp file.
const (
	lispBegin = ";; fovea setup gptel: begin"
	lispEnd   = ";; fovea setup gptel: end"
)

// mergeLisp replaces Fovea's part of the file, or appends it.
func mergeLisp(text string, s Server) (string, error) {
	before, after, found, err := splitLisp(text)
	if !found && text != "" && !strings.HasSuffix(text, "\n") {
		before += "\n"
	}
	return before + lispServer(s) + after, err
}

// cutLisp removes Fovea's part of the file.
func cutLisp(text string) (string, error) {
	before, after, _, err := splitLisp(text)
	return before + after, err
}

// splitLisp returns the text before and after Fovea's part of the file; without such a part, before
// is the whole file.
func splitLisp(text string) (before, after string, found bool, err error) {
	before, rest, found := strings.Cut(text, lispBegin+"\n")
	if !found {
		return text, "", false, nil
	}
	_, after, closed := strings.Cut(rest, lispEnd+"\n")
	if !closed {
		err = fmt.Errorf("the line %q has no %q after it; correct it by hand", lispBegin, lispEnd)
	}
	return before, after, true, err
}
