// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package api

import (
	"errors"
	"strings"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/internal/fault"
	"github.com/fovea-memory/fovea/query"
)

// Fault is an error as it travels: a problem of RFC 9457 with what it takes to
// make the error again.
type Fault struct {
	Type   string `json:"type" jsonschema:"urn:fovea: and the kind, words joined by -"`
	Title  string `json:"title" jsonschema:"the kind in words"`
	Status int    `json:"status,omitempty" jsonschema:"of HTTP"`
	Detail string `json:"detail" jsonschema:"the error on one line"`
	Why    string `json:"why,omitempty" jsonschema:"detail without op and what; empty where that is all of it"`
	fovea.Error
	Syntax *query.SyntaxError `json:"syntax,omitempty" jsonschema:"where a query is wrong"`
}

// faultType begins the type of each Fault.
const faultType = "urn:fovea:"

// FaultOf describes an error of the operation op. err is not nil.
func FaultOf(op string, err error) Fault {
	f := Fault{Title: fovea.KindOf(err).String(), Detail: err.Error(), Error: fovea.Error{Op: op}}
	f.Type = faultType + strings.ReplaceAll(f.Title, " ", "-")
	if e, ok := err.(*fovea.Error); ok { // one that is wrapped says more than it holds
		f.Error = *e
	}
	if why := f.reason(); why != f.Detail {
		f.Why = why
	}
	f.Syntax, _ = errors.AsType[*query.SyntaxError](err)
	return f
}

// reason is the detail without what the other fields say.
func (f *Fault) reason() string {
	said := f.Op + ": "
	if f.What != "" {
		said += f.What + ": "
	}
	return strings.TrimPrefix(f.Detail, said)
}

// Err makes the error again: a *fovea.Error that says the same on one line.
func (f *Fault) Err() error {
	e := f.Error
	e.Err = errors.New(f.reason())
	for k := fovea.Other; !strings.HasPrefix(k.String(), "kind "); k++ { // which begins what is none
		if k.String() == f.Title {
			e.Kind = k
		}
	}
	if f.Syntax != nil {
		e.Err = f.Syntax
	}
	return &e
}

func invalid(op string, err error) error { return fault.Wrap(op, "", fault.Invalid, err) }

// Protocol is the number of the language that a daemon and its clients speak. It
// changes when one of them would misunderstand the other.
const Protocol = 1

// Headers of requests and answers beside those of HTTP itself.
const (
	HeaderAgent   = "Fovea-Agent"     // who asks; only where the connection vouches for nobody
	HeaderSession = "Fovea-Session"   // recorded in commits
	HeaderClaim   = "Fovea-Claim"     // TASK:NUMBER, the claim under which a write is made
	HeaderRole    = "Fovea-Role"      // agent, to be held to what agents may do
	HeaderOp      = "Idempotency-Key" // a request that was carried out under the same key is not again
	HeaderWarning = "Fovea-Warning"   // in an answer: what a person should know, quoted as in JSON; may be repeated
)

// Hello says who answers.
type Hello struct {
	Version  string            `json:"version" jsonschema:"of the program"`
	Protocol int               `json:"protocol" jsonschema:"the number of the language that daemon and clients speak"`
	Memex    string            `json:"memex" jsonschema:"the folder"`
	Folder   string            `json:"folder,omitempty" jsonschema:"device and inode of the memex when it was opened; empty where the system does not tell"`
	StateDir string            `json:"state_dir" jsonschema:"the folder that the memory is kept in"`
	URL      string            `json:"url,omitempty" jsonschema:"where a port of this machine is open; empty for none"`
	Root     string            `json:"root" jsonschema:"the digest of the whole state"`
	Seq      uint64            `json:"seq" jsonschema:"the number of the newest commit"`
	PID      int               `json:"pid" jsonschema:"of the process"`
	Damage   string            `json:"damage,omitempty" jsonschema:"what of the history is damaged, so that answers lack it"`
	Settings map[string]string `json:"settings,omitempty" jsonschema:"digests of its settings, by name; for the owner alone"`
}

// Sync says what an operation does about the folder first.
type Sync string

// The ways to see to the folder. The zero value is what the service does by
// itself.
const (
	SyncScan Sync = "scan" // read what changed in all of it
	SyncNone Sync = "none" // leave it alone
)
