// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/fovea-memory/fovea/internal/place"
)

const (
	dialWait  = 5 * time.Second
	pingEvery = 3 * time.Second  // so that a server that is cut off is left within three times that
	callWait  = 10 * time.Second // for an answer
	spare     = 4 << 10          // of a message, for its subject and headers
	minChunk  = 16 << 10
	maxChunk  = 1 << 20
)

// The headers of an object in chunks.
const (
	headerChunks = "Fovea-Chunks"
	headerSum    = "Fovea-Sum"
)

// cluster is a place in a stream. The tag of an object in chunks has their digest behind its number.
type cluster struct {
	conn     *nats.Conn
	js       jetstream.JetStream
	stream   jetstream.Stream
	prefix   string
	chunk    int           // bytes of a chunk
	users    int           // of the connection, of a place that is shared
	maxLease time.Duration // of a claim

	mu   sync.Mutex
	kept map[string]version
}

// version is one of an object.
type version struct {
	data []byte
	tag  string
}

// Opener returns what opens places that are there. Those of one address that are open at once have one connection.
func Opener() func(ctx context.Context, address string, create bool) (place.Place, error) {
	var mu sync.Mutex
	open := map[string]*cluster{}
	return func(ctx context.Context, address string, create bool) (place.Place, error) {
		mu.Lock()
		defer mu.Unlock()
		c := open[address]
		if create || c == nil || !c.conn.IsConnected() {
			p, err := Open(ctx, address, create)
			if err != nil || create {
				return p, err
			}
			c = p.(*cluster)
			open[address] = c
		}
		c.users++
		return user{c, sync.OnceFunc(func() {
			mu.Lock()
			defer mu.Unlock()
			if c.users--; c.users > 0 {
				return
			}
			if c.conn.Close(); open[address] == c {
				delete(open, address)
			}
		})}, nil
	}
}

// user is a place whose connection others use, too.
type user struct {
	*cluster
	leave func()
}

// Close ends the connection if nobody else uses it.
func (u user) Close() error {
	u.leave()
	return nil
}

// Open opens the place that an address names. With create, a stream that is missing is made.
// Errors: place.ErrURL, place.ErrNoAnswer, place.ErrRight, place.ErrAway, errStream.
func Open(ctx context.Context, address string, create bool) (place.Place, error) {
	t, err := parse(address)
	if err != nil {
		return nil, err
	}
	conn, err := nats.Connect(t.servers, append(t.options, nats.Name("fovea"), nats.Timeout(dialWait), nats.MaxReconnects(-1),
		nats.PingInterval(pingEvery), nats.MaxPingsOutstanding(2),
		nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {}))...) // the connection keeps the last one; the library's own handler prints
	if err != nil {
		return nil, connectFault(err)
	}
	c := &cluster{conn: conn, prefix: t.prefix, chunk: min(int(conn.MaxPayload())-spare, maxChunk), kept: map[string]version{}, maxLease: place.MaxLease}
	conn.SetDisconnectErrHandler(func(*nats.Conn, error) { c.forget() })
	if err := c.open(ctx, t.stream, create); err != nil {
		conn.Close()
		return nil, err
	}
	return c, nil
}

// open finds the stream, or makes it.
func (c *cluster) open(ctx context.Context, want jetstream.StreamConfig, create bool) (err error) {
	if c.chunk < minChunk {
		return fmt.Errorf("the servers take messages of %d bytes; set max_payload to 1MB: %w", c.conn.MaxPayload(), errStream)
	}
	if c.js, err = jetstream.New(c.conn, jetstream.WithDefaultTimeout(callWait)); err != nil {
		return err
	}
	c.stream, err = c.js.Stream(ctx, want.Name)
	if errors.Is(err, jetstream.ErrStreamNotFound) && create {
		if c.stream, err = c.js.CreateStream(ctx, want); errors.Is(err, jetstream.ErrStreamNameAlreadyInUse) { // by another machine, just now
			c.stream, err = c.js.Stream(ctx, want.Name)
		}
	}
	if err != nil {
		return c.fault("stream "+want.Name, err)
	}
	if how := differs(c.stream.CachedInfo().Config, want); how != "" {
		return fmt.Errorf("the stream %s has other settings (%s); give it these, or use another name: %w", want.Name, how, errStream)
	}
	return nil
}

// Kept returns what this machine read or wrote last, see place.Keeper.
func (c *cluster) Kept(name string) (data []byte, tag string, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	v, ok := c.kept[name]
	return v.data, v.tag, ok
}

// keep keeps a version of an object that is no pack.
func (c *cluster) keep(name string, data []byte, tag string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if folder, _, _ := strings.Cut(name, "/"); folder != "packs" {
		c.kept[name] = version{data, tag}
	}
}

// forget makes that all is read again.
func (c *cluster) forget() {
	c.mu.Lock()
	defer c.mu.Unlock()
	clear(c.kept)
}

// tokens writes the name of an object as tokens of a subject: its slash parts them, its dots are
// written as equals signs.
var tokens, names = strings.NewReplacer(".", "=", "/", "."), strings.NewReplacer(".", "/", "=", ".")

// The subjects of an object: behind its name stands a token that no part of a name is, then one for the
// object itself, or the digest of its bytes and the number of a chunk. So writers at once do not meet in
// chunks, one that writes again writes the same, and all go together.
const (
	behindName = ".="
	whole      = behindName + ".o"
)

func (c *cluster) subject(name string) string { return c.prefix + "." + tokens.Replace(name) }

func (c *cluster) chunkOf(name, sum string, i int) string {
	return fmt.Sprintf("%s%s.%s.%d", c.subject(name), behindName, sum, i)
}

// object is the name of the object that a subject is about.
func (c *cluster) object(subject string) string {
	name, _, _ := strings.Cut(strings.TrimPrefix(subject, c.prefix+"."), behindName+".")
	return names.Replace(name)
}

// Get returns an object, see place.Place. One whose chunks left while they were read was replaced
// meanwhile, and is read again.
func (c *cluster) Get(ctx context.Context, name string) (data []byte, tag string, err error) {
	if err := place.CheckObject(name); err != nil {
		return nil, "", err
	}
	for before := ""; ; before = tag {
		if data, tag, err = c.read(ctx, name); err == nil {
			c.keep(name, data, tag)
			return data, tag, nil
		}
		c.forget()
		if tag == "" || !errors.Is(err, place.ErrNone) {
			return nil, "", err
		}
		if tag == before {
			return nil, "", fmt.Errorf("%s: a part is missing: %w", name, place.ErrDamaged)
		}
	}
}

// read reads an object. The tag says whether it is there, even if a chunk is not.
func (c *cluster) read(ctx context.Context, name string) (data []byte, tag string, err error) {
	m, err := c.stream.GetLastMsgForSubject(ctx, c.subject(name)+whole)
	if err != nil {
		return nil, "", c.fault(name, err)
	}
	tag = strconv.FormatUint(m.Sequence, 10)
	sum := m.Header.Get(headerSum)
	if sum == "" {
		return m.Data, tag, nil
	}
	tag += "." + sum
	n, err := strconv.Atoi(m.Header.Get(headerChunks))
	if err != nil || n > place.MaxObject/minChunk+1 {
		return nil, tag, fmt.Errorf("%s has a wrong number of chunks: %w", name, place.ErrDamaged)
	}
	for i := range n {
		part, err := c.stream.GetLastMsgForSubject(ctx, c.chunkOf(name, sum, i))
		if err != nil {
			return nil, tag, c.fault(name, err)
		}
		if data = append(data, part.Data...); len(data) > place.MaxObject {
			break
		}
	}
	if sumOf(data) != sum {
		return nil, tag, fmt.Errorf("%s: %w", name, place.ErrDamaged)
	}
	return data, tag, nil
}

func sumOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// Put writes an object, see place.Place. What it replaces loses its chunks, too.
func (c *cluster) Put(ctx context.Context, name, tag string, data []byte) (err error) {
	if err := place.CheckObject(name); err != nil {
		return err
	}
	number, replaced, _ := strings.Cut(tag, ".")
	before, err := strconv.ParseUint(number, 10, 64)
	switch {
	case tag != "" && (err != nil || before == 0):
		return fmt.Errorf("%s: %w", name, place.ErrChanged)
	case len(data) > place.MaxObject:
		return fmt.Errorf("%s has %d bytes, more than %d: %w", name, len(data), place.MaxObject, place.ErrDamaged)
	}
	m, sum := &nats.Msg{Subject: c.subject(name) + whole, Data: data}, ""
	if len(data) > c.chunk {
		sum = sumOf(data)
		n := 0
		for part := range slices.Chunk(data, c.chunk) {
			if _, err := c.publish(ctx, &nats.Msg{Subject: c.chunkOf(name, sum, n), Data: part}); err != nil {
				return c.fault(name, err)
			}
			n++
		}
		m.Data, m.Header = nil, nats.Header{headerChunks: {strconv.Itoa(n)}, headerSum: {sum}}
	}
	done, err := c.publish(ctx, m, jetstream.WithExpectLastSequencePerSubject(before))
	if err != nil {
		c.forget()
		return c.fault(name, err)
	}
	if tag = strconv.FormatUint(done.Sequence, 10); sum == "" {
		c.keep(name, data, tag)
	}
	if replaced != "" && replaced != sum {
		return c.purge(ctx, c.subject(name)+behindName+"."+replaced+".*")
	}
	return nil
}

// publish writes a message once: whether one without an answer was written, who reads it finds out.
func (c *cluster) publish(ctx context.Context, m *nats.Msg, how ...jetstream.PublishOpt) (*jetstream.PubAck, error) {
	return c.js.PublishMsg(ctx, m, append(how, jetstream.WithRetryAttempts(0))...)
}

// List returns the names that begin with a prefix, see place.Place. Of an object that was never
// finished it has the name, so that who cleans up removes its chunks.
func (c *cluster) List(ctx context.Context, prefix string) ([]string, error) {
	filter := c.prefix + ".>"
	if folder, _, isIn := strings.Cut(prefix, "/"); isIn {
		filter = c.subject(folder) + ".>"
	}
	info, err := c.stream.Info(ctx, jetstream.WithSubjectFilter(filter))
	if err != nil {
		return nil, c.fault(prefix, err)
	}
	there := map[string]bool{}
	for subject := range info.State.Subjects {
		if name := c.object(subject); strings.HasPrefix(name, prefix) && place.CheckObject(name) == nil {
			there[name] = true
		}
	}
	return slices.Sorted(maps.Keys(there)), nil
}

// Remove removes an object with its chunks, see place.Place.
func (c *cluster) Remove(ctx context.Context, name string) error {
	if err := place.CheckObject(name); err != nil {
		return err
	}
	c.forget()
	return c.purge(ctx, c.subject(name)+behindName+".>")
}

func (c *cluster) purge(ctx context.Context, subject string) error {
	return c.fault(subject, c.stream.Purge(ctx, jetstream.WithPurgeSubject(subject)))
}

// leaderElected is the subject under which servers tell that a stream has another leader.
const leaderElected = "$JS.EVENT.ADVISORY.STREAM.LEADER_ELECTED."

// Watch calls changed for each object below a prefix that is written from now on, see
// place.Watcher.
func (c *cluster) Watch(ctx context.Context, prefix string, changed func(name string)) error {
	folder, _, _ := strings.Cut(prefix, "/")
	stream := c.stream.CachedInfo().Config.Name
	elected, err := c.conn.Subscribe(leaderElected+stream, func(*nats.Msg) {
		c.forget()
		changed("")
	})
	if err != nil {
		return c.fault(prefix, err)
	}
	defer func() { _ = elected.Unsubscribe() }() // the connection may be closed
	consumer, err := c.js.OrderedConsumer(ctx, stream, jetstream.OrderedConsumerConfig{
		FilterSubjects: []string{c.subject(folder) + ".*" + whole}, DeliverPolicy: jetstream.DeliverNewPolicy, HeadersOnly: true,
	})
	if err != nil {
		return c.fault(prefix, err)
	}
	consuming, err := consumer.Consume(func(m jetstream.Msg) {
		if name := c.object(m.Subject()); strings.HasPrefix(name, prefix) {
			changed(name)
		}
	})
	if err != nil {
		return c.fault(prefix, err)
	}
	defer consuming.Stop()
	changed(prefix)
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-consuming.Closed():
		return fmt.Errorf("%s: %w", prefix, place.ErrNoAnswer)
	}
}

// Close ends the connection.
func (c *cluster) Close() error {
	c.conn.Close()
	return nil
}
