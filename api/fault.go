// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package api

import (
	"errors"
	"strings"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/internal/fault"
	"github.com/fovea-memory/fovea/query"
)

// Fault is the wire form of an error: a problem of RFC 9457 with all that the client needs to rebuild the error.
type Fault struct {
	Type   string `json:"type" jsonschema:"urn:fovea: and the kind, words joined by -"`
	Title  string `json:"title" jsonschema:"the kind in words"`
	Status int    `json:"status,omitempty" jsonschema:"of HTTP"`
	Detail string `json:"detail" jsonschema:"the error on one line"`
	Why    string `json:"why,omitempty" jsonschema:"detail without op and what; empty where that is all of it"`
	fovea.Error
	Syntax *query.SyntaxError `json:"syntax,omitempty" jsonschema:"where a query is wrong"`
}

// FaultOf describes an error of the operation op. err is not nil.
func FaultOf(op string, err error) Fault {
	f := Fault{Title: fovea.KindOf(err).String(), Detail: err.Error(), Error: fovea.Error{Op: op}}
	f.Type = "urn:fovea:" + strings.ReplaceAll(f.Title, " ", "-")
	if e, ok := err.(*fovea.Error); ok { // a wrapped one has less than the whole text
		f.Error = *e
	}
	if why := f.reason(); why != f.Detail {
		f.Why = why
	}
	f.Syntax, _ = errors.AsType[*query.SyntaxError](err)
	return f
}

// reason returns the detail without op and what.
func (f *Fault) reason() string {
	prefix := f.Op + ": "
	if f.What != "" {
		prefix += f.What + ": "
	}
	return strings.TrimPrefix(f.Detail, prefix)
}

// Err rebuilds the error: a *fovea.Error with the same text.
func (f *Fault) Err() error {
	e := f.Error
	e.Err = errors.New(f.reason())
	for k := fovea.Other; !strings.HasPrefix(k.String(), "kind "); k++ { // the text of an unknown kind
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

// Protocol is the version of the protocol between a daemon and its clients. It changes with every incompatible change.
const Protocol = 1

// Headers of requests and answers in addition to those of HTTP.
const (
	HeaderAgent   = "Fovea-Agent"     // the caller; ignored if the connection already identifies one
	HeaderProject = "Fovea-Project"   // the project of the request
	HeaderSession = "Fovea-Session"   // the session, recorded in commits
	HeaderClaim   = "Fovea-Claim"     // TASK:NUMBER, the claim under which a write is made
	HeaderRole    = "Fovea-Role"      // agent: the caller gives up the rights of the owner
	HeaderOp      = "Idempotency-Key" // a repeated key gets the first answer
	HeaderWarning = "Fovea-Warning"   // in an answer: a warning, quoted as in JSON; may be repeated
)

// Hello describes the daemon.
type Hello struct {
	Version  string            `json:"version" jsonschema:"of the program"`
	Protocol int               `json:"protocol" jsonschema:"the version of the protocol between daemon and clients"`
	Memex    string            `json:"memex" jsonschema:"the folder"`
	Folder   string            `json:"folder,omitempty" jsonschema:"device and inode of the memex when it was opened; empty where the system does not report them"`
	StateDir string            `json:"state_dir" jsonschema:"the folder that the memory is kept in"`
	URL      string            `json:"url,omitempty" jsonschema:"where a port of this machine is open; empty for none"`
	Root     string            `json:"root" jsonschema:"the digest of the whole state"`
	Seq      uint64            `json:"seq" jsonschema:"the number of the newest commit"`
	PID      int               `json:"pid" jsonschema:"of the process"`
	Damage   string            `json:"damage,omitempty" jsonschema:"which part of the history is damaged and missing from answers"`
	Settings map[string]string `json:"settings,omitempty" jsonschema:"digests of its settings, by name; for the owner alone"`
}

// Sync says how an operation reads the folder first.
type Sync string

// The ways to read the folder. The zero value is the default of the service.
const (
	SyncScan Sync = "scan" // read all that changed
	SyncNone Sync = "none" // do not read it
)
