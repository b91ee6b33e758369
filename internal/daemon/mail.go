// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package daemon

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"mime"
	"mime/quotedprintable"
	"net"
	"net/mail"
	"net/smtp"
	"net/url"
	"slices"
	"strings"
	"time"
)

// mailer sends messages to an SMTP server.
type mailer struct {
	address     string // host and port
	host        string
	user        *url.Userinfo
	from        string
	to          []string
	implicitTLS bool           // TLS from the start of the connection
	unencrypted bool           // no TLS at all
	rootCAs     *x509.CertPool // nil: the certificate authorities of the system
}

// newMailer parses smtp://USER:PASSWORD@HOST:PORT/?from=ADDRESS&to=ADDRESS,ADDRESS. Both
// spellings of shoutrrr's query keys are accepted.
func newMailer(u *url.URL) (*mailer, bool) {
	query := map[string]string{}
	for key, values := range u.Query() {
		query[strings.ToLower(key)] = values[0]
	}
	m := &mailer{host: u.Hostname(), user: u.User, from: parseAddress(cmp.Or(query["from"], query["fromaddress"]))}
	port := cmp.Or(u.Port(), "25")
	m.address = net.JoinHostPort(m.host, port)
	for recipient := range strings.SplitSeq(cmp.Or(query["to"], query["toaddresses"]), ",") {
		m.to = append(m.to, parseAddress(recipient))
	}
	encryption := strings.ToLower(query["encryption"])
	m.implicitTLS = encryption == "implicittls" || port == "465" && encryption != "none" && encryption != "explicittls"
	startTLS := strings.ToLower(cmp.Or(query["usestarttls"], query["starttls"]))
	m.unencrypted = encryption == "none" || startTLS == "no" || strings.EqualFold(query["disabletls"], "yes")
	return m, m.host != "" && !slices.Contains(append(m.to, m.from), "")
}

// parseAddress returns the bare address of a text such as "Ann <ann@example.org>", ""
// if it is invalid.
func parseAddress(text string) string {
	parsed, err := mail.ParseAddress(strings.TrimSpace(text))
	if err != nil || strings.ContainsAny(parsed.Address, "\r\n") {
		return ""
	}
	return parsed.Address
}

// send delivers one message. Unless the URL allows plain text, nothing is sent to a
// server that does not encrypt. Errors name only the server's address.
func (m *mailer) send(ctx context.Context, text string) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("%s: %w", m.address, err)
		}
	}()
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", m.address)
	if err != nil {
		return err
	}
	defer conn.Close()
	stop := context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) }) // interrupts blocked reads and writes
	defer stop()
	c, err := m.startSession(conn)
	if err != nil {
		return err
	}
	if err := c.Mail(m.from); err != nil {
		return err
	}
	for _, to := range m.to {
		if err := c.Rcpt(to); err != nil {
			return err
		}
	}
	w, err := c.Data()
	if err != nil {
		return err
	}
	if _, err := w.Write(m.compose(text)); err != nil {
		return err
	}
	if err := w.Close(); err != nil {
		return err
	}
	_ = c.Quit() // the server has accepted the message
	return nil
}

// startSession negotiates TLS on a connection and authenticates.
func (m *mailer) startSession(conn net.Conn) (*smtp.Client, error) {
	tlsConfig := &tls.Config{ServerName: m.host, RootCAs: m.rootCAs}
	if m.implicitTLS {
		conn = tls.Client(conn, tlsConfig)
	}
	c, err := smtp.NewClient(conn, m.host)
	if err != nil {
		return nil, err
	}
	if !m.implicitTLS && !m.unencrypted {
		if err := c.StartTLS(tlsConfig); err != nil {
			return nil, err
		}
	}
	if password, ok := m.user.Password(); ok {
		return c, c.Auth(smtp.PlainAuth("", m.user.Username(), password, m.host))
	}
	return c, nil
}

// compose returns the headers and the body. The subject is the first line of text.
func (m *mailer) compose(text string) []byte {
	var b bytes.Buffer
	subject, _, _ := strings.Cut(text, "\n")
	fmt.Fprintf(&b, "From: <%s>\r\nTo: <%s>\r\nSubject: %s\r\n", m.from, strings.Join(m.to, ">, <"), mime.QEncoding.Encode("utf-8", subject))
	fmt.Fprintf(&b, "Date: %s\r\nMIME-Version: 1.0\r\n", time.Now().UTC().Format(time.RFC1123Z))
	b.WriteString("Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable\r\nAuto-Submitted: auto-generated\r\n\r\n")
	w := quotedprintable.NewWriter(&b)
	_, _ = w.Write([]byte(text)) // writing to a buffer cannot fail
	_ = w.Close()
	return b.Bytes()
}
