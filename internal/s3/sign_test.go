// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package s3

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"
)

func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// TestSignature: the examples that Amazon has published, of its suite and of the pages about S3.
func TestSignature(t *testing.T) {
	suite := Credentials{KeyID: "AKIDEXAMPLE", Secret: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"}
	pages := Credentials{KeyID: "AKIAIOSFODNN7EXAMPLE", Secret: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"}
	suiteTime, pagesTime := time.Date(2015, 8, 30, 12, 36, 0, 0, time.UTC), time.Date(2013, 5, 24, 0, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		name, method, url, service string
		header                     map[string]string
		body, want                 string
	}{
		{"get-vanilla", "GET", "https://example.amazonaws.com/", "service", nil, "", "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"},
		{"get-vanilla-query-order-key-case", "GET", "https://example.amazonaws.com/?Param2=value2&Param1=value1", "service", nil, "",
			"b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500"},
		{"post-vanilla", "POST", "https://example.amazonaws.com/", "service", nil, "", "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b"},
		{"get object", "GET", "https://examplebucket.s3.amazonaws.com/test.txt", "s3", map[string]string{"Range": "bytes=0-9"}, "",
			"f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"},
		{"put object", "PUT", "https://examplebucket.s3.amazonaws.com/test$file.text", "s3",
			map[string]string{"Date": "Fri, 24 May 2013 00:00:00 GMT", "X-Amz-Storage-Class": "REDUCED_REDUNDANCY"}, "Welcome to Amazon S3.",
			"98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd"},
		{"get lifecycle", "GET", "https://examplebucket.s3.amazonaws.com/?lifecycle", "s3", nil, "",
			"fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"},
		{"list objects", "GET", "https://examplebucket.s3.amazonaws.com/?max-keys=2&prefix=J", "s3", nil, "",
			"34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"},
	} {
		r, err := http.NewRequestWithContext(t.Context(), c.method, c.url, nil)
		if err != nil {
			t.Fatal(err)
		}
		for name, value := range c.header {
			r.Header.Set(name, value)
		}
		keys, now := suite, suiteTime
		if c.service == "s3" {
			keys, now = pages, pagesTime
			r.Header.Set("X-Amz-Content-Sha256", digest(c.body))
		}
		Sign(r, keys, "us-east-1", c.service, digest(c.body), now)
		if got := r.Header.Get("Authorization"); !strings.HasSuffix(got, "Signature="+c.want) {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// TestCanonicalQuery: names are sorted, not pairs, and nothing but unreserved bytes is left as it is.
func TestCanonicalQuery(t *testing.T) {
	q := url.Values{"A-": {"2"}, "A": {" +/~*é"}, "a": {""}, "A0": {"3"}}
	if got, want := canonicalQuery(q), "A=%20%2B%2F~%2A%C3%A9&A-=2&A0=3&a="; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestCredentialsPrintNothing: no way of printing shows a secret.
func TestCredentialsPrintNothing(t *testing.T) {
	c := Credentials{KeyID: "AKIDEXAMPLE", Secret: "verysecret", Token: "token-of-it"}
	var log strings.Builder
	slog.New(slog.NewJSONHandler(&log, nil)).Info("x", "c", c, "in", struct{ C Credentials }{c})
	said := log.String() + fmt.Sprintf("%v %+v %#v %s %q %d %v %+v", c, c, c, c, c, c, struct{ C Credentials }{c}, []*Credentials{&c})
	if strings.Contains(said, "secret") || strings.Contains(said, "token") || strings.Contains(said, "AKID") {
		t.Error(said)
	}
}
