// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/fovea-memory/fovea/internal/config"
	"github.com/fovea-memory/fovea/internal/embed"
	"github.com/fovea-memory/fovea/internal/verb"
)

func setupEmbedCommand(s *session) *cobra.Command {
	var want config.Embed
	write := false
	c := &cobra.Command{
		Use:   "embed",
		Short: "Find a server that makes vectors of texts, and try it",
		Long: `Find a running server that makes vectors of texts (Ollama, or one with
/v1/embeddings or /embed), try it with three sentences, and print the
configuration that has search use it.

With --write it is added to the configuration file, and the vectors are made.`,
		Example: `  fovea setup embed
  fovea setup embed --url http://localhost:8080 --write`,
		Args: verb.Args(0, 0, ""),
		RunE: func(c *cobra.Command, _ []string) error { return setUpEmbed(c.Context(), s, want, write) },
	}
	c.Flags().StringVar(&want.URL, "url", "", "the `ADDRESS` of the server, if it is not one of the usual ones")
	c.Flags().StringVar(&want.Model, "model", "", "the `NAME` of the model, if the server has several")
	c.Flags().BoolVar(&write, "write", false, "add it to the configuration file and make the vectors")
	return c
}

// usualServers are where servers listen that nobody configured: Ollama, llama.cpp and TEI,
// LM Studio, vLLM.
func usualServers() []string {
	return []string{config.OllamaAddress(nil), "http://127.0.0.1:8080", "http://127.0.0.1:1234", "http://127.0.0.1:8000"}
}

func setUpEmbed(ctx context.Context, s *session, want config.Embed, write bool) error {
	if err := s.load(); err != nil {
		return err
	}
	e, found, err := findServer(ctx, want)
	if err != nil {
		return err
	}
	if err := tryServer(ctx, s, e, found.URL); err != nil {
		return err
	}
	if !write {
		s.Report("add this to the configuration file, or run fovea setup embed --write")
		fmt.Fprint(s.Out, found.Text())
		return nil
	}
	file, err := s.config.AddEmbed(nil, found)
	if err != nil {
		return err
	}
	s.Out.Printf("written  %s\n", file)
	return fillVectors(ctx, s)
}

// findServer returns the first server that answers.
func findServer(ctx context.Context, want config.Embed) (embed.Embedder, config.Embed, error) {
	addresses := usualServers()
	if want.URL != "" {
		addresses = []string{want.URL}
	}
	var failed error
	for _, address := range addresses {
		trial := want
		trial.Kind, trial.URL = embed.KindAuto, address
		e, err := embed.Open(ctx, embed.Config{Kind: trial.Kind, URL: trial.URL, Model: trial.Model, Timeout: 20 * time.Second})
		if err == nil {
			trial.Kind, trial.Model = e.Model().Kind, e.Model().Name
			return e, trial, nil
		}
		if failed == nil || !errors.Is(err, embed.ErrUnavailable) {
			failed = err // that of a server that runs says more
		}
	}
	if want.URL == "" && errors.Is(failed, embed.ErrUnavailable) {
		failed = fmt.Errorf("setup embed: no server runs at %v; start one, such as Ollama, or name it with --url", addresses)
	}
	return nil, config.Embed{}, failed
}

// tryServer prints how near three sentences are.
func tryServer(ctx context.Context, s *session, e embed.Embedder, address string) error {
	texts := []string{"The boiler in the cellar leaks.", "Water drips from the heating downstairs.", "Her sister plays the violin."}
	got, err := e.Embed(ctx, embed.Document, texts)
	if err != nil {
		return err
	}
	s.Out.Printf("server  %s\nmodel  %s, %d numbers a vector\n", address, cmp.Or(e.Model().Name, "without a name"), e.Model().Dim)
	for _, i := range []int{1, 2} {
		near, err := embed.Cosine(got[0].Vector, got[i].Vector)
		if err = errors.Join(err, got[0].Err, got[i].Err); err != nil {
			return fmt.Errorf("setup embed: %w", err)
		}
		s.Out.Printf("%5.2f  %s / %s\n", near, texts[0], texts[i])
	}
	return nil
}

// fillVectors makes the vectors of the memex, unless its daemon does.
func fillVectors(ctx context.Context, s *session) error {
	if err := s.load(); err != nil { // with what was just written
		return err
	}
	if _, err := s.service(ctx); err != nil {
		return err
	}
	if s.daemon != nil {
		s.Report("restart the daemon, and it makes the vectors: fovea serve")
		return nil
	}
	if err := s.memory.Ingest(ctx, nil); err != nil {
		return err
	}
	room := s.memory.Meaning()
	if room == nil {
		return errors.New("setup embed: the configuration names no embedder that can be used; see fovea status")
	}
	if err := room.Fill(ctx, s.Progress); err != nil {
		return fmt.Errorf("setup embed: %w", err)
	}
	st := room.Status()
	s.Out.Printf("vectors  %d\n", st.Vectors)
	return nil
}
