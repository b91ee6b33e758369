// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"

	"github.com/BurntSushi/toml"
)

// mergeFile puts into a file what merge makes of its text, and keeps the file as it
// was beside it. A link stays a link.
func mergeFile(file string, merge func(string) (string, error)) (kept string, changed bool, err error) {
	if real, err := filepath.EvalSymlinks(file); err == nil {
		file = real
	}
	mode := fs.FileMode(0o600)
	old, err := os.ReadFile(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return "", false, err
		}
	case err != nil:
		return "", false, err
	default:
		info, err := os.Stat(file)
		if err != nil {
			return "", false, err
		}
		mode = info.Mode().Perm()
	}
	next, err := merge(string(old))
	if err != nil || next == string(old) {
		return "", false, err
	}
	if len(old) > 0 {
		if kept, err = keepBeside(file, old, mode); err != nil {
			return "", false, err
		}
	}
	return kept, true, replaceFile(file, next, mode)
}

// keepBeside writes a copy under a name that is free.
func keepBeside(file string, text []byte, mode fs.FileMode) (string, error) {
	for i := 1; ; i++ {
		name := fmt.Sprintf("%s.before-fovea-%d", file, i)
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
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

// replaceFile writes a file beside and then in its place.
func replaceFile(file, text string, mode fs.FileMode) error {
	f, err := os.CreateTemp(filepath.Dir(file), ".fovea-setup-*")
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	if err = errors.Join(err, f.Chmod(mode), f.Sync(), f.Close()); err == nil {
		err = os.Rename(f.Name(), file)
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
	return err
}

// mergeJSON sets mcpServers.fovea and leaves every other byte.
func mergeJSON(text string, s server) (string, error) {
	if strings.TrimSpace(text) == "" {
		return jsonServers(s), nil
	}
	top, err := members(text, 0)
	if err != nil {
		return "", err
	}
	list, ok := top.at["mcpServers"]
	if !ok {
		return top.insert(text, "  ", "\"mcpServers\": {\n    \"fovea\": "+jsonServer(s, "    ")+"\n  }"), nil
	}
	servers, err := members(text, list.start)
	if err != nil {
		return "", fmt.Errorf("mcpServers: %w", err)
	}
	if have, ok := servers.at["fovea"]; ok {
		var was, is any
		if json.Unmarshal([]byte(text[have.start:have.end]), &was) == nil && json.Unmarshal([]byte(jsonServer(s, "")), &is) == nil && reflect.DeepEqual(was, is) {
			return text, nil
		}
		return text[:have.start] + jsonServer(s, "    ") + text[have.end:], nil
	}
	return servers.insert(text, "    ", "\"fovea\": "+jsonServer(s, "    ")), nil
}

// object is where the members of a JSON object stand in its text.
type object struct {
	inside int // behind the brace
	at     map[string]span
}

type span struct{ start, end int }

// insert puts a member before the others.
func (o object) insert(text, indent, member string) string {
	head, tail := text[:o.inside]+"\n"+indent+member, text[o.inside:]
	if len(o.at) > 0 {
		return head + "," + tail
	}
	return head + "\n" + indent[2:] + strings.TrimLeft(tail, " \t\r\n")
}

// members reads the object that begins at an offset of a JSON text.
func members(text string, from int) (object, error) {
	if !json.Valid([]byte(text)) {
		return object{}, errors.New("it is not JSON, or has comments; add the entry by hand")
	}
	d := json.NewDecoder(bytes.NewReader([]byte(text[from:])))
	if open, err := d.Token(); err != nil || open != json.Delim('{') {
		return object{}, errors.New("it is not a JSON object")
	}
	o := object{from + int(d.InputOffset()), map[string]span{}}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return object{}, err
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return object{}, err
		}
		end := from + int(d.InputOffset())
		o.at[fmt.Sprint(key)] = span{end - len(value), end}
	}
	return o, nil
}

// mergeTOML sets the table mcp_servers.fovea: in its place, or at the end. The result
// must say what the file said and the table, or nothing is written.
func mergeTOML(text string, s server) (string, error) {
	was, err := decodeTOML(text)
	if err != nil {
		return "", err
	}
	if _, ok := was["mcp_servers"]; ok && !hasTables(text, "[mcp_servers") {
		return "", errors.New("mcp_servers is an inline table; add the entry by hand") // which no further table can add to
	}
	next := cutTable(text, "[mcp_servers.fovea]")
	if next != "" && !strings.HasSuffix(next, "\n") {
		next += "\n"
	}
	if strings.TrimSpace(next) != "" && !strings.HasSuffix(next, "\n\n") {
		next += "\n"
	}
	next += tomlServer(s)
	is, err := decodeTOML(next)
	if err != nil {
		return "", fmt.Errorf("mcp_servers stands there in a form that is not understood; add the table by hand: %w", err)
	}
	want, _ := decodeTOML(tomlServer(s)) // our own text
	servers, _ := was["mcp_servers"].(map[string]any)
	if servers == nil {
		servers = map[string]any{}
		was["mcp_servers"] = servers
	}
	entry := want["mcp_servers"].(map[string]any)["fovea"]
	if reflect.DeepEqual(servers["fovea"], entry) {
		return text, nil
	}
	servers["fovea"] = entry
	if !reflect.DeepEqual(was, is) {
		return "", errors.New("mcp_servers.fovea stands there in a form that is not understood; mend it by hand")
	}
	return next, nil
}

func decodeTOML(text string) (map[string]any, error) {
	values := map[string]any{}
	_, err := toml.Decode(text, &values)
	return values, err
}

// hasTables reports a line that begins a table whose name begins so.
func hasTables(text, name string) bool {
	for line := range strings.Lines(text) {
		if strings.HasPrefix(strings.TrimSpace(line), name) {
			return true
		}
	}
	return false
}

// cutTable takes a table out of a TOML text: the line of its name and those below it up
// to the next table.
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

// The lines that our part of an Emacs Lisp file stands between.
const (
	lispBegin = ";; fovea setup gptel: begin"
	lispEnd   = ";; fovea setup gptel: end"
)

// mergeLisp puts our part in its place, or at the end.
func mergeLisp(text string, s server) (string, error) {
	part := lispServer(s)
	before, rest, found := strings.Cut(text, lispBegin+"\n")
	if !found {
		if text != "" && !strings.HasSuffix(text, "\n") {
			text += "\n"
		}
		return text + part, nil
	}
	_, after, closed := strings.Cut(rest, lispEnd+"\n")
	if !closed {
		return "", fmt.Errorf("the line %q has no %q behind it; mend it by hand", lispBegin, lispEnd)
	}
	return before + part + after, nil
}
