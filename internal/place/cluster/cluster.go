// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
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
	conn   *nats.Conn
	js     jetstream.JetStream
	stream jetstream.Stream
	prefix string
	chunk  int // bytes of a chunk

	claims   jetstream.StreamConfig // how the stream of claims has to be
	maxLease time.Duration
}

// Open opens the place that an address names. With create, a stream that is missing is made.
// Errors: place.ErrURL, place.ErrNoAnswer, place.ErrRight, place.ErrAway, errStream.
func Open(ctx context.Context, address string, create bool) (place.Place, error) {
	t, err := parse(address)
	if err != nil {
		return nil, err
	}
	options := t.options()
	if f := t.files["nkey"]; f != "" {
		signed, err := nats.NkeyOptionFromSeed(f)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", place.ErrRight, err)
		}
		options = append(options, signed)
	}
	conn, err := nats.Connect(strings.Join(t.servers, ","), options...)
	if err != nil {
		return nil, connectFault(err)
	}
	c := &cluster{
		conn: conn, prefix: t.prefix(), chunk: min(int(conn.MaxPayload())-spare, maxChunk),
		claims: claimsStream(t.stream()), maxLease: place.MaxLease,
	}
	if c.stream, err = c.open(ctx, t.stream(), create); err == nil && create {
		_, err = c.open(ctx, c.claims, true)
	}
	if err != nil {
		conn.Close()
		return nil, err
	}
	return c, nil
}

// errStream is returned for a stream that cannot hold a place.
var errStream = errors.New("fovea alters no stream that is there")

// open finds a stream, or makes it.
func (c *cluster) open(ctx context.Context, want jetstream.StreamConfig, create bool) (stream jetstream.Stream, err error) {
	if c.chunk < minChunk {
		return nil, fmt.Errorf("the servers take messages of %d bytes; set max_payload to 1MB: %w", c.conn.MaxPayload(), errStream)
	}
	if c.js, err = jetstream.New(c.conn); err != nil {
		return nil, err
	}
	ctx, stop := context.WithTimeout(ctx, callWait)
	defer stop()
	stream, err = c.js.Stream(ctx, want.Name)
	if errors.Is(err, jetstream.ErrStreamNotFound) && create {
		if stream, err = c.js.CreateStream(ctx, want); errors.Is(err, jetstream.ErrStreamNameAlreadyInUse) { // by another machine, just now
			stream, err = c.js.Stream(ctx, want.Name)
		}
	}
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		return nil, fmt.Errorf("the servers have no stream %s: %w", want.Name, place.ErrAway)
	}
	if err != nil {
		return nil, c.fault("stream "+want.Name, err)
	}
	if how := differs(stream.CachedInfo().Config, want); how != "" {
		return nil, fmt.Errorf("the stream %s has other settings (%s); give it these, or use another name: %w", want.Name, how, errStream)
	}
	return stream, nil
}

// The kinds of subjects.
const (
	objects = "o"
	chunks  = "c"
)

// tokens writes the name of an object as tokens of a subject: its slash parts them, its dots are
// written as equals signs.
var tokens = strings.NewReplacer(".", "=", "/", ".")

// subject is that of an object, or what those of its chunks begin with.
func (c *cluster) subject(kind, name string) string {
	return c.prefix + "." + kind + "." + tokens.Replace(name)
}

// object is the name of the object that a subject of a kind is about, "" for another one.
func (c *cluster) object(kind, subject string) string {
	rest, ok := strings.CutPrefix(subject, c.prefix+"."+kind+".")
	if !ok {
		return ""
	}
	parts := strings.Split(rest, ".")
	if kind == chunks { // behind the name stand the digest and the number
		parts = parts[:max(0, len(parts)-2)]
	}
	return strings.ReplaceAll(strings.Join(parts, "/"), "=", ".")
}

// Get returns an object, see place.Place. One whose chunks left while they were read was replaced
// meanwhile, and is read again.
func (c *cluster) Get(ctx context.Context, name string) (data []byte, tag string, err error) {
	if err := place.CheckObject(name); err != nil {
		return nil, "", err
	}
	for before := uint64(0); ; {
		m, err := c.message(ctx, c.subject(objects, name))
		if err != nil {
			return nil, "", c.fault(name, err)
		}
		data, tag = m.Data, strconv.FormatUint(m.Sequence, 10)
		sum := m.Header.Get(headerSum)
		if sum == "" {
			return data, tag, nil
		}
		data, err = c.join(ctx, name, sum, m.Header.Get(headerChunks))
		if !errors.Is(err, jetstream.ErrMsgNotFound) {
			return data, tag + "." + sum, err
		}
		if before == m.Sequence {
			return nil, "", fmt.Errorf("%s: a part is missing: %w", name, place.ErrDamaged)
		}
		before = m.Sequence
	}
}

// join returns the bytes of an object in chunks. Errors: place.ErrDamaged, and jetstream.ErrMsgNotFound where one is missing.
func (c *cluster) join(ctx context.Context, name, sum, count string) (data []byte, err error) {
	n, err := strconv.Atoi(count)
	if err != nil || n < 0 || n > place.MaxObject/minChunk+1 {
		return nil, fmt.Errorf("%s has %q chunks: %w", name, count, place.ErrDamaged)
	}
	for i := range n {
		part, err := c.message(ctx, c.chunkOf(name, sum, i))
		if errors.Is(err, jetstream.ErrMsgNotFound) {
			return nil, err
		} else if err != nil {
			return nil, c.fault(name, err)
		}
		if data = append(data, part.Data...); len(data) > place.MaxObject {
			return nil, fmt.Errorf("%s has more than %d bytes: %w", name, place.MaxObject, place.ErrDamaged)
		}
	}
	if sumOf(data) != sum {
		return nil, fmt.Errorf("%s: %w", name, place.ErrDamaged)
	}
	return data, nil
}

func (c *cluster) message(ctx context.Context, subject string) (*jetstream.RawStreamMsg, error) {
	ctx, stop := context.WithTimeout(ctx, callWait)
	defer stop()
	return c.stream.GetLastMsgForSubject(ctx, subject)
}

// chunkOf is the subject of a chunk of an object whose bytes have that digest: writers at once do not
// meet there, and one that writes again writes the same.
func (c *cluster) chunkOf(name, sum string, i int) string {
	return fmt.Sprintf("%s.%s.%d", c.subject(chunks, name), sum, i)
}

func sumOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// Put writes an object, see place.Place. What it replaces loses its chunks, too.
func (c *cluster) Put(ctx context.Context, name, tag string, data []byte) error {
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
	m := nats.NewMsg(c.subject(objects, name))
	m.Data = data
	if len(data) > c.chunk {
		if err := c.split(ctx, name, m); err != nil {
			return err
		}
	}
	if err := c.publish(ctx, m, jetstream.WithExpectLastSequencePerSubject(before)); err != nil {
		return c.fault(name, err)
	}
	if replaced != "" && replaced != m.Header.Get(headerSum) {
		return c.purge(ctx, fmt.Sprintf("%s.%s.*", c.subject(chunks, name), replaced))
	}
	return nil
}

// split writes the bytes of a message as chunks, which its headers then name.
func (c *cluster) split(ctx context.Context, name string, m *nats.Msg) error {
	sum, n := sumOf(m.Data), 0
	for part := range slices.Chunk(m.Data, c.chunk) {
		chunk := nats.NewMsg(c.chunkOf(name, sum, n))
		chunk.Data = part
		if err := c.publish(ctx, chunk); err != nil {
			return c.fault(name, err)
		}
		n++
	}
	m.Data = nil
	m.Header.Set(headerChunks, strconv.Itoa(n))
	m.Header.Set(headerSum, sum)
	return nil
}

// publish writes a message once: whether one without an answer was written, who reads it finds out.
func (c *cluster) publish(ctx context.Context, m *nats.Msg, how ...jetstream.PublishOpt) error {
	ctx, stop := context.WithTimeout(ctx, callWait)
	defer stop()
	_, err := c.js.PublishMsg(ctx, m, append(how, jetstream.WithRetryAttempts(0))...)
	return err
}

// List returns the names that begin with a prefix, see place.Place. Of an object that was never
// finished it has the name, so that who cleans up removes its chunks.
func (c *cluster) List(ctx context.Context, prefix string) ([]string, error) {
	ctx, stop := context.WithTimeout(ctx, callWait)
	defer stop()
	folder, _, _ := strings.Cut(prefix, "/")
	info, err := c.stream.Info(ctx, jetstream.WithSubjectFilter(c.subject("*", folder)+".>"))
	if err != nil {
		return nil, c.fault(prefix, err)
	}
	names := map[string]bool{}
	for subject := range info.State.Subjects {
		name := cmp.Or(c.object(objects, subject), c.object(chunks, subject))
		if strings.HasPrefix(name, prefix) && place.CheckObject(name) == nil {
			names[name] = true
		}
	}
	return slices.Sorted(maps.Keys(names)), nil
}

// Remove removes an object with its chunks, see place.Place.
func (c *cluster) Remove(ctx context.Context, name string) error {
	if err := place.CheckObject(name); err != nil {
		return err
	}
	if err := c.purge(ctx, c.subject(objects, name)); err != nil {
		return err
	}
	return c.purge(ctx, c.subject(chunks, name)+".>")
}

func (c *cluster) purge(ctx context.Context, subject string) error {
	ctx, stop := context.WithTimeout(ctx, callWait)
	defer stop()
	return c.fault(subject, c.stream.Purge(ctx, jetstream.WithPurgeSubject(subject)))
}

// leaderElected is the subject under which servers tell that a stream has another leader.
const leaderElected = "$JS.EVENT.ADVISORY.STREAM.LEADER_ELECTED."

// Watch calls changed for each object below a prefix that is written from now on, see
// place.Watcher.
func (c *cluster) Watch(ctx context.Context, prefix string, changed func(name string)) error {
	folder, _, _ := strings.Cut(prefix, "/")
	stream := c.stream.CachedInfo().Config.Name
	elected, err := c.conn.Subscribe(leaderElected+stream, func(*nats.Msg) { changed("") })
	if err != nil {
		return c.fault(prefix, err)
	}
	defer func() { _ = elected.Unsubscribe() }() // the connection may be closed
	consumer, err := c.js.OrderedConsumer(ctx, stream, jetstream.OrderedConsumerConfig{
		FilterSubjects: []string{c.subject(objects, folder) + ".>"}, DeliverPolicy: jetstream.DeliverNewPolicy, HeadersOnly: true,
	})
	if err != nil {
		return c.fault(prefix, err)
	}
	consuming, err := consumer.Consume(func(m jetstream.Msg) {
		if name := c.object(objects, m.Subject()); strings.HasPrefix(name, prefix) {
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
