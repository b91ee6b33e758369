// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/api/ops"
	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/internal/cli"
	"github.com/fovea-memory/fovea/internal/config"
	"github.com/fovea-memory/fovea/internal/daemon"
	"github.com/fovea-memory/fovea/internal/fault"
	"github.com/fovea-memory/fovea/internal/httpapi"
	"github.com/fovea-memory/fovea/internal/place"
	"github.com/fovea-memory/fovea/internal/place/hosted"
	"github.com/fovea-memory/fovea/internal/store"
	"github.com/fovea-memory/fovea/internal/stores"
	"github.com/fovea-memory/fovea/window"
)

// lockWait is how long a verb waits for another process: long enough for a read, short enough for a person.
const lockWait = 10 * time.Second

// session is one run of the command: its console, its global flags, and the memory or the daemon.
type session struct {
	cli.Console
	verbs   cli.Session
	flags   config.Flags
	opening opening

	config  config.Config
	memory  *fovea.Memory   // nil with a daemon
	daemon  *httpapi.Client // nil without one
	alerts  alerts
	noNotes atomic.Bool // a call warned that the folder has no notes
}

// opening has the options for opening the memory.
type opening struct {
	Adopt bool `flag:"--adopt take over the store of a memex that was moved here"`
	Alone bool `flag:"--no-daemon open the memory in this process, without a daemon"`
	anew  bool // start a new history even if another store has these notes
	// starter is the process that started this one as its daemon, or 0.
	starter int
}

// newSession returns the session of this process.
func newSession() *session {
	s := &session{flags: config.Flags{Here: "."}}
	s.Out, s.Err = cli.Output(), cli.Messages()
	s.verbs = cli.Session{
		Console: &s.Console, Service: s.service,
		Agent: func() string { return s.config.Agent },
		Memex: func() string { return s.config.Memex },
		Look:  func() (color, pager string) { return s.config.Color, s.config.PagerCommand() },
		Begun: func() bool { return s.load() == nil && stores.Begun(s.config.StateDir) },
	}
	return s
}

// service returns the memory that the flags name, or its daemon if one runs, the same for all calls of a run.
func (s *session) service(ctx context.Context) (api.Service, error) {
	if s.memory == nil && s.daemon == nil {
		if err := loadOrAsk(ctx, s); err != nil {
			return nil, err
		}
		growHeap()
		if s.daemon == nil {
			if err := s.openOrConnect(ctx, nil); err != nil {
				return nil, err
			}
		}
	}
	if s.daemon != nil {
		return asking(s), nil
	}
	local := localOf(&s.config)
	local.Project, local.Session, local.Warn = s.config.Project, s.config.Session, s.warn
	local.Fill, local.Progress = true, s.Progress
	local.Logs = func() (log, calls []string) { // as a daemon left them
		return daemon.ReadRing(filepath.Join(s.config.StateDir, logName)), daemon.ReadRing(filepath.Join(s.config.StateDir, callsName))
	}
	return api.NewLocal(s.memory, &local), nil
}

// localOf returns the options for requests from a configuration.
func localOf(c *config.Config) api.LocalOptions {
	return api.LocalOptions{
		Home: config.Home(), EmbedTimeout: embedTimeout, Budget: c.Budget, Threshold: c.SemanticThreshold,
		Trusted: c.Trust.Covers(), Grants: c.Granted(), Did: ops.RecordAction,
		LogLimit: c.LogLimit,
		Places:   places(),
		Seals: func() (api.Seals, error) {
			k, err := c.Seals()
			return api.Seals{For: k.For, Own: k.Own}, err
		},
		IPFS: ops.IPFS(c.Ipfs.API != "", func() (string, error) { return c.Ipfs.Address() }),
	}
}

// places opens the kinds that package place does not open itself. Connections outlive a change of configuration.
var places = sync.OnceValue(func() place.Openers {
	return place.Openers{"s3": hosted.BucketOpener(config.Buckets), "nats": hosted.ClusterOpener(),
		"git+https": place.OpenGit, "git+http": place.OpenGit, "git+ssh": place.OpenGit, "git+file": place.OpenGit}
})

// embedTimeout is how long a request waits for an embedder, the same with and without a daemon: both give the same window.
const embedTimeout = 300 * time.Millisecond

// load reads the configuration.
func (s *session) load() (err error) {
	if s.config, err = config.Load(s.flags, ""); errors.Is(err, config.ErrNoMemex) {
		if here, hereErr := os.Getwd(); hereErr == nil {
			err = fmt.Errorf("%w%s", err, markdownAdvice(here))
		}
	}
	if err != nil {
		return cli.Misuse{Err: err}
	}
	for _, p := range s.config.Problems {
		s.Report("%s", p)
	}
	s.reportMemex()
	return nil
}

// loadOrAsk is load, but if the file is invalid it uses a daemon, which has the last valid configuration.
func loadOrAsk(ctx context.Context, s *session) error {
	err := s.load()
	if !errors.Is(err, config.ErrFile) || s.config.Memex == "" {
		return err
	}
	s.config.Budget, s.config.LogLimit = 0, 0 // those of the daemon apply
	if s.connect(ctx) != nil || s.daemon == nil {
		return err
	}
	s.Report("%v", err)
	return nil
}

// asking returns the service of the daemon. It adds the settings for windows and the log from this
// process' environment and configuration to each request for one.
func asking(s *session) api.Service {
	var mu sync.Mutex
	now, follow := s.config, s.config.Follow(s.flags)
	look := func() config.Config {
		mu.Lock()
		defer mu.Unlock()
		for range 2 { // Look reads a changed file at the second call
			now, _ = follow.Look(now)
		}
		return now
	}
	windows := withWindows(s.daemon.Service, func() (int, float64) {
		own := look()
		if own.Budget == 0 { // the daemon has the last valid one
			return 0, 0
		}
		return own.Budget, cmp.Or(own.SemanticThreshold, window.DefaultThreshold)
	})
	return func(ctx context.Context, c api.Call) (any, error) {
		if req, ok := c.Request.(api.LogsRequest); ok {
			req.Limit = cmp.Or(req.Limit, look().LogLimit)
			c.Request = req
		}
		return windows(ctx, c)
	}
}

// withWindows returns a service whose windows have the budget and threshold that now returns if a
// request names none and its policy has none; 0 leaves it to the service.
func withWindows(svc api.Service, now func() (budget int, threshold float64)) api.Service {
	return func(ctx context.Context, c api.Call) (any, error) {
		if req, ok := c.Request.(api.ContextRequest); ok {
			budget, threshold := now()
			if req.Policy != window.PolicyShares {
				req.Budget = cmp.Or(req.Budget, budget)
			}
			req.Threshold = cmp.Or(req.Threshold, threshold)
			c.Request = req
		}
		return svc(ctx, c)
	}
}

// reportMemex prints which folder is the memex if it was inferred: a parent folder, or one without a memory yet.
func (s *session) reportMemex() {
	if !s.config.Here {
		return
	}
	dir, err := os.Getwd()
	if err != nil || dir != s.config.Memex {
		s.Report("using the memex %s, which contains this folder", s.config.Memex)
	} else if !config.HasMemory(s.config.StateDir) {
		s.Report("using this folder, %s, as a new memex", s.config.Memex)
	}
}

// open opens the memory in this process, under a configuration; with, if not nil, may change the options.
func (s *session) open(ctx context.Context, c *config.Config, wait time.Duration, with func(*fovea.Options)) (err error) {
	keys := c.Keys()
	if keys.Problem != "" {
		s.Warn(errors.New(keys.Problem))
	}
	opts := &fovea.Options{
		StateDir: c.StateDir, Actor: author.Actor{Session: c.Session},
		SkillsDir: c.SkillsDir, Opaque: c.Opaque, Owner: c.Owner(), Projects: c.Projects,
		ElsewhereID: elsewhere(*c), Command: "fovea", Wait: wait, Adopt: s.opening.Adopt, Anew: s.opening.anew, Stores: storesDir(), Log: s.log(),
		Signer: keys.Signer, PublicKey: keys.Public, Verifiers: keys.Verifiers,
		Formats: c.Formats(), HistoryWarn: int64(c.HistoryWarnMb) << 20, Guard: c.Guard,
		Alert: s.alerts.report, Embedder: c.Embed.Connector(c.StateDir), RemoteSeesAll: c.Embed.All, Reranker: c.Rerank.Reranking(),
		Summarizer:  c.Summary.Summarizing(),
		OmitWindows: c.Record.OmitWindows, OmitActions: c.Record.OmitActions,
	}
	if w := c.Witness(); w != nil { // without a key too: it remembers signed histories
		opts.Witness = w
	}
	s.alerts.console = &s.Console
	if with != nil {
		with(opts)
	}
	if s.memory, err = fovea.Open(ctx, c.Memex, opts); err != nil {
		s.memory = nil
		return err
	}
	s.alerts.start(c, opts.Log)
	st := s.memory.Status()
	if errors.Is(s.memory.Writable(), store.ErrCorrupt) && st.ReadOnly != "" {
		st.ReadOnly += "; see fovea verify, then fovea repair"
	}
	for _, told := range [][2]string{{"", st.Kin}, {"recovered: ", st.Recovered}, {"read-only: ", st.ReadOnly}, {"signature: ", st.Signature}} {
		if told[1] != "" {
			s.Report("%s%s", told[0], told[1])
		}
	}
	return nil
}

// elsewhere returns whether Emacs has seen an id outside the memex. The list is read at the first unknown id.
func elsewhere(c config.Config) func(id string) bool {
	ids := sync.OnceValue(func() map[string]string { return c.KnownIDs() })
	return func(id string) bool {
		file, known := ids()[id]
		rel, err := filepath.Rel(c.Memex, file)
		return known && (err != nil || !filepath.IsLocal(rel))
	}
}

// close ends the run. Everything acknowledged is already on disk.
func (s *session) close() error {
	if s.daemon != nil {
		s.daemon.Close()
	}
	if s.memory == nil {
		return nil
	}
	s.alerts.stop() // before another process can open the memory
	return s.memory.Close()
}

// closed is close after a successful verb. Then only an image or a cache can fail, which the next
// opening makes again: closed only warns, so that the person does not repeat the verb.
func closed(s *session) {
	if err := s.close(); err != nil {
		s.Warn(fmt.Errorf("%w; what was done is kept, and the next opening takes longer", err))
	}
}

// judged returns the error of a verb. If the history of the memory is damaged, it adds that the
// answer, or that nothing was found, applies only to the rest of the history.
func judged(ctx context.Context, s *session, ran *cobra.Command, err error) error {
	if err != nil && fovea.KindOf(err) != fovea.NotFound || slices.Contains(sound, ran.Name()) {
		return err
	}
	damage := ""
	if s.memory != nil && store.LacksHistory(s.memory.Writable()) {
		damage = s.memory.Writable().Error()
	} else if s.daemon != nil {
		h, _ := s.daemon.Hello(ctx) // without an answer, no damage is known
		damage = h.Damage
	}
	if damage == "" {
		if err == nil && s.noNotes.Load() && ran.GroupID == "read" {
			err = fault.Errorf(ran.Name(), "", fault.NotFound, "there are no notes to read")
		}
		return err
	}
	told := errors.New(damage + "; the answer is only what is left of the history; see fovea verify, then fovea repair")
	if err != nil {
		told = fmt.Errorf("%w; %w", err, told)
	}
	return &fovea.Error{Op: ran.Name(), Kind: fovea.Corrupt, Err: told}
}

// sound are the verbs that report damage themselves, repair it, or serve the rest.
var sound = []string{"repair", "serve", "mcp", "hook"}

// warn prints a warning once. A read-only store is omitted, since opening it printed that.
func (s *session) warn(err error) {
	if strings.HasPrefix(err.Error(), api.ErrNoNotes.Error()) { // also from a daemon
		s.noNotes.Store(true)
		err = fmt.Errorf("%w%s", err, markdownAdvice(s.config.Memex))
	}
	if s.memory == nil || fovea.KindOf(err) != fovea.ReadOnly {
		s.Warn(err)
	}
}

// log returns the log of this process.
func (s *session) log() *slog.Logger { return s.Log(s.warn) }

// markdownAdvice returns what to do with a folder of Markdown, "" for other folders.
func markdownAdvice(dir string) string {
	for _, pattern := range []string{"*.md", "*/*.md"} {
		if found, _ := fs.Glob(os.DirFS(dir), pattern); len(found) > 0 {
			return fmt.Sprintf(" (this one has Markdown: fovea import markdown %q --memex FOLDER copies it into another FOLDER as Org)", dir)
		}
	}
	return ""
}
