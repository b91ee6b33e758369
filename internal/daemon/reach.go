// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package daemon

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/internal/config"
	"github.com/fovea-memory/fovea/internal/share"
	"github.com/fovea-memory/fovea/internal/stores"
	"github.com/fovea-memory/fovea/internal/vfs"
)

// placeName is the file in the state folder with the path of its daemon's socket. A client's
// environment, such as a cron job's, may name another folder for sockets than the daemon's
// did.
const placeName = "socket"

// places lists the sockets at which the daemon of a memex may listen: first the default in
// this environment, then the one named in the state folder, then those of other state
// folders opened over this very folder, which may have been moved or mounted elsewhere while
// its daemon runs. A memex that now has its own state folder uses these only if everywhere
// is set.
func places(c *config.Config, everywhere bool) ([]string, error) {
	socket, err := c.Socket(nil)
	if err != nil {
		return nil, err
	}
	out, states := []string{socket}, []string{c.StateDir}
	base, err := config.StoresDir(nil)
	if err == nil && filepath.Dir(c.StateDir) == base && (everywhere || !stores.Begun(c.StateDir)) {
		states = append(states, stores.Of(base, stores.Identity(c.Memex))...)
	}
	for _, state := range states {
		text, err := vfs.ReadPlain(filepath.Join(state, placeName))
		if said := string(text); err == nil && filepath.IsAbs(said) && !slices.Contains(out, said) {
			out = append(out, said)
		}
	}
	return out, nil
}

// serves reports whether a daemon has the memex of c open, under any name: it opened the
// folder that is there now, or its path leads to the same place.
func serves(c *config.Config, h api.Hello) bool {
	if h.Folder != "" && h.Folder == stores.Identity(c.Memex) {
		return true
	}
	asked, err := config.RealPath(c.Memex)
	served, err2 := config.RealPath(h.Memex)
	return err == nil && err2 == nil && asked == served
}

// stayReachable checks every minute, until ctx ends, that the socket exists. The folder of
// sockets is removed when its user logs out, or with temporary files, and a new client would
// then find only the lock.
func (d *daemon) stayReachable(ctx context.Context, socket string) {
	looks := time.NewTicker(pulse)
	defer looks.Stop()
	told := false
	for {
		select {
		case <-ctx.Done():
			return
		case <-looks.C:
			err := d.listenAgain(socket)
			if err != nil && !told {
				d.opts.Log.Warn("clients cannot reach the socket", "why", err)
			}
			told = err != nil
		}
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
	s.listener = d.counts(l, share.Owner)
	go func(l net.Listener) { _ = s.Serve(l) }(s.listener) // ends with Shutdown, and at once after it
	d.opts.Log.Info("listening again", "socket", socket)
	return nil
}
