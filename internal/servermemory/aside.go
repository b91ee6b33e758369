// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package servermemory

import (
	"bytes"
	"crypto/rand"
	"io"
	"strconv"
	"sync"
)

// aside spares large parts of answers the SDK's encoding, which reads and copies an answer
// five times. A short placeholder stands for each part in the message until Write replaces
// it. It is safe for concurrent use.
type aside struct {
	out  io.WriteCloser
	mark string // prefix of placeholders; random and never sent

	mu   sync.Mutex
	last int
	kept map[string][]byte // by quoted placeholder
}

func newAside(out io.WriteCloser) *aside {
	return &aside{out: out, mark: "aside:" + rand.Text() + ":", kept: map[string][]byte{}}
}

// keep stores a JSON text and returns its placeholder.
func (a *aside) keep(text []byte) string {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.last++
	sign := a.mark + strconv.Itoa(a.last)
	a.kept[`"`+sign+`"`] = text
	return sign
}

// Write writes a message with its placeholders replaced.
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

// take removes and returns the text of a placeholder.
func (a *aside) take(sign string) []byte {
	a.mu.Lock()
	defer a.mu.Unlock()
	text := a.kept[sign]
	delete(a.kept, sign)
	return text
}

// Close closes the underlying writer.
func (a *aside) Close() error { return a.out.Close() }
