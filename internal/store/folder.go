// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package store

import (
	"fmt"
	"path"
)

// Names in a state folder; see doc/format/state-folder.md.
const (
	// FormatFile says what the folder is, and for which memex.
	FormatFile = "FORMAT"
	// LockFile is locked by the process that owns the folder.
	LockFile = "LOCK"
	// HeadFile has what the last clean close left.
	HeadFile = "head"
	// JournalFolder has the segments of the journal.
	JournalFolder = "journal"
	// ImageFolder has the images.
	ImageFolder = "image"
	// PackFolder has the packs, and the manifest that names them.
	PackFolder = "packs"
	// Quarantine takes files that are damaged, so that they are neither used nor lost.
	Quarantine = "quarantine"

	// ImageSuffix ends the names of images.
	ImageSuffix = ".img"
)

// HistoryFolders are the folders that hold the history.
var HistoryFolders = [...]string{JournalFolder, ImageFolder, PackFolder}

// The words that files of a state folder, or parts of them, begin with.
const (
	FormatMagic   = "fovea state"
	HeadMagic     = "FOVEAHED"
	SegmentMagic  = "FOVEAJNL"
	PackMagic     = "FOVEAPAK"
	PackEndMagic  = "FOVEAPEN"
	ManifestMagic = "FOVEAPKS"
	ImageMagic    = "FOVEAIMG"
	ImageEndMagic = "FOVEAEND"
)

// Magics are all of them.
var Magics = [...]string{FormatMagic, HeadMagic, SegmentMagic, PackMagic, PackEndMagic, ManifestMagic, ImageMagic, ImageEndMagic}

// ImageName returns the name, within the state folder, of the image of the commit with a number.
func ImageName(seq uint64) string {
	return path.Join(ImageFolder, fmt.Sprintf("%012d%s", seq, ImageSuffix))
}
