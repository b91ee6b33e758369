// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package rpcline

import (
	"bufio"
	"bytes"
	"errors"
)

// maxLine is how many bytes a line has at most: a call with the largest note takes less
// than a hundredth of it.
const maxLine = 16 << 20

// line is one that was read.
type line struct {
	text []byte
	long bool // more than maxLine, and passed over
	err  error
}

// read gives out the lines that are not blank, until an error or the end.
func (c *connection) read() {
	r := bufio.NewReaderSize(c.in, 64<<10)
	for first := true; ; first = false {
		l := next(r)
		if first {
			l.text = bytes.TrimPrefix(l.text, []byte("\ufeff")) // a byte order mark
		}
		ended := l.err
		if l.long || len(bytes.TrimSpace(l.text)) > 0 {
			l.err = nil // what stands before the end counts
			if !c.give(l) {
				return
			}
		}
		if ended != nil {
			c.give(line{err: ended})
			return
		}
	}
}

// give hands a line over, and reports whether somebody took it.
func (c *connection) give(l line) bool {
	select {
	case c.lines <- l:
		return true
	case <-c.closed:
		return false
	}
}

// next reads one line. Of one that is too long it keeps nothing.
func next(r *bufio.Reader) (l line) {
	for {
		part, err := r.ReadSlice('\n')
		if l.long = l.long || len(l.text)+len(part) > maxLine; l.long {
			l.text = nil
		} else {
			l.text = append(l.text, part...)
		}
		if err == nil {
			return l
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			l.err = err
			return l
		}
	}
}
