// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package test

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"math/rand/v2"
	"os"
	"path"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/history"
	"github.com/fovea-memory/fovea/internal/faultfs"
	"github.com/fovea-memory/fovea/internal/foveatest"
	"github.com/fovea-memory/fovea/internal/vfs"
)

// content is what a memory gives back of itself.
type content struct {
	Head      fovea.Commit
	Log       []fovea.Commit
	Snapshots []history.Snapshot
	Documents map[uint64]map[string]string // by commit
	Versions  map[string]string            // of every commit's nodes: their bytes
	Drift     []string
}

// readContent reads all that a memory can give back. What it refuses is left
// out, and counted.
func readContent(t *testing.T, m *fovea.Memory) (c content, refused int) {
	c = content{Head: m.View().Head(), Snapshots: m.History().Snapshots(), Documents: map[uint64]map[string]string{}, Versions: map[string]string{},
		Drift: m.Status().Drift}
	var err error
	if c.Log, err = m.History().Log(t.Context(), "", 0); err != nil {
		refused++
	}
	for seq := uint64(1); seq <= c.Head.Seq; seq++ {
		v, err := m.History().At(t.Context(), fmt.Sprintf("seq:%d", seq))
		if err != nil {
			refused++
			continue
		}
		c.Documents[seq] = documentsOf(v)
		for n := range v.All() {
			old, err := m.History().Version(t.Context(), n.ID, n.Version)
			if err != nil {
				refused++
				continue
			}
			c.Versions[n.ID+" "+n.Version.String()] = old.Content
		}
	}
	return c, refused
}

// damagedStore is a closed store of all kinds of files, and what is in it.
type damagedStore struct {
	*workload
	campaign *foveatest.Campaign
	want     content

	refused, readOnly, told, harmless int
}

func newDamagedStore(t *testing.T) *damagedStore {
	t.Helper()
	campaign := foveatest.NewCampaign(t)
	s := &damagedStore{
		workload: newWorkload(t, rand.New(rand.NewPCG(campaign.Seed, 1)), disks{faultfs.New(), faultfs.New()}, 2),
		campaign: campaign,
	}
	for _, name := range []string{
		"ingest", "snapshot", "insert", "checkpoint", "pack", "insert", "rollback of memory", "checkpoint", "pack", "insert",
		"checkpoint", "pack", "insert", "snapshot",
	} {
		i := slices.IndexFunc(steps, func(s step) bool { return s.name == name })
		if err := steps[i].do(s.workload); !expected(err) {
			t.Fatalf("%s: %v", name, err)
		}
	}
	refused := 0
	if s.want, refused = readContent(t, s.m); refused > 0 || s.m.Close() != nil {
		t.Fatalf("the whole store refuses %d reads", refused)
	}
	s.d = s.d.clone()
	return s
}

// stored lists the files of a state folder.
func (s *damagedStore) stored() []string {
	s.t.Helper()
	var names []string
	var walk func(folder string)
	walk = func(folder string) {
		entries, err := s.d.state.ReadDir(folder)
		if err != nil {
			s.t.Fatal(err)
		}
		for _, e := range entries {
			if name := path.Join(folder, e.Name()); e.IsDir() {
				walk(name)
			} else if name != "LOCK" {
				names = append(names, name)
			}
		}
	}
	walk(".")
	return names
}

// judge opens a damaged store: the damage is told, or all reads back identical.
// What reads back at all is what it was.
func (s *damagedStore) judge(left disks, where string) {
	s.t.Helper()
	var said bytes.Buffer
	opts := &fovea.Options{
		Store: left.state, Signer: s.key, Verifiers: s.keys, Log: slog.New(slog.NewTextHandler(&said, &slog.HandlerOptions{Level: slog.LevelWarn})),
		Now: func() time.Time { return time.UnixMilli(1_800_000_000_000) },
	}
	opts.Folder = left.memex
	m, err := fovea.Open(s.t.Context(), "/memex", opts)
	if err != nil {
		s.refused++
		return
	}
	defer m.Close()
	status := m.Status()
	got, refused := readContent(s.t, m)
	s.noLie(got, where)
	_, problems, err := m.Mending().Verify(s.t.Context())
	told := status.ReadOnly != "" || status.Recovered != "" || said.Len() > 0 || refused > 0 || len(problems) > 0 || err != nil
	diff := cmp.Diff(s.want, got)
	switch {
	case diff != "" && !told:
		s.t.Fatalf("%s: nothing is told, and it reads differently (-want +got):\n%s", where, diff)
	case status.ReadOnly != "":
		s.readOnly++
	case told:
		s.told++
	default:
		s.harmless++
	}
	if m.Status().ReadOnly == "" && diff == "" {
		s.goesOn(left, m, where)
	}
}

// noLie demands that what a damaged store gives back is what it held.
func (s *damagedStore) noLie(got content, where string) {
	s.t.Helper()
	for seq, documents := range got.Documents {
		if diff := cmp.Diff(s.want.Documents[seq], documents); diff != "" {
			s.t.Fatalf("%s: documents of commit %d (-want +got):\n%s", where, seq, diff)
		}
	}
	for name, text := range got.Versions {
		if want, ok := s.want.Versions[name]; !ok || text != want {
			s.t.Fatalf("%s: version %s reads %q, want %q", where, name, text, want)
		}
	}
	for _, c := range got.Log {
		i := slices.IndexFunc(s.want.Log, func(o fovea.Commit) bool { return o.Seq == c.Seq })
		if i < 0 || c.Digest != s.want.Log[i].Digest {
			s.t.Fatalf("%s: the log has commit %d as %v", where, c.Seq, c.Digest)
		}
	}
}

// goesOn demands that what changes in a file is still found.
func (s *damagedStore) goesOn(left disks, m *fovea.Memory, where string) {
	s.t.Helper()
	files := left.files(s.t)
	name := slices.Sorted(maps.Keys(files))[0]
	left.write(s.t, map[string]string{name: files[name] + "* More\n"})
	if err := m.Ingest(s.t.Context(), nil); err != nil {
		s.t.Fatalf("%s: ingest: %v", where, err)
	}
	if text, _ := m.View().Text(name); text != files[name]+"* More\n" {
		s.t.Fatalf("%s: a change of %s is not found", where, name)
	}
}

func (s *damagedStore) log(what string) {
	s.t.Helper()
	s.t.Logf("seed %d: %s: %d opened read-only, %d refused, %d told otherwise, %d harmless",
		s.campaign.Seed, what, s.readOnly, s.refused, s.told, s.harmless)
	if s.readOnly == 0 || s.told == 0 || s.harmless == 0 {
		s.t.Error("the damage was of one kind")
	}
}

// TestCampaignOfFlippedBits flips a bit of bytes of every file of a small store.
func TestCampaignOfFlippedBits(t *testing.T) {
	s := newDamagedStore(t)
	files, bits := s.stored(), 0
	for _, name := range files {
		whole, err := s.d.state.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for at, b := range whole {
			if !s.campaign.Picks(300) {
				continue
			}
			bits++
			left, bit := s.d.clone(), byte(1)<<s.campaign.Rand.IntN(8)
			damage(t, left.state, name, func(f vfs.File) error {
				_, err := f.WriteAt([]byte{b ^ bit}, int64(at))
				return err
			})
			s.judge(left, fmt.Sprintf("%s, byte %d ^ %#x", name, at, bit))
		}
	}
	s.log(fmt.Sprintf("%d bits of %d files", bits, len(files)))
}

// TestCampaignOfTruncation cuts every file of a small store at drawn places, and
// removes it.
func TestCampaignOfTruncation(t *testing.T) {
	s := newDamagedStore(t)
	files, cuts := s.stored(), 0
	for _, name := range files {
		info, err := s.d.state.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		for size := int64(-1); size < info.Size(); size++ {
			if size > 0 && !s.campaign.Picks(300) {
				continue
			}
			cuts++
			left := s.d.clone()
			if size < 0 {
				if err := left.state.Remove(name); err != nil {
					t.Fatal(err)
				}
			} else {
				damage(t, left.state, name, func(f vfs.File) error { return f.Truncate(size) })
			}
			s.judge(left, fmt.Sprintf("%s cut to %d of %d bytes", name, size, info.Size()))
		}
	}
	s.log(fmt.Sprintf("%d cuts of %d files", cuts, len(files)))
}

// TestEmptiedSegment: a segment whose batches are all gone, behind which the history goes
// on and before which no image begins to read, moves no commit to another's place.
func TestEmptiedSegment(t *testing.T) {
	s := newDamagedStore(t)
	left := s.d.clone()
	damage(t, left.state, "journal/00000002.j", func(f vfs.File) error { return f.Truncate(64) })
	if s.judge(left, "emptied"); s.told+s.readOnly != 1 {
		t.Error("nothing is told")
	}
}

// damage changes a file of a store.
func damage(t *testing.T, in vfs.FS, name string, change func(vfs.File) error) {
	t.Helper()
	f, err := in.OpenFile(name, os.O_RDWR, 0)
	if err == nil {
		err = errors.Join(change(f), f.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
}
