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

// Online reports whether other machines can ask the daemon for blocks: it listens for them,
// or is connected to one. Errors: those of a call.
func (c *Client) Online(ctx context.Context) (bool, error) {
	var listens struct{ Strings []string }
	err := c.ask(ctx, "swarm/addrs/listen", nil, &listens)
	if errors.Is(err, ErrDaemon) && strings.Contains(err.Error(), "online mode") {
		return false, nil
	}
	if err != nil || len(listens.Strings) > 0 {
		return err == nil, err
	}
	var knows struct{ Peers []json.RawMessage }
	if err = c.ask(ctx, "swarm/peers", nil, &knows); errors.Is(err, ErrAnswer) {
		return true, nil // many
	}
	return len(knows.Peers) > 0, err
}

// Block returns the block of a digest, after it has proved it. Errors: ErrDaemon if the daemon does
// not find it, place.ErrTooLarge, merkle.ErrDigest, those of a call.
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

// Import sends an archive, which write writes, and pins nothing. It returns after the daemon
// has confirmed as many blocks as write reports. write runs in another goroutine and has
// ended when Import returns. Errors: that of write, ErrAnswer, those of a call.
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
	_ = from.CloseWithError(errStopped) // ends write where the daemon did not take all
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

var errStopped = errors.New("the daemon does not take more")

// imported reads how many blocks a daemon took.
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

// export asks for a block and all that it links to, as an archive.
func (c *Client) export(ctx context.Context, root merkle.Digest) (*answer, error) {
	a, err := c.call(ctx, "dag/export", url.Values{"arg": {root.String()}, "progress": {"false"}}, nil, "")
	if err != nil {
		return nil, fmt.Errorf("dag export: %w", err)
	}
	return a, nil
}

// Pinned reports whether a block is pinned with all that it links to.
func (c *Client) Pinned(ctx context.Context, d merkle.Digest) (bool, error) {
	var found struct{ Keys map[string]json.RawMessage }
	err := c.ask(ctx, "pin/ls", url.Values{"arg": {d.String()}, "type": {"recursive"}}, &found)
	if errors.Is(err, ErrDaemon) {
		return false, nil
	}
	return len(found.Keys) > 0, err
}

// Pin pins a block with all that it links to; the daemon must have all of it. If before
// is pinned, the daemon looks only at the difference; before stays pinned. Errors: ErrDaemon
// where a block is missing, those of a call.
func (c *Client) Pin(ctx context.Context, d, before merkle.Digest) error {
	if !before.IsZero() && before != d {
		args := url.Values{"arg": {before.String(), d.String()}, "unpin": {"false"}, "offline": {"true"}}
		var said struct{ Pins []string }
		switch err := c.ask(ctx, "pin/update", args, &said); {
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
		var line struct{ Pins []string }
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

// Unpin removes a pin. It is not an error if there is none.
func (c *Client) Unpin(ctx context.Context, d merkle.Digest) error {
	var said struct{ Pins []string }
	err := c.ask(ctx, "pin/rm", url.Values{"arg": {d.String()}}, &said)
	if errors.Is(err, ErrDaemon) {
		return nil
	}
	return err
}

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
	// ErrDaemon is returned when a daemon refuses, with its words.
	ErrDaemon = errors.New("the IPFS daemon says")
	// ErrAnswer is returned for answers that Kubo does not give.
	ErrAnswer = errors.New("it does not answer as the RPC of Kubo does")
	// ErrCID is returned for a text that is no CID of what Fovea writes.
	ErrCID = errors.New("not a CID of an archive, a commit or a state: these begin with bafyrei")
	// ErrOther is returned for a block that is none of Fovea's, or of another version.
	ErrOther = errors.New("it is no archive, commit or state that this version of Fovea reads")
	// ErrOrder is returned for a block other than the earlier blocks name.
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
