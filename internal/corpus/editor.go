// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package corpus

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"strconv"
	"strings"
	"syscall"

	"github.com/fovea-memory/fovea/internal/vfs"
)

// EditorLock is what Emacs leaves beside a file while a buffer of it holds
// changes that are not saved: the link .#FILE to USER@HOST.PID or
// USER@HOST.PID:BOOT, or a regular file of that text where there are no links.
//
// Not seen are editors without such locks, among them an Emacs whose
// create-lockfiles is nil; what they save is seen by the digest.
type EditorLock struct {
	// Owner is the text of the lock.
	Owner string
	// Holder says whose it is.
	Holder Holder
}

// Holder says what has become of the one who took a lock.
type Holder uint8

// The holders.
const (
	// Nobody: the process is gone, or the machine was started again since.
	HolderGone Holder = iota
	// Running is a process of this machine.
	HolderRunning
	// Elsewhere is a process of another machine, or a lock of an unknown form:
	// taken for live, since nothing here can tell.
	HolderUnknown
)

// Host is the machine by which locks are judged.
type Host struct {
	Name string
	Boot int64              // when it was started, in Unix seconds; 0 where unknown
	Runs func(pid int) bool // whether a process runs
}

// ThisHost describes the machine that this process runs on.
func ThisHost() Host {
	name, err := os.Hostname()
	if err != nil {
		name = "" // then every lock is from elsewhere, which is the safe side
	}
	return Host{Name: name, Boot: bootTime(), Runs: isRunning}
}

// bootTime reads when Linux was started; 0 elsewhere.
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

// bootSlack is how far two readings of one boot time lie apart at most, in
// seconds: it is the present less the uptime, and clocks are set.
const bootSlack = 60

// judge says what has become of the one who wrote a lock's text.
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

// EditorLock returns the lock on a file, and whether there is one whose holder
// may still be there. A lock whose holder is gone stops nobody. O(1).
func (r *Root) EditorLock(name string) (EditorLock, bool) {
	real, _, err := r.resolveNew(name)
	if err != nil {
		real = name
	}
	return r.editorLock(name, real)
}

// editorLock looks beside the file as it is called and as it is without links.
func (r *Root) editorLock(names ...string) (EditorLock, bool) {
	for _, name := range names {
		text, err := r.lockText(path.Join(path.Dir(name), ".#"+path.Base(name)))
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) || errors.Is(err, syscall.ENAMETOOLONG) {
			continue // of a name that a lock has no room beside, there is none
		}
		if err != nil {
			return EditorLock{Owner: "unreadable", Holder: HolderUnknown}, true
		}
		if holder := r.host.holder(text); holder != HolderGone {
			return EditorLock{Owner: text, Holder: holder}, true
		}
	}
	return EditorLock{}, false
}

// maxLock bounds the text of a lock that is a regular file.
const maxLock = 1 << 10

// lockText reads a lock. Anything but a link or a small file is an error, by
// which it counts as held.
func (r *Root) lockText(name string) (string, error) {
	info, err := r.fs.Lstat(name)
	switch {
	case err != nil:
		return "", err
	case info.Mode()&fs.ModeSymlink != 0:
		return r.fs.ReadLink(name)
	case !info.Mode().IsRegular():
		return "", ErrSpecial
	}
	f, err := r.fs.OpenFile(name, syscall.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return "", err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxLock))
	return strings.TrimSuffix(string(text), "\n"), err
}
