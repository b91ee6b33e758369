// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package daemon

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/internal/bound"
	"github.com/fovea-memory/fovea/internal/config"
	"github.com/fovea-memory/fovea/internal/fault"
	"github.com/fovea-memory/fovea/internal/httpapi"
	"github.com/fovea-memory/fovea/internal/store"
	"github.com/fovea-memory/fovea/internal/stores"
	"github.com/fovea-memory/fovea/internal/vfs"
)

// Options configures a daemon. Memory, Config, Feed, Log and Lines are required.
type Options struct {
	// Memory is the memory of Config.Memex, opened with Feed.Committed. The caller closes it, or
	// the last one that Again opened.
	Memory *fovea.Memory
	Config config.Config
	Feed   *api.Feed
	// Local configures requests; the daemon sets its Sync and Progress.
	Local api.LocalOptions
	// Again describes how the daemon adopts a changed configuration; nil means never.
	Again *Again
	// MCP returns the handler of /mcp for a service and a function that returns the present
	// configuration; nil for none.
	MCP func(api.Service, func() *config.Config) http.Handler
	// HTTP opens a port on the loopback interface, too.
	HTTP bool
	// Idle is how long a daemon stays without a client; 0 is forever.
	Idle time.Duration
	// SlowHeader is how long a client may take to send the header of a request; 0 is 5 s.
	SlowHeader time.Duration
	// Version is sent to clients.
	Version string
	// Log receives messages, and Lines holds the newest of them. Calls holds those about calls;
	// nil keeps none.
	Log   *slog.Logger
	Lines *Ring
	Calls *Ring
	// Alert, if not nil, sends the owner a message about what needs a person.
	Alert func(text string) error
	// Listening, if not nil, is called once clients can connect.
	Listening func(socket, url string)
}

const (
	slowHeader = 5 * time.Second  // default of Options.SlowHeader
	keepAlive  = 10 * time.Minute // idle timeout of a TCP connection
	headers    = 64 << 10         // maximum bytes of a request header
	drain      = 30 * time.Second // for running requests when the daemon stops
)

// Serve serves until ctx ends or no client has connected for Options.Idle. It returns nil
// for both. Errors: vfs.ErrLocked, of kind Conflict, if another daemon serves the memex.
func Serve(ctx context.Context, opts *Options) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	socket, err := opts.Config.Socket()
	if err != nil {
		return err
	}
	ending := make(chan struct{})
	d := &daemon{opts: opts, end: stop, pid: os.Getpid(), idle: newIdle(opts.Idle, stop), shares: bound.NewShares(connections()),
		folder: stores.Identity(opts.Memory.Dir())}
	d.terms.daemon, d.terms.gate, d.terms.noticed = d, semaphore.NewWeighted(maxInside), map[string][]string{}
	d.terms.advice.Store(new(string))
	if err := opts.Memory.Writable(); store.LacksHistory(err) {
		d.damage = err.Error()
	}
	d.api = d.server(ending)
	first := keepLive(ctx, opts.Memory, opts, &opts.Config)
	d.terms.take(opts.Config, first, opts.Local)
	if err := d.listen(ctx, socket); err != nil {
		d.close()
		return errors.Join(err, first.end())
	}
	d.terms.run(first)
	for _, s := range d.servers {
		go func(l net.Listener) { _ = s.Serve(l) }(s.listener) // ends with Shutdown
	}
	var looking sync.WaitGroup
	looking.Go(func() { d.kept(ctx, "checking the socket", func() { d.stayReachable(ctx, socket) }) })
	if opts.Again != nil {
		looking.Go(func() { d.kept(ctx, "following the configuration", func() { d.terms.follow(ctx) }) })
	}
	opts.Log.Info("serving", "memex", opts.Config.Memex, "socket", socket, "url", d.url, "pid", d.pid)
	if opts.Listening != nil {
		opts.Listening(socket, d.url)
	}
	<-ctx.Done()
	opts.Log.Info("stopping")
	close(ending)
	looking.Wait()
	err = d.shutdown()
	return errors.Join(err, d.terms.now.Load().live.end())
}

// daemon is one run of Serve.
type daemon struct {
	opts    *Options
	end     context.CancelFunc // ends the daemon
	terms   terms
	api     *httpapi.Server
	pid     int
	folder  string // see api.Hello
	damage  string // see api.Hello
	url     string
	secret  string // of the user, stored in the state folder
	servers []*server
	made    []string      // files to remove at the end
	lock    *vfs.FileLock // of the socket
	idle    *idle
	shares  *bound.Shares // limits connections
}

// server is an HTTP server and its listener.
type server struct {
	http.Server
	listener net.Listener
}

// server returns the handler that all listeners share.
func (d *daemon) server(ending <-chan struct{}) *httpapi.Server {
	var mcp func(api.Service) http.Handler
	if d.opts.MCP != nil {
		mcp = func(svc api.Service) http.Handler {
			return d.opts.MCP(svc, func() *config.Config { return &d.terms.now.Load().config })
		}
	}
	var calls *slog.Logger
	if d.opts.Calls != nil {
		calls = slog.New(slog.NewJSONHandler(d.opts.Calls, nil))
	}
	return httpapi.New(httpapi.Options{
		Service: d.terms.call, Hello: d.hello, Feed: d.opts.Feed, Ready: d.isReady, Stop: ending, Log: d.opts.Log, Calls: calls, MCP: mcp,
	})
}

// serviceOf returns the service of a memory.
func (d *daemon) serviceOf(l *live, local api.LocalOptions) api.Service {
	local.Sync = func(ctx context.Context) error { return advise(l.sync(ctx)) }
	local.Progress, local.Notify = d.opts.Feed.Progress, d.opts.Feed.Notify
	local.Logs = func() (log, calls []string) { return d.opts.Lines.Lines(), d.opts.Calls.Lines() }
	// After each sync, a writer waits for all requests that wait for a processor.
	local.AtOnce = 1 + runtime.GOMAXPROCS(0)
	svc := d.advised(l.memory, api.NewLocal(l.memory, &local))
	return func(ctx context.Context, c api.Call) (any, error) {
		answer, err := svc(ctx, c)
		switch c.Op.Effect {
		case api.Mends: // a purge changes the logs
			d.opts.Lines.Reload()
			d.opts.Calls.Reload()
			l.nudge()
		case api.Writes:
			l.nudge()
		}
		return answer, err
	}
}

func (d *daemon) hello() api.Hello {
	now := d.terms.now.Load()
	v := now.live.memory.View()
	return api.Hello{
		Version: d.opts.Version, Protocol: api.Protocol, Memex: d.opts.Config.Memex, Folder: d.folder, StateDir: d.opts.Config.StateDir, URL: d.url, Damage: d.damage,
		Root: v.Root().String(), Seq: v.Head().Seq, PID: d.pid,
		Settings: now.settings,
	}
}

// listen opens the listeners.
func (d *daemon) listen(ctx context.Context, socket string) error {
	if err := d.lockSocket(ctx, socket); err != nil {
		return err
	}
	l, err := listenUnix(socket)
	if err != nil {
		return err
	}
	place := filepath.Join(d.opts.Config.StateDir, placeName)
	d.made = append(d.made, socket, place)
	d.add(l, bound.Owner, d.api.Handler(counting(d.overSocket)), 0)
	if err := vfs.WritePlain(place, []byte(socket), 0o600); err != nil {
		d.opts.Log.Warn("only clients with the same environment can find the socket", "why", err)
	}
	if !d.opts.HTTP {
		return nil
	}
	tcp, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	port := tcp.Addr().(*net.TCPAddr).Port
	d.add(tcp, bound.Anonymous, httpapi.Loopback(port, d.api.Handler(counting(d.overTCP))), keepAlive)
	if err := d.publish(tcp.Addr().String()); vfs.Unwritable(err) {
		d.opts.Log.Warn("only clients with a token from fovea token can use the port", "why", err)
	} else if err != nil {
		return err
	}
	return nil
}

// lockSocket takes the socket's lock, which excludes other daemons even if the state folder is not
// writable and so has no lock. It fails if the holder answers, or does not within helloTimeout: one that
// is starting will listen soon, and one that is stopping will release the lock.
func (d *daemon) lockSocket(ctx context.Context, socket string) error {
	if err := makePrivate(filepath.Dir(socket)); err != nil {
		return fmt.Errorf("socket: %w", err)
	}
	folder, err := vfs.Dir(filepath.Dir(socket))
	if err != nil {
		return fmt.Errorf("socket: %w", err)
	}
	defer folder.Close()
	ctx, stop := context.WithTimeout(ctx, helloTimeout)
	defer stop()
	name := strings.TrimSuffix(filepath.Base(socket), filepath.Ext(socket)) + lockSuffix
	for {
		d.lock, err = vfs.TryLock(vfs.Plain(folder), name, vfs.Holder{PID: d.pid, Command: Command, Since: time.Now()})
		if !errors.Is(err, vfs.ErrLocked) {
			break
		}
		other, notFound := connect(ctx, socket, nil)
		if notFound == nil {
			other.Close()
		}
		if !errors.Is(notFound, ErrNone) {
			break
		}
		if !wait(ctx, pollInterval) {
			err = errors.Join(err, ctx.Err())
			break
		}
	}
	return fault.Wrap("serve", socket, fault.Conflict, err)
}

// lockSuffix is the suffix of the socket's lock file.
const lockSuffix = ".lock"

// add adds a listener. A connection belongs to as until a request names another bearer.
func (d *daemon) add(l net.Listener, as bound.Bearer, h http.Handler, silent time.Duration) {
	d.servers = append(d.servers, &server{listener: d.counts(l, as), Server: http.Server{
		Handler: h, ReadHeaderTimeout: cmp.Or(d.opts.SlowHeader, slowHeader), IdleTimeout: silent, MaxHeaderBytes: headers,
		ConnState: d.state, ConnContext: withConnection, ErrorLog: slog.NewLogLogger(d.opts.Log.Handler(), slog.LevelError),
	}})
}

func (d *daemon) counts(l net.Listener, as bound.Bearer) net.Listener {
	return &sharedListener{Listener: l, shares: d.shares, as: as}
}

// state is http.Server.ConnState.
func (d *daemon) state(c net.Conn, s http.ConnState) {
	d.idle.state(c, s)
	if c, ok := c.(*sharedConn); ok {
		c.setState(s)
	}
}

// shutdown finishes running requests and accepts no new ones.
func (d *daemon) shutdown() error {
	ctx, stop := context.WithTimeout(context.Background(), drain)
	defer stop()
	var errs []error
	for _, s := range d.servers {
		if err := s.Shutdown(ctx); err != nil {
			errs = append(errs, err, s.Close())
		}
	}
	d.close()
	return errors.Join(errs...)
}

// close removes the files that announce the daemon.
func (d *daemon) close() {
	for _, s := range d.servers {
		_ = s.listener.Close() // it may be closed already
	}
	for _, name := range d.made {
		_ = os.Remove(name) // the socket goes with its listener
	}
	if d.lock != nil {
		_ = d.lock.Unlock() // the lock ends with the process
	}
}

// addressName is the file in the state folder with the daemon's Address.
const addressName = "http.json"

// publish writes the port's URL and a new secret for this run.
func (d *daemon) publish(address string) error {
	d.url, d.secret = "http://"+address, rand.Text()
	name := filepath.Join(d.opts.Config.StateDir, addressName)
	d.made = append(d.made, name)
	text, err := json.Marshal(Address{d.url, d.secret, d.pid})
	if err != nil {
		return err
	}
	return vfs.WriteFile(name, append(text, '\n'), 0o600)
}
