// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package s3

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
)

const (
	maxError = 64 << 10
	maxPage  = 4 << 20
	maxPages = 1000
)

// Get returns an object of at most limit bytes and its tag. Errors: ErrNone, ErrSize, and
// those of the bucket.
func (b *Bucket) Get(ctx context.Context, key string, limit int) (data []byte, tag string, err error) {
	e := &exchange{b: b, key: key, right: "s3:GetObject, or s3:ListBucket for one that is not there", limit: limit}
	out, err := b.client.GetObject(ctx, &s3.GetObjectInput{Bucket: &b.name, Key: &key}, e.use)
	switch {
	case err != nil:
		return nil, "", e.fault(ctx, err)
	case aws.ToString(out.ETag) == "":
		return nil, "", fmt.Errorf("%s: the store gives no ETag", key)
	}
	return e.body, *out.ETag, nil
}

// Put writes an object if the one that is there has the tag; of the empty tag, if none is there.
// It reports whether the bucket keeps the version before. halfway, if there is one, is
// called when the first half of the bytes is on its way. Errors: ErrChanged, and those of the
// bucket.
func (b *Bucket) Put(ctx context.Context, key, tag string, data []byte, halfway func()) (kept bool, err error) {
	e := &exchange{b: b, key: key, right: "s3:PutObject", limit: maxError, halfway: halfway}
	in := &s3.PutObjectInput{Bucket: &b.name, Key: &key, Body: bytes.NewReader(data), ContentType: aws.String("application/octet-stream")}
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
	if errors.Is(err, ErrNone) && tag != "" { // another way to say that it has not the tag
		err = fmt.Errorf("%s: %w", key, ErrChanged)
	}
	if e.unsure && errors.Is(err, ErrChanged) {
		there, _, again := b.Get(ctx, key, len(data)+1)
		switch {
		case again == nil && bytes.Equal(there, data):
			return false, nil // the attempt that nobody answered has done it
		case again != nil && !errors.Is(again, ErrNone) && !errors.Is(again, ErrSize):
			return false, fmt.Errorf("%s: nobody knows whether it was written: %w", key, again)
		}
	}
	return false, err
}

// Remove removes an object; one that is not there is no error.
func (b *Bucket) Remove(ctx context.Context, key string) error {
	e := &exchange{b: b, key: key, right: "s3:DeleteObject", limit: maxError}
	if _, err := b.client.DeleteObject(ctx, &s3.DeleteObjectInput{Bucket: &b.name, Key: &key}, e.use); err != nil {
		if err = e.fault(ctx, err); !errors.Is(err, ErrNone) {
			return err
		}
	}
	return nil
}

// List returns the keys that begin with a prefix, in the order of the store. Errors: ErrSize,
// those of the bucket.
func (b *Bucket) List(ctx context.Context, prefix string) (keys []string, err error) {
	in := &s3.ListObjectsV2Input{Bucket: &b.name, Prefix: &prefix}
	for range maxPages {
		e := &exchange{b: b, key: prefix, right: "s3:ListBucket", limit: maxPage}
		page, err := b.client.ListObjectsV2(ctx, in, e.use)
		if err != nil {
			return nil, e.fault(ctx, err)
		}
		if !bytes.Contains(e.body, []byte("ListBucketResult>")) { // to the client nothing at all is a list of none
			return nil, fmt.Errorf("%s: the list of objects cannot be read", e.host)
		}
		for _, one := range page.Contents {
			keys = append(keys, aws.ToString(one.Key))
		}
		if in.ContinuationToken = page.NextContinuationToken; !aws.ToBool(page.IsTruncated) || aws.ToString(in.ContinuationToken) == "" {
			return keys, nil
		}
	}
	return nil, fmt.Errorf("%w: more than %d pages of objects", ErrSize, maxPages)
}
