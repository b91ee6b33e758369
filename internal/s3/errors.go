// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package s3

import (
	"encoding/xml"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// What may be wrong with a request. An error that is none of these leaves open whether a
// write was done.
var (
	// ErrNone is returned for an object that is not there.
	ErrNone = errors.New("there is no such object")
	// ErrChanged is returned for a condition that does not hold.
	ErrChanged = errors.New("it was changed meanwhile")
	// ErrDenied is returned for a right that the key does not have.
	ErrDenied = errors.New("the access key has no right to do this")
	// ErrKey is returned for credentials that the store does not take, or for none.
	ErrKey = errors.New("the credentials are not valid")
	// ErrClock is returned where the clocks of the store and of this machine differ too
	// much.
	ErrClock = errors.New("the clock of this machine is wrong")
	// ErrBucket is returned for a bucket that is not there, or elsewhere.
	ErrBucket = errors.New("there is no such bucket")
	// ErrNoAnswer is returned where nobody answers, or only that he cannot now.
	ErrNoAnswer = errors.New("no answer")
	// ErrSize is returned for an answer larger than allowed.
	ErrSize = errors.New("the answer is too large")
	// ErrOptions is returned for options that name no bucket.
	ErrOptions = errors.New("this is no address of a bucket")
)

// reply is the body of an error.
type reply struct {
	Code    string `xml:"Code"`
	Message string `xml:"Message"`
	Region  string `xml:"Region"`
}

// readReply reads the body of an error; what it does not understand is none.
func readReply(body []byte) (r reply) {
	_ = xml.Unmarshal(body, &r) // another body says nothing
	r.Code, r.Message, r.Region = oneLine(r.Code), oneLine(r.Message), oneLine(r.Region)
	return r
}

// oneLine returns the beginning of a text that a store sent, as one line.
func oneLine(text string) string {
	text = strings.Join(strings.FieldsFunc(strings.ToValidUTF8(text, "\uFFFD"), func(r rune) bool { return r <= ' ' || r == 0x7f }), " ")
	if runes := []rune(text); len(runes) > 200 {
		text = string(runes[:200])
	}
	return text
}

// rights names the right that each method needs.
func rightOf(c call) string {
	switch {
	case c.method == http.MethodPut:
		return "s3:PutObject"
	case c.method == http.MethodDelete:
		return "s3:DeleteObject"
	case c.key == "":
		return "s3:ListBucket"
	}
	return "s3:GetObject, or s3:ListBucket for one that is not there"
}

// fault says what an answer means that is no success.
func (b *Bucket) fault(c call, a answer) error {
	r := readReply(a.body)
	switch r.Code {
	case "NoSuchKey":
		return fmt.Errorf("%s: %w", c.key, ErrNone)
	case "NoSuchBucket":
		return fmt.Errorf("%s: %w", b.name, ErrBucket)
	case "AccessDenied", "AllAccessDisabled", "AccountProblem":
		return fmt.Errorf("%w: it lacks %s on %s", ErrDenied, rightOf(c), b.name)
	case "InvalidAccessKeyId":
		return fmt.Errorf("%w: the store does not know the access key", ErrKey)
	case "SignatureDoesNotMatch":
		return fmt.Errorf("%w: the secret key is wrong, or something on the way to the store changes requests", ErrKey)
	case "ExpiredToken", "InvalidToken", "TokenRefreshRequired":
		return fmt.Errorf("%w: the session token has expired; get a new one", ErrKey)
	case "RequestTimeTooSkewed":
		return b.skewed(a)
	case "PermanentRedirect", "AuthorizationHeaderMalformed", "TemporaryRedirect":
		if region := firstOf(r.Region, oneLine(a.header.Get("X-Amz-Bucket-Region"))); region != "" && region != b.region {
			return fmt.Errorf("%s: %w here: it is in %s; add region=%s to the address", b.name, ErrBucket, region, region)
		}
	}
	switch {
	case a.status == http.StatusPreconditionFailed, a.status == http.StatusConflict:
		return fmt.Errorf("%s: %w", c.key, ErrChanged)
	case a.status == http.StatusNotFound && r.Code == "":
		return fmt.Errorf("%s: %w", c.key, ErrNone)
	case a.status == http.StatusForbidden, a.status == http.StatusUnauthorized:
		return fmt.Errorf("%w: it lacks %s on %s", ErrDenied, rightOf(c), b.name)
	}
	said := strings.TrimSpace(fmt.Sprintf("%d %s %s", a.status, r.Code, r.Message))
	if again(a.status) {
		return fmt.Errorf("%w from %s but %s", ErrNoAnswer, b.base.Host, said)
	}
	return fmt.Errorf("%s answers %s", b.base.Host, said)
}

// skewed says by how much the clocks differ.
func (b *Bucket) skewed(a answer) error {
	there, err := http.ParseTime(a.header.Get("Date"))
	if err != nil {
		return fmt.Errorf("%w: it differs from that of the store; set it right", ErrClock)
	}
	by := b.now().Sub(there)
	way := "ahead of"
	if by < 0 {
		way, by = "behind", -by
	}
	span := by.Round(time.Minute).String()
	if by >= 48*time.Hour {
		span = fmt.Sprintf("%d days", by.Round(24*time.Hour)/(24*time.Hour))
	}
	return fmt.Errorf("%w: it is %s %s that of the store; set it right", ErrClock, strings.TrimSuffix(span, "0s"), way)
}

func firstOf(texts ...string) string {
	for _, t := range texts {
		if t != "" {
			return t
		}
	}
	return ""
}
