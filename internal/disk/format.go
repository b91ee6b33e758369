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

// OpenFolder opens the state folder at a path of the operating system and makes
// it, for its owner alone, where it is missing. It returns vfs.ErrNotFolder when
// a file is there, which is left as it is. Of what is in the folder only regular files are
// opened. The caller closes it.
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

// Adopt makes a state folder that belongs to another memex that of the given
// one: its absolute path. It is for a memex that was moved. The caller holds the
// lock, and no Store is open. It returns ErrUnknownFormat or a Corruption and
// changes nothing when FORMAT cannot be read.
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

// parseFormat returns ErrUnknownFormat for another major number, whatever
// follows it, and a Corruption for all that encode would not have written.
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

// readFormat reads FORMAT. What is no regular file is a Corruption.
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

// checkFormat reads FORMAT, or writes it into a folder that is empty but for
// what FORMAT comes before. The Corruption is the one damage that the store can
// live with: without FORMAT it opens read-only.
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

// ownNames are what a state folder has besides temporary files; LOCK alone is no sign of
// one.
var ownNames = append([]string{store.JournalFolder, store.ImageFolder, store.Quarantine, store.PackFolder}, laterNames...)

// laterNames are those of them that are made when the folder of the journal is durable.
var laterNames = []string{store.HeadFile, "alerts.json", "cache", "calls.log", "http.json", "scopes", "seen", "serve.log", "socket", "watch"}

// createFormat makes a folder that has nothing of anybody a state folder. One that has a
// history, or nothing but what a state folder has, has lost its FORMAT.
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
	if err := writeFormat(in, memex); err != nil {
		return format{}, nil, err
	}
	return format{major: formatMajor, minor: formatMinor, memex: memex}, nil, nil
}

// hasHistory reports whether a folder has a segment, an image or a pack.
func hasHistory(in vfs.FS) (bool, error) {
	names, err := historyFiles(in)
	return len(names) > 0, err
}

// lostJournal returns a Corruption where the folder of the journal is not there, though
// the store was used: it is made with FORMAT, before anything else.
func lostJournal(in vfs.FS) (*store.Corruption, error) {
	if _, err := in.Lstat(store.JournalFolder); !errors.Is(err, fs.ErrNotExist) {
		return nil, nil // what else is wrong with it shows when it is read
	}
	entries, err := in.ReadDir(".")
	for _, e := range entries {
		if name := e.Name(); slices.Contains(laterNames, name) {
			return &store.Corruption{File: store.JournalFolder, Reason: "the folder is missing, and " + name + " was made after it"}, nil
		}
	}
	return nil, err
}
