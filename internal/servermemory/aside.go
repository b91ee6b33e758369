// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package servermemory

import (
	"bytes"
	"crypto/rand"
	"io"
	"strconv"
	"sync"
)

// aside keeps large parts of answers out of the encoding of a message: the SDK reads and
// copies an answer five times before it is sent. A short string stands for each part in
// the message, and gives way to it when the message is written. It is safe for
// concurrent use.
type aside struct {
	out  io.WriteCloser
	mark string // begins what stands for a part; random, and never sent

	mu   sync.Mutex
	last int
	kept map[string][]byte // by what stands for it, in its quotes
}

func newAside(out io.WriteCloser) *aside {
	return &aside{out: out, mark: "aside:" + rand.Text() + ":", kept: map[string][]byte{}}
}

// keep takes a JSON text, and returns the string that stands for it.
func (a *aside) keep(text []byte) string {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.last++
	sign := a.mark + strconv.Itoa(a.last)
	a.kept[`"`+sign+`"`] = text
	return sign
}

// Write writes a message, with what was kept aside in its places.
func (a *aside) Write(message []byte) (int, error) {
	rest, opening := message, []byte(`"`+a.mark)
	for {
		at := bytes.Index(rest, opening)
		if at < 0 {
			break
		}
		after := at + len(opening)
		after += bytes.IndexByte(rest[after:], '"') + 1
		for _, part := range [][]byte{rest[:at], a.take(string(rest[at:after]))} {
			if _, err := a.out.Write(part); err != nil {
				return len(message) - len(rest), err
			}
		}
		rest = rest[after:]
	}
	if _, err := a.out.Write(rest); err != nil {
		return len(message) - len(rest), err
	}
	return len(message), nil
}

// take returns what was kept, and forgets it.
func (a *aside) take(sign string) []byte {
	a.mu.Lock()
	defer a.mu.Unlock()
	text := a.kept[sign]
	delete(a.kept, sign)
	return text
}

// Close closes what is written to.
func (a *aside) Close() error { return a.out.Close() }
