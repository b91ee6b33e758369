// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package alert

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"mime"
	"mime/quotedprintable"
	"net"
	"net/mail"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// mailServer takes one message as a server of SMTP does, and returns what came.
func mailServer(t *testing.T, hello string) (address string, came <-chan string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	out := make(chan string, 1)
	go func() {
		defer close(out)
		conn, err := l.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		in, said, data := bufio.NewScanner(conn), "", false
		fmt.Fprintf(conn, "220 here\r\n")
		for in.Scan() {
			line := in.Text()
			said += line + "\n"
			switch {
			case data && line != ".":
			case strings.HasPrefix(line, "EHLO"):
				fmt.Fprintf(conn, "%s\r\n", hello)
			case strings.HasPrefix(line, "AUTH"):
				fmt.Fprintf(conn, "235 ok\r\n")
			case line == "DATA":
				data = true
				fmt.Fprintf(conn, "354 go on\r\n")
			case line == "QUIT":
				out <- said
				return
			default:
				data = false
				fmt.Fprintf(conn, "250 ok\r\n")
			}
		}
	}()
	return l.Addr().String(), out
}

// TestMail: a server gets one message for all recipients, which reads as it was
// written.
func TestMail(t *testing.T) {
	address, came := mailServer(t, "250-here\r\n250 AUTH PLAIN")
	sink, err := Parse("smtp://ann:secret@" + address + "/?from=Fovea%20%3Cf@example.org%3E&to=ann@example.org,bob@example.org&usestarttls=No")
	if err != nil || strings.Contains(sink.Name+sink.ID, "secret") {
		t.Fatal(sink, err)
	}
	const text = "Fovea: skills/žaba.org was changed\n.\n" + "long long long long long long long long long long long long long long long long long line =\n"
	if err := sink.Send(t.Context(), text); err != nil {
		t.Fatal(err)
	}
	said := <-came
	var orders []string
	head, rest, _ := strings.Cut(said, "DATA\n")
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

// TestMailIsNotSentPlain: a server that does not encrypt gets nothing unless it was
// allowed to, and one that hangs is left in time.
func TestMailIsNotSentPlain(t *testing.T) {
	address, _ := mailServer(t, "250 here")
	sink, err := Parse("smtp://ann:secret@" + address + "/?fromaddress=f@example.org&toaddresses=ann@example.org")
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
	if sink, err = Parse("smtp://" + l.Addr().String() + "/?from=f@example.org&to=a@example.org&encryption=None"); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithDeadline(t.Context(), time.Now())
	defer stop()
	if err := sink.Send(ctx, "x"); err == nil {
		t.Error("a server that hangs took it")
	}
}
