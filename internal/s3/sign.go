// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package s3

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// Credentials sign requests. They print as one word.
type Credentials struct {
	KeyID  string `json:"-"`
	Secret string `json:"-"`
	// Token belongs to credentials that end, at Expires; the zero time is never.
	Token   string    `json:"-"`
	Expires time.Time `json:"-"`
}

// Format writes no secret, whatever the verb.
func (Credentials) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, "credentials") }

const (
	algorithm = "AWS4-HMAC-SHA256"
	timeForm  = "20060102T150405Z"
)

// Sign adds the headers of Signature Version 4 to a request: the host and all headers that
// it has are signed. payload is the SHA-256 of the body in hexadecimal.
func Sign(r *http.Request, c Credentials, region, service, payload string, now time.Time) {
	stamp := now.UTC().Format(timeForm)
	r.Header.Set("X-Amz-Date", stamp)
	if c.Token != "" {
		r.Header.Set("X-Amz-Security-Token", c.Token)
	}
	r.Header.Del("Authorization")
	headers, names := canonicalHeaders(r)
	request := strings.Join([]string{r.Method, canonicalPath(r.URL), canonicalQuery(r.URL.Query()), headers, names, payload}, "\n")
	scope := strings.Join([]string{stamp[:8], region, service, "aws4_request"}, "/")
	sum := sha256.Sum256([]byte(request))
	text := strings.Join([]string{algorithm, stamp, scope, hex.EncodeToString(sum[:])}, "\n")
	key := []byte("AWS4" + c.Secret)
	for _, part := range []string{stamp[:8], region, service, "aws4_request"} {
		key = mac(key, part)
	}
	r.Header.Set("Authorization", fmt.Sprintf("%s Credential=%s/%s, SignedHeaders=%s, Signature=%s",
		algorithm, c.KeyID, scope, names, hex.EncodeToString(mac(key, text))))
}

func mac(key []byte, text string) []byte {
	h := hmac.New(sha256.New, key)
	h.Write([]byte(text))
	return h.Sum(nil)
}

// canonicalHeaders returns the headers to sign, one per line, and their names.
func canonicalHeaders(r *http.Request) (lines, names string) {
	host := r.Host
	if host == "" {
		host = r.URL.Host
	}
	all := map[string]string{"host": host}
	for name, values := range r.Header {
		var trimmed []string
		for _, v := range values {
			trimmed = append(trimmed, strings.Join(strings.Fields(v), " "))
		}
		all[strings.ToLower(name)] = strings.Join(trimmed, ",")
	}
	sorted := slices.Sorted(maps.Keys(all))
	var b strings.Builder
	for _, name := range sorted {
		b.WriteString(name + ":" + all[name] + "\n")
	}
	return b.String(), strings.Join(sorted, ";")
}

func canonicalPath(u *url.URL) string {
	if u.Path == "" {
		return "/"
	}
	return escapePath(u.Path)
}

// canonicalQuery writes a query as it is signed and sent, sorted by name: "a" stands before "a-",
// which it would not if whole pairs were sorted. Each name has one value here.
func canonicalQuery(q url.Values) string {
	return strings.ReplaceAll(q.Encode(), "+", "%20")
}

// escapePath escapes every byte of a path that is neither unreserved nor a slash.
func escapePath(text string) string {
	var b strings.Builder
	for i := range len(text) {
		switch c := text[i]; {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', strings.IndexByte("-_.~/", c) >= 0:
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}
