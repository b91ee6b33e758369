// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package hosted

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/fovea-memory/fovea/internal/place"
)

// bucket is a place below a prefix of a bucket with the protocol of Amazon S3. Amazon's client makes
// and signs the requests; an exchange sends those of one operation.
type bucket struct {
	name, region string
	prefix       string // "" or ends with a slash
	client       *s3.Client
	http         *http.Client
	known        *aws.CredentialsCache
	now          func() time.Time
	wait         func(attempts int) time.Duration
}

const (
	maxError = 64 << 10
	maxPage  = 4 << 20
	maxPages = 1000
)

func (b *bucket) Get(ctx context.Context, name string) ([]byte, string, error) {
	return b.get(ctx, name, place.MaxObject)
}

// get is Get with another limit of the size.
func (b *bucket) get(ctx context.Context, name string, limit int) (data []byte, tag string, err error) {
	e, err := b.about(name, "s3:GetObject, or s3:ListBucket for a missing object")
	if err != nil {
		return nil, "", err
	}
	e.limit = limit
	out, err := b.client.GetObject(ctx, &s3.GetObjectInput{Bucket: &b.name, Key: &e.key}, e.use)
	switch {
	case err != nil:
		return nil, "", e.fault(ctx, err)
	case aws.ToString(out.ETag) == "":
		return nil, "", fmt.Errorf("%s: the store returned no ETag", e.key)
	}
	return e.body, *out.ETag, nil
}

// about begins an exchange about an object. right is the right that it needs.
func (b *bucket) about(name, right string) (*exchange, error) {
	if err := place.CheckObject(name); err != nil {
		return nil, err
	}
	return &exchange{b: b, key: b.prefix + name, right: right, limit: maxError}, nil
}

func (b *bucket) Put(ctx context.Context, name, tag string, data []byte) error {
	_, err := b.PutSlowly(ctx, name, tag, data, nil)
	return err
}

// PutSlowly implements place.Slow.
func (b *bucket) PutSlowly(ctx context.Context, name, tag string, data []byte, halfway func()) (kept bool, err error) {
	e, err := b.about(name, "s3:PutObject")
	if err != nil {
		return false, err
	}
	if len(data) > place.MaxObject {
		return false, fmt.Errorf("%s has %d bytes, more than %d: %w", name, len(data), place.MaxObject, place.ErrDamaged)
	}
	e.halfway = halfway
	in := &s3.PutObjectInput{Bucket: &b.name, Key: &e.key, Body: bytes.NewReader(data), ContentType: aws.String("application/octet-stream")}
	if tag == "" {
		in.IfNoneMatch = aws.String("*")
	} else {
		in.IfMatch = &tag
	}
	out, err := b.client.PutObject(ctx, in, e.use)
	if err == nil {
		version := aws.ToString(out.VersionId)
		return version != "" && version != "null", nil
	}
	err = e.fault(ctx, err)
	if errors.Is(err, place.ErrNone) && tag != "" { // another way to report that the tag differs
		err = fmt.Errorf("%s: %w", e.key, place.ErrChanged)
	}
	if e.unsure && errors.Is(err, place.ErrChanged) {
		there, _, again := b.get(ctx, name, len(data)+1)
		switch {
		case again == nil && bytes.Equal(there, data):
			return false, nil // the unanswered attempt has done it
		case again != nil && !errors.Is(again, place.ErrNone) && !errors.Is(again, place.ErrDamaged):
			return false, fmt.Errorf("%s: it is unknown whether it was written: %w", e.key, again)
		}
	}
	return false, err
}

func (b *bucket) Remove(ctx context.Context, name string) error {
	e, err := b.about(name, "s3:DeleteObject")
	if err != nil {
		return err
	}
	if _, err := b.client.DeleteObject(ctx, &s3.DeleteObjectInput{Bucket: &b.name, Key: &e.key}, e.use); err != nil {
		if err = e.fault(ctx, err); !errors.Is(err, place.ErrNone) {
			return err
		}
	}
	return nil
}

func (b *bucket) List(ctx context.Context, prefix string) (names []string, err error) {
	below := b.prefix + prefix
	in := &s3.ListObjectsV2Input{Bucket: &b.name, Prefix: &below}
	for range maxPages {
		e := &exchange{b: b, key: below, right: "s3:ListBucket", limit: maxPage}
		page, err := b.client.ListObjectsV2(ctx, in, e.use)
		if err != nil {
			return nil, e.fault(ctx, err)
		}
		if !bytes.Contains(e.body, []byte("ListBucketResult>")) { // the client takes an empty answer for an empty list
			return nil, fmt.Errorf("%s: the list of objects cannot be read", e.host)
		}
		for _, one := range page.Contents {
			if name, ok := strings.CutPrefix(aws.ToString(one.Key), b.prefix); ok {
				names = append(names, name)
			}
		}
		if in.ContinuationToken = page.NextContinuationToken; !aws.ToBool(page.IsTruncated) || aws.ToString(in.ContinuationToken) == "" {
			return place.Objects(names, prefix), nil
		}
	}
	return nil, fmt.Errorf("more than %d pages of objects: %w", maxPages, place.ErrDamaged)
}

func (b *bucket) Close() error {
	b.http.CloseIdleConnections()
	return nil
}
