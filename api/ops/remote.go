// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package ops

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"filippo.io/age"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/internal/fault"
	"github.com/fovea-memory/fovea/internal/place"
	"github.com/fovea-memory/fovea/internal/scope"
	"github.com/fovea-memory/fovea/internal/travel"
	"github.com/fovea-memory/fovea/internal/vfs"
	"github.com/fovea-memory/fovea/merkle"
)

// The operations on remotes.
var (
	OpRemotes = api.Define(api.Operation{Name: "remotes", Group: "history", Private: true,
		Summary: "List the remotes that this memory is synced with"}, listRemotes)
	OpRemoteAdd = api.Define(api.Operation{Name: "remote-add", Effect: api.Mends,
		Summary: "Add a remote to sync this memory with"}, addRemote)
	OpRemoteRemove = api.Define(api.Operation{Name: "remote-remove", Effect: api.Mends,
		Summary: "Remove a remote; its data there stays"}, removeRemote)
)

// RemoteAddRequest describes a new remote.
type RemoteAddRequest struct {
	Name       string `json:"name" jsonschema:"its name here: letters, digits and hyphens" arg:"NAME"`
	URL        string `json:"url" jsonschema:"a folder, ssh://HOST/FOLDER, s3://BUCKET/PREFIX, nats://HOST/NAME or git+https://HOST/PATH" arg:"URL"`
	Plain      bool   `json:"plain,omitempty" jsonschema:"do not seal what is written there" flag:"do not seal it: anyone with access can read it"`
	Passphrase string `json:"passphrase,omitempty" jsonschema:"unlocks the key of a sealed remote, or locks that of a new one"`
}

// RemoteRequest names a remote.
type RemoteRequest struct {
	Name string `json:"name" jsonschema:"of the remote" arg:"NAME"`
}

// Remote is a place that the memory is synced with.
type Remote struct {
	Name    string    `json:"name" jsonschema:"its name here"`
	URL     string    `json:"url" jsonschema:"where it is"`
	Sealed  bool      `json:"sealed" jsonschema:"whether its data is encrypted"`
	Machine string    `json:"machine" jsonschema:"the name of this machine's log there"`
	Behind  uint64    `json:"behind" jsonschema:"how many commits it lacks, as far as this machine knows"`
	Problem string    `json:"problem,omitempty" jsonschema:"in a list: why behind is not known"`
	Keeps   bool      `json:"keeps,omitempty" jsonschema:"when it was added: the bucket keeps versions of what is removed or purged"`
	Synced  time.Time `json:"synced,omitzero" jsonschema:"in a list: the time of the last sync, absent for none"`
}

// Lag returns how far the remote is behind and when it was last synced, or why that is not known.
func (r *Remote) Lag() string {
	lag := scope.Count(int(r.Behind), "commit") + " behind"
	if !r.Synced.IsZero() {
		lag += ", synced " + r.Synced.Local().Format(time.DateTime)
	}
	return cmp.Or(r.Problem, lag)
}

// kept is the data of a remote in the state folder.
type kept struct {
	URL     string `json:"url"`
	Machine string `json:"machine"`
	Key     string `json:"key,omitempty"` // of a sealed place
}

var errNoRemote = errors.New("there is no such remote; fovea remote list shows them, fovea remote add NAME URL adds one")

func checkRemote(op, name string) error {
	return fault.Wrap(op, name, fault.Invalid, place.CheckName(name))
}

// folderOf opens the folder of a remote, which it creates if need be.
func folderOf(m *fovea.Memory, name string) (vfs.FS, error) {
	return vfs.Sub(m.Histories().State, place.Folder+"/"+name)
}

// readKept returns the data of a remote.
func readKept(m *fovea.Memory, op, name string) (k kept, err error) {
	if err := checkRemote(op, name); err != nil {
		return k, err
	}
	data, err := m.Histories().State.ReadFile(place.Folder + "/" + name + "/" + place.RemoteFile)
	if errors.Is(err, fs.ErrNotExist) {
		return k, fault.Wrap(op, name, fault.NotFound, errNoRemote)
	}
	if err == nil {
		err = json.Unmarshal(data, &k)
	}
	k.Machine = place.MachineOf(m.Histories().State, name, k.Machine)
	return k, fault.Wrap(op, name, fault.Corrupt, err)
}

// firstOf returns the first commit of a memex, which identifies a memory.
func firstOf(ctx context.Context, m *fovea.Memory, op string) (merkle.Digest, error) {
	sources, release, err := m.Histories().Take(ctx)
	if err != nil {
		return merkle.Digest{}, err
	}
	defer release()
	if len(sources) == 0 || sources[0].Name != scope.Memex {
		return merkle.Digest{}, fault.Errorf(op, m.Dir(), fault.Invalid, "this memory is empty; fovea ingest reads the folder")
	}
	return sources[0].First, nil
}

// opened opens a remote.
func opened(ctx context.Context, a *api.Local, op, name string) (*place.Remote, error) {
	k, err := readKept(a.Memex, op, name)
	if err != nil {
		return nil, err
	}
	first, err := firstOf(ctx, a.Memex, op)
	if err != nil {
		return nil, err
	}
	of := travel.Options(travel.Of(a.Memex.History()))
	r := &place.Remote{Memex: first, Machine: k.Machine, Now: time.Now, Signer: of.Signer, Self: place.Member{Name: "owner", Key: of.PublicKey}}
	if k.Key != "" {
		if r.Key, err = place.ParseKey(k.Key); err != nil {
			return nil, fault.Wrap(op, name, fault.Corrupt, err)
		}
	}
	if r.Key != nil && a.Options.Seals != nil {
		seals, err := a.Options.Seals()
		if err != nil {
			return nil, fault.Wrap(op, name, fault.Other, err)
		}
		if own, ok := seals.Own.(*age.X25519Identity); ok {
			r.Own, r.Self.Seal = []place.Identity{own}, own.Recipient().String()
		}
	}
	if r.State, err = folderOf(a.Memex, name); err != nil {
		return nil, fault.Wrap(op, name, fault.Other, err)
	}
	if r.Place, err = place.Open(ctx, k.URL, a.Options.Places); err != nil {
		return nil, fault.Wrap(op, name, kindOf(err), err)
	}
	return r, nil
}

func listRemotes(ctx context.Context, a *api.Local, _ api.None) ([]Remote, error) {
	all, err := place.Names(a.Memex.Histories().State)
	if err != nil {
		return nil, fault.Wrap("remotes", a.Memex.Dir(), fault.Other, err)
	}
	heads := map[string]uint64{}
	if sources, release, err := a.Memex.Histories().Take(ctx); err == nil {
		heads = headsOf(sources)
		release()
	}
	list := []Remote{}
	for _, name := range all {
		k, err := readKept(a.Memex, "remotes", name)
		if fault.KindOf(err) == fault.NotFound {
			continue // adding it was interrupted
		}
		one, state := Remote{Name: name, URL: k.URL, Sealed: k.Key != "", Machine: k.Machine, Synced: lastTime(a.Memex, name, syncedFile)}, vfs.FS(nil)
		if err == nil {
			state, err = folderOf(a.Memex, name)
		}
		if err == nil {
			one.Behind, err = (&place.Remote{State: state}).Behind(heads)
		}
		if err != nil {
			one.Problem = "its data here cannot be read (" + err.Error() + "); remove and add it again with fovea remote remove and fovea remote add"
		}
		list = append(list, one)
	}
	return list, nil
}

// headsOf returns the number of the newest commit of each history.
func headsOf(sources []place.Source) map[string]uint64 {
	heads := map[string]uint64{}
	for _, s := range sources {
		heads[s.Name] = s.Seq
	}
	return heads
}

// Inside reports whether an absolute path is in the folder of a memex, after links are followed.
func Inside(url, dir string) bool {
	if !filepath.IsAbs(url) {
		return false
	}
	for at := filepath.Clean(url); ; at = filepath.Dir(at) {
		if here, err := os.Stat(at); err == nil {
			if memex, err := os.Stat(dir); err == nil && os.SameFile(here, memex) {
				return true
			}
		}
		if at == filepath.Dir(at) {
			return false
		}
	}
}

func addRemote(ctx context.Context, a *api.Local, req RemoteAddRequest) (*Remote, error) {
	const op = "remote add"
	if err := checkRemote(op, req.Name); err != nil {
		return nil, err
	}
	if strings.HasPrefix(req.URL, IPFSPrefix) {
		return nil, fault.Errorf(op, req.Name, fault.Invalid,
			"what is on IPFS never changes, so it cannot be a remote; fovea push ipfs: prints a CID, fovea pull ipfs:CID takes one")
	}
	if Inside(req.URL, a.On.Dir()) {
		return nil, fault.Errorf(op, req.Name, fault.Invalid, "it is in the folder of the notes; name one outside, such as on a stick")
	}
	if k, err := readKept(a.Memex, op, req.Name); err == nil && k.URL != req.URL {
		return nil, fault.Errorf(op, req.Name, fault.Conflict, "the name is used for %s; choose another one, or run fovea remote remove %s", k.URL, req.Name)
	}
	if _, err := a.View(ctx); err != nil { // to read the folder first
		return nil, err
	}
	first, err := firstOf(ctx, a.Memex, op)
	if err != nil {
		return nil, err
	}
	p, err := place.Create(ctx, req.URL, a.Options.Places)
	if err != nil {
		return nil, fault.Wrap(op, req.Name, kindOf(err), err)
	}
	defer p.Close()
	keeps, err := place.Probe(ctx, p)
	if err != nil {
		return nil, fault.Wrap(op, req.Name, kindOf(err), err)
	}
	key, err := place.Join(ctx, p, first, req.Plain, req.Passphrase)
	if err != nil {
		return nil, fault.Wrap(op, req.Name, kindOf(err), err)
	}
	machine, err := Keep(a.Memex.Histories().State, req.Name, req.URL, key)
	return &Remote{Name: req.Name, URL: req.URL, Sealed: key != nil, Machine: machine, Keeps: keeps}, fault.Wrap(op, req.Name, fault.Other, err)
}

// Keep records a remote in a state folder, with its key if it is sealed. It returns the name under which this machine
// writes there.
func Keep(state vfs.FS, name, url string, key *age.X25519Identity) (machine string, err error) {
	host, _ := os.Hostname()
	k := kept{URL: url, Machine: place.MachineOf(state, name, place.NewMachine(host))}
	if key != nil {
		k.Key = key.String()
	}
	in, err := vfs.Sub(state, place.Folder+"/"+name)
	if err == nil {
		err = place.Anew(in)
	}
	if err == nil {
		err = vfs.WriteJSON(in, place.RemoteFile, k)
	}
	return k.Machine, err
}

func removeRemote(ctx context.Context, a *api.Local, req RemoteRequest) (*Remote, error) {
	const op = "remote remove"
	over, err := turn(ctx, a)
	if err != nil {
		return nil, fault.Wrap(op, req.Name, fault.Other, err)
	}
	defer over()
	k, err := readKept(a.Memex, op, req.Name)
	if err != nil && fault.KindOf(err) != fault.Corrupt { // unreadable data is removed too
		return nil, err
	}
	err = vfs.RemoveAll(a.Memex.Histories().State, place.Folder+"/"+req.Name)
	return &Remote{Name: req.Name, URL: k.URL, Sealed: k.Key != "", Machine: k.Machine}, fault.Wrap(op, req.Name, fault.Other, err)
}
