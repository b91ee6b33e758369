// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package corpus

import (
	"errors"
	"io"
	"os"
	"strings"

	"github.com/fovea-memory/fovea/internal/text"
)

// overwrite replaces the bytes of the file itself and syncs it. If that fails, it
// writes the old bytes back.
func (w *Write) overwrite() error {
	f, err := w.root.dir.fs.OpenFile(w.real, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	put := func(text string) error {
		_, err := io.WriteString(io.NewOffsetWriter(f, 0), text)
		if err == nil {
			err = f.Truncate(int64(len(text)))
		}
		if err == nil {
			err = f.Sync()
		}
		return err
	}
	if err = put(w.next.Text); err != nil {
		err = errors.Join(err, put(w.old))
	}
	return errors.Join(err, f.Close())
}

// sector is the unit, in bytes, that a disk writes atomically.
const sector = 512

// Torn reports whether have can result from a crash while one of the texts before and after was
// overwriting the other, or from an error of overwriting and another one of restoring. After a
// crash, each sector comes from one of the two texts; beyond the end of that text it has zeros
// or the other text. The length of have must lie between theirs. O(length).
func Torn(have, before, after string) bool {
	short, long := min(len(before), len(after)), max(len(before), len(after))
	if len(have) < short || len(have) > long {
		return false
	}
	if isHalfPutBack(have, before, after) || isHalfPutBack(have, after, before) {
		return true
	}
	for at := 0; at < len(have); at += sector {
		part := have[at:min(at+sector, len(have))]
		if !isPartOf(part, at, before, after) && !isPartOf(part, at, after, before) && strings.Trim(part, "\x00") != "" {
			return false
		}
	}
	return true
}

// isHalfPutBack reports whether have begins with before, up to where restoring failed, continues
// with after, up to where overwriting failed, and ends with before.
func isHalfPutBack(have, before, after string) bool {
	at := text.SharedPrefix(have, before)
	at += text.SharedPrefix(have[at:], after[min(at, len(after)):])
	return strings.HasPrefix(before[min(at, len(before)):], have[at:])
}

// isPartOf reports whether text has part at the offset. Beyond the end of text, part
// may have zeros or the bytes of other.
func isPartOf(part string, at int, text, other string) bool {
	within := text[min(at, len(text)):min(at+len(part), len(text))]
	rest, ok := strings.CutPrefix(part, within)
	if !ok {
		return false
	}
	at += len(within)
	return strings.Trim(rest, "\x00") == "" || strings.HasPrefix(other[min(at, len(other)):], rest)
}
