// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package daemon

import (
	"net"
	"sync"
)

// crowd is how many connections over TCP are open at once. Whoever runs a program on
// this machine can open them, token or not, and each takes a descriptor that the
// journal or the socket of the owner may need.
const crowd = 256

// atMost is a listener that accepts no connection while so many are open: who comes
// waits for one to be closed.
type atMost struct {
	net.Listener
	room   chan struct{}
	ended  chan struct{} // closed by Close
	ending sync.Once
}

func listenAtMost(l net.Listener, n int) *atMost {
	return &atMost{Listener: l, room: make(chan struct{}, n), ended: make(chan struct{})}
}

func (l *atMost) Accept() (net.Conn, error) {
	select {
	case l.room <- struct{}{}:
	case <-l.ended:
		return nil, net.ErrClosed
	}
	c, err := l.Listener.Accept()
	if err != nil {
		<-l.room
		return nil, err
	}
	return &counted{Conn: c, gone: func() { <-l.room }}, nil
}

func (l *atMost) Close() error {
	l.ending.Do(func() { close(l.ended) })
	return l.Listener.Close()
}

// counted makes room when it is closed.
type counted struct {
	net.Conn
	once sync.Once
	gone func()
}

func (c *counted) Close() error {
	err := c.Conn.Close()
	c.once.Do(c.gone)
	return err
}

// CloseWrite ends an answer before the connection: a client that is still sending is
// to read why it was refused. http.Server asks for it.
func (c *counted) CloseWrite() error {
	if w, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return w.CloseWrite()
	}
	return nil
}
