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

// Memory is a place in memory. Each version of an object has its own tag. It is safe for concurrent
// use.
type Memory struct {
	mu       sync.Mutex
	objects  map[string]object
	versions int
	watchers map[*string]func(name string) // by their prefixes
}

type object struct {
	data []byte
	tag  string
}

var _ place.Place = (*Memory)(nil)

// NewMemory returns an empty place.
func NewMemory() *Memory {
	return &Memory{objects: map[string]object{}, watchers: map[*string]func(string){}}
}

// Watch implements place.Watcher.
func (m *Memory) Watch(ctx context.Context, prefix string, changed func(name string)) error {
	m.mu.Lock()
	m.watchers[&prefix] = changed
	m.mu.Unlock()
	changed(prefix)
	<-ctx.Done()
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.watchers, &prefix)
	return ctx.Err()
}

// Copy returns a place with the same objects.
func (m *Memory) Copy() *Memory {
	m.mu.Lock()
	defer m.mu.Unlock()
	return &Memory{objects: maps.Clone(m.objects), versions: m.versions, watchers: map[*string]func(string){}}
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
	for prefix, changed := range m.watchers {
		if strings.HasPrefix(name, *prefix) {
			changed(name)
		}
	}
	return nil
}

// List implements place.Place.
func (m *Memory) List(_ context.Context, prefix string) ([]string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return place.Objects(slices.Collect(maps.Keys(m.objects)), prefix), nil
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

// Lost returns the pieces that heads of a plain place name and that cannot be read, and as litter the
// pieces that no head names.
func Lost(ctx context.Context, p place.Place) (lost, litter []string, err error) {
	heads, err := p.List(ctx, "heads/")
	there, listErr := p.List(ctx, "packs/")
	if err = errors.Join(err, listErr); err != nil {
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
				at := "packs/" + pack.Series + "-" + piece.Name
				named[at] = true
				switch _, _, err := p.Get(ctx, at); {
				case errors.Is(err, place.ErrNone), errors.Is(err, place.ErrDamaged), err == nil && !slices.Contains(there, at):
					lost = append(lost, name+" names "+at)
				case err != nil:
					return nil, nil, err
				}
			}
		}
	}
	isNamed := func(name string) bool { return named[name] }
	return lost, slices.DeleteFunc(there, isNamed), nil
}
