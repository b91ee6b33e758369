// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package house

import (
	"go/token"
	"path"
	"slices"
	"strings"
	"testing"
)

// dialing are the names with which a program reaches another machine, by package.
var dialing = map[string][]string{
	"net/http":   {"Client", "Transport", "DefaultClient", "DefaultTransport", "Get", "Head", "Post", "PostForm"},
	"net":        {"Dial", "DialTimeout", "DialTCP", "DialUDP", "DialIP", "DialUnix", "Dialer"},
	"crypto/tls": {"Dial", "DialWithDialer", "Dialer"},
	"net/smtp":   {"Dial", "SendMail"},
}

// dialers are the files and folders that may use them, with the reason.
var dialers = map[string]string{
	"internal/transfer":       "watches what it makes",
	"internal/httpapi":        "reaches the daemon of this user on this machine",
	"internal/daemon/mail.go": "one attempt ends with its context, see Queue",
}

// clientsAreWatched finds code that reaches other machines past package transfer, so that a server
// that sends a byte a second could hold it.
func clientsAreWatched(sources []*source) []breach {
	var found []breach
	for _, s := range shipped(sources) {
		if dialers[s.path] != "" || dialers[path.Dir(s.path)] != "" || strings.HasPrefix(s.path, "examples/") {
			continue
		}
		for from, names := range dialing {
			s.uses(from, func(name string, pos token.Pos) {
				isType := s.text[s.fset.Position(pos).Offset-1] == '*'
				if slices.Contains(names, name) && !isType {
					found = append(found, breach{s.path, s.at(pos, "%s.%s waits for a server as long as that likes; use internal/transfer", path.Base(from), name)})
				}
			})
		}
	}
	return found
}

func TestClientsAreWatched(t *testing.T) {
	hold(t, asRule(clientsAreWatched))
}

func TestClientRulesCatch(t *testing.T) {
	const text = "package p\nimport \"net/http\"\nvar _ = http.Client{}"
	for path, want := range map[string]string{
		"internal/transfer/http.go": "", "api/a.go": "api/a.go:3: http.Client waits", "api/a_test.go": "",
		"internal/daemon/sink.go": "internal/daemon/sink.go:3: http.Client",
	} {
		catches(t, asRule(clientsAreWatched), map[string]string{path: text}, want)
	}
	catches(t, asRule(clientsAreWatched), map[string]string{"s3/a.go": "package s3\nimport \"net/http\"\nvar c *http.Client"}, "")
	catches(t, asRule(clientsAreWatched), map[string]string{"node/a.go": "package node\nimport \"net\"\nvar _ = net.ParseIP"}, "")
}
