// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package corpus

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strconv"
	"strings"
	"syscall"

	"github.com/fovea-memory/fovea/internal/vfs"
)

// EditorLock is the lock that Emacs creates next to a file with unsaved changes in a
// buffer: the link .#FILE to USER@HOST.PID or USER@HOST.PID:BOOT, or a regular file
// with that text on file systems without links.
//
// If an editor creates no locks, such as an Emacs whose create-lockfiles is nil, Fovea detects only
// the buffers that the editor reports, see BufferLock, and otherwise its saves, by the digest of the
// file.
type EditorLock struct {
	// Owner is the text of the lock.
	Owner string
	// Holder is the state of the process that created the lock.
	Holder Holder
}

// Holder is the state of the process that created a lock.
type Holder uint8

// The states of a lock holder.
const (
	// HolderGone means that the process has ended or the machine has rebooted.
	HolderGone Holder = iota
	// HolderRunning is a running process of this machine.
	HolderRunning
	// HolderUnknown is a process of another machine, or a lock in an unknown form.
	// Its state cannot be determined here, so it counts as running.
	HolderUnknown
)

// Host is the machine on which locks are interpreted.
type Host struct {
	Name string
	Boot int64              // boot time in Unix seconds; 0 if unknown
	Runs func(pid int) bool // reports whether a process is running
}

// ThisHost describes the current machine.
func ThisHost() Host {
	name, err := os.Hostname()
	if err != nil {
		name = "" // every lock then has an unknown holder, the safe choice
	}
	return Host{Name: name, Boot: bootTime(), Runs: isRunning}
}

// bootTime returns the boot time on Linux, and 0 on other systems.
func bootTime() int64 {
	proc, err := vfs.Dir("/proc")
	if err != nil {
		return 0
	}
	defer proc.Close()
	stat, err := proc.ReadFile("stat")
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(stat), "\nbtime ")
	line, _, _ := strings.Cut(rest, "\n")
	boot, err := strconv.ParseInt(line, 10, 64)
	if err != nil {
		return 0
	}
	return boot
}

// bootSlack is the largest difference in seconds between two readings of one boot
// time. The boot time is the current time minus the uptime, and clocks get adjusted.
const bootSlack = 60

// holder determines the state of the process that wrote the text of a lock.
func (h Host) holder(text string) Holder {
	at := strings.LastIndexByte(text, '@')
	if at < 0 {
		return HolderUnknown
	}
	rest, bootText, hasBoot := strings.Cut(text[at+1:], ":")
	dot := strings.LastIndexByte(rest, '.')
	if dot < 0 {
		return HolderUnknown
	}
	pid, err := strconv.Atoi(rest[dot+1:])
	if err != nil || pid <= 0 || h.Name == "" || rest[:dot] != h.Name {
		return HolderUnknown
	}
	if hasBoot {
		boot, err := strconv.ParseInt(bootText, 10, 64)
		if err != nil || boot < 0 {
			return HolderUnknown
		}
		if h.Boot != 0 && boot != 0 && max(h.Boot-boot, boot-h.Boot) > bootSlack {
			return HolderGone
		}
	}
	if !h.Runs(pid) {
		return HolderGone
	}
	return HolderRunning
}

// BufferLock is the lock of a running editor that has reported a buffer to Fovea.
func BufferLock(buffer string) EditorLock {
	return EditorLock{Owner: fmt.Sprintf("buffer %q", buffer), Holder: HolderRunning}
}

// editorLock looks for a buffer with one of the names, and for a lock next to that file.
func (d *folder) editorLock(names ...string) (EditorLock, bool) {
	for _, name := range names {
		if d.holder != nil {
			if buffer := d.holder(name); buffer != "" {
				return BufferLock(buffer), true
			}
		}
		text, err := d.lockText(path.Join(path.Dir(name), ".#"+path.Base(name)))
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) || errors.Is(err, syscall.ENAMETOOLONG) {
			continue // a lock's name would be too long, so none exists
		}
		if err != nil {
			return EditorLock{Owner: "unreadable", Holder: HolderUnknown}, true
		}
		if holder := d.host.holder(text); holder != HolderGone {
			return EditorLock{Owner: text, Holder: holder}, true
		}
	}
	return EditorLock{}, false
}

// maxLock is the largest number of bytes read from a lock that is a regular file.
const maxLock = 1 << 10

// lockText reads a lock. It returns an error for anything but a link or a regular
// file; the caller then treats the file as locked.
func (d *folder) lockText(name string) (string, error) {
	info, err := d.fs.Lstat(name)
	switch {
	case err != nil:
		return "", err
	case info.Mode()&fs.ModeSymlink != 0:
		return d.fs.ReadLink(name)
	case !info.Mode().IsRegular():
		return "", ErrSpecial
	}
	f, err := d.fs.OpenFile(name, syscall.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return "", err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxLock))
	return strings.TrimSuffix(string(text), "\n"), err
}
