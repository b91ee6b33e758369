// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package daemon

import (
	"bufio"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"mime"
	"mime/quotedprintable"
	"net"
	"net/mail"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// mailbox configures a test SMTP server.
type mailbox struct {
	ehlo        string      // response to EHLO
	tlsConfig   *tls.Config // nil: no encryption
	implicitTLS bool        // TLS from the start
}

// mailServer serves one connection and returns the received lines, with "(encrypted)"
// where TLS starts.
func mailServer(t *testing.T, mailbox mailbox) (address string, received <-chan string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	result := make(chan string, 1)
	go func() {
		conn, err := l.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		result <- mailbox.serve(conn)
	}()
	return l.Addr().String(), result
}

// serve receives one message over SMTP.
func (box *mailbox) serve(conn net.Conn) string {
	transcript, data := "", false
	encrypt := func() *bufio.Scanner {
		tlsConn := tls.Server(conn, box.tlsConfig)
		if tlsConn.Handshake() == nil {
			transcript += "(encrypted)\n"
		}
		conn = tlsConn
		return bufio.NewScanner(conn)
	}
	in := bufio.NewScanner(conn)
	if box.implicitTLS {
		in = encrypt()
	}
	fmt.Fprintf(conn, "220 here\r\n")
	for in.Scan() {
		line := in.Text()
		transcript += line + "\n"
		switch {
		case data && line != ".":
		case strings.HasPrefix(line, "EHLO"):
			fmt.Fprintf(conn, "%s\r\n", box.ehlo)
		case line == "STARTTLS" && box.tlsConfig == nil:
			fmt.Fprintf(conn, "502 not here\r\n")
		case line == "STARTTLS":
			fmt.Fprintf(conn, "220 go on\r\n")
			in = encrypt()
		case strings.HasPrefix(line, "AUTH"):
			fmt.Fprintf(conn, "235 ok\r\n")
		case line == "DATA":
			data = true
			fmt.Fprintf(conn, "354 go on\r\n")
		case line == "QUIT":
			return transcript
		default:
			data = false
			fmt.Fprintf(conn, "250 ok\r\n")
		}
	}
	return transcript
}

// TestMail: one message reaches all recipients and decodes to the original text.
func TestMail(t *testing.T) {
	address, received := mailServer(t, mailbox{ehlo: "250-here\r\n250 AUTH PLAIN"})
	sink, err := ParseSink("smtp://ann:secret@" + address + "/?from=Fovea%20%3Cf@example.org%3E&to=ann@example.org,bob@example.org&usestarttls=No")
	if err != nil || strings.Contains(sink.Name+sink.ID, "secret") {
		t.Fatal(sink, err)
	}
	const text = "Fovea: skills/žaba.org was changed\n.\n" + "long long long long long long long long long long long long long long long long long line =\n"
	if err := sink.Send(t.Context(), text); err != nil {
		t.Fatal(err)
	}
	transcript := <-received
	var orders []string
	head, rest, _ := strings.Cut(transcript, "DATA\n")
	for line := range strings.Lines(head) {
		orders = append(orders, strings.TrimSpace(line))
	}
	want := []string{"EHLO localhost", "AUTH PLAIN AGFubgBzZWNyZXQ=", "MAIL FROM:<f@example.org>", "RCPT TO:<ann@example.org>", "RCPT TO:<bob@example.org>"}
	if diff := cmp.Diff(want, orders); diff != "" {
		t.Errorf("orders (-want +got):\n%s", diff)
	}
	letter, _, _ := strings.Cut(rest, "\n.\n")
	letter = strings.ReplaceAll(letter, "\n..", "\n.")
	m, err := mail.ReadMessage(strings.NewReader(letter))
	if err != nil {
		t.Fatal(err)
	}
	subject, err := new(mime.WordDecoder).DecodeHeader(m.Header.Get("Subject"))
	if err != nil || subject != "Fovea: skills/žaba.org was changed" {
		t.Errorf("subject %q, %v", subject, err)
	}
	body, err := io.ReadAll(quotedprintable.NewReader(m.Body))
	if got := strings.ReplaceAll(string(body), "\r\n", "\n"); err != nil || strings.TrimSpace(got) != strings.TrimSpace(text) {
		t.Errorf("body %q, %v", got, err)
	}
}

// TestMailIsNotSentPlain: a server without encryption receives nothing unless the URL
// allows it, and a server that hangs is abandoned when ctx ends.
func TestMailIsNotSentPlain(t *testing.T) {
	address, _ := mailServer(t, mailbox{ehlo: "250 here"})
	sink, err := ParseSink("smtp://ann:secret@" + address + "/?fromaddress=f@example.org&toaddresses=ann@example.org")
	if err != nil {
		t.Fatal(err)
	}
	if err := sink.Send(t.Context(), "x"); err == nil || strings.Contains(err.Error(), "secret") || !strings.Contains(err.Error(), address) {
		t.Errorf("got %v", err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0") // accepts, and says nothing
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if sink, err = ParseSink("smtp://" + l.Addr().String() + "/?from=f@example.org&to=a@example.org&encryption=None"); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	go func() {
		if conn, err := l.Accept(); err == nil {
			t.Cleanup(func() { _ = conn.Close() })
		}
		stop()
	}()
	if err := sink.Send(ctx, "x"); err == nil {
		t.Error("a server that hangs took it")
	}
}
