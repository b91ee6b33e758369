// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"crypto/sha256"
	"fmt"
	"net/url"
	"path/filepath"
	"reflect"
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
	servers string // URLs
	options []nats.Option
	prefix  string                 // what the subjects of the memory begin with
	stream  jetstream.StreamConfig // how the stream has to be
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
	rest, parameters, _ := strings.Cut(strings.TrimPrefix(address, "nats://"), "?")
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
	for host := range strings.SplitSeq(hosts, ",") {
		if u, err := url.Parse("nats://" + host); err != nil || u.Hostname() == "" || u.Path != "" {
			return wrong("it does not name servers")
		}
	}
	t := &target{servers: hosts}
	isOwn, replicas := query.Get("own") == "true", defaultReplicas
	for key := range query {
		value := query.Get(key)
		switch option := fileOptions[key]; {
		case key == "own":
		case key == "replicas":
			if replicas, err = strconv.Atoi(value); err != nil || replicas < 1 || replicas > 5 {
				return wrong("replicas are 1 to 5")
			}
		case option == nil:
			return wrong("it has an unknown parameter")
		case !filepath.IsAbs(value):
			return wrong(key + " is the absolute path of a file")
		default:
			t.options = append(t.options, option(value, query.Get("key")))
		}
	}
	if query.Has("cert") != query.Has("key") {
		return wrong("cert and key go together")
	}
	t.keptIn(name, isOwn, replicas)
	return t, nil
}

// fileOptions are those of a connection, by the parameter that names a file for it. Each is given the
// file of the private key, too.
var fileOptions = map[string]func(file, key string) nats.Option{
	"creds": func(file, _ string) nats.Option { return nats.UserCredentials(file) },
	"ca":    func(file, _ string) nats.Option { return nats.RootCAs(file) },
	"cert":  func(file, key string) nats.Option { return nats.ClientCert(file, key) },
	"key":   func(string, string) nats.Option { return func(*nats.Options) error { return nil } },
	"nkey": func(file, _ string) nats.Option {
		return func(o *nats.Options) error {
			signed, err := nats.NkeyOptionFromSeed(file)
			if err != nil {
				return fmt.Errorf("%w: %w", place.ErrRight, err)
			}
			return signed(o)
		}
	},
}

// keptIn says in which stream a memory is: in one of its own, or in one that it shares.
func (t *target) keptIn(name string, isOwn bool, replicas int) {
	shard := fmt.Sprintf("%02d", sha256.Sum256([]byte(name))[0]%shards)
	stream, subjects := "FOVEA-"+shard, "fovea."+shard+".>"
	t.prefix = "fovea." + shard + "." + name
	if isOwn {
		t.prefix = "fovea.own." + name
		stream, subjects = "FOVEA-OWN-"+name, t.prefix+".>"
	}
	t.stream = jetstream.StreamConfig{Name: stream, Subjects: []string{subjects}, Storage: jetstream.FileStorage, Replicas: replicas,
		MaxMsgsPerSubject: 1, Discard: jetstream.DiscardNew, AllowMsgTTL: true, Description: "memories of Fovea"}
}

// differs says what of a stream is not as it has to be, "" for nothing. What bounds its size is the
// server's, and a write that does not fit is refused.
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
