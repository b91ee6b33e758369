// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package daemon

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"slices"

	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/internal/bound"
	"github.com/fovea-memory/fovea/internal/config"
	"github.com/fovea-memory/fovea/internal/stores"
	"github.com/fovea-memory/fovea/internal/vfs"
)

// placeName is the file in the state folder with the path of its daemon's socket. The environment
// of a client, such as a cron job, may name another folder for sockets than the daemon's.
const placeName = "socket"

// places lists the sockets at which the daemon of a memex may listen: the default in this
// environment, the one named in the state folder, and those of other state folders of the same
// folder, which may have been moved or mounted elsewhere while its daemon runs. If the memex now
// has its own state folder, it uses the latter only if everywhere is set.
func places(c *config.Config, everywhere bool) ([]string, error) {
	socket, err := c.Socket()
	if err != nil {
		return nil, err
	}
	out, states := []string{socket}, []string{c.StateDir}
	base, err := config.StoresDir()
	if err == nil && filepath.Dir(c.StateDir) == base && (everywhere || !stores.Begun(c.StateDir)) {
		states = append(states, stores.Of(base, stores.Identity(c.Memex))...)
	}
	for _, state := range states {
		text, err := vfs.ReadPlain(filepath.Join(state, placeName))
		if other := string(text); err == nil && filepath.IsAbs(other) && !slices.Contains(out, other) {
			out = append(out, other)
		}
	}
	return out, nil
}

// serves reports whether a daemon has the memex of c open, under any name: it opened the folder
// that is now there, or its path leads to the same folder.
func serves(c *config.Config, h api.Hello) bool {
	if h.Folder != "" && h.Folder == stores.Identity(c.Memex) {
		return true
	}
	asked, err := config.RealPath(c.Memex)
	served, err2 := config.RealPath(h.Memex)
	return err == nil && err2 == nil && asked == served
}

// stayReachable checks every minute, until ctx ends, that the socket exists. The folder of sockets
// may be removed when its user logs out or with temporary files. New clients would then find only
// the lock.
func (d *daemon) stayReachable(ctx context.Context, socket string) {
	for isLogged := false; wait(ctx, pulse); {
		err := d.listenAgain(socket)
		if err != nil && !isLogged {
			d.opts.Log.Warn("clients cannot reach the socket", "why", err)
		}
		isLogged = err != nil
	}
}

// listenAgain recreates a missing socket. Open connections stay open.
func (d *daemon) listenAgain(socket string) error {
	s := d.servers[0] // the socket's server
	if _, err := os.Lstat(socket); err == nil {
		return nil
	}
	_ = s.listener.Close() // before the next: closing removes the file of that name
	l, err := listenUnix(socket)
	if err != nil {
		return err
	}
	s.listener = d.counts(l, bound.Owner)
	go func(l net.Listener) { _ = s.Serve(l) }(s.listener) // ends with Shutdown, or at once after it
	d.opts.Log.Info("listening again", "socket", socket)
	return nil
}

// listenUnix listens at a socket in a folder that only this user can enter, which authenticates
// clients. It removes the socket of an earlier daemon: the caller holds the lock.
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
	return l, nil
}

// makePrivate creates the folder of sockets, and checks that it is private.
func makePrivate(folder string) error {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	return private(folder)
}

// private rejects a folder that other users can access: anyone who can write there can replace the
// socket.
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
