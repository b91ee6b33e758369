// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package ops

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/internal/fault"
	"github.com/fovea-memory/fovea/internal/ipfs"
	"github.com/fovea-memory/fovea/internal/place"
	"github.com/fovea-memory/fovea/internal/scope"
	"github.com/fovea-memory/fovea/internal/vfs"
)

// IPFSPrefix begins the name of an archive on IPFS: "ipfs:CID".
const IPFSPrefix = "ipfs:"

// IPFS exchanges checkpoints with the daemon at an address. configured reports whether the configuration names it.
func IPFS(configured bool, address func() (string, error)) *api.IPFS {
	n := peer{address}
	return &api.IPFS{Configured: configured, Address: address, Push: n.push, Restore: n.restore}
}

// peer is a daemon of IPFS.
type peer struct{ address func() (string, error) }

func (n peer) client() (*ipfs.Client, error) {
	at, err := n.address()
	if err != nil {
		return nil, err
	}
	return ipfs.NewClient(at), nil
}

// push puts the memory on IPFS.
func (n peer) push(ctx context.Context, a *api.Local, req api.CheckpointRequest) (done api.Archived, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("ipfs: %w", err)
		}
	}()
	if req.Withheld != "" {
		return done, fmt.Errorf("only the owner puts the memory there: %s", req.Withheld)
	}
	c, err := n.client()
	if err != nil {
		return done, err
	}
	defer c.Close()
	to, err := sealFor(ctx, a, c, req)
	if err != nil {
		return done, err
	}
	over, err := turn(ctx, a)
	if err != nil {
		return done, err
	}
	defer over()
	histories := a.Memex.Histories()
	sources, release, err := histories.Take(ctx)
	if err != nil {
		return done, err
	}
	defer release()
	push := ipfs.Push
	if req.StateOnly {
		push = ipfs.PushState
	}
	sent, err := push(ctx, &ipfs.Job{Client: c, State: histories.State, Sources: sources, To: to})
	return api.Archived{CID: api.DigestText(sent.CID), Archive: api.DigestText(sent.Archive), Carried: sent.Carried}, err
}

// sealFor returns the recipients that the memory is sealed for: none with plain, and by default none if the node is offline.
func sealFor(ctx context.Context, a *api.Local, c *ipfs.Client, req api.CheckpointRequest) ([]place.Recipient, error) {
	if req.Plain {
		return nil, nil
	}
	if !req.Seal {
		online, err := c.Online(ctx)
		switch {
		case err != nil || !online:
			return nil, err
		case req.StateOnly:
			return nil, errors.New("the node is online, and notes without history are not sealed; say plain if everybody may read them")
		}
	}
	if a.Options.Seals != nil {
		seals, err := a.Options.Seals()
		if err != nil || len(seals.For) > 0 {
			return seals.For, err
		}
	}
	return nil, errors.New("it has no recipients; name one in seal_for, or say plain")
}

// restore makes the state that a CID names the present one.
func (n peer) restore(ctx context.Context, a *api.Local, req api.RestoreRequest) (done api.RollbackResponse, err error) {
	const op = "restore"
	switch {
	case req.CID == "":
		err = errors.New("restoring from ipfs needs a cid, which fovea checkpoint --to ipfs has answered")
	case req.Name != "" || len(req.Files) > 0 || req.Missing || req.At != "" || req.Skip:
		err = errors.New("from ipfs, everything that the cid names is restored; leave out names, files, missing, at and skip")
	}
	if err != nil {
		return done, fault.Wrap(op, req.CID, fault.Invalid, err)
	}
	how := bringing{replace: true, memoryOnly: req.MemoryOnly}
	err = n.incoming(ctx, a, op, req.CID, true, func(in vfs.FS, found ipfs.Found) error {
		return bringAll(ctx, a, in, found.Scopes(), req.CID, how, func(b Brought, c fovea.Commit) error {
			on, err := a.InScope(ctx, b.Scope)
			if err != nil {
				return err
			}
			of := on.RolledBack(ctx, c, b.Files, req.MemoryOnly)
			if b.Scope == scope.Memex {
				done, of = of, done
			}
			done.RestoredFiles, done.RemovedFiles = append(done.RestoredFiles, of.RestoredFiles...), append(done.RemovedFiles, of.RemovedFiles...)
			done.Drift, done.Left = append(done.Drift, of.Drift...), append(done.Left, of.Left...)
			return nil
		})
	})
	return done, err
}

// incoming fetches what a CID names into a folder, calls use, and removes the folder.
func (n peer) incoming(ctx context.Context, a *api.Local, op, cid string, wantState bool, use func(vfs.FS, ipfs.Found) error) (err error) {
	c, err := n.client()
	if err != nil {
		return fault.Wrap(op, cid, fault.Invalid, err)
	}
	defer c.Close()
	return fault.Wrap(op, cid, fault.Other, receive(ctx, a, func(in vfs.FS) error {
		found, err := fetchCID(ctx, c, a.Options.Seals, cid, in, "", wantState)
		if err == nil && !a.Call.DryRun { // so that a purge can report it
			err = ipfs.Record(a.Memex.Histories().State, found.CID)
		}
		if err != nil {
			return fault.Wrap(op, cid, kindOfIPFS(err), err)
		}
		return use(in, found)
	}))
}

// fetchCID reads what a CID names into a state folder, see ipfs.Client.Fetch.
func fetchCID(ctx context.Context, c *ipfs.Client, keys func() (api.Seals, error), cid string, in vfs.FS, memex string,
	wantState bool) (ipfs.Found, error) {
	d, err := ipfs.ParseCID(cid)
	var seals api.Seals
	if err == nil && keys != nil {
		seals, err = keys()
	}
	if err != nil {
		return ipfs.Found{}, err
	}
	return c.Fetch(ctx, d, seals.Own, in, memex, wantState)
}

// reaches returns an error if the program has no access to IPFS, and reads the folder.
func reaches(ctx context.Context, a *api.Local, op, what string) error {
	if a.Options.IPFS == nil {
		return fault.Errorf(op, what, fault.Invalid, "this program has no access to IPFS")
	}
	_, err := a.View(ctx)
	return err
}

// pullIPFS merges the archive that a CID names.
func pullIPFS(ctx context.Context, a *api.Local, cid string) (*SyncResponse, error) {
	const op = "pull"
	if err := reaches(ctx, a, op, cid); err != nil {
		return nil, err
	}
	first, err := firstOf(ctx, a.Memex, op)
	if err != nil {
		return nil, err
	}
	m := Machine{Name: cid, Brought: []Brought{}}
	err = peer{a.Options.IPFS.Address}.incoming(ctx, a, op, strings.TrimPrefix(cid, IPFSPrefix), false, func(in vfs.FS, found ipfs.Found) error {
		if found.Archive.Memex != first {
			return fault.Errorf(op, cid, fault.Invalid, "it is of another memory; fovea clone makes a memory of it")
		}
		return bringAll(ctx, a, in, found.Scopes(), cid, bringing{}, m.took)
	})
	if err != nil {
		return nil, err
	}
	return &SyncResponse{Remote: cid, Machines: []Machine{m}}, nil
}

// pushIPFS puts the memory on IPFS, as a checkpoint does.
func pushIPFS(ctx context.Context, a *api.Local) (*SyncResponse, error) {
	if err := reaches(ctx, a, "push", IPFSPrefix); err != nil {
		return nil, err
	}
	if a.Call.DryRun {
		return nil, fault.Errorf("push", IPFSPrefix, fault.Invalid, "a push to IPFS cannot be foreseen; leave out dry-run")
	}
	sent, err := a.Options.IPFS.Push(ctx, a, api.CheckpointRequest{})
	if err != nil {
		return nil, fault.Wrap("push", "", kindOfIPFS(err), err)
	}
	return &SyncResponse{Remote: IPFSPrefix, Machines: []Machine{}, Pushed: sent.Commits, Bytes: sent.Bytes, CID: sent.Archive}, nil
}

// kindOfIPFS returns the kind of an error about IPFS.
func kindOfIPFS(err error) fault.Kind { return cmp.Or(ipfs.KindOf(err), kindOf(err)) }
