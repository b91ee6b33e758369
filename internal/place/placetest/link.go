// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package placetest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"sync"
	"testing"
	"time"
)

// Cuts counts what cut links did to connections.
type Cuts struct {
	Links    int // cut, each for a while
	Refused  int // connections that did not come about
	Ended    int // connections, and of them
	Amid     int // within bytes that were sent at once
	Swallows int // of bytes sent at once, without an end of the connection
	Late     int // of bytes sent at once, which arrived when the link was healed
}

// String is a line of a log.
func (c Cuts) String() string {
	return fmt.Sprintf("%d links cut: %d connections refused, %d ended, %d of them amid a message; %d times bytes swallowed, %d times late",
		c.Links, c.Refused, c.Ended, c.Amid, c.Swallows, c.Late)
}

// How a link is cut.
type cut int

const (
	whole  cut = iota
	broken     // connections end at once
	amid       // connections end within the next bytes sent
	silent     // sent bytes are lost, and the connection stays
	late       // sent bytes wait
	numCuts
)

// Links forward TCP connections to servers, and are cut by a seed. They end with the test.
type Links struct {
	tb   testing.TB
	mu   sync.Mutex
	draw *rand.Rand
	cuts Cuts
}

// NewLinks returns Links without a link.
func NewLinks(tb testing.TB, seed uint64) *Links {
	return &Links{tb: tb, draw: rand.New(rand.NewPCG(seed, 0x6c696e6b))}
}

// Cuts returns what cuts did so far.
func (s *Links) Cuts() Cuts {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.cuts
}

// Link forwards connections to one server.
type Link struct {
	of  *Links
	in  net.Listener
	to  string
	how cut
	way [2]bool // which directions are cut: to the server, and from it
	// healed is closed when the link is whole.
	healed chan struct{}
	open   map[*passage]bool
}

// passage is a connection over a link.
type passage struct {
	ends    [2]*net.TCPConn // of who dialed, and of the server
	hasLost bool            // bytes that were swallowed
}

func (p *passage) end() {
	for _, c := range p.ends {
		_ = c.Close() // it may be closed
	}
}

// To makes a link to an address.
func (s *Links) To(address string) *Link {
	s.tb.Helper()
	in, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		s.tb.Fatal(err)
	}
	l := &Link{of: s, in: in, to: address, open: map[*passage]bool{}}
	var running sync.WaitGroup
	running.Go(func() {
		for {
			c, err := in.Accept()
			if err != nil {
				return
			}
			running.Go(func() { l.connect(c.(*net.TCPConn)) })
		}
	})
	s.tb.Cleanup(func() {
		_ = in.Close() // it ends what accepts
		l.Heal()
		s.mu.Lock()
		for p := range l.open {
			p.end()
		}
		s.mu.Unlock()
		running.Wait()
	})
	return l
}

// Address is the address at which the link listens.
func (l *Link) Address() string { return l.in.Addr().String() }

// connect forwards a connection.
func (l *Link) connect(from *net.TCPConn) {
	there, err := net.Dial("tcp", l.to)
	if err != nil {
		_ = from.Close() // the server does not run
		return
	}
	p := &passage{ends: [2]*net.TCPConn{from, there.(*net.TCPConn)}}
	defer p.end()
	l.of.mu.Lock()
	refused := l.how == broken || l.how == amid
	if refused {
		l.of.cuts.Refused++
	} else {
		l.open[p] = true
	}
	l.of.mu.Unlock()
	if refused {
		return
	}
	var both sync.WaitGroup
	for way := range p.ends {
		both.Go(func() { l.pass(p, way) })
	}
	both.Wait()
	l.of.mu.Lock()
	delete(l.open, p)
	l.of.mu.Unlock()
}

// pass forwards the bytes of one end. When that end closes, the other one closes after all bytes arrived.
func (l *Link) pass(p *passage, way int) {
	from, to := p.ends[way], p.ends[1-way]
	buffer := make([]byte, 32<<10)
	for {
		n, err := from.Read(buffer)
		if n > 0 {
			keep, goesOn := l.fate(p, way, n)
			if _, failed := to.Write(buffer[:keep]); failed != nil {
				_ = from.CloseRead() // the sender notices
				return
			}
			if !goesOn {
				p.end()
				return
			}
		}
		if err != nil {
			_ = to.CloseWrite() // it may be closed
			return
		}
	}
}

// fate returns how many of n bytes arrive, and whether the connection continues.
func (l *Link) fate(p *passage, way, n int) (keep int, goesOn bool) {
	s := l.of
	s.mu.Lock()
	defer s.mu.Unlock()
	for isCounted := false; l.how == late && l.way[way]; isCounted = true {
		if !isCounted {
			s.cuts.Late++
		}
		healed := l.healed
		s.mu.Unlock()
		<-healed
		s.mu.Lock()
	}
	switch {
	case p.hasLost: // nothing may arrive after a gap
		return 0, true
	case l.how == broken || l.how == amid:
		s.cuts.Ended++
		if keep = s.draw.IntN(n); keep > 0 {
			s.cuts.Amid++
		}
		return keep, false
	case l.how == silent && l.way[way]:
		p.hasLost = true
		s.cuts.Swallows++
		return 0, true
	}
	return n, true
}

// cut cuts a link until it is healed.
func (l *Link) cut(how cut, way [2]bool) {
	l.of.mu.Lock()
	defer l.of.mu.Unlock()
	if l.how != whole {
		return
	}
	l.how, l.way, l.healed = how, way, make(chan struct{})
	if l.of.cuts.Links++; how == broken {
		l.end(func(*passage) bool { return true })
	}
}

// end ends connections.
func (l *Link) end(which func(*passage) bool) {
	for p := range l.open {
		if which(p) {
			l.of.cuts.Ended++
			p.end()
		}
	}
}

// Heal makes a link whole. Connections that lost bytes end, as TCP cannot continue there.
func (l *Link) Heal() {
	l.of.mu.Lock()
	defer l.of.mu.Unlock()
	if l.how == whole {
		return
	}
	l.end(func(p *passage) bool { return p.hasLost || l.how == amid })
	l.how = whole
	close(l.healed)
}

// Cut cuts links: connections end, and new ones are refused.
func Cut(links ...*Link) {
	for _, l := range links {
		l.cut(broken, [2]bool{true, true})
	}
}

// Storm cuts links at random until ctx ends, a group at once or one of it, each for at most longest. At the end all are whole.
func (s *Links) Storm(ctx context.Context, longest time.Duration, groups ...[]*Link) {
	wait := func(span time.Duration) {
		ctx, stop := context.WithTimeout(ctx, span)
		defer stop()
		<-ctx.Done()
	}
	for ctx.Err() == nil {
		s.mu.Lock()
		group := groups[s.draw.IntN(len(groups))]
		if s.draw.IntN(3) == 0 {
			group = group[s.draw.IntN(len(group)):][:1]
		}
		how, way := cut(1+s.draw.IntN(int(numCuts)-1)), [2]bool{true, true}
		if one := s.draw.IntN(3); one < 2 {
			way[one] = false
		}
		rest, during := time.Duration(s.draw.Int64N(int64(longest/4))), time.Duration(s.draw.Int64N(int64(longest)))
		s.mu.Unlock()
		wait(rest)
		for _, l := range group {
			l.cut(how, way)
		}
		wait(during)
		for _, l := range group {
			l.Heal()
		}
	}
}
