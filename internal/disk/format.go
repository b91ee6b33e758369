// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package disk

import (
	"cmp"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"github.com/fovea-memory/fovea/internal/store"
	"github.com/fovea-memory/fovea/internal/vfs"
)

const (
	folderPerm = 0o700
	filePerm   = 0o600
)

// OpenFolder opens the state folder at a path of the operating system and creates it, for its owner alone, if
// it is missing. A file at the path is left alone and gives vfs.ErrNotFolder. Only regular files in the folder
// are opened. The caller closes it.
func OpenFolder(path string) (vfs.FS, error) {
	folder, err := vfs.CreateDir(path, folderPerm)
	if errors.Is(err, vfs.ErrNotFolder) {
		return nil, fmt.Errorf("state folder: move the file away or name another folder: %w", err)
	}
	if err != nil {
		return nil, fmt.Errorf("state folder: %w", err)
	}
	return vfs.Plain(folder), nil
}

// Adopt assigns a state folder to the memex at another absolute path, after a move. The caller holds the lock,
// and no Store is open. If FORMAT cannot be read, it changes nothing and returns ErrUnknownFormat or a
// Corruption.
func Adopt(in vfs.FS, memex string) error {
	_, err := readFormat(in)
	if err == nil {
		err = writeFormat(in, memex)
	}
	return doing(err, "adopt state folder")
}

// format is the content of FORMAT.
type format struct {
	major, minor uint16
	memex        string
}

func (f format) encode() []byte {
	text := fmt.Appendf(nil, "%s\nformat %d.%d\nmemex %s\n", store.FormatMagic, f.major, f.minor, strconv.Quote(f.memex))
	return fmt.Appendf(text, "crc32c %08x\n", crc32.Checksum(text, castagnoli))
}

// parseFormat returns ErrUnknownFormat for another major number, whatever follows it, and a Corruption for any
// text that encode does not write.
func parseFormat(text []byte) (format, error) {
	damaged := &store.Corruption{File: store.FormatFile, Reason: "not a FORMAT file, or a damaged one"}
	lines := strings.SplitAfter(string(text), "\n")
	if len(lines) < 2 || lines[0] != store.FormatMagic+"\n" {
		return format{}, damaged
	}
	var f format
	if _, err := fmt.Sscanf(lines[1], "format %d.%d\n", &f.major, &f.minor); err != nil {
		return format{}, damaged
	}
	if f.major != formatMajor {
		return format{}, unknownFormat(f.major, f.minor)
	}
	if len(lines) < 4 {
		return format{}, damaged
	}
	quoted, ok := strings.CutPrefix(strings.TrimSuffix(lines[2], "\n"), "memex ")
	memex, err := strconv.Unquote(quoted)
	if f.memex = memex; !ok || err != nil || string(f.encode()) != string(text) {
		return format{}, damaged
	}
	return f, nil
}

// readFormat reads FORMAT. One that is not a regular file is a Corruption.
func readFormat(in vfs.FS) (format, error) {
	text, err := in.ReadFile(store.FormatFile)
	if bad := notRegular(err, store.FormatFile); bad != nil {
		return format{}, bad
	}
	if err != nil {
		return format{}, err
	}
	return parseFormat(text)
}

func writeFormat(in vfs.FS, memex string) error {
	f := format{major: formatMajor, minor: formatMinor, memex: memex}
	return vfs.WriteAtomic(in, store.FormatFile, f.encode(), filePerm)
}

// checkFormat reads FORMAT, or writes it into a new folder. Damage of FORMAT is returned as a Corruption and
// not as an error: the store then opens read-only.
func checkFormat(in vfs.FS, memex string) (format, *store.Corruption, error) {
	f, err := readFormat(in)
	if errors.Is(err, fs.ErrNotExist) {
		return createFormat(in, memex)
	}
	if bad, ok := errors.AsType[*store.Corruption](err); ok {
		return f, bad, nil
	}
	if err == nil && memex != "" && f.memex != memex {
		err = fmt.Errorf("it belongs to %s, not to %s: %w", f.memex, memex, ErrOtherMemex)
	}
	return f, nil, err
}

// ownNames are the names that show that a folder is a state folder; LOCK alone does not.
var ownNames = append([]string{store.JournalFolder, store.ImageFolder, store.Quarantine, store.PackFolder}, laterNames...)

// laterNames are those that are created only when the folder of the journal is durable.
var laterNames = []string{store.HeadFile, "alerts.json", "cache", "calls.log", "http.json", "scopes", "seen", "serve.log", "socket", "watch"}

// createFormat makes a new folder a state folder. A folder with a history, or with only names of a state
// folder, has lost its FORMAT.
func createFormat(in vfs.FS, memex string) (format, *store.Corruption, error) {
	entries, err := in.ReadDir(".")
	if err != nil {
		return format{}, nil, err
	}
	foreign, own := "", false
	for _, e := range entries {
		switch name := e.Name(); {
		case name == store.LockFile || vfs.IsTemp(name):
		case slices.Contains(ownNames, name):
			own = true
		default:
			foreign = cmp.Or(foreign, name)
		}
	}
	history := false
	if foreign != "" {
		if history, err = hasHistory(in); err != nil {
			return format{}, nil, err
		}
	}
	switch {
	case history, own && foreign == "":
		return format{}, &store.Corruption{File: store.FormatFile, Reason: "the file is missing"}, nil
	case foreign != "":
		return format{}, nil, fmt.Errorf("it has %q and no %s: %w", foreign, store.FormatFile, ErrForeignFolder)
	}
	return format{major: formatMajor, minor: formatMinor, memex: memex}, nil, writeFormat(in, memex)
}

// hasHistory reports whether a folder has a segment, an image or a pack.
func hasHistory(in vfs.FS) (bool, error) {
	names, err := historyFiles(in)
	return len(names) > 0, err
}

// lostJournal returns a Corruption if the folder of the journal is missing although the store was used: it is
// created with FORMAT, before everything else.
func lostJournal(in vfs.FS) (*store.Corruption, error) {
	if _, err := in.Lstat(store.JournalFolder); !errors.Is(err, fs.ErrNotExist) {
		return nil, nil // reading it finds any other problem
	}
	entries, err := in.ReadDir(".")
	for _, e := range entries {
		if name := e.Name(); slices.Contains(laterNames, name) {
			return &store.Corruption{File: store.JournalFolder, Reason: "the folder is missing, and " + name + " was made after it"}, nil
		}
	}
	return nil, err
}
