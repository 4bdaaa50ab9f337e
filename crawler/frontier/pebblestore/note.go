package pebblestore

import (
	"bytes"
	"context"
)

// Note implements frontier.Frontier.
func (s *Store) Note(ctx context.Context) (_ []byte, err error) {
	defer s.hear(&err)
	now, err := s.sched.Enter(ctx)
	if err != nil {
		return nil, err
	}
	defer s.sched.Leave(now)
	return bytes.Clone(s.note), nil
}

// A noteChange replaces the note.
type noteChange struct{ note []byte }

func (c *noteChange) write(b *batch) { b.put(metaKey(metaNote), c.note) }

func (c *noteChange) apply(s *Store, _ instant) { s.note = c.note }
