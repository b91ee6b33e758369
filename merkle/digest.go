// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package merkle

import (
	"bytes"
	"crypto/sha256"
	"encoding/base32"
	"encoding/hex"
	"errors"
	"fmt"
	"unsafe"
)

// DigestSize is the number of bytes of a Digest.
const DigestSize = sha256.Size

// Digest is the SHA-256 of a block. It is comparable and can be a map key; its
// text form is a CID that IPFS tools can read. The zero Digest names no block
// and means "none".
type Digest [DigestSize]byte

// cidHeader precedes the digest in a binary CID: version 1, codec dag-cbor,
// hash function sha2-256, length of the digest in bytes.
const cidHeader = "\x01\x71\x12\x20"

// cidTextLen is the length of 'b', the multibase prefix of base32, and 288 bits
// in base32.
const cidTextLen = 1 + (8*(len(cidHeader)+DigestSize)+4)/5

var base32Lower = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)

// Sum returns the digest of a block. It does not allocate.
func Sum(block []byte) Digest { return sha256.Sum256(block) }

// SumText is Sum for a string. It does not allocate either.
func SumText(block string) Digest {
	return sha256.Sum256(unsafe.Slice(unsafe.StringData(block), len(block)))
}

// Parse reads a digest from its CID, as String prints it, or from 64 hex digits
// in either case. For any other text, including other CIDs, it returns
// ErrSyntax.
func Parse(s string) (Digest, error) {
	var d Digest
	switch {
	case len(s) == hex.EncodedLen(DigestSize):
		if _, err := hex.Decode(d[:], []byte(s)); err == nil {
			return d, nil
		}
	case len(s) == cidTextLen && s[0] == 'b':
		raw, err := base32Lower.DecodeString(s[1:])
		if err != nil || len(raw) != len(cidHeader)+DigestSize || string(raw[:len(cidHeader)]) != cidHeader {
			break
		}
		copy(d[:], raw[len(cidHeader):])
		// Base32 leaves two bits unused; they must be zero.
		if d.String() == s {
			return d, nil
		}
	}
	const maxShown = 80
	if len(s) > maxShown {
		return Digest{}, fmt.Errorf("parse digest %q...: %w", s[:maxShown], ErrSyntax)
	}
	return Digest{}, fmt.Errorf("parse digest %q: %w", s, ErrSyntax)
}

// String returns the digest as a CID of 59 characters: version 1, dag-cbor,
// sha2-256, lower-case base32.
func (d Digest) String() string {
	return string(d.append(make([]byte, 0, cidTextLen)))
}

// IsZero reports whether d is the zero Digest.
func (d Digest) IsZero() bool { return d == Digest{} }

// Compare compares the bytes of two digests and returns -1, 0 or +1.
func (d Digest) Compare(e Digest) int { return bytes.Compare(d[:], e[:]) }

// AppendText appends the text form of d to dst. It implements
// encoding.TextAppender; the error is always nil.
func (d Digest) AppendText(dst []byte) ([]byte, error) { return d.append(dst), nil }

// MarshalText returns the text form of d, so that JSON contains CIDs. It
// implements encoding.TextMarshaler; the error is always nil.
func (d Digest) MarshalText() ([]byte, error) { return d.append(nil), nil }

// UnmarshalText sets d to the result of Parse. If that returns an error, which
// is ErrSyntax, d is unchanged. It implements encoding.TextUnmarshaler.
func (d *Digest) UnmarshalText(text []byte) error {
	e, err := Parse(string(text))
	if err == nil {
		*d = e
	}
	return err
}

func (d Digest) append(dst []byte) []byte {
	var raw [len(cidHeader) + DigestSize]byte
	copy(raw[:], cidHeader)
	copy(raw[len(cidHeader):], d[:])
	return base32Lower.AppendEncode(append(dst, 'b'), raw[:])
}

var (
	// ErrCanonical is returned for bytes that are not the canonical encoding of
	// a value: damaged, truncated, or written by another program.
	ErrCanonical = errors.New("not a canonical encoding")
	// ErrKind is returned for a canonical value whose kind or range is not the
	// one the caller expects.
	ErrKind = errors.New("value of another kind than expected")
	// ErrDigest is returned if a fetched block does not have the requested
	// digest.
	ErrDigest = errors.New("block does not match its digest")
	// ErrSyntax is returned by Parse for text that is not a digest.
	ErrSyntax = errors.New("not a digest: want a CID (bafyrei...) or 64 hex digits")
	// ErrTooLarge is returned if a content, list or block exceeds a limit of
	// the format.
	ErrTooLarge = errors.New("larger than the format allows")
	// ErrShape is returned if canonical blocks do not form the canonical tree
	// of their content.
	ErrShape = errors.New("blocks do not form the canonical tree")
	// ErrFormat is returned for a map block whose format is unknown to this
	// version.
	ErrFormat = errors.New("unknown format")
)
