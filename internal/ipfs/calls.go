// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package ipfs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/url"
	"slices"
	"strings"

	"github.com/fovea-memory/fovea/internal/fault"
	"github.com/fovea-memory/fovea/internal/place"
	"github.com/fovea-memory/fovea/internal/store"
	"github.com/fovea-memory/fovea/merkle"
)

// Online reports whether other machines can get blocks from the daemon: it listens for them, or is
// connected to one. Errors: those of a call.
func (c *Client) Online(ctx context.Context) (bool, error) {
	var listens struct{ Strings []string }
	err := c.ask(ctx, "swarm/addrs/listen", nil, &listens)
	if errors.Is(err, ErrDaemon) && strings.Contains(err.Error(), "online mode") {
		return false, nil
	}
	if err != nil || len(listens.Strings) > 0 {
		return err == nil, err
	}
	var connected struct{ Peers []json.RawMessage }
	if err = c.ask(ctx, "swarm/peers", nil, &connected); errors.Is(err, ErrAnswer) {
		return true, nil // too many peers for one answer
	}
	return len(connected.Peers) > 0, err
}

// Block returns the block with a digest, which it checks. Errors: ErrDaemon if the daemon cannot find
// it, place.ErrTooLarge, merkle.ErrDigest, those of a call.
func (c *Client) Block(ctx context.Context, d merkle.Digest) ([]byte, error) {
	a, err := c.call(ctx, "block/get", url.Values{"arg": {d.String()}}, nil, "")
	if err != nil {
		return nil, fmt.Errorf("block %s: %w", d, err)
	}
	defer a.Close()
	block, err := io.ReadAll(io.LimitReader(a, place.MaxBlock+1))
	switch {
	case err != nil:
	case len(block) > place.MaxBlock:
		err = place.ErrTooLarge
	case merkle.Sum(block) != d:
		err = merkle.ErrDigest
	default:
		return block, nil
	}
	return nil, fmt.Errorf("block %s: %w", d, err)
}

// Import sends the archive that write writes, without pinning it. It returns after the daemon has
// confirmed the number of blocks that write returns. write runs in another goroutine, which has ended
// when Import returns. Errors: that of write, ErrAnswer, those of a call.
func (c *Client) Import(ctx context.Context, write func(w io.Writer) (blocks int, err error)) error {
	from, to := io.Pipe()
	form := multipart.NewWriter(to)
	var blocks int
	var writeErr error
	done := make(chan struct{})
	go func() {
		defer close(done)
		part, err := form.CreateFormFile("file", "fovea.car")
		if err == nil {
			blocks, err = write(part)
		}
		if err == nil {
			err = form.Close()
		}
		writeErr = err
		_ = to.CloseWithError(err) // it returns nil
	}()
	args := url.Values{"pin-roots": {"false"}, "stats": {"true"}, "silent": {"true"}}
	a, err := c.call(ctx, "dag/import", args, from, form.FormDataContentType())
	var got uint64
	if err == nil {
		got, err = imported(a)
	}
	_ = from.CloseWithError(errStopped) // ends write if the daemon did not read everything
	<-done
	switch {
	case writeErr != nil && !errors.Is(writeErr, errStopped) && !errors.Is(writeErr, io.ErrClosedPipe):
		return writeErr
	case err != nil:
		return fmt.Errorf("dag import: %w", err)
	case got != uint64(blocks):
		return fmt.Errorf("dag import: %d of %d blocks: %w", got, blocks, ErrAnswer)
	}
	return nil
}

var errStopped = errors.New("the daemon accepts no more data")

// imported returns the number of blocks that the daemon imported.
func imported(a *answer) (blocks uint64, err error) {
	defer a.Close()
	lines := json.NewDecoder(io.LimitReader(a, maxMessage))
	for {
		var line struct {
			Root  *struct{ PinErrorMsg string }
			Stats *struct{ BlockCount uint64 }
		}
		switch err := lines.Decode(&line); {
		case err == io.EOF:
			return blocks, nil
		case errors.Is(err, ErrDaemon), errors.Is(err, ErrSlow), errors.Is(err, ErrDown), errors.Is(err, context.Canceled):
			return 0, err
		case err != nil:
			return 0, ErrAnswer
		case line.Root != nil && line.Root.PinErrorMsg != "":
			return 0, fmt.Errorf("%w: %s", ErrDaemon, oneLine(line.Root.PinErrorMsg))
		case line.Stats != nil:
			blocks = line.Stats.BlockCount
		}
	}
}

// export requests a block and everything that it links to, as an archive.
func (c *Client) export(ctx context.Context, root merkle.Digest) (*answer, error) {
	a, err := c.call(ctx, "dag/export", url.Values{"arg": {root.String()}, "progress": {"false"}}, nil, "")
	if err != nil {
		return nil, fmt.Errorf("dag export: %w", err)
	}
	return a, nil
}

// Pinned reports whether a block is pinned recursively.
func (c *Client) Pinned(ctx context.Context, d merkle.Digest) (bool, error) {
	var found struct{ Keys map[string]json.RawMessage }
	err := c.ask(ctx, "pin/ls", url.Values{"arg": {d.String()}, "type": {"recursive"}}, &found)
	if errors.Is(err, ErrDaemon) {
		return false, nil
	}
	return len(found.Keys) > 0, err
}

// Pin pins a block recursively; the daemon must have all blocks. If before is pinned, the daemon
// checks only the difference, and before stays pinned. Errors: ErrDaemon if a block is missing, those
// of a call.
func (c *Client) Pin(ctx context.Context, d, before merkle.Digest) error {
	if !before.IsZero() && before != d {
		args := url.Values{"arg": {before.String(), d.String()}, "unpin": {"false"}, "offline": {"true"}}
		switch err := c.ask(ctx, "pin/update", args, new(pinned)); {
		case err == nil:
			return nil
		case !errors.Is(err, ErrDaemon):
			return fmt.Errorf("pin: %w", err)
		}
	}
	args := url.Values{"arg": {d.String()}, "recursive": {"true"}, "progress": {"true"}, "offline": {"true"}}
	a, err := c.call(ctx, "pin/add", args, nil, "")
	if err != nil {
		return fmt.Errorf("pin: %w", err)
	}
	defer a.Close()
	lines, pins := json.NewDecoder(io.LimitReader(a, 4*maxMessage)), 0
	for {
		var line pinned
		switch err := lines.Decode(&line); {
		case err == io.EOF && pins > 0:
			return nil
		case err == io.EOF:
			return fmt.Errorf("pin: %w", ErrAnswer)
		case err != nil:
			return fmt.Errorf("pin: %w", err)
		}
		pins += len(line.Pins)
	}
}

// pinned is the daemon's answer to a request about pins.
type pinned struct{ Pins []string }

// Unpin removes a pin. A missing pin is not an error.
func (c *Client) Unpin(ctx context.Context, d merkle.Digest) error {
	err := c.ask(ctx, "pin/rm", url.Values{"arg": {d.String()}}, new(pinned))
	if errors.Is(err, ErrDaemon) {
		return nil
	}
	return err
}

// Errors of this package.
var (
	// ErrAddress is returned for an address that is not one of Kubo's RPC.
	ErrAddress = errors.New("not the address of Kubo's RPC; write /ip4/127.0.0.1/tcp/5001, or http://HOST:PORT")
	// ErrFar is returned for the address of another machine that is not configured.
	ErrFar = errors.New("it is the address of another machine; to use it, set api in [ipfs] of the configuration")
	// ErrDown is returned if no daemon listens.
	ErrDown = errors.New("no IPFS daemon answers there; start it with ipfs daemon")
	// ErrSlow is returned for a daemon that makes too little progress within Deadline.
	ErrSlow = errors.New("the IPFS daemon makes no progress; find out why, or restart it")
	// ErrDaemon is returned with the message of a daemon that refuses a request.
	ErrDaemon = errors.New("the IPFS daemon reports")
	// ErrAnswer is returned for an answer that Kubo would not give.
	ErrAnswer = errors.New("it does not answer as the RPC of Kubo does")
	// ErrCID is returned for a text that is not the CID of a block of Fovea.
	ErrCID = errors.New("not a CID of an archive, a commit or a state: these begin with bafyrei")
	// ErrOther is returned for a block that is not Fovea's, or of another version.
	ErrOther = errors.New("it is not an archive, commit or state that this version of Fovea can read")
	// ErrOrder is returned for a block other than the next one in the list.
	ErrOrder = errors.New("it is not the next block of the list")
	// ErrExpands is returned for a state that is many times larger than its blocks.
	ErrExpands = errors.New("it expands to many times the size of its blocks")
	// ErrStateOnly is returned if an archive is required.
	ErrStateOnly = errors.New("it names a state without history; fovea restore gets its files; fovea clone and pull need the CID of an archive")
)

// KindOf returns the kind of an error of this package, fault.Other for any other error.
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
