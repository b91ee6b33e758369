// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package ipfs

import (
	"errors"
	"slices"

	"github.com/fovea-memory/fovea/internal/fault"
	"github.com/fovea-memory/fovea/internal/place"
	"github.com/fovea-memory/fovea/internal/store"
	"github.com/fovea-memory/fovea/merkle"
)

// Errors of this package.
var (
	// ErrAddress is returned for an address that names no RPC of Kubo.
	ErrAddress = errors.New("not the address of Kubo's RPC; write /ip4/127.0.0.1/tcp/5001, or http://HOST:PORT")
	// ErrFar is returned for the address of another machine that was not configured.
	ErrFar = errors.New("it is the address of another machine; name it in the configuration if you mean it: [ipfs] api")
	// ErrDown is returned where no daemon listens.
	ErrDown = errors.New("no IPFS daemon answers there; start it with ipfs daemon")
	// ErrSlow is returned for a daemon that makes too little progress for as long as the deadline.
	ErrSlow = errors.New("the IPFS daemon does not go on; see what it does, or start it anew")
	// ErrDaemon is returned for what a daemon refuses, with its words.
	ErrDaemon = errors.New("the IPFS daemon says")
	// ErrAnswer is returned for answers that Kubo does not give.
	ErrAnswer = errors.New("it does not answer as the RPC of Kubo does")
	// ErrCID is returned for a text that is no CID of what Fovea writes.
	ErrCID = errors.New("not a CID of an archive, a commit or a state: these begin with bafyrei")
	// ErrOther is returned for a block that is none of Fovea's, or of another version.
	ErrOther = errors.New("it is no archive, commit or state that this version of Fovea reads")
	// ErrOrder is returned where something else stands than what the blocks before name.
	ErrOrder = errors.New("another block than the next one that is named")
	// ErrExpands is returned for a state that is many times larger than its blocks.
	ErrExpands = errors.New("it expands to many times the size of its blocks")
	// ErrStateOnly is returned where an archive is needed.
	ErrStateOnly = errors.New("it names a state without its history; fovea restore brings its files, fovea clone and pull need the CID of an archive")
)

// KindOf is the kind of an error on the way to or from a daemon, fault.Other for one that it does not know.
func KindOf(err error) fault.Kind {
	is := func(some ...error) bool {
		return slices.ContainsFunc(some, func(one error) bool { return errors.Is(err, one) })
	}
	switch {
	case is(ErrCID, ErrOther, ErrStateOnly, ErrFar):
		return fault.Invalid
	case is(ErrOrder, ErrExpands, merkle.ErrDigest, merkle.ErrShape, store.ErrNotFound, place.ErrTooLarge, ErrAnswer):
		return fault.Corrupt
	case is(ErrDaemon):
		return fault.NotFound
	case is(ErrDown, ErrSlow):
		return fault.Unreachable
	}
	return fault.Other
}
