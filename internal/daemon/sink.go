// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package daemon

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/fovea-memory/fovea/internal/transfer"
)

// Sink is a destination of messages. Name is its kind and ID identifies it; neither
// contains a secret. IDs are unique within a Queue.
type Sink struct {
	Name string
	ID   string
	// Send delivers a message. It is called by one goroutine at a time.
	Send func(ctx context.Context, text string) error
}

// errURL is returned for a URL that does not describe a sink.
var errURL = errors.New("invalid alert URL")

// ParseSink returns the sink of a URL in the syntax of shoutrrr:
//
//	telegram://TOKEN@telegram?chats=ID,ID
//	signal://HOST:PORT/SOURCE/RECIPIENT,RECIPIENT
//	ntfy://HOST/TOPIC
//	smtp://USER:PASSWORD@HOST:PORT/?from=ADDRESS&to=ADDRESS,ADDRESS
//
// The connection is encrypted unless the URL has disabletls=yes, for ntfy also scheme=http, for smtp
// also encryption=None or usestarttls=No. Other parameters of shoutrrr, such as titles and parse
// modes, are ignored. Instead of telegram, the host may be another server of the same protocol. The
// error is errURL.
func ParseSink(rawURL string) (Sink, error) {
	u, err := url.Parse(rawURL)
	if err != nil {
		return Sink{}, errURL // the cause may contain a token
	}
	sink, err := parse(u)
	sum := sha256.Sum256([]byte(rawURL))
	sink.ID = fmt.Sprintf("%s-%x", sink.Name, sum[:6])
	return sink, err
}

func parse(u *url.URL) (Sink, error) {
	scheme := "https"
	if strings.EqualFold(u.Query().Get("disabletls"), "yes") || u.Scheme == "ntfy" && u.Query().Get("scheme") == "http" {
		scheme = "http"
	}
	path := strings.Split(strings.Trim(u.Path, "/"), "/")
	switch {
	case u.Scheme == "smtp":
		if m, ok := newMailer(u); ok {
			return Sink{Name: "mail", Send: m.send}, nil
		}
	case u.Scheme == "telegram" && u.User != nil && u.Host != "" && chatsOf(u) != "":
		return telegram(scheme, u), nil
	case u.Scheme == "signal" && u.Host != "" && len(path) >= 2 && !slices.Contains(path, ""):
		recipients := strings.Split(strings.Join(path[1:], ","), ",")
		return posting("signal", scheme+"://"+u.Host+"/v2/send", u.User, func(text string) []any {
			return []any{map[string]any{"message": text, "number": path[0], "recipients": recipients}}
		}), nil
	case u.Scheme == "ntfy" && u.Host != "" && len(path) == 1 && path[0] != "":
		return posting("ntfy", scheme+"://"+u.Host+"/"+path[0], u.User, func(text string) []any { return []any{text} }), nil
	}
	return Sink{}, fmt.Errorf("%w: write telegram://TOKEN@telegram?chats=ID, signal://HOST:PORT/SOURCE/RECIPIENT, ntfy://HOST/TOPIC or "+
		"smtp://USER:PASSWORD@HOST:PORT/?from=ADDRESS&to=ADDRESS", errURL)
}

// chatsOf returns the chats of a Telegram URL, in either of shoutrrr's spellings.
func chatsOf(u *url.URL) string { return cmp.Or(u.Query().Get("chats"), u.Query().Get("channels")) }

func telegram(scheme string, u *url.URL) Sink {
	host := u.Host
	if host == "telegram" {
		host = "api.telegram.org"
	}
	chats := strings.Split(chatsOf(u), ",")
	return posting("telegram", scheme+"://"+host+"/bot"+u.User.String()+"/sendMessage", nil, func(text string) (bodies []any) {
		for _, chat := range chats {
			bodies = append(bodies, map[string]string{"chat_id": chat, "text": text})
		}
		return bodies
	})
}

// posting returns a sink that sends each message in requests to one address, with bodies of text or JSON.
func posting(name, address string, user *url.Userinfo, bodies func(text string) []any) Sink {
	return Sink{Name: name, Send: func(ctx context.Context, text string) error {
		for _, body := range bodies(text) {
			if err := post(ctx, address, user, body); err != nil {
				return err
			}
		}
		return nil
	}}
}

// post sends a body. Errors contain only the host, because the rest of the address may
// contain a token.
func post(ctx context.Context, address string, user *url.Userinfo, body any) error {
	contentType := "text/plain; charset=utf-8"
	content, isText := body.(string)
	if !isText {
		encoded, err := json.Marshal(body)
		if err != nil {
			return err
		}
		content, contentType = string(encoded), "application/json"
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, address, strings.NewReader(content))
	if err != nil {
		return errURL
	}
	r.Header.Set("Content-Type", contentType)
	if password, ok := user.Password(); ok {
		r.SetBasicAuth(user.Username(), password)
	}
	client := transfer.NewClient(&transfer.Transport{Limit: sendTimeout / 3})
	defer client.CloseIdleConnections() // alerts are rare
	response, err := client.Do(r)
	if err != nil {
		return fmt.Errorf("%s: %w", r.URL.Host, transfer.Plain(err))
	}
	defer response.Body.Close()
	if response.StatusCode/100 != 2 {
		return fmt.Errorf("%s: %s", r.URL.Host, response.Status)
	}
	return nil
}
