// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package s3

import (
	"cmp"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/fovea-memory/fovea/internal/transfer"
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

// fault says what the error of an operation means.
func (e *exchange) fault(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if key, ok := errors.AsType[keyError](err); ok {
		return key.error
	}
	switch {
	case errors.Is(e.failed, ErrSize):
		return e.failed
	case e.failed != nil:
		return fmt.Errorf("%w from %s: %w", ErrNoAnswer, e.host, transfer.Plain(e.failed))
	case e.status == 0:
		return fmt.Errorf("%s: the request cannot be made: %s", e.key, oneLine(err.Error()))
	case e.status/100 == 2:
		return fmt.Errorf("the answer of %s cannot be read: %s", e.host, oneLine(err.Error()))
	}
	return e.refusal()
}

// refusal says what an answer means that is no success.
func (e *exchange) refusal() error {
	r := readReply(e.body)
	switch r.Code {
	case "NoSuchKey":
		return fmt.Errorf("%s: %w", e.key, ErrNone)
	case "NoSuchBucket":
		return fmt.Errorf("%s: %w", e.b.name, ErrBucket)
	case "AccessDenied", "AllAccessDisabled", "AccountProblem":
		return fmt.Errorf("%w: it lacks %s on %s", ErrDenied, e.right, e.b.name)
	case "InvalidAccessKeyId":
		return fmt.Errorf("%w: the store does not know the access key", ErrKey)
	case "SignatureDoesNotMatch":
		return fmt.Errorf("%w: the secret key is wrong, or something on the way to the store changes requests", ErrKey)
	case "ExpiredToken", "InvalidToken", "TokenRefreshRequired":
		return fmt.Errorf("%w: the session token has expired; get a new one", ErrKey)
	case "RequestTimeTooSkewed":
		return e.skewed()
	case "PermanentRedirect", "AuthorizationHeaderMalformed", "TemporaryRedirect":
		if region := cmp.Or(r.Region, oneLine(e.header.Get("X-Amz-Bucket-Region"))); region != "" && region != e.b.region {
			return fmt.Errorf("%s: %w here: it is in %s; add region=%s to the address", e.b.name, ErrBucket, region, region)
		}
	}
	switch {
	case e.status == http.StatusPreconditionFailed, e.status == http.StatusConflict:
		return fmt.Errorf("%s: %w", e.key, ErrChanged)
	case e.status == http.StatusNotFound && r.Code == "":
		return fmt.Errorf("%s: %w", e.key, ErrNone)
	case e.status == http.StatusForbidden, e.status == http.StatusUnauthorized:
		return fmt.Errorf("%w: it lacks %s on %s", ErrDenied, e.right, e.b.name)
	}
	said := strings.TrimSpace(fmt.Sprintf("%d %s %s", e.status, r.Code, r.Message))
	if later(e.status) {
		return fmt.Errorf("%w from %s but %s", ErrNoAnswer, e.host, said)
	}
	return fmt.Errorf("%s answers %s", e.host, said)
}

// skewed says by how much the clocks differ.
func (e *exchange) skewed() error {
	there, err := http.ParseTime(e.header.Get("Date"))
	if err != nil {
		return fmt.Errorf("%w: it differs from that of the store; set it right", ErrClock)
	}
	by := e.b.now().Sub(there)
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
