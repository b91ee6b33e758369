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

// placeName is the file of the state folder that says at which socket its daemon
// listens: the environment of who asks, such as a job of cron, may name another folder
// for sockets than that of the daemon did.
const placeName = "socket"

// places lists where the daemon of a memex may listen: first where one that was started
// from here would, then where the state folder says. Then come the daemons of other state
// folders that were opened over this very folder: it may have been moved, or mounted
// elsewhere, while its daemon runs. A memex that has a state folder of its own by now
// counts as served by those only if everywhere is set.
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

// serves reports whether a daemon has the memex of c open, by whatever name: the folder
// that is there now is the one that it opened, or its path leads to the same place.
func serves(c *config.Config, h api.Hello) bool {
	if h.Folder != "" && h.Folder == stores.Identity(c.Memex) {
		return true
	}
	asked, err := config.RealPath(c.Memex)
	served, err2 := config.RealPath(h.Memex)
	return err == nil && err2 == nil && asked == served
}

// stayReachable looks every minute whether the socket is there still, until ctx ends:
// the folder of sockets is removed when its user leaves, or by who clears folders for
// temporary files, and who wants the daemon then would find its lock alone.
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
				d.opts.Log.Warn("nobody can reach the socket", "why", err)
			}
			told = err != nil
		}
	}
}

// listenAgain listens at the socket anew where it is gone. Connections that are open
// stay so.
func (d *daemon) listenAgain(socket string) error {
	s := d.servers[0] // that of the socket
	if _, err := os.Lstat(socket); err == nil {
		return nil
	}
	_ = s.listener.Close() // before the next: it removes the file of that name
	l, err := listenUnix(socket)
	if err != nil {
		return err
	}
	s.listener = d.counts(l, share.Owner)
	go func(l net.Listener) { _ = s.Serve(l) }(s.listener) // ends with Shutdown, and at once after it
	d.opts.Log.Info("listening again", "socket", socket)
	return nil
}
