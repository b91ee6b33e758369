// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package hosted

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/signer/v4"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/smithy-go/middleware"

	"github.com/fovea-memory/fovea/internal/place"
	"github.com/fovea-memory/fovea/internal/transfer"
)

const (
	attempts    = 5
	firstWait   = 100 * time.Millisecond
	maxWait     = 5 * time.Second
	answerWait  = 30 * time.Second // without progress of an attempt
	renewBefore = 2 * time.Minute
)

// Credentials sign requests. They print as one word.
type Credentials struct {
	KeyID  string `json:"-"`
	Secret string `json:"-"`
	// Token belongs to credentials that expire at Expires; the zero time means never.
	Token   string    `json:"-"`
	Expires time.Time `json:"-"`
}

// Format writes no secret, whatever the verb.
func (Credentials) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, "credentials") }

// BucketSettings are settings of buckets that are not in their addresses.
type BucketSettings struct {
	// Region and Endpoint are the defaults of an address; "" for none.
	Region, Endpoint string
	// Credentials returns the credentials that sign. It is called again before they expire, and must be
	// safe for concurrent use.
	Credentials func(context.Context) (Credentials, error)
}

// BucketOptions describe a bucket and how to reach it.
type BucketOptions struct {
	BucketSettings
	// Name is the name of the bucket, Prefix the beginning of the names of its objects.
	Name, Prefix string
	// VirtualHost puts the name before the host instead of into the path, as Amazon does.
	VirtualHost bool
	// Insecure allows HTTP to other machines.
	Insecure bool
	// Transport sends requests; nil creates one.
	Transport http.RoundTripper
	// Now is the clock that signs; nil is the system's.
	Now func() time.Time
	// Wait returns how long to wait after a number of attempts; nil is a random time that grows.
	Wait func(attempts int) time.Duration
}

// standardRegion is the default region, which stores other than Amazon's expect.
const standardRegion = "us-east-1"

var (
	bucketName = regexp.MustCompile(`^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$`)
	regionName = regexp.MustCompile(`^[a-z0-9-]{1,40}$`)
)

// OpenBucket opens the place below a prefix of a bucket. It sends no request. Errors: place.ErrURL.
func OpenBucket(o BucketOptions) (place.Place, error) { return openBucket(o) }

func openBucket(o BucketOptions) (*bucket, error) {
	b := &bucket{name: o.Name, region: cmp.Or(o.Region, standardRegion), now: o.Now, wait: o.Wait}
	switch {
	case !bucketName.MatchString(o.Name):
		return nil, fmt.Errorf("%w: a bucket has 3 to 63 lower-case letters, digits, dots and hyphens", place.ErrURL)
	case !regionName.MatchString(b.region):
		return nil, fmt.Errorf("%w: the region has other characters than letters, digits and hyphens", place.ErrURL)
	case o.Credentials == nil:
		return nil, fmt.Errorf("%w: there are no credentials", place.ErrURL)
	}
	if err := checkEndpoint(o); err != nil {
		return nil, err
	}
	if b.prefix = strings.Trim(o.Prefix, "/"); b.prefix != "" {
		b.prefix += "/"
	}
	base := o.Transport
	if base == nil {
		own := transfer.Direct()
		own.DisableCompression, own.MaxIdleConnsPerHost = true, 8
		base = own
	}
	b.http = transfer.NewClient(&transfer.Transport{Base: base, Limit: answerWait})
	if b.now == nil {
		b.now = time.Now
	}
	if b.wait == nil {
		b.wait = backoff
	}
	b.known = aws.NewCredentialsCache(provider(o.Credentials), func(c *aws.CredentialsCacheOptions) { c.ExpiryWindow = renewBefore })
	settings := s3.Options{
		Region: b.region, Credentials: b.known, HTTPClient: b.http, HTTPSignerV4: signer{v4.NewSigner(), b.now},
		UsePathStyle:                 o.Endpoint != "" && !o.VirtualHost,
		RequestChecksumCalculation:   aws.RequestChecksumCalculationWhenRequired,
		ResponseChecksumValidation:   aws.ResponseChecksumValidationWhenRequired,
		ContinueHeaderThresholdBytes: -1,
		DisableS3ExpressSessionAuth:  aws.Bool(true),
		APIOptions:                   []func(*middleware.Stack) error{signBody},
	}
	if o.Endpoint != "" {
		settings.BaseEndpoint = aws.String(strings.TrimSuffix(o.Endpoint, "/"))
	}
	b.client = s3.New(settings)
	return b, nil
}

// checkEndpoint rejects an invalid endpoint, and one without encryption.
func checkEndpoint(o BucketOptions) error {
	if o.Endpoint == "" {
		return nil
	}
	u, err := url.Parse(o.Endpoint)
	switch {
	case err != nil || u.Host == "" || u.Path != "" && u.Path != "/" || u.RawQuery != "" || u.Fragment != "" || u.User != nil:
		return fmt.Errorf("%w: the endpoint is https://HOST or https://HOST:PORT, without a key", place.ErrURL)
	case u.Scheme == "http" && !o.Insecure && !place.IsLoopback(u.Hostname()):
		return fmt.Errorf("%w: the endpoint uses plain HTTP; use https, or add insecure=true", place.ErrURL)
	case u.Scheme != "https" && u.Scheme != "http":
		return fmt.Errorf("%w: the endpoint does not begin with https://", place.ErrURL)
	}
	return nil
}

// backoff returns how long to wait after a number of attempts, at random, so that machines do not
// retry all at once.
func backoff(attempts int) time.Duration {
	longest := min(firstWait<<min(attempts-1, 10), maxWait)
	return longest/2 + rand.N(longest/2)
}

// provider lets the client request credentials. Its errors are keyErrors.
func provider(ask func(context.Context) (Credentials, error)) aws.CredentialsProviderFunc {
	return func(ctx context.Context) (aws.Credentials, error) {
		c, err := ask(ctx)
		if err == nil && (c.KeyID == "" || c.Secret == "") {
			err = errors.New("there are none")
		}
		if err != nil {
			return aws.Credentials{}, keyError{fmt.Errorf("%w: %w", errKey, err)}
		}
		return aws.Credentials{AccessKeyID: c.KeyID, SecretAccessKey: c.Secret, SessionToken: c.Token,
			CanExpire: !c.Expires.IsZero(), Expires: c.Expires}, nil
	}
}

// keyError marks an error of credentials within the client's errors.
type keyError struct{ error }

// signer signs with the clock of the bucket. It removes Accept-Encoding, which the gateways of some
// stores rewrite.
type signer struct {
	*v4.Signer
	now func() time.Time
}

func (s signer) SignHTTP(ctx context.Context, c aws.Credentials, r *http.Request, payload, service, region string, _ time.Time,
	with ...func(*v4.SignerOptions)) error {
	r.Header.Del("Accept-Encoding")
	return s.Signer.SignHTTP(ctx, c, r, payload, service, region, s.now(), with...)
}

// signBody makes the client sign the body over HTTPS, too.
func signBody(stack *middleware.Stack) error {
	sum := &v4.ComputePayloadSHA256{}
	_, err := stack.Finalize.Swap(sum.ID(), sum)
	return err
}
