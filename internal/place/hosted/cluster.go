// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package hosted

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/fovea-memory/fovea/internal/place"
)

const (
	shards          = 16 // streams that memories without one of their own share
	defaultReplicas = 3  // servers that keep a stream
	dialWait        = 5 * time.Second
	pingEvery       = 3 * time.Second  // so that the client leaves an unreachable server within three times that
	callWait        = 10 * time.Second // for an answer
	maxTries        = 20               // of a write, a quarter of a second apart, while a stream has no leader

	maxChunk     = 512 << 10 // bytes of an object in one message
	maxChunks    = place.MaxObject / maxChunk
	maxMessage   = maxChunk + 4<<10 // with its subject and headers
	headerSum    = "Fovea-Sum"      // digest of an object in chunks
	headerChunks = "Fovea-Chunks"   // number of its chunks
	whole        = "o"              // the part of an object with its bytes or these headers
)

// cluster is a place in a stream. The tag of an object in chunks ends with its digest.
type cluster struct {
	conn   *nats.Conn
	js     jetstream.JetStream
	stream jetstream.Stream
	prefix string
	kept   sync.Map      // the version of each object that was read or written last
	others atomic.Int32  // number of other users of the connection; below 0 it is unused
	lease  time.Duration // the longest lease of a claim

	reported atomic.Pointer[error] // the servers' error for a call that will get no answer
}

// version is a version of an object.
type version struct {
	data []byte
	tag  string
}

// ClusterOpener returns a function that opens places in NATS clusters. Places of one address share a connection, unless they are created.
func ClusterOpener() func(ctx context.Context, address string, create bool) (place.Place, error) {
	var all sync.Map // by address
	return func(ctx context.Context, address string, create bool) (place.Place, error) {
		if create {
			return OpenCluster(ctx, address, create)
		}
		s, _ := all.LoadOrStore(address, &shared{})
		return s.(*shared).open(ctx, address)
	}
}

// shared is the connection of all places at an address.
type shared struct {
	mu sync.Mutex
	c  *cluster
}

func (s *shared) open(ctx context.Context, address string) (place.Place, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.c != nil {
		if s.c.others.Add(1) > 0 && s.c.conn.IsConnected() {
			return s.c, nil
		}
		_ = s.c.Close() // the last user is leaving, or the connection is broken
	}
	p, err := OpenCluster(ctx, address, false)
	if err == nil && (s.c == nil || s.c.others.Load() < 0) { // otherwise keep that of the watch, which reconnects
		s.c = p.(*cluster)
	}
	return p, err
}

// OpenCluster opens the place at the address of a NATS cluster. With create, it creates a missing stream.
// Errors: place.ErrURL, place.ErrNoAnswer, place.ErrRight, place.ErrAway, errStream.
func OpenCluster(ctx context.Context, address string, create bool) (place.Place, error) {
	t, err := parse(address)
	if err != nil {
		return nil, err
	}
	c := &cluster{prefix: t.prefix, lease: place.MaxLease}
	c.conn, err = nats.Connect(t.servers, append(t.options, nats.Name("fovea"), nats.Timeout(dialWait), nats.MaxReconnects(-1),
		nats.PingInterval(pingEvery), nats.MaxPingsOutstanding(2), nats.DisconnectErrHandler(func(*nats.Conn, error) { c.kept.Clear() }),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { c.reported.Store(&err) }))...)
	if err != nil {
		return nil, c.fault(t.servers, err)
	}
	if c.js, err = jetstream.New(c.conn, jetstream.WithDefaultTimeout(callWait)); err == nil {
		c.stream, err = c.open(ctx, t.stream, create)
	}
	if err != nil {
		c.conn.Close()
		return nil, err
	}
	return c, nil
}

// open finds a stream or creates it.
func (c *cluster) open(ctx context.Context, want jetstream.StreamConfig, create bool) (jetstream.Stream, error) {
	if c.conn.MaxPayload() < maxMessage {
		return nil, fmt.Errorf("the servers take messages of %d bytes; set max_payload to 1MB: %w", c.conn.MaxPayload(), errStream)
	}
	stream, err := c.js.Stream(ctx, want.Name)
	if errors.Is(err, jetstream.ErrStreamNotFound) && create {
		stream, err = c.js.CreateStream(ctx, want) // no error if another machine has just created it with these settings
	}
	if err != nil {
		return nil, c.fault("stream "+want.Name, err)
	}
	if how := differs(stream.CachedInfo().Config, want); how != "" {
		return nil, fmt.Errorf("the stream %s has other settings (%s); change them, or use another name: %w", want.Name, how, errStream)
	}
	return stream, nil
}

// Close closes the connection if it has no other user.
func (c *cluster) Close() error {
	if c.others.Add(-1) == -1 {
		c.conn.Close()
	}
	return nil
}

// Kept implements place.Keeper.
func (c *cluster) Kept(name string) (data []byte, tag string, ok bool) {
	v, ok := c.kept.Load(name)
	kept, _ := v.(version)
	return kept.data, kept.tag, ok
}

// An object's name becomes tokens of a subject: a slash separates tokens, a dot becomes an equals sign.
var tokens, names = strings.NewReplacer(".", "=", "/", "."), strings.NewReplacer(".", "/", "=", ".")

func sumOf(data []byte) string { return fmt.Sprintf("%x", sha256.Sum256(data)) }

// subject returns the subject of a part of an object, after a token that no name has. The part of a chunk is the digest of
// the object and a number, so that concurrent writers use different chunks, and a repeated write the same.
func (c *cluster) subject(name, part string) string {
	return c.prefix + "." + tokens.Replace(name) + ".=." + part
}

// object returns the name of the object of a subject.
func (c *cluster) object(subject string) string {
	name, _, _ := strings.Cut(strings.TrimPrefix(subject, c.prefix+"."), ".=.")
	return names.Replace(name)
}

func (c *cluster) Get(ctx context.Context, name string) (data []byte, tag string, err error) {
	if err := place.CheckObject(name); err != nil {
		return nil, "", err
	}
	m, err := c.last(ctx, name, whole)
	if err != nil {
		return nil, "", err
	}
	data, tag = m.Data, strconv.FormatUint(m.Sequence, 10)
	if sum := m.Header.Get(headerSum); sum != "" {
		tag += "." + sum
		n, _ := strconv.Atoi(m.Header.Get(headerChunks)) // the sum detects a wrong number
		for i := 0; i < min(n, maxChunks) && len(data) < place.MaxObject; i++ {
			part, err := c.last(ctx, name, sum+"."+strconv.Itoa(i))
			if errors.Is(err, place.ErrNone) {
				break
			}
			if err != nil {
				return nil, "", err
			}
			data = append(data, part.Data...)
		}
		if sumOf(data) != sum {
			if now, err := c.last(ctx, name, whole); err != nil || now.Sequence != m.Sequence {
				return c.Get(ctx, name) // it was replaced meanwhile
			}
			return nil, "", c.fault(name, place.ErrDamaged)
		}
	}
	if !strings.HasPrefix(name, "packs/") {
		c.kept.Store(name, version{data, tag})
	}
	return data, tag, nil
}

// last returns the message of a part of an object.
func (c *cluster) last(ctx context.Context, name, part string) (*jetstream.RawStreamMsg, error) {
	m, err := c.stream.GetLastMsgForSubject(ctx, c.subject(name, part))
	if errors.Is(err, jetstream.ErrMsgNotFound) && !strings.Contains(name, "/") { // it may never have been there
		return nil, fmt.Errorf("%s: %w", name, place.ErrNone)
	}
	return m, c.fault(name, err)
}

// Put implements place.Place. It removes the chunks of the version that it replaces.
func (c *cluster) Put(ctx context.Context, name, tag string, data []byte) error {
	if err := place.CheckObject(name); err != nil || len(data) > place.MaxObject {
		return cmp.Or(err, fmt.Errorf("%s has %d bytes, more than %d: %w", name, len(data), place.MaxObject, place.ErrDamaged))
	}
	number, replaced, _ := strings.Cut(tag, ".")
	before, err := strconv.ParseUint(cmp.Or(number, "0"), 10, 64)
	if err != nil {
		return fmt.Errorf("%s: %w", name, place.ErrChanged)
	}
	m, sum := &nats.Msg{Subject: c.subject(name, whole), Data: data}, ""
	if len(data) > maxChunk {
		sum = sumOf(data)
		n := 0
		for part := range slices.Chunk(data, maxChunk) {
			if _, err := c.js.Publish(ctx, c.subject(name, sum+"."+strconv.Itoa(n)), part, jetstream.WithRetryAttempts(maxTries)); err != nil {
				return c.fault(name, err)
			}
			n++
		}
		m.Data, m.Header = nil, nats.Header{headerChunks: {strconv.Itoa(n)}, headerSum: {sum}}
	}
	// The client retries only while the stream has no leader and takes no messages: then nothing was written.
	done, err := c.js.PublishMsg(ctx, m, jetstream.WithExpectLastSequencePerSubject(before), jetstream.WithRetryAttempts(maxTries))
	if err != nil {
		return c.fault(name, err)
	}
	if sum == "" && !strings.HasPrefix(name, "packs/") {
		c.kept.Store(name, version{data, strconv.FormatUint(done.Sequence, 10)})
	}
	if replaced != "" && replaced != sum {
		return c.fault(name, c.stream.Purge(ctx, jetstream.WithPurgeSubject(c.subject(name, replaced+".*"))))
	}
	return nil
}

// List implements place.Place. It includes objects whose write was not finished, so that a cleanup
// removes their chunks.
func (c *cluster) List(ctx context.Context, prefix string) (found []string, err error) {
	filter := c.prefix + ".>"
	if folder, _, isIn := strings.Cut(prefix, "/"); isIn {
		filter = c.prefix + "." + folder + ".>"
	}
	info, err := c.stream.Info(ctx, jetstream.WithSubjectFilter(filter))
	if err != nil {
		return nil, c.fault(prefix, err)
	}
	for subject := range info.State.Subjects {
		found = append(found, c.object(subject))
	}
	return place.Objects(found, prefix), nil
}

func (c *cluster) Remove(ctx context.Context, name string) error {
	if err := place.CheckObject(name); err != nil {
		return err
	}
	c.kept.Clear()
	return c.fault(name, c.stream.Purge(ctx, jetstream.WithPurgeSubject(c.subject(name, ">"))))
}

// Watch implements place.Watcher. It also calls changed with "" when the servers report another leader of the stream. A broken
// connection loses no event after the last one.
func (c *cluster) Watch(ctx context.Context, folder string, changed func(name string)) error {
	elected, err := c.conn.Subscribe("$JS.EVENT.ADVISORY.STREAM.LEADER_ELECTED."+c.stream.CachedInfo().Config.Name, func(*nats.Msg) {
		c.kept.Clear()
		changed("")
	})
	if err != nil {
		return c.fault(folder, err)
	}
	defer func() { _ = elected.Unsubscribe() }() // the connection may be closed already
	consumer, err := c.stream.OrderedConsumer(ctx, jetstream.OrderedConsumerConfig{
		FilterSubjects: []string{c.subject(folder+"*", whole)}, DeliverPolicy: jetstream.DeliverLastPolicy, HeadersOnly: true,
	})
	if err != nil {
		return c.fault(folder, err)
	}
	consuming, err := consumer.Consume(func(m jetstream.Msg) { changed(c.object(m.Subject())) })
	if err != nil {
		return c.fault(folder, err)
	}
	defer consuming.Stop()
	again := c.conn.StatusChanged(nats.CONNECTED)
	defer c.conn.RemoveStatusListener(again)
	changed(folder)
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-consuming.Closed():
			return fmt.Errorf("%s: %w", folder, place.ErrNoAnswer)
		case <-again: // there may be another leader since the connection broke
			changed("")
		}
	}
}

// target is a parsed address.
type target struct {
	servers string // HOST:PORT, separated by commas
	options []nats.Option
	prefix  string                 // the beginning of the subjects of the memory
	stream  jetstream.StreamConfig // the required settings of the stream
}

// errAddress describes the form of an address without quoting it, as it may contain a password.
var errAddress = fmt.Errorf("%w; a cluster is nats://HOST:PORT,HOST:PORT/NAME, without a password; NAME has 1 to 64 letters, digits, hyphens and "+
	"underscores; the parameters after ? are replicas=1 to replicas=5, own=true, and by absolute paths creds=FILE, nkey=FILE, ca=FILE, or cert=FILE and key=FILE",
	place.ErrURL)

// parse parses an address. Errors: errAddress, place.ErrRight.
func parse(address string) (*target, error) {
	rest, parameters, _ := strings.Cut(strings.TrimPrefix(address, "nats://"), "?")
	servers, name, _ := strings.Cut(rest, "/")
	query, err := url.ParseQuery(parameters)
	if err != nil || strings.Contains(rest, "@") || !place.SpaceName.MatchString(name) || slices.Contains(strings.Split(servers, ","), "") {
		return nil, errAddress
	}
	t, isOwn, replicas := &target{servers: servers}, false, defaultReplicas
	for parameter := range query {
		value := query.Get(parameter)
		option, isFile := nats.Option(nil), filepath.IsAbs(value)
		switch {
		case parameter == "own" && value == "true":
			isOwn = true
		case parameter == "replicas" && len(value) == 1 && "1" <= value && value <= "5":
			replicas = int(value[0] - '0')
		case parameter == "creds" && isFile:
			option = nats.UserCredentials(value)
		case parameter == "nkey" && isFile:
			if option, err = nats.NkeyOptionFromSeed(value); err != nil {
				return nil, fmt.Errorf("%w: %w", place.ErrRight, err)
			}
		case parameter == "ca" && isFile:
			option = nats.RootCAs(value)
		case parameter == "cert" && isFile && query.Has("key"):
			option = nats.ClientCert(value, query.Get("key"))
		case parameter == "key" && isFile && query.Has("cert"):
		default:
			return nil, errAddress
		}
		t.options = append(t.options, option) // the client ignores nil
	}
	shard := fmt.Sprintf("%02d", sha256.Sum256([]byte(name))[0]%shards)
	stream, below := "FOVEA-"+shard, "fovea."+shard
	t.prefix = below + "." + name
	if isOwn {
		t.prefix = "fovea.own." + name
		stream, below = "FOVEA-OWN-"+name, t.prefix
	}
	t.stream = jetstream.StreamConfig{Name: stream, Subjects: []string{below + ".>"}, Description: "memories of Fovea", Replicas: replicas,
		MaxMsgsPerSubject: 1, Storage: jetstream.FileStorage, Discard: jetstream.DiscardNew, AllowMsgTTL: true}
	return t, nil
}

// differs returns the first setting of a stream that is not as required, "" for none. The server may
// bound the size: it refuses a write that does not fit.
func differs(is, want jetstream.StreamConfig) string {
	for _, name := range []string{"Subjects", "Replicas", "Storage", "Retention", "MaxMsgsPerSubject", "Discard", "MaxAge", "AllowDirect",
		"DenyPurge", "Sealed", "NoAck", "Mirror", "Sources", "AllowMsgTTL", "SubjectDeleteMarkerTTL"} {
		of := func(c jetstream.StreamConfig) string { return fmt.Sprint(reflect.ValueOf(c).FieldByName(name)) }
		if of(is) != of(want) {
			return fmt.Sprintf("%s: %s instead of %s", name, of(is), of(want))
		}
	}
	return ""
}

var (
	errStream   = errors.New("fovea does not change an existing stream")
	errFull     = errors.New("the servers have no room left; raise max_file_store or the limits of the stream, or remove what is no longer needed")
	errDisabled = fmt.Errorf("%w: the servers have no JetStream for this account; start them with a jetstream block in their configuration", place.ErrRight)
)

// meanings maps errors of NATS to errors of places. The numbers are those of servers without space:
// the account, its resources, streams, memory, storage, a store that failed.
var meanings = map[error]error{
	jetstream.ErrMsgNotFound: place.ErrNone, jetstream.ErrStreamNotFound: place.ErrAway,
	code(jetstream.JSErrCodeStreamWrongLastSequence): place.ErrChanged, code(jetstream.JSErrCodeStreamWrongLastSequenceConstant): place.ErrChanged,
	jetstream.ErrJetStreamNotEnabled: errDisabled, jetstream.ErrJetStreamNotEnabledForAccount: errDisabled,
	code(10002): errFull, code(10023): errFull, code(10027): errFull, code(10028): errFull, code(10047): errFull, code(10077): errFull,
	nats.ErrAuthorization: place.ErrRight, nats.ErrAuthExpired: place.ErrRight, nats.ErrAuthRevoked: place.ErrRight,
	nats.ErrAccountAuthExpired: place.ErrRight, nats.ErrPermissionViolation: place.ErrRight, nats.ErrNkeysNotSupported: place.ErrRight,
	nats.ErrSecureConnRequired: place.ErrRight, fs.ErrNotExist: place.ErrRight,
}

func code(number jetstream.ErrorCode) error { return &jetstream.APIError{ErrorCode: number} }

// fault translates an error of a call and clears the cache. nil stays nil. If a right is missing, the
// servers report that on the connection, and the call gets no answer.
func (c *cluster) fault(what string, err error) error {
	if err == nil {
		return nil
	}
	c.kept.Clear()
	if errors.Is(err, context.Canceled) || errors.Is(err, place.ErrDamaged) {
		return fmt.Errorf("%s: %w", what, err)
	}
	for cause := &err; cause != nil; cause = c.reported.Swap(nil) { // once: a later call may fail for another reason
		for is, means := range meanings {
			if errors.Is(*cause, is) {
				return fmt.Errorf("%s: %w (%w)", what, means, *cause)
			}
		}
	}
	if api, isAPI := errors.AsType[*jetstream.APIError](err); isAPI && api.Code != 503 {
		return fmt.Errorf("%s: %w", what, err)
	}
	return fmt.Errorf("%s: %w from the servers of NATS: %w", what, place.ErrNoAnswer, err)
}
