// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package daemon

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"time"

	"github.com/fovea-memory/fovea/internal/config"
	"github.com/fovea-memory/fovea/internal/share"
	"github.com/fovea-memory/fovea/internal/vfs"
)

// placeName is the file of the state folder that says at which socket its daemon
// listens: the environment of who asks, such as a job of cron, may name another folder
// for sockets than that of the daemon did.
const placeName = "socket"

// places lists where the daemon of a memex may listen: first where one that was started
// from here would.
func places(c *config.Config) ([]string, error) {
	socket, err := c.Socket(nil)
	if err != nil {
		return nil, err
	}
	out := []string{socket}
	text, err := vfs.ReadPlain(filepath.Join(c.StateDir, placeName))
	if said := string(text); err == nil && said != socket && filepath.IsAbs(said) {
		out = append(out, said)
	}
	return out, nil
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
