// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package store

import (
	"fmt"
	"strings"

	"github.com/fovea-memory/fovea/merkle"
)

// MaxSections is the maximum number of sections in an image.
const MaxSections = 1024

// MaxSectionName is the maximum length of a section's name, in bytes.
const MaxSectionName = 32

// Section is a named part of an image.
type Section struct {
	// Name is 1 to 32 printable ASCII characters, unique in the image.
	Name string
	// Data is the content.
	Data []byte
	// Derived means that the section can be made from the others: an image without it is still valid.
	Derived bool
}

// Image is a state at one commit, in a form that loads at once.
type Image struct {
	// Seq is the commit's number; the image with the largest is the newest.
	Seq uint64
	// Commit is the commit's digest.
	Commit merkle.Digest
	// At is the position after the commit's batch: Replay from there returns the records that the image lacks.
	At Pos
	// Sections are the content, in the order of writing.
	Sections []Section
}

// Section returns the data of the section with the name, and false if there is none, for example because it was
// derived and damaged.
func (img *Image) Section(name string) ([]byte, bool) {
	for _, s := range img.Sections {
		if s.Name == name {
			return s.Data, true
		}
	}
	return nil, false
}

// Check returns ErrSection or ErrTooLarge if the image cannot be written.
func (img *Image) Check() error {
	if len(img.Sections) > MaxSections {
		return fmt.Errorf("%d sections: %w", len(img.Sections), ErrTooLarge)
	}
	seen := map[string]bool{}
	for _, s := range img.Sections {
		isBad := s.Name == "" || len(s.Name) > MaxSectionName || strings.ContainsFunc(s.Name, func(r rune) bool { return r <= ' ' || r > '~' })
		if isBad || seen[s.Name] {
			return fmt.Errorf("section %q: %w", s.Name, ErrSection)
		}
		seen[s.Name] = true
	}
	return nil
}
