// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package hosted

import (
	"cmp"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/fovea-memory/fovea/internal/place"
	"github.com/fovea-memory/fovea/internal/text"
	"github.com/fovea-memory/fovea/internal/transfer"
)

// right is an error of a bucket that refuses this machine or an operation.
type right string

func (r right) Error() string { return string(r) }

// Is matches place.ErrRight.
func (right) Is(target error) bool { return target == place.ErrRight }

const (
	errDenied right = "the access key has no right to do this"
	errKey    right = "the credentials are not valid" // or there are none
	errClock  right = "the clock of this machine is wrong"
	errBucket right = "there is no such bucket" // or it is elsewhere
)

// reply is the body of an error.
type reply struct {
	Code    string `xml:"Code"`
	Message string `xml:"Message"`
	Region  string `xml:"Region"`
}

// readReply reads the body of an error; an unknown body gives an empty reply.
func readReply(body []byte) (r reply) {
	_ = xml.Unmarshal(body, &r) // another body has no code
	r.Code, r.Message, r.Region = oneLine(r.Code), oneLine(r.Message), oneLine(r.Region)
	return r
}

// oneLine returns the beginning of a store's text as one line.
func oneLine(message string) string { return text.Truncate(text.Line(message), 200) }

// fault translates the error of an operation.
func (e *exchange) fault(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if key, ok := errors.AsType[keyError](err); ok {
		return key.error
	}
	switch {
	case errors.Is(e.failed, place.ErrDamaged):
		return e.failed
	case e.failed != nil:
		return fmt.Errorf("%w from %s: %w", place.ErrNoAnswer, e.host, transfer.Plain(e.failed))
	case e.status == 0:
		return fmt.Errorf("%s: the request cannot be made: %s", e.key, oneLine(err.Error()))
	case e.status/100 == 2:
		return fmt.Errorf("the answer of %s cannot be read: %s", e.host, oneLine(err.Error()))
	}
	return e.refusal()
}

// refusal translates an answer other than success.
func (e *exchange) refusal() error {
	r := readReply(e.body)
	switch r.Code {
	case "NoSuchKey":
		return fmt.Errorf("%s: %w", e.key, place.ErrNone)
	case "NoSuchBucket":
		return fmt.Errorf("%s: %w", e.b.name, errBucket)
	case "AccessDenied", "AllAccessDisabled", "AccountProblem":
		return fmt.Errorf("%w: it lacks %s on %s", errDenied, e.right, e.b.name)
	case "InvalidAccessKeyId":
		return fmt.Errorf("%w: the store does not know the access key", errKey)
	case "SignatureDoesNotMatch":
		return fmt.Errorf("%w: the secret key is wrong, or something on the way to the store changes requests", errKey)
	case "ExpiredToken", "InvalidToken", "TokenRefreshRequired":
		return fmt.Errorf("%w: the session token has expired; get a new one", errKey)
	case "RequestTimeTooSkewed":
		return e.skewed()
	case "PermanentRedirect", "AuthorizationHeaderMalformed", "TemporaryRedirect":
		if region := cmp.Or(r.Region, oneLine(e.header.Get("X-Amz-Bucket-Region"))); region != "" && region != e.b.region {
			return fmt.Errorf("%s: %w here: it is in %s; add region=%s to the address", e.b.name, errBucket, region, region)
		}
	}
	switch {
	case e.status == http.StatusPreconditionFailed, e.status == http.StatusConflict:
		return fmt.Errorf("%s: %w", e.key, place.ErrChanged)
	case e.status == http.StatusNotFound && r.Code == "":
		return fmt.Errorf("%s: %w", e.key, place.ErrNone)
	case e.status == http.StatusForbidden, e.status == http.StatusUnauthorized:
		return fmt.Errorf("%w: it lacks %s on %s", errDenied, e.right, e.b.name)
	}
	report := strings.TrimSpace(fmt.Sprintf("%d %s %s", e.status, r.Code, r.Message))
	if later(e.status) {
		return fmt.Errorf("%w from %s but %s", place.ErrNoAnswer, e.host, report)
	}
	return fmt.Errorf("%s answers %s", e.host, report)
}

// skewed states by how much the clocks differ.
func (e *exchange) skewed() error {
	there, err := http.ParseTime(e.header.Get("Date"))
	if err != nil {
		return fmt.Errorf("%w: it differs from that of the store; set it right", errClock)
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
	return fmt.Errorf("%w: it is %s %s that of the store; set it right", errClock, strings.TrimSuffix(span, "0s"), way)
}
