// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package embed

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"math"
	"strconv"

	"github.com/fovea-memory/fovea/internal/fault"
)

// Purpose is what a text is embedded for. Some models need a different prefix for each.
type Purpose uint8

// The purposes.
const (
	Document Purpose = iota // a text to be found
	Query                   // a question
)

// Embedder turns texts into vectors of one model. It is safe for concurrent use.
type Embedder interface {
	// Model describes the model. It never changes.
	Model() Model
	// Embed returns a result for each text, in their order; the caller owns the vectors.
	// An error means that there are no results: the context ended, the server cannot
	// be used now (ErrUnavailable), or its answers are wrong (ErrProtocol,
	// ErrDimension, ErrModelChanged). A text without a vector has an error in its
	// result.
	Embed(ctx context.Context, purpose Purpose, texts []string) ([]Result, error)
}

// Model identifies vectors that are comparable with each other.
type Model struct {
	Name string
	Kind string // of the embedder, as in Config; never KindAuto
	// Fingerprint is the SHA-256, in hex, of everything that the vectors depend on.
	Fingerprint string
	Dim         int  // the length of the vectors
	Remote      bool // texts leave this computer
	Lexical     bool // vectors compare words, not meaning
}

// Result is the vector of one text, or the error.
type Result struct {
	Vector    []float32 // of norm 1, nil where Err is set
	Truncated bool      // the end of the text is not in the vector
	Err       error     // ErrEmpty, ErrRefused, ErrVector
}

// The errors of this package, to be found with errors.Is.
var (
	ErrEmpty        = errors.New("the text has no words; it gets no vector")
	ErrRefused      = errors.New("the server refuses the text, whole and in parts")
	ErrVector       = errors.New("the vector is zero or not finite; choose another model")
	ErrDimension    = errors.New("the vectors have another dimension than before; embed everything again with this model")
	ErrModelChanged = errors.New("another model answers than the one that was opened; open it again")
	ErrProtocol     = errors.New("the answer is not what the server's interface promises; check the address and the kind of the server")
	ErrUnavailable  = errors.New("the server cannot be used now; check that it runs")
	ErrConfig       = errors.New("the settings of the embedder are wrong")
	ErrFile         = errors.New("the model file cannot be used")
)

// failed builds the error of an operation on a model or server.
func failed(op, what string, cause error) error {
	kind := fault.Other
	switch {
	case errors.Is(cause, ErrConfig):
		kind = fault.Invalid
	case errors.Is(cause, ErrFile), errors.Is(cause, ErrProtocol), errors.Is(cause, ErrDimension):
		kind = fault.Corrupt
	case errors.Is(cause, ErrModelChanged):
		kind = fault.Conflict
	case errors.Is(cause, ErrUnavailable):
		kind = fault.Busy
	}
	return fault.Wrap(op, what, kind, cause)
}

// Cosine returns the cosine of the angle between a and b, from -1 to 1. It is 0 if a
// vector is empty, has only zeros, or has a value that is not finite. Vectors of
// unequal lengths are ErrDimension, unless one is empty. Sums are in float64 and
// scaled, so that no finite input overflows. O(len(a)).
func Cosine[F float32 | float64](a, b []F) (float64, error) {
	if len(a) == 0 || len(b) == 0 {
		return 0, nil
	}
	if len(a) != len(b) {
		return 0, fault.Invalidf("cosine", "%d and %d numbers: %w", len(a), len(b), ErrDimension)
	}
	scaleA, scaleB := largest(a), largest(b)
	var dot, normA, normB float64
	for i := range a {
		x, y := float64(a[i])/scaleA, float64(b[i])/scaleB
		dot, normA, normB = dot+x*y, normA+x*x, normB+y*y
	}
	cosine := dot / (math.Sqrt(normA) * math.Sqrt(normB))
	if math.IsNaN(cosine) {
		return 0, nil
	}
	return max(-1, min(1, cosine)), nil
}

// largest returns the largest absolute value; NaN if any value is NaN.
func largest[F float32 | float64](v []F) float64 {
	largest := 0.0
	for _, x := range v {
		largest = max(largest, math.Abs(float64(x)))
	}
	return largest
}

// unit scales v to norm 1, in place. A vector of zeros, or one with a value that is not
// finite, is ErrVector.
func unit(v []float32) error {
	scale := largest(v)
	if scale == 0 || math.IsNaN(scale) || math.IsInf(scale, 0) {
		return ErrVector
	}
	var sum float64
	for _, x := range v {
		x := float64(x) / scale
		sum += float64(x * x) // rounded, so that no processor fuses it into the sum
	}
	norm := math.Sqrt(sum)
	for i, x := range v {
		v[i] = float32(float64(x) / scale / norm)
	}
	return nil
}

// fingerprint is the SHA-256 of the parts, each with its length, in hex.
func fingerprint(parts ...string) string {
	h := sha256.New()
	for _, part := range parts {
		h.Write([]byte(strconv.Itoa(len(part)) + ":" + part))
	}
	return hex.EncodeToString(h.Sum(nil))
}
