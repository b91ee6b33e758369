// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package embed

import (
	"context"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"
)

// maxChatAnswer is the maximum length of an answer of a chat model, in bytes.
const maxChatAnswer = 1 << 20

// Chat asks a model at a chat endpoint. It is safe for concurrent use.
type Chat struct {
	remote *remote
	model  string
}

// OpenChat returns the model c.Model at c.URL, whose path is /v1/chat/completions. It sends
// nothing. Errors: ErrConfig.
func OpenChat(c Config) (*Chat, error) {
	r, err := newRemote(c)
	if err == nil && (c.Model == "" || !utf8.ValidString(c.Model)) {
		err = fmt.Errorf("%w: name the model that answers", ErrConfig)
	}
	if err != nil {
		return nil, failed("open chat", c.Model, err)
	}
	r.maxAnswer = maxChatAnswer
	return &Chat{remote: r, model: c.Model}, nil
}

// Remote reports whether texts leave this computer.
func (c *Chat) Remote() bool { return !c.remote.local() }

// Model returns the name of the model.
func (c *Chat) Model() string { return c.model }

// chatMessage is one message of a conversation.
type chatMessage struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

// Ask returns the answer of the model to a text, given an instruction: valid UTF-8 without
// blanks around it. It waits as long as ctx allows, at most the timeout of the configuration.
// Errors: ErrUnavailable, ErrProtocol (an answer that is empty, cut off, or not of the form),
// ErrRefused, and that of ctx.
func (c *Chat) Ask(ctx context.Context, instruction, text string, maxTokens int) (string, error) {
	var answer string
	err := c.remote.guard(ctx, func() (err error) {
		answer, err = c.ask(ctx, instruction, text, maxTokens)
		return err
	})
	return answer, ofRequest(ctx, "ask", c.model, err)
}

func (c *Chat) ask(ctx context.Context, instruction, text string, maxTokens int) (string, error) {
	const path = "/v1/chat/completions"
	body := map[string]any{
		"model": c.model, "stream": false, "temperature": 0, "max_tokens": maxTokens,
		"messages": []chatMessage{{"system", instruction}, {"user", text}},
	}
	var got struct {
		Choices []struct {
			Message chatMessage
			Finish  string `json:"finish_reason"`
		}
	}
	if err := c.remote.call(ctx, path, body, &got); err != nil {
		return "", err
	}
	if len(got.Choices) != 1 {
		return "", fmt.Errorf("%s: %d answers: %w", path, len(got.Choices), ErrProtocol)
	}
	choice := got.Choices[0]
	if choice.Finish == "length" {
		return "", fmt.Errorf("%s: the answer is cut off after %d tokens: %w", path, maxTokens, ErrProtocol)
	}
	answer := strings.TrimSpace(withoutThought(strings.ToValidUTF8(choice.Message.Content, "\uFFFD")))
	if answer == "" {
		return "", fmt.Errorf("%s: the answer is empty: %w", path, ErrProtocol)
	}
	return answer, nil
}

// withoutThought returns an answer without the reasoning that some models put before it.
func withoutThought(answer string) string {
	if rest, ok := strings.CutPrefix(strings.TrimSpace(answer), "<think>"); ok {
		_, answer, _ = strings.Cut(rest, "</think>")
	}
	return answer
}

// Summarizing configures the model that writes summaries.
type Summarizing struct {
	URL, Model, Key string        // as in Config
	Timeout         time.Duration // of one request; 0 is a default
	All             bool          // a server on another computer may see every text that is not encrypted
}
