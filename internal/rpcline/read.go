// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package rpcline

import (
	"bufio"
	"bytes"
	"errors"
)

// maxLine is the largest length of a line in bytes. A call with the largest note takes
// less than a hundredth of it.
const maxLine = 16 << 20

// line is an input line.
type line struct {
	text    []byte
	tooLong bool // more than maxLine, and passed over
	err     error
}

// readLines delivers the lines that are not blank, until an error or the end.
func (c *connection) readLines() {
	r := bufio.NewReaderSize(c.in, 64<<10)
	for first := true; ; first = false {
		l := readLine(r)
		if first {
			l.text = bytes.TrimPrefix(l.text, []byte("\ufeff")) // a byte order mark
		}
		end := l.err
		if l.tooLong || len(bytes.TrimSpace(l.text)) > 0 {
			l.err = nil // what stands before the end counts
			if !c.deliver(l) {
				return
			}
		}
		if end != nil {
			c.deliver(line{err: end})
			return
		}
	}
}

// deliver passes a line to Read and returns false if the connection is closed.
func (c *connection) deliver(l line) bool {
	select {
	case c.lines <- l:
		return true
	case <-c.closed:
		return false
	}
}

// readLine reads one line. It drops the text of a line that is too long.
func readLine(r *bufio.Reader) (l line) {
	for {
		part, err := r.ReadSlice('\n')
		if l.tooLong = l.tooLong || len(l.text)+len(part) > maxLine; l.tooLong {
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
