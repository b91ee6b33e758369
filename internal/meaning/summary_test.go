// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package meaning

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fovea-memory/fovea/embed"
	"github.com/fovea-memory/fovea/internal/chain"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/internal/view"
	"github.com/fovea-memory/fovea/working"
)

// endpoint is a chat endpoint that says how long a text is, or lies.
func endpoint(t *testing.T, asked *atomic.Int64, lies *atomic.Bool) string {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		var in struct{ Messages []struct{ Content string } }
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil || lies.Load() {
			fmt.Fprint(w, "{}")
			return
		}
		said := map[string]any{"content": fmt.Sprintf("%d bytes", len(in.Messages[1].Content))}
		_ = json.NewEncoder(w).Encode(map[string]any{"choices": []any{map[string]any{"message": said}}})
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// TestMaker proves that Of never waits, that a text is sent once however many ask, that a
// failure is repeated after a minute and no earlier, and that a long text is sent in pieces.
func TestMaker(t *testing.T) {
	var asked atomic.Int64
	var lies atomic.Bool
	var mu sync.Mutex
	now := time.Date(2026, 11, 25, 12, 0, 0, 0, time.UTC)
	m, err := NewSummaries(embed.Summarizing{URL: endpoint(t, &asked, &lies), Model: "m"}, func() time.Time {
		mu.Lock()
		defer mu.Unlock()
		return now
	})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	v := view.New(&graph.State{}, chain.Commit{}, "")
	b := &working.Block{ID: "b", Type: working.File, Location: "a.txt", StartLine: 5}
	text := strings.Repeat("A line of a text.\n", 10)
	lies.Store(true)
	if got, err := m.Of(v, nil, b, text); got.Text != "" || err != nil {
		t.Errorf("at first: %+v, %v", got, err)
	}
	m.Settle()
	for range 3 {
		if got, err := m.Of(v, nil, b, text); got.Text != "" || !errors.Is(err, embed.ErrProtocol) || asked.Load() != 1 {
			t.Errorf("after a lie: %+v, %v, asked %d times", got, err, asked.Load())
		}
		m.Settle()
	}
	lies.Store(false)
	mu.Lock()
	now = now.Add(2 * retryDelay)
	mu.Unlock()
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 50 {
				_, _ = m.Of(v, nil, b, text)
			}
		})
	}
	all.Wait()
	m.Settle()
	got, err := m.Of(v, nil, b, text)
	if err != nil || got.Text != "180 bytes" || got.By != "m" || !strings.HasPrefix(got.Of, "a.txt:5-14, digest baf") || asked.Load() != 2 {
		t.Errorf("got %+v, %v, asked %d times", got, err, asked.Load())
	}
	long := strings.Repeat("A line of a longer text.\n", 12*maxPiece/25)
	_, _ = m.Of(v, nil, b, long)
	m.Settle()
	got, err = m.Of(v, nil, b, long)
	if lines := strings.Split(got.Text, "\n"); err != nil || len(lines) != maxPieces || !strings.HasPrefix(lines[0], "Lines 5-") {
		t.Errorf("a long text: %q, %v", got.Text, err)
	}
	m.Forget()
	if got, err := m.Of(v, nil, b, text); got.Text != "" || err != nil {
		t.Errorf("forgotten: %+v, %v", got, err)
	}
}

// TestMakerClosed proves that closing ends what is going on, and that nothing is sent then.
func TestMakerClosed(t *testing.T) {
	hung, leave := make(chan struct{}, 1), make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		hung <- struct{}{}
		select {
		case <-r.Context().Done():
		case <-leave:
		}
	}))
	defer s.Close()
	defer close(leave)
	m, err := NewSummaries(embed.Summarizing{URL: s.URL, Model: "m"}, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	v, b := view.New(&graph.State{}, chain.Commit{}, ""), &working.Block{Type: working.File, Location: "a.txt"}
	_, _ = m.Of(v, nil, b, "text")
	<-hung
	m.Close()
	m.Close()
	if got, err := m.Of(v, nil, b, "another text"); got.Text != "" || err != nil || len(hung) > 0 {
		t.Errorf("closed: %+v, %v", got, err)
	}
	var none *Summaries
	none.Forget()
	none.Close()
	if got, err := none.Of(v, nil, b, "text"); got.Text != "" || err != nil {
		t.Errorf("none: %+v, %v", got, err)
	}
	if _, err := NewSummaries(embed.Summarizing{}, nil); !errors.Is(err, embed.ErrConfig) {
		t.Errorf("without a server: %v", err)
	}
}
