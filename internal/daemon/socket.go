// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package daemon

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
)

// listenUnix listens at a socket in a folder that only this user can enter. It removes a
// previous daemon's socket: the caller holds the lock.
func listenUnix(socket string) (net.Listener, error) {
	if err := makePrivate(filepath.Dir(socket)); err != nil {
		return nil, fmt.Errorf("socket: %w", err)
	}
	if err := os.Remove(socket); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("socket: %w", err)
	}
	l, err := net.Listen("unix", socket)
	if err != nil {
		return nil, fmt.Errorf("socket: %w", err)
	}
	if err := os.Chmod(socket, 0o600); err != nil {
		return nil, errors.Join(fmt.Errorf("socket: %w", err), l.Close())
	}
	return &ours{l.(*net.UnixListener)}, nil
}

// makePrivate creates the folder of sockets, and checks that it is private.
func makePrivate(folder string) error {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	return private(folder)
}

// private rejects a folder that is not this user's alone: anyone who can write there can
// replace the socket.
func private(folder string) error {
	info, err := os.Lstat(folder)
	if err != nil {
		return err
	}
	if !info.IsDir() || info.Mode().Perm()&0o077 != 0 || !owned(info) {
		return fmt.Errorf("other users have access to %s, or it is not a folder (%v): remove it, or chmod 700 it if no one else used it", folder, info.Mode())
	}
	return nil
}

// ours is a listener for connections of the user who runs this process.
type ours struct{ *net.UnixListener }

// Accept waits for a connection of this user and closes others.
func (l *ours) Accept() (net.Conn, error) {
	for {
		c, err := l.AcceptUnix()
		if err != nil {
			return nil, err
		}
		if uid, err := peer(c); err == nil && uid == os.Getuid() {
			return c, nil
		}
		_ = c.Close()
	}
}
