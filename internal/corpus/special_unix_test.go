// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

//go:build unix

package corpus

import (
	"errors"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestScanSpecialFiles(t *testing.T) {
	root := tree(t, map[string]string{"a.org": "", "to-pipe.org": "-> pipe.org"})
	if err := syscall.Mkfifo(filepath.Join(root, "pipe.org"), 0o644); err != nil {
		t.Fatal(err)
	}
	socket, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Close(socket)
	if err := syscall.Bind(socket, &syscall.SockaddrUnix{Name: filepath.Join(root, "socket.org")}); err != nil {
		t.Fatal(err)
	}
	r := open(t, root, nil)
	files, problems := listing(scan(t, r, nil, time.Now()))
	if diff := cmp.Diff([]string{"a.org"}, files); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"pipe.org: special", "socket.org: special", "to-pipe.org: special"}, problems); diff != "" {
		t.Error(diff)
	}
	for _, name := range []string{"pipe.org", "socket.org", "to-pipe.org"} {
		if _, _, err := r.Read(name, 0); !errors.Is(err, ErrSpecial) {
			t.Errorf("read %s: got %v, want ErrSpecial", name, err)
		}
	}
}
