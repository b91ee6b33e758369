// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"crypto/sha256"
	"fmt"
	"net/url"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/fovea-memory/fovea/internal/place"
)

// shards is the number of streams that memories without one of their own share.
const shards = 16

// defaultReplicas is the number of servers that keep a stream.
const defaultReplicas = 3

// target is what an address names.
type target struct {
	servers  []string // URLs
	name     string   // of the memory
	own      bool     // it has a stream of its own
	replicas int
	files    map[string]string // of credentials, by the name of the parameter
}

var memoryName = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// usage says what an address is.
const usage = "a cluster is nats://HOST:PORT,HOST:PORT/NAME, and behind ? stand replicas=N, own=true, creds=FILE, nkey=FILE, ca=FILE, or cert=FILE and key=FILE"

// parse reads nats://HOST[:PORT][,HOST[:PORT]...]/NAME[?PARAMETERS]. Errors: place.ErrURL, without
// the address, in which somebody may have written a password.
func parse(address string) (*target, error) {
	wrong := func(what string) (*target, error) {
		return nil, fmt.Errorf("%w; %s: %s", place.ErrURL, what, usage)
	}
	rest, _ := strings.CutPrefix(address, "nats://")
	rest, parameters, _ := strings.Cut(rest, "?")
	hosts, name, _ := strings.Cut(rest, "/")
	query, err := url.ParseQuery(parameters)
	switch {
	case err != nil:
		return wrong("what stands behind ? cannot be read")
	case strings.Contains(rest, "@"):
		return wrong("leave the password out of the address, and name a file of credentials")
	case !memoryName.MatchString(name):
		return wrong("the name has 1 to 64 letters, digits, hyphens and underscores")
	}
	t := &target{name: name, replicas: defaultReplicas, files: map[string]string{}}
	for host := range strings.SplitSeq(hosts, ",") {
		u, err := url.Parse("nats://" + host)
		if err != nil || u.Hostname() == "" || u.Path != "" {
			return wrong("it does not name servers")
		}
		t.servers = append(t.servers, u.String())
	}
	for key, values := range query {
		value := values[0]
		switch key {
		case "own":
			t.own = value == "true"
		case "replicas":
			if t.replicas, err = strconv.Atoi(value); err != nil || t.replicas < 1 || t.replicas > 5 {
				return wrong("replicas are 1 to 5")
			}
		case "creds", "nkey", "ca", "cert", "key":
			if !filepath.IsAbs(value) {
				return wrong(key + " is the absolute path of a file")
			}
			t.files[key] = value
		default:
			return wrong("it has an unknown parameter")
		}
	}
	if (t.files["cert"] == "") != (t.files["key"] == "") {
		return wrong("cert and key go together")
	}
	return t, nil
}

// shard is the number of the stream that a memory shares.
func (t *target) shard() int {
	sum := sha256.Sum256([]byte(t.name))
	return int(sum[0]) % shards
}

// prefix is what the subjects of the memory begin with.
func (t *target) prefix() string {
	if t.own {
		return "fovea.own." + t.name
	}
	return fmt.Sprintf("fovea.%02d.%s", t.shard(), t.name)
}

// stream is how the stream has to be.
func (t *target) stream() jetstream.StreamConfig {
	name, subject := fmt.Sprintf("FOVEA-%02d", t.shard()), fmt.Sprintf("fovea.%02d.>", t.shard())
	if t.own {
		name, subject = "FOVEA-OWN-"+t.name, t.prefix()+".>"
	}
	return jetstream.StreamConfig{
		Name: name, Subjects: []string{subject}, Storage: jetstream.FileStorage, Replicas: t.replicas,
		MaxMsgsPerSubject: 1, Discard: jetstream.DiscardNew, Description: "memories of Fovea",
	}
}

// differs says what of a stream is not as it has to be, "" for nothing. What bounds its size is the
// server's, and a write that does not fit is refused.
func differs(is, want jetstream.StreamConfig) string {
	for _, of := range []struct {
		what     string
		is, want any
	}{
		{"subjects", is.Subjects, want.Subjects}, {"replicas", is.Replicas, want.Replicas}, {"storage", is.Storage, want.Storage},
		{"retention", is.Retention, want.Retention}, {"messages a subject", is.MaxMsgsPerSubject, want.MaxMsgsPerSubject},
		{"discard", is.Discard, want.Discard}, {"age", is.MaxAge, want.MaxAge}, {"direct reads", is.AllowDirect, want.AllowDirect},
		{"purges denied", is.DenyPurge, false}, {"sealed", is.Sealed, false}, {"no acknowledgements", is.NoAck, false},
		{"messages that end", is.AllowMsgTTL, want.AllowMsgTTL}, {"markers of what ended", is.SubjectDeleteMarkerTTL, want.SubjectDeleteMarkerTTL},
		{"mirror", is.Mirror != nil, false}, {"sources", len(is.Sources), 0},
	} {
		if is, want := fmt.Sprint(of.is), fmt.Sprint(of.want); is != want {
			return fmt.Sprintf("%s: %s instead of %s", of.what, is, want)
		}
	}
	return ""
}

// options are those of a connection.
func (t *target) options() []nats.Option {
	all := []nats.Option{
		nats.Name("fovea"), nats.Timeout(dialWait), nats.MaxReconnects(-1),
		nats.PingInterval(pingEvery), nats.MaxPingsOutstanding(2),
		nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {}), // the connection keeps the last one; the library's own handler prints
	}
	if f := t.files["creds"]; f != "" {
		all = append(all, nats.UserCredentials(f))
	}
	if f := t.files["ca"]; f != "" {
		all = append(all, nats.RootCAs(f))
	}
	if f := t.files["cert"]; f != "" {
		all = append(all, nats.ClientCert(f, t.files["key"]))
	}
	return all
}
