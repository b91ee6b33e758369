// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package placetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/fovea-memory/fovea/internal/place"
)

// Memory is a place in memory that keeps its conditions. No two versions of an object have one tag.
// It is safe for concurrent use.
type Memory struct {
	mu       sync.Mutex
	objects  map[string]object
	versions int
	watchers map[int]func(name string)
}

type object struct {
	data []byte
	tag  string
}

var _ place.Place = (*Memory)(nil)

// NewMemory returns an empty place.
func NewMemory() *Memory { return &Memory{objects: map[string]object{}} }

// Watch implements place.Watcher.
func (m *Memory) Watch(ctx context.Context, prefix string, changed func(name string)) error {
	m.mu.Lock()
	m.versions++
	id := m.versions
	if m.watchers == nil {
		m.watchers = map[int]func(string){}
	}
	m.watchers[id] = func(name string) {
		if strings.HasPrefix(name, prefix) {
			changed(name)
		}
	}
	m.mu.Unlock()
	changed(prefix)
	<-ctx.Done()
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.watchers, id)
	return ctx.Err()
}

// Copy returns a place with the same objects.
func (m *Memory) Copy() *Memory {
	m.mu.Lock()
	defer m.mu.Unlock()
	return &Memory{objects: maps.Clone(m.objects), versions: m.versions}
}

// Get implements place.Place.
func (m *Memory) Get(_ context.Context, name string) ([]byte, string, error) {
	if err := place.CheckObject(name); err != nil {
		return nil, "", err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	o, ok := m.objects[name]
	if !ok {
		return nil, "", fmt.Errorf("%s: %w", name, place.ErrNone)
	}
	return bytes.Clone(o.data), o.tag, nil
}

// Put implements place.Place.
func (m *Memory) Put(_ context.Context, name, tag string, data []byte) error {
	if err := place.CheckObject(name); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.objects[name].tag != tag {
		return fmt.Errorf("%s: %w", name, place.ErrChanged)
	}
	m.versions++
	m.objects[name] = object{bytes.Clone(data), fmt.Sprint(m.versions)}
	for _, tell := range m.watchers {
		tell(name)
	}
	return nil
}

// List implements place.Place.
func (m *Memory) List(_ context.Context, prefix string) ([]string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var names []string
	for name := range m.objects {
		if strings.HasPrefix(name, prefix) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names, nil
}

// Remove implements place.Place.
func (m *Memory) Remove(_ context.Context, name string) error {
	if err := place.CheckObject(name); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.objects, name)
	return nil
}

// Close implements place.Place.
func (m *Memory) Close() error { return nil }

// Lost returns the pieces that heads of a plain place name and that cannot be read, and as litter those
// there that no head names.
func Lost(ctx context.Context, p place.Place) (lost, litter []string, err error) {
	heads, err := p.List(ctx, "heads/")
	if err != nil {
		return nil, nil, err
	}
	there, err := p.List(ctx, "packs/")
	if err != nil {
		return nil, nil, err
	}
	named := map[string]bool{}
	for _, name := range heads {
		data, _, err := p.Get(ctx, name)
		if err != nil {
			return nil, nil, err
		}
		h, err := place.DecodeHead(data)
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", name, err)
		}
		for _, pack := range h.Packs {
			for _, piece := range pack.Pieces {
				at := strings.TrimPrefix(pack.Series+"-"+piece.Name, "-")
				named["packs/"+at] = true
				switch _, _, err := p.Get(ctx, "packs/"+at); {
				case errors.Is(err, place.ErrNone), errors.Is(err, place.ErrDamaged), err == nil && !slices.Contains(there, "packs/"+at):
					lost = append(lost, name+" names "+at)
				case err != nil:
					return nil, nil, err
				}
			}
		}
	}
	for _, name := range there {
		if !named[name] {
			litter = append(litter, name)
		}
	}
	return lost, litter, nil
}
