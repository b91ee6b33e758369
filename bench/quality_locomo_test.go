// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package bench

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fovea-memory/fovea/internal/foveatest"
)

// locomo is a conversation of LoCoMo in the forms in which a memory may hold it.
type locomo struct{ foveatest.Conversation }

// questions returns the questions of the conversation.
func (c locomo) questions() (out []question) {
	kinds := map[int]string{1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop"}
	for _, q := range c.Questions {
		out = append(out, question{q.Text, kinds[q.Category], q.Evidence})
	}
	return out
}

// orgBody returns a text as lines that are no headlines.
func orgBody(text string) string {
	text = strings.ReplaceAll(text, "\n*", "\n *")
	if strings.HasPrefix(text, "*") {
		text = " " + text
	}
	return strings.TrimRight(text, "\n") + "\n"
}

const orgTime = "[2006-01-02 Mon 15:04]"

// asTurns returns a conversation as a file for each session and a headline for each
// turn: the speaker is the title.
func (c locomo) asTurns() library {
	l := library{questions: c.questions()}
	for _, s := range c.Sessions {
		d := file{path: fmt.Sprintf("session-%02d.org", s.Number)}
		var b strings.Builder
		fmt.Fprintf(&b, "#+title: Session %d\n#+date: %s\n", s.Number, s.Time.Format(orgTime))
		for _, u := range s.Turns {
			fmt.Fprintf(&b, "* %s\n:PROPERTIES:\n:SPEAKER: %s\n:DATE: %s\n:END:\n%s", u.Speaker, u.Speaker, s.Time.Format(orgTime), orgBody(u.Text))
			d.headlines = append(d.headlines, []passage{{u.ID, u.Text}})
		}
		d.text = b.String()
		l.documents = append(l.documents, d)
	}
	return l
}

// asNotes returns a conversation as the notes of one agent, in the form in which
// remember writes them.
func (c locomo) asNotes() library {
	l := library{questions: c.questions(), asker: "mint"}
	l.documents = []file{notesFile("mint", c.notes(0, speaker))}
	return l
}

// speaker titles a turn by who speaks.
func speaker(u foveatest.Turn) string { return u.Speaker }

// notes returns a conversation as notes, each some time after the one before it.
func (c locomo) notes(apart time.Duration, title func(foveatest.Turn) string) (notes []remembered) {
	for _, s := range c.Sessions {
		for i, u := range s.Turns {
			notes = append(notes, remembered{title: title(u), speaker: u.Speaker, created: s.Time.Add(time.Duration(i) * apart), passage: passage{u.ID, u.Text}})
		}
	}
	return notes
}

// wordsOfTitle is the number of a text's words in the title of a note named by them.
const wordsOfTitle = 6

// firstWords titles a turn by its speaker and the first words of its text.
func firstWords(u foveatest.Turn) string {
	words := strings.Fields(u.Text)
	return u.Speaker + ": " + strings.Join(words[:min(wordsOfTitle, len(words))], " ")
}

// asTitledNotes returns a conversation as the notes of one agent, a minute apart and named by
// the first words of their texts, which the owner asks about.
func (c locomo) asTitledNotes() library {
	return library{questions: c.questions(), documents: []file{notesFile("mint", c.notes(time.Minute, firstWords))}}
}

// asAgents returns a conversation as the notes of two agents, one for each speaker, a minute
// apart. The owner asks.
func (c locomo) asAgents(title func(foveatest.Turn) string) library {
	l, agents := library{questions: c.questions()}, map[string][]remembered{}
	for _, n := range c.notes(time.Minute, title) {
		agents[n.speaker] = append(agents[n.speaker], n)
	}
	for _, speaker := range slices.Sorted(maps.Keys(agents)) {
		l.documents = append(l.documents, notesFile(strings.ToLower(speaker), agents[speaker]))
	}
	return l
}

// remembered is a note of an agent.
type remembered struct {
	title, speaker string
	created        time.Time
	passage
}

// notesFile returns notes in the form in which remember writes them.
func notesFile(agent string, notes []remembered) file {
	d := file{path: "agents/" + agent + "/notes.org"}
	var b strings.Builder
	for i, n := range notes {
		k := uint64(i+1) + uint64(agent[0])<<32
		fmt.Fprintf(&b, "* %s\n:PROPERTIES:\n:ID:       %08x-7a3c-4d1e-9b5f-%012x\n:AUTHOR:   %s\n:CREATED:  %s\n:TRUST:    unreviewed\n",
			n.title, 0x51a7c0de*uint32(k), 0x9e3779b97f4a*k&(1<<48-1), agent, n.created.Format(orgTime))
		if n.speaker != "" && n.title != n.speaker {
			fmt.Fprintf(&b, ":SPEAKER:  %s\n", n.speaker)
		}
		fmt.Fprintf(&b, ":END:\n%s", orgBody(n.text))
		d.headlines = append(d.headlines, []passage{n.passage})
	}
	d.text = b.String()
	return d
}

// asSessions returns a conversation as one long note for each session, with an item for
// each turn.
func (c locomo) asSessions() library {
	l := library{questions: c.questions()}
	for _, s := range c.Sessions {
		d := file{path: fmt.Sprintf("session-%02d.org", s.Number), headlines: [][]passage{nil}}
		var b strings.Builder
		fmt.Fprintf(&b, "* Session %d, %s\n", s.Number, s.Time.Format("2 January 2006"))
		for _, u := range s.Turns {
			item := u.Speaker + ": " + strings.Join(strings.Fields(u.Text), " ")
			fmt.Fprintf(&b, "- %s\n", item)
			d.headlines[0] = append(d.headlines[0], passage{u.ID, item})
		}
		d.text = b.String()
		l.documents = append(l.documents, d)
	}
	return l
}

// forms are the conversations of LoCoMo and each form of them.
type forms struct {
	conversations                []locomo
	turns, notes, sessions       []library
	titled, agents, titledAgents []library
}

// locomoForms makes each form of each conversation; with -short, of one with ten questions.
func locomoForms(t testing.TB) (f forms) {
	t.Helper()
	for i, c := range foveatest.Locomo(t) {
		if foveatest.Thin(i, 1000) {
			break
		}
		c := locomo{c}
		f.conversations = append(f.conversations, c)
		f.turns, f.notes, f.sessions = append(f.turns, c.asTurns().thinned()), append(f.notes, c.asNotes().thinned()), append(f.sessions, c.asSessions().thinned())
		f.titled, f.agents = append(f.titled, c.asTitledNotes().thinned()), append(f.agents, c.asAgents(speaker).thinned())
		f.titledAgents = append(f.titledAgents, c.asAgents(firstWords).thinned())
	}
	return f
}

// thinned is the library with ten of its questions, if -short asks for less.
func (l library) thinned() library {
	l.questions = l.questions[:min(len(l.questions), foveatest.Size(len(l.questions), 10))]
	return l
}

// shuffled returns libraries whose turns are in a random order: all turns of the
// conversation, those within each session, or half the sessions among themselves.
func shuffled(conversations []locomo, how string, seed uint32) (out []library) {
	rng := newMersenne(seed)
	for _, c := range conversations {
		var pools [][]int // sessions whose turns are mixed
		all := make([]int, len(c.Sessions))
		for i := range all {
			all[i] = i
			if how == "within sessions" {
				pools = append(pools, []int{i})
			}
		}
		switch how {
		case "all":
			pools = [][]int{all}
		case "half the sessions":
			pools = [][]int{draw(rng, all, len(all)/2)}
		}
		sessions := slices.Clone(c.Sessions)
		for _, pool := range pools {
			var turns []foveatest.Turn
			for _, i := range pool {
				turns = append(turns, sessions[i].Turns...)
			}
			turns = draw(rng, turns, len(turns))
			for _, i := range pool {
				n := len(sessions[i].Turns)
				sessions[i].Turns, turns = turns[:n], turns[n:]
			}
		}
		mixed := c
		mixed.Sessions = sessions
		out = append(out, mixed.asTurns())
	}
	return out
}
