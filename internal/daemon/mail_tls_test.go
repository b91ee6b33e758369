// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package daemon

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"math/big"
	"net"
	"net/url"
	"strings"
	"testing"
	"time"
)

// authority is a certificate authority.
type authority struct {
	t    *testing.T
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

func newAuthority(t *testing.T) *authority {
	t.Helper()
	a := &authority{t: t}
	a.cert, a.key = a.issue(&x509.Certificate{
		Subject: pkix.Name{CommonName: "authority"}, IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	})
	return a
}

// issue signs a certificate, valid for an hour unless c says otherwise.
func (a *authority) issue(c *x509.Certificate) (*x509.Certificate, *ecdsa.PrivateKey) {
	a.t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		a.t.Fatal(err)
	}
	c.SerialNumber = big.NewInt(time.Now().UnixNano())
	if c.NotAfter.IsZero() {
		c.NotBefore, c.NotAfter = time.Now().Add(-time.Hour), time.Now().Add(time.Hour)
	}
	by, signer := a.cert, a.key
	if by == nil {
		by, signer = c, key
	}
	der, err := x509.CreateCertificate(rand.Reader, c, by, &key.PublicKey, signer)
	if err == nil {
		c, err = x509.ParseCertificate(der)
	}
	if err != nil {
		a.t.Fatal(err)
	}
	return c, key
}

// server returns the TLS configuration of a server with such a certificate.
func (a *authority) server(c x509.Certificate) *tls.Config {
	a.t.Helper()
	cert, key := a.issue(&c)
	return &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{cert.Raw}, PrivateKey: key}}}
}

func (a *authority) pool() *x509.CertPool {
	p := x509.NewCertPool()
	p.AddCert(a.cert)
	return p
}

// TestMailIsEncrypted: credentials and message are sent only over TLS to a server with
// a valid certificate, with implicit TLS and with STARTTLS.
func TestMailIsEncrypted(t *testing.T) {
	known, stranger := newAuthority(t), newAuthority(t)
	here := x509.Certificate{IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}}
	elsewhere := x509.Certificate{DNSNames: []string{"mail.example.org"}}
	expired := here
	expired.NotBefore, expired.NotAfter = time.Now().Add(-2*time.Hour), time.Now().Add(-time.Hour)
	for _, tc := range []struct {
		name   string
		secure *tls.Config
		why    string // "" for a server that is believed
	}{
		{"trusted", known.server(here), ""},
		{"signed by nobody known", stranger.server(here), "unknown authority"},
		{"of another host", known.server(elsewhere), "127.0.0.1"},
		{"expired", known.server(expired), "expired"},
		{"an old protocol", &tls.Config{Certificates: known.server(here).Certificates, MaxVersion: tls.VersionTLS11}, "protocol version"},
	} {
		for _, encryption := range []string{"ImplicitTLS", "ExplicitTLS", "Auto"} {
			t.Run(tc.name+" "+encryption, func(t *testing.T) {
				address, received := mailServer(t, mailbox{ehlo: "250-here\r\n250-STARTTLS\r\n250 AUTH PLAIN", tlsConfig: tc.secure,
					implicitTLS: encryption == "ImplicitTLS"})
				u, err := url.Parse("smtp://ann:secret@" + address + "/?from=f@example.org&to=ann@example.org&encryption=" + encryption)
				if err != nil {
					t.Fatal(err)
				}
				m, ok := newMailer(u)
				if !ok {
					t.Fatal("the URL is refused")
				}
				m.rootCAs = known.pool()
				err = m.send(t.Context(), "a message\n")
				transcript := <-received
				clear, private, _ := strings.Cut(transcript, "(encrypted)\n")
				if strings.Contains(clear, "AUTH") || strings.Contains(clear, "MAIL") {
					t.Errorf("in the clear:\n%s", clear)
				}
				switch {
				case tc.why == "":
					if err != nil || !strings.Contains(private, "AUTH PLAIN AGFubgBzZWNyZXQ=\n") || !strings.Contains(private, "a message\n") {
						t.Errorf("%v\n%s", err, transcript)
					}
				case err == nil || !strings.Contains(err.Error(), tc.why) || !strings.Contains(err.Error(), address) || strings.Contains(err.Error(), "secret"):
					t.Errorf("got %v, want an error with %q", err, tc.why)
				case strings.Contains(transcript, "AUTH") || strings.Contains(transcript, "a message"):
					t.Errorf("it was sent:\n%s", transcript)
				}
			})
		}
	}
}
