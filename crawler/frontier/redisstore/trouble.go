package redisstore

import "sync"

// Troubles are what OnTrouble is told of: those of all calls together, since of a
// Cluster some servers may answer while others do not.
type troubles struct {
	mu    sync.Mutex // guards what follows, and is held while OnTrouble runs
	told  bool       // and not yet that it is over
	calls int        // that are being made again
}

// A trouble is that of one call: whether it is being made again.
type trouble bool

// ill is for a call that has to be made again.
func (s *Store) ill(t *trouble, err error) {
	all := &s.troubles
	all.mu.Lock()
	defer all.mu.Unlock()
	if !*t {
		*t = true
		all.calls++
	}
	if !all.told {
		all.told = true
		if s.opts.OnTrouble != nil {
			s.opts.OnTrouble(err)
		}
	}
}

// well is for a call that was answered.
func (s *Store) well(t *trouble) {
	s.over(t)
	all := &s.troubles
	all.mu.Lock()
	defer all.mu.Unlock()
	if all.told && all.calls == 0 {
		all.told = false
		if s.opts.OnTrouble != nil {
			s.opts.OnTrouble(nil)
		}
	}
}

// over is for a call that is not made again, whatever became of it.
func (s *Store) over(t *trouble) {
	s.troubles.mu.Lock()
	defer s.troubles.mu.Unlock()
	if *t {
		*t = false
		s.troubles.calls--
	}
}
