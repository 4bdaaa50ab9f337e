package results

import (
	"encoding/json"
	"fmt"
)

// committed has the committed lengths of the files. It is the frontier's note, so that files
// and frontier agree after a crash.
type committed struct {
	Lengths
	Robots  int64             `json:"robots"`          // bytes of robots.jsonl that the sinks have
	Journal int64             `json:"journal"`         // bytes of the journal, to detect losses; later bytes are valid too
	Sinks   map[string][]byte `json:"sinks,omitempty"` // checkpoints by the names of formats

	// Stale are formats that have a checkpoint and are no longer used. Their files are
	// completed when they are used again.
	Stale []string `json:"stale,omitempty"`
}

// setStale marks a format as stale.
func (c *committed) setStale(name string) {
	if c.Sinks[name] != nil {
		delete(c.Sinks, name)
		c.Stale = append(c.Stale, name)
	}
}

// note encodes c for the frontier.
func (c *committed) note() []byte {
	b, err := json.Marshal(c)
	if err != nil {
		panic(err) // numbers, and bytes by name
	}
	return b
}

// parseNote is the inverse of note. Without a note nothing is committed.
func parseNote(note []byte) (c committed, err error) {
	if note == nil {
		return c, nil
	}
	if err := json.Unmarshal(note, &c); err != nil {
		return c, fmt.Errorf("the frontier's note on the output: %w", err)
	}
	return c, nil
}
