// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package token

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"maps"
	"testing"

	tiktoken_loader "github.com/pkoukk/tiktoken-go-loader"

	"github.com/fovea-memory/fovea/internal/foveatest"
)

// TestVocabularyFile derives the embedded vocabulary from the table of OpenAI.
func TestVocabularyFile(t *testing.T) {
	want, err := tiktoken_loader.NewOfflineLoader().LoadTiktokenBpe("o200k_base.tiktoken")
	if err != nil {
		t.Fatal(err)
	}
	if got, err := readRanks(vocabularyFile); err == nil && maps.Equal(got, want) {
		return
	}
	tokens := make([]string, len(want))
	for token, rank := range want {
		tokens[rank] = token
	}
	var file bytes.Buffer
	w, err := flate.NewWriter(&file, flate.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	for _, token := range tokens {
		if _, err := w.Write(append(binary.AppendUvarint(nil, uint64(len(token))), token...)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	foveatest.Golden(t, "../o200k.bin", file.Bytes())
}

// TestReadRanksRefuses: a damaged vocabulary is an error, and no wrong count.
func TestReadRanksRefuses(t *testing.T) {
	cut := vocabularyFile[:len(vocabularyFile)/2]
	for name, file := range map[string][]byte{"cut": cut, "no DEFLATE": []byte("\xff\xff"), "flipped": flipped(vocabularyFile)} {
		if got, err := readRanks(file); err == nil && len(got) == 0 {
			t.Errorf("%s: no error and no tokens", name)
		} else if whole, _ := readRanks(vocabularyFile); err == nil && maps.Equal(got, whole) {
			t.Errorf("%s: read as if whole", name)
		}
	}
}

func flipped(file []byte) []byte {
	file = bytes.Clone(file)
	file[len(file)/3] ^= 0x10
	return file
}
